// Command bench measures a gateway and, for comparison, other servers that do the same
// work, in one run on one machine:
//
//	go run ./server/bench --stamps 1000,1000000 --engine sqlite,postgres
//
//	data (stamps seeded) ─▶ processes: gateway, bare handler, PocketBase
//	                              ▲
//	                              └── load generator (this process) ─▶ table, bars
//
// The bare handler is net/http with the minimum for the answer: prepared statements,
// encoding/json, and one Ed25519 check for a look-up by payload. Both have the following
// in common, so that the ratio measures only the gateway's additions (routes, contract,
// keys, limits, traces, log, metrics):
//
//   - the statements; on PostgreSQL also the role, and with it the policies of
//     row-level security, the planner's settings and the size of the pool
//   - the rows of history, committed in groups several times a second: a power
//     cut loses those of the last fifth of a second
//   - the answer, byte for byte except for its time; the run fails otherwise, and
//     it fails if a look-up of either is not in the history
//   - the collector's settings, processors, keep-alive and time-outs of
//     connections, and no TLS
//
// The bars compare the bare handler with the gateway's settings of the garbage
// collector; it also runs with Go's own, which cost it more. PocketBase is in a module
// of its own in the folder pocketbase, with its own settings. It looks a stamp up by an
// indexed field and, as a user would write it, saves a record of that in the same
// request. Its only engine is SQLite, so its cost is compared with the gateway on
// SQLite.
//
// The database has all rows of each stamp, and the status shards that they need. A case of
// its own revokes stamps one after another, each as soon as the one before is published.
//
// CPU is the user and system time of the server process, including PostgreSQL's
// processes, for each request. The servers take short turns, every other round
// backwards. A ratio is the median of the turns' ratios, shown with its middle half, so
// other load on the machine affects all servers equally. The databases with few and with
// many stamps take turns in the same way. Requests a second and latencies do depend on
// other load.
//
// The gateway's own program, with the reader that proves stamps, is built for bulk jobs.
// It gets a PDF for each row and a fresh data folder for each job. CPU and memory include
// the child processes and the upload.
//
// With --only fleet, a fleet returns: its devices connect together and send all their
// scans, made and signed before, while other clients look stamps up at a steady pace.
// Look-ups that wait for the machine count as slow ones, so the machine must be idle
// otherwise.
//
// With --only day, several gateways on one PostgreSQL database play a day's mixed load in
// some minutes: stamps, revocations, batches of scans and look-ups, few at night and most
// at ten and at three. Meanwhile gateways are killed and frozen, and all sessions of the
// database are cut. Clients try again as those behind a load balancer do. At the end each
// acknowledged stamp, revocation, scan and event is looked for, and counted.
//
// The run builds PocketBase in its folder with the go command, which fetches its
// modules at the first run; --pocketbase= leaves it out. PostgreSQL must be
// installed for --engine postgres.
//
// With --profile the gateway and the bare handler write CPU profiles; --only limits the
// run to some parts. Synced scans are stored with synchronous=FULL, and fsync on. A
// million stamps take about 2.5 GB in TMPDIR for each engine.
package main
