// Package mail sends people a message when a document is issued to them. Call [New], then [Sender.Send].
//
//	Delivery ─▶ words of its language ─▶ text and HTML, PDF attached ─▶ SMTP server ─▶ confirmed
//	                                                                        │
//	                                         *Error: Refused, Later ◀───────┘
//
// Send sends once and stores nothing: the caller decides by the [Outcome] when to try
// again, and how often. The Message-ID depends only on the delivery. If a
// confirmation is lost and the message is sent again, servers can recognise it as the
// same.
package mail
