// Package device is a complete scanner, composed of its parts. Start with
// [Open] and [Device.Verify]. The programs tcode-scan and tcode-demo use it.
//
//	file ─▶ scanner ─▶ payload ─▶ offline.Verifier ─▶ outbox (on disk) ─▶ Finding (on screen)
//	           │                      ▲                   │
//	           └──── binding ─────────┤                   ▼
//	                     cache (trust state) ◀─ feed   uplink ─▶ gateway
//
// A [Device] is one home folder: the trust cache, the outbox and the device
// key. The order is a promise: a scan is durable before its verdict is
// returned, and fetching documents never waits for sending scans.
package device
