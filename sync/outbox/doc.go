// Package outbox is the device's durable queue of scans. A scan is on disk before
// its verdict is shown, and leaves the queue only on the gateway's signed receipt.
// Start with [Open] and [Outbox.Record]; package uplink leases and settles.
//
//	Record ─▶ QUEUED ──lease──▶ INFLIGHT ──accepted, duplicate, conflict (with receipt)──▶ DONE
//	            ▲                  │ └─────rejected (with receipt)──▶ DEAD (kept, listed)
//	            ├── retry, release, expired ──┘                 │
//	            └──────────────── requeue (by hand) ────────────┘
//
// [Outbox] keeps the queue in an SQLite file. [Book] keeps it in a journal, for devices without SQLite such as a phone's
// browser; start there with [OpenBook]. The rules of both are the same functions (rules.go).
//
// Several processes may use one file: all may record while one of them, the
// holder of the sync lock, sends. From the start each row holds all that the
// receipt audit and the regret report need.
//
// sync/README.md has the states, and describes the repair of a damaged file. FORMAT.md describes the records of a book.
// Package outboxtest holds the tests that every store must pass.
package outbox
