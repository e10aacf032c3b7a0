// Command bench measures what a gateway answers, next to what others would take
// for the same work, in one run on one machine:
//
//	go run ./server/bench --stamps 1000,1000000 --engine sqlite,postgres
//
//	data (stamps seeded) ─▶ processes: gateway, bare handler, PocketBase
//	                              ▲
//	                              └── load generator (this process) ─▶ table, bars
//
// The bare handler is net/http with the least that gives the answer: prepared
// statements, encoding/json, one Ed25519 check where a payload is asked about.
// What both have alike, so that the ratio is what the gateway adds (routes,
// contract, keys, limits, traces, log, metrics):
//
//   - the statements; on PostgreSQL also the role, and with it the policies of
//     row-level security, the planner's settings and the size of the pool
//   - the rows of history, committed in groups several times a second: what the
//     last fifth of a second looked up is lost in a power cut
//   - the answer, byte for byte but for its moment; the run fails otherwise, and
//     it fails if a look-up of either is not in the history
//   - the collector's settings, processors, keep-alive and time-outs of
//     connections, and no TLS
//
// The bars compare it under the gateway's settings of the garbage collector; it
// also runs under Go's own, which cost it more. PocketBase, in a module of its
// own in the folder pocketbase, looks a stamp up by an indexed field and, as a
// user would write it, saves a record of that in the same request, with its own
// settings. Its only engine is SQLite, so what it costs is held against the
// gateway on that one.
//
// CPU is user and system time of the server process, of PostgreSQL's processes
// too, for each request. The servers take short turns, every other round
// backwards, and a ratio is the median of those of the turns, with its middle
// half beside it: what else the machine does meets all of them alike. So do the
// databases with few and with many stamps. Requests a second and latencies do
// depend on it.
//
// Bulk jobs are done by the gateway's own program, built for that, with the
// reader that proves stamps: a PDF for each row, in a fresh data folder each
// time. Their CPU and memory include the child processes, and the upload.
//
// A fleet comes back with --only fleet: its devices connect at once and send all
// their scans, made and signed before, while others look stamps up at a steady
// pace. Look-ups that wait for the machine count as slow ones, so the machine
// must be idle otherwise.
//
// The run builds PocketBase in its folder with the go command, which fetches its
// modules at the first run; --pocketbase= leaves it out. PostgreSQL must be
// installed for --engine postgres.
//
// With --profile the gateway and the bare handler write CPU profiles; --only
// leaves parts of a run out. Synced scans are stored with synchronous=FULL, and
// fsync on. A million stamps take about 1.2 GB in TMPDIR for each engine.
package main
