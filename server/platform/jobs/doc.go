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
//
// # Work that ends the gateway
//
// An item whose fault cannot be contained ends the process that works on it. The gateway that
// is started next must not try it again forever, and must not blame what only was in work
// when a gateway was killed or lost its power. So nothing is concluded from the end of a
// gateway but that the cause may be among its work:
//
//	begin ─▶ note in work_begun ─▶ Handler.Work ─▶ note removed
//	                │ the process is gone and its note is there, for an hour
//	                ▼
//	    all work runs apart: in a work process of its kind, a child of the gateway
//	                │ the process ends: any of its work may have ended it
//	                ▼
//	    for ten minutes one subject of the kind and one of its items at a time
//	                │ the process ends: the item that began last has ended it
//	                ▼
//	    work_faults counts; after the second time Handler.SetAside, and the rest goes on
//
// A work process is the gateway's program, which calls [Serve]. It ends with its gateway, which
// then blames nothing. Work that shows no progress for [Handler.Quiet] hangs: in the gateway it is
// left behind and later work runs apart, and a work process is ended for it.
//
// # Work that services look for
//
// A service that looks for its work itself, such as erasure, has it done by [Runner.Do]: under a
// note, without a wake-up. What was set aside is its subjects and items in work_faults, which the
// service leaves out.
package jobs
