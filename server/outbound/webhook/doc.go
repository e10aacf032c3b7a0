// Package webhook sends events to the systems of a tenant. Call [New], then
// [Service.Create]. FORMAT.md is for authors of receivers.
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
// A delivery may arrive twice, if an answer was lost, and in any order: its id and the
// event's time help the receiver. One runner works on an endpoint at a time, so that a
// slow receiver delays only its own deliveries. It renews its hold of 15 seconds; a runner
// that stood still for longer finds its posts interrupted, and the result of a try is stored
// only if no later try of the delivery has begun. The package uses no SQL and no HTTP;
// package post sends.
package webhook
