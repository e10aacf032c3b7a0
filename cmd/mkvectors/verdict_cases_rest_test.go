package mkvectors_test

import (
	"time"

	"tcode/offline"
	"tcode/offline/payload"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
)

// decidedCases are revoked, expired and suspended.
func decidedCases() []verdictCase {
	cases := []verdictCase{
		{name: "revoked", comment: "entry 1", change: func(w *world) { w.entry = statuslist.Revoked }, verdict: offline.Revoked, check: offline.CheckStatusEntry, code: offline.CodeRevoked},
		{name: "revoked-plain", comment: "a plain document is revoked as any other", change: func(w *world) { w.entry, w.stamp.Plain = statuslist.Revoked, true }, verdict: offline.Revoked, check: offline.CheckStatusEntry, code: offline.CodeRevoked},
		{name: "revoked-replaced", comment: "entry 3", change: func(w *world) { w.entry = statuslist.Replaced }, verdict: offline.Revoked, check: offline.CheckStatusEntry, code: offline.CodeReplaced},
		{name: "revoked-remembered", comment: "the list says nothing any more, the device remembers", change: func(w *world) { w.remember() }, verdict: offline.Revoked, check: offline.CheckStatusEntry, code: offline.CodeRevokedRemembered},
		{name: "revoked-remembered-suspended", comment: "what was revoked once is not merely suspended", change: func(w *world) { w.remember(); w.entry = statuslist.Suspended }, verdict: offline.Revoked, check: offline.CheckStatusEntry, code: offline.CodeRevokedRemembered},
		{name: "revoked-remembered-shard-missing", comment: "remembered without the list", change: func(w *world) { w.remember(); w.missing = true }, verdict: offline.Revoked, check: offline.CheckStatusShard, code: offline.CodeShardMissing},
		{name: "revoked-remembered-entry", comment: "the list takes back the revocation of an entry, the device remembers it", change: func(w *world) { w.lacks(trust.EntryMark(3, 4711)) }, verdict: offline.Revoked, check: offline.CheckStatusEntry, code: offline.CodeRevokedRemembered},
		{name: "revoked-trust-expired", comment: "a revocation does not get old", change: func(w *world) { w.entry = statuslist.Revoked; w.age(30 * day) }, verdict: offline.Revoked, check: offline.CheckFreshness, code: offline.CodeTrustExpired},
		{name: "revoked-clock-suspect", comment: "a revocation needs no clock", change: func(w *world) { w.entry = statuslist.Revoked; w.vector.Now = noon.Add(-2 * time.Hour) }, verdict: offline.Revoked, check: offline.CheckFreshness, code: offline.CodeClockSuspect},
		{name: "revoked-expired-too", comment: "revoked comes before expired", change: func(w *world) { w.entry = statuslist.Revoked; w.stamp.ExpiresAt = noon.Add(-day) }, verdict: offline.Revoked, check: offline.CheckNotExpired, code: offline.CodeDocumentExpired},
		{name: "revoked-key-compromised-too", comment: "revoked comes before unverified", change: func(w *world) { w.entry = statuslist.Revoked; w.compromise(false, true) }, verdict: offline.Revoked, check: offline.CheckKeyNotCompromised, code: offline.CodeKeyCompromised},
		{name: "revoked-test", comment: "a test document that was revoked", change: func(w *world) { w.entry = statuslist.Revoked; w.stamp.Test = true }, verdict: offline.Revoked, check: offline.CheckNotTest, code: offline.CodeTestDocument},
		{name: "expired", comment: "expired this very second", change: func(w *world) { w.stamp.ExpiresAt = noon }, verdict: offline.Expired, check: offline.CheckNotExpired, code: offline.CodeDocumentExpired},
		{name: "expired-suspended-too", comment: "expired comes before suspended", change: func(w *world) { w.stamp.ExpiresAt = noon; w.entry = statuslist.Suspended }, verdict: offline.Expired, check: offline.CheckStatusEntry, code: offline.CodeSuspended},
		{name: "expired-clock-back", comment: "a clock that was set back does not revive it: the floor is past the expiry", change: func(w *world) {
			w.stamp.ExpiresAt = noon.Add(-day)
			w.vector.Now = noon.Add(-10 * day)
		}, verdict: offline.Expired, check: offline.CheckFreshness, code: offline.CodeClockSuspect},
		{name: "suspended", comment: "entry 2", change: func(w *world) { w.entry = statuslist.Suspended }, verdict: offline.Suspended, check: offline.CheckStatusEntry, code: offline.CodeSuspended},
		{name: "suspended-issuer", comment: "the issuer is suspended", change: func(w *world) { w.stamp.Issuer = "SUSP01" }, verdict: offline.Suspended, check: offline.CheckIssuerActive, code: offline.CodeIssuerSuspended},
		{name: "suspended-trust-expired", comment: "suspended comes before unverified", change: func(w *world) { w.entry = statuslist.Suspended; w.age(30 * day) }, verdict: offline.Suspended, check: offline.CheckFreshness, code: offline.CodeTrustExpired},
	}
	for i := range cases {
		cases[i].assurance = offline.AssuranceStatus
	}
	return cases
}

