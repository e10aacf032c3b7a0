// Package device is what a scanner does in the field, put together from its
// parts. The programs tcode-scan and tcode-demo are faces of it.
//
//	file ─▶ scanner ─▶ payload ─▶ offline.Verifier ─▶ outbox (on disk) ─▶ Finding (on screen)
//	           │                      ▲                   │
//	           └──── binding ─────────┤                   ▼
//	                     cache (trust state) ◀─ feed   uplink ─▶ gateway
//
// A [Device] is one home folder: the trust cache, the outbox and the device
// key. The order is the promise: a scan is durable before its verdict is
// handed out, and what comes down never waits for what goes up.
package device
