// Package offline decides whether a TCode is genuine without any network.
//
//	payload ─▶ Parse ─▶ issuer ─▶ key ─▶ signature ─▶ status ─▶ age ─▶ binding ─▶ Result
//	 bytes    syntax   └─ Snapshot.State: bundle ─┘   shard    Clock   Request    verdict,
//	                                                                              checks, reason
//
// Start with [New] and [Verifier.Verify]. The caller supplies everything: the
// trust state, the clock, the payload's bytes and their binding to the file.
// The package opens no file, reads no clock and starts no goroutine, so it
// returns the same bytes on a server, on a handheld and in a browser.
//
// An answer is never wrong in the dangerous direction: missing knowledge makes
// it [Unverified], never [Valid]. README.md has the table that
// [Verifier.Verify] follows; checks.go holds the frozen names and codes.
package offline