// unknownCases are those without a key to check with.
func unknownCases() []verdictCase {
	cases := []verdictCase{
		{name: "unverified-nothing-pinned", comment: "a new device", change: func(w *world) { w.bare = true }, check: offline.CheckIssuerKnown, code: offline.CodeNoTrustState},
		{name: "unverified-root-only", comment: "enrolled, nothing fetched yet", change: func(w *world) { w.rootOnly = true }, check: offline.CheckFreshness, code: offline.CodeNoTrustState},
		{name: "unverified-plain-issuer-unknown", comment: "the word of an unknown issuer is not passed on", change: func(w *world) { w.stamp.Issuer, w.stamp.Plain = "NOBODY", true }, check: offline.CheckIssuerKnown, code: offline.CodeIssuerUnknown},
		{name: "unverified-issuer-unknown", comment: "an issuer that is not in the bundle", change: func(w *world) { w.stamp.Issuer = "NOBODY" }, check: offline.CheckIssuerKnown, code: offline.CodeIssuerUnknown},
		{name: "unverified-key-unknown", comment: "a key that is not in the bundle", change: func(w *world) { w.stamp.KeySeq = 200 }, check: offline.CheckKeyKnown, code: offline.CodeKeyUnknown},
		{name: "unverified-key-unknown-suspended", comment: "without a key nothing else counts", change: func(w *world) { w.stamp.Issuer, w.stamp.KeySeq = "SUSP01", 200 }, check: offline.CheckIssuerActive, code: offline.CodeIssuerSuspended},
	}
	for i := range cases {
		cases[i].verdict, cases[i].assurance = offline.Unverified, offline.AssuranceNone
	}
	return cases
}

