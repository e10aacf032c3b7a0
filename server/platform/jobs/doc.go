// Package jobs runs work in the background on River, in the database of its subjects. Call
// [Migrate] first, then [NewQueue] and [NewRunner].
//
//	effect ─┬─ one transaction ─▶ rows of the domain: the work, and its result
//	        └─ Queue.Add ───────▶ River: a wake-up, "look at SUBJECT", now or later
//	                                 │ polled, each taken by one gateway
//	                                 ▼
//	                     Runner ─▶ Handler(SUBJECT)
//
// A wake-up only names a subject. The domain's own rows say what must be done, and a
// handler takes them under a lease: so a wake-up that comes twice, or that is lost with a
// killed process, does no harm. A handler's Due, which every Runner calls at intervals,
// replaces lost ones.
package jobs
