// Package mail tells people that a document was issued to them.
//
//	Delivery ─▶ words of its language ─▶ text and HTML, PDF attached ─▶ SMTP server ─▶ confirmed
//	                                                                        │
//	                                         *Error: Refused, Later ◀───────┘
//
// It sends once when asked once and keeps nothing: when to try, and how often,
// is the caller's to decide by [Outcome]. The Message-ID depends on the
// delivery alone, so that a message whose confirmation was lost, and which is
// therefore sent again, can be known as the same by the servers it passes.
package mail
