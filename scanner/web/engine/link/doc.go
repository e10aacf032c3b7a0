// Package link is the way of a phone to its gateway: it sends scans and fetches trust documents when they become due.
// Fill a [Config], call [New], and [Link.Run] in a goroutine:
//
//	Run ─┬─ sender:    a scan is due ─▶ uplink.Flush ─▶ receipt ─▶ Settled
//	     │     ▲ More: a scan was stored        ▲ Hurry: a person or the browser is back
//	     └─ refresher: every 15 minutes ─▶ feed.Refresh ─▶ trustbook
//
// [Link.Send], [Link.Refresh] and [Link.Enrol] do the same immediately, for a person who waits. Sending and fetching do not
// wait for each other. What the phone says of its last contact comes from answers alone, never from what the browser
// believes of the network.
package link
