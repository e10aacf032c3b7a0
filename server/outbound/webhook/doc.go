// Package webhook tells the systems of a tenant what happened.
// FORMAT.md is for those who write receivers.
//
//	effect + event, one transaction ─▶ a delivery for each endpoint that wants it
//	                                         │ due
//	     Service.Wake ─▶ Service.Run(endpoint), under a lease: a few posts at a time
//	                                         ▼
//	                      sign ─▶ POST ─▶ 2xx: Delivered
//	                                 │    410: endpoint disabled
//	                                 └─── else: again in 2^n minutes, ten times, then Failed
//
//	enabled ──▶ disabled: by a person, by 410, or when nothing went well for days
//	        ◀── by a person
//
// A delivery may arrive twice, when an answer was lost, and in any order: its
// id tells, and the event's time. One runner works on an endpoint at a time, so
// that a slow receiver holds up its own deliveries and nobody else's. The
// package knows no SQL and no HTTP; package post does the sending.
package webhook
