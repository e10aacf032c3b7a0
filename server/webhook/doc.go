// Package webhook tells the systems of a tenant what happened (SPEC section 6
// leaves events open; DESIGN section 10).
//
//	effect + event, one transaction ─▶ a delivery for each endpoint that wants it
//	                                         │ due
//	                                         ▼
//	                      sign ─▶ POST ─▶ 2xx: Delivered
//	                                 │    410: endpoint disabled
//	                                 └─── else: again in 2^n minutes, ten times, then Failed
//
// A delivery may arrive twice, when an answer was lost, and in any order: its
// id tells, and the event's time. The package knows no SQL and no HTTP; package
// post does the sending.
package webhook