// undecidedCases have a good signature and not more.
func undecidedCases() []verdictCase {
	cases := []verdictCase{
		{name: "unverified-compromised-remembered", comment: "the bundle takes back a compromise, the device remembers it", change: func(w *world) { w.lacks(trust.EntryMark(3, 4710), trust.KeyMark(w.bundle.Keys[1])) }, check: offline.CheckKeyNotCompromised, code: offline.CodeCompromisedRemembered},
		{name: "unverified-key-compromised", comment: "the issuer does not vouch for this stamp", change: func(w *world) { w.compromise(false, true) }, check: offline.CheckKeyNotCompromised, code: offline.CodeKeyCompromised},
		{name: "unverified-survivors-missing", comment: "the list is not on the device", change: func(w *world) { w.compromise(true, false) }, check: offline.CheckKeyNotCompromised, code: offline.CodeSurvivorsMissing},
		{name: "unverified-future", comment: "10 minutes and a second ahead", change: func(w *world) { w.stamp.IssuedAt = noon.Add(10*time.Minute + time.Second) }, check: offline.CheckIssuedNotInFuture, code: offline.CodeIssuedInFuture},
		{name: "unverified-test", comment: "a test document", change: func(w *world) { w.stamp.Test = true }, check: offline.CheckNotTest, code: offline.CodeTestDocument},
		{name: "unverified-7-days", comment: "7 days to the second", change: func(w *world) { w.age(7 * day); w.outlive() }, check: offline.CheckFreshness, code: offline.CodeTrustExpired},
		{name: "unverified-root-expired", comment: "the root expired this very second", change: func(w *world) { w.root.Expires = noon }, check: offline.CheckFreshness, code: offline.CodeTrustExpired},
		{name: "unverified-bundle-expired", comment: "the bundle expired this very second", change: func(w *world) { w.bundle.Expires = noon }, check: offline.CheckFreshness, code: offline.CodeTrustExpired},
		{name: "unverified-status-expired", comment: "the status expired this very second", change: func(w *world) { w.status.Expires = noon }, check: offline.CheckFreshness, code: offline.CodeTrustExpired},
		{name: "unverified-by-policy", comment: "the device asks for an hour", change: func(w *world) { w.vector.HardSeconds = 3600 }, check: offline.CheckFreshness, code: offline.CodeTrustExpired},
		{name: "unverified-policy-cannot-lengthen", comment: "relied on for more than 7 days is not possible", change: func(w *world) {
			w.age(8 * day)
			w.outlive()
			w.vector.FreshSeconds, w.vector.HardSeconds = 1e6, 1e7
		}, check: offline.CheckFreshness, code: offline.CodeTrustExpired},
		{name: "unverified-shard-missing", comment: "the shard is not on the device", change: func(w *world) { w.missing = true }, check: offline.CheckStatusShard, code: offline.CodeShardMissing},
		{name: "unverified-shard-unnamed", comment: "the shard is newer than the status", change: func(w *world) { w.unnamed = true; w.stamp.Status = payload.NewStatusIndex(9, 1) }, check: offline.CheckStatusShard, code: offline.CodeShardMissing},
		{name: "unverified-shard-damaged", comment: "the shard is not the signed one", change: func(w *world) { w.damaged = true }, check: offline.CheckStatusShard, code: offline.CodeShardDamaged},
		{name: "unverified-shard-damaged-revoked", comment: "what a damaged shard says does not count", change: func(w *world) { w.damaged = true; w.entry = statuslist.Revoked }, check: offline.CheckStatusEntry, code: offline.CodeStatusUnknown},
		{name: "unverified-clock-below-floor", comment: "a second before the timestamp document was issued", change: func(w *world) { w.vector.Now = noon.Add(-time.Hour - time.Second) }, check: offline.CheckFreshness, code: offline.CodeClockSuspect},
		{name: "unverified-clock-below-older-floor", comment: "the highest issue time counts, not the last one", change: func(w *world) { w.vector.Floor = noon.Add(time.Second) }, check: offline.CheckFreshness, code: offline.CodeClockSuspect},
		{name: "unverified-clock-below-scan", comment: "more than 10 minutes before the newest scan", change: func(w *world) { w.vector.NewestScan = noon.Add(10*time.Minute + time.Second) }, check: offline.CheckFreshness, code: offline.CodeClockSuspect},
		{name: "unverified-clock-proof-of-earlier-start", comment: "the machine was started anew since the proof, and its clock is before it", change: func(w *world) {
			w.vector.Now = noon.Add(-time.Second)
			w.proof(noon, 5*time.Minute)
			w.vector.Proof.Boot.ID = "earlier"
		}, check: offline.CheckFreshness, code: offline.CodeClockSuspect},
		{name: "unverified-clock-proven-long-ago", comment: "a proof 7 days ago, and no news since", change: func(w *world) {
			w.outlive()
			w.vector.Now = noon.Add(-day)
			w.proof(noon.Add(-time.Hour), 7*day)
		}, check: offline.CheckFreshness, code: offline.CodeTrustExpired},
		{name: "unverified-clock-stopped", comment: "the clock says an hour, the boot-time clock 8 days", change: func(w *world) {
			w.outlive()
			w.proof(noon.Add(-time.Hour), 8*day)
		}, check: offline.CheckFreshness, code: offline.CodeTrustExpired},
		{name: "unverified-status-ahead", comment: "the proof says that the timestamp document was dated by a clock that ran ahead", change: func(w *world) {
			w.proof(noon.Add(-400*day), 5*time.Minute)
		}, check: offline.CheckFreshness, code: offline.CodeStatusAhead},
		{name: "unverified-status-marked-ahead", comment: "an earlier proof said so; that its date has come since changes nothing", change: func(w *world) {
			w.vector.Ahead = w.timestamp.Version
		}, check: offline.CheckFreshness, code: offline.CodeStatusAhead},
	}
	for i := range cases {
		cases[i].verdict, cases[i].assurance = offline.Unverified, offline.AssuranceSignature
	}
	return cases
}
