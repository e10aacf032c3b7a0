// Command bench measures what a gateway answers, beside what others would take
// for the same work, in one run on one machine:
//
//	go run ./server/bench --stamps 1000,1000000 --engine sqlite,postgres
//
//	data (stamps seeded) ─▶ processes: gateway, bare handler, PocketBase
//	                              ▲
//	                              └── load generator (this process) ─▶ table, bars
//
// The bare handler is net/http with the same statements, the same history and
// the same answer, and one Ed25519 check where a payload is asked about. The
// bars compare it under the gateway's settings of the garbage collector; it also
// runs under Go's own, which cost it more. Both commit the history in groups: what the last fifth of a second looked up is
// lost in a power cut. PocketBase, in a module of its own in the folder
// pocketbase, looks a stamp up by an indexed field and, as a user would write
// it, saves a record of that in the same request, with its own settings. Its only
// engine is SQLite, so what it costs is held against the gateway on that one.
//
// CPU is user and system time of the server process, of PostgreSQL's processes
// too, for each request; it hardly depends on what else the machine does, while
// requests a second and latencies do. Synced scans are stored with
// synchronous=FULL, and fsync on. A million stamps take about 1.2 GB in TMPDIR
// for each engine.
package main
