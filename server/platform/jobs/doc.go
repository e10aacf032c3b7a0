// Package jobs runs work in the background on River, in the database that the
// work is about.
//
//	effect ─┬─ one transaction ─▶ rows of the domain: what is to be done, and what became of it
//	        └─ Queue.Add ───────▶ River: a wake-up, "look at SUBJECT", now or later
//	                                 │ polled, each taken by one gateway
//	                                 ▼
//	                     Runner ─▶ Handler(SUBJECT)
//
// A wake-up says where to look and nothing else. What is to be done stands in
// the domain's own rows, which a handler takes under a lease: so a wake-up that
// comes twice, or that a killed process took with it, changes nothing. Lost ones
// are made again by a handler's Due, which every Runner asks from time to time.
package jobs
