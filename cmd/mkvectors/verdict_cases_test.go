package mkvectors_test

import (
	"slices"
	"strings"
	"time"

	"tcode/offline"
	"tcode/offline/binding"
	"tcode/offline/payload"
	"tcode/offline/statuslist"
)

// verdictCases is the table of all verdict vectors, by verdict.
func verdictCases() []verdictCase {
	return slices.Concat(validCases(), notFoundCases(), decidedCases(), unknownCases(), undecidedCases())
}

func validCases() []verdictCase {
	cases := []verdictCase{
		{name: "valid-match", comment: "the stamped file itself, an hour after the last refresh", change: func(*world) {}, check: offline.CheckBinding, code: offline.CodeBindingMatch},
		{name: "valid-not-checked", comment: "paper: the operator compares the signed fields", change: func(w *world) { w.vector.Binding = binding.NotChecked }, check: offline.CheckBinding, code: offline.CodeBindingNotChecked},
		{name: "valid-appended", comment: "a signature was added to the file later", change: func(w *world) {
			w.vector.Binding, w.vector.BindingDetail = binding.Appended, "4,711 bytes follow, signed by \u202eevil"
		}, check: offline.CheckBinding, code: offline.CodeBindingAppended},
		{name: "valid-plain", comment: "the stamped file itself, and the issuer says that it is plain", change: func(w *world) { w.stamp.Plain = true }, check: offline.CheckBinding, code: offline.CodeBindingMatch},
		{name: "valid-plain-appended", comment: "the flag is signed, so it is shown; it says nothing about what was added", change: func(w *world) {
			w.stamp.Plain, w.vector.Binding = true, binding.Appended
		}, check: offline.CheckBinding, code: offline.CodeBindingAppended},
		{name: "valid-no-binding", comment: "a binding nobody names counts as not checked", change: func(w *world) { w.vector.Binding = "" }, check: offline.CheckBinding, code: offline.CodeBindingNotChecked},
		{name: "valid-fresh-edge", comment: "24 hours to the second are fresh", change: func(w *world) { w.age(day); w.outlive() }, check: offline.CheckFreshness, code: offline.CodeOK},
		{name: "valid-stale", comment: "a second more is amber", change: func(w *world) { w.age(day + time.Second); w.outlive() }, check: offline.CheckFreshness, code: offline.CodeStale},
		{name: "valid-stale-timestamp-expired", comment: "the gateway asked for less than 24 hours", change: func(w *world) { w.timestamp.Expires = noon }, check: offline.CheckFreshness, code: offline.CodeStale},
		{name: "valid-stale-by-policy", comment: "the device asks for less than 24 hours", change: func(w *world) { w.vector.FreshSeconds = 3599 }, check: offline.CheckFreshness, code: offline.CodeStale},
		{name: "valid-stale-edge", comment: "a second before 7 days", change: func(w *world) { w.age(7*day - time.Second); w.outlive() }, check: offline.CheckFreshness, code: offline.CodeStale},
		{name: "valid-policy-cannot-lengthen", comment: "fresh for more than 24 hours is not possible", change: func(w *world) {
			w.age(2 * day)
			w.outlive()
			w.vector.FreshSeconds, w.vector.HardSeconds = 1e6, 1e7
		}, check: offline.CheckFreshness, code: offline.CodeStale},
		{name: "valid-text", comment: "given by the text form", change: func(w *world) { w.asText(func(s string) string { return s }) }, check: offline.CheckDecode, code: offline.CodeOK},
		{name: "valid-es256-old-key", comment: "an ES256 key that signs no more", change: func(w *world) { w.signer, w.stamp.KeySeq = w.es, 0 }, check: offline.CheckSignature, code: offline.CodeOK},
		{name: "valid-key-first-second", comment: "the window begins with its first second", change: func(w *world) { w.stamp.IssuedAt = noon.Add(-40 * day) }, check: offline.CheckKeyWindow, code: offline.CodeOK},
		{name: "valid-announced-key", comment: "a key that was announced and has begun to sign since", change: func(w *world) {
			w.signer, w.stamp.KeySeq, w.stamp.IssuedAt = w.edOther, 2, noon.Add(-time.Minute)
		}, check: offline.CheckKeyWindow, code: offline.CodeOK},
		{name: "valid-predates", comment: "issued after the status: not revoked, but nobody says issued", change: func(w *world) { w.stamp.IssuedAt = noon.Add(-time.Minute) }, check: offline.CheckStatusPredatesStamp, code: offline.CodeStatusPredates},
		{name: "valid-issuer-clock-ahead", comment: "10 minutes ahead are forgiven", change: func(w *world) { w.stamp.IssuedAt = noon.Add(10 * time.Minute) }, check: offline.CheckIssuedNotInFuture, code: offline.CodeOK},
		{name: "valid-survivor", comment: "the key was stolen, the issuer vouches for this stamp", change: func(w *world) { w.compromise(true, true) }, check: offline.CheckKeyNotCompromised, code: offline.CodeSurvivor},
		{name: "valid-expires-later", comment: "a signed expiry that is a second away", change: func(w *world) { w.stamp.ExpiresAt = noon.Add(time.Second) }, check: offline.CheckNotExpired, code: offline.CodeOK},
		{name: "valid-test-accepted", comment: "a test document where tests are asked for", change: func(w *world) { w.stamp.Test, w.vector.AcceptTest = true, true }, check: offline.CheckNotTest, code: offline.CodeTestAccepted},
		{name: "valid-clock-proven", comment: "a wrong clock, and a proof of time 5 minutes ago", change: func(w *world) {
			w.vector.Now = noon.Add(-300 * day)
			w.proof(noon.Add(-5*time.Minute), 5*time.Minute)
		}, check: offline.CheckFreshness, code: offline.CodeOK},
		{name: "valid-clock-proven-floor-ahead", comment: "a proof counts, not a floor from a clock that once ran ahead", change: func(w *world) {
			w.vector.Floor, w.vector.NewestScan = noon.Add(400*day), noon.Add(400*day)
			w.proof(noon.Add(-5*time.Minute), 5*time.Minute)
		}, check: offline.CheckFreshness, code: offline.CodeOK},
		{name: "valid-clock-scan-edge", comment: "10 minutes behind the newest scan are forgiven", change: func(w *world) { w.vector.NewestScan = noon.Add(10 * time.Minute) }, check: offline.CheckFreshness, code: offline.CodeOK},
		{name: "valid-language", comment: "names in the language asked for", change: func(w *world) {
			w.vector.Language, w.vector.Binding = "de-AT", binding.NotChecked
		}, check: offline.CheckBinding, code: offline.CodeBindingNotChecked},
		{name: "valid-no-fields", comment: "nothing optional, a type nobody named", change: func(w *world) {
			w.stamp.Fields, w.stamp.DocumentType, w.vector.Binding = nil, "ZZZ", binding.NotChecked
		}, check: offline.CheckNotExpired, code: offline.CodeNoExpiry},
		{name: "valid-hostile-texts", comment: "names and fields that want to leave their line", change: func(w *world) {
			w.vector.Binding = binding.NotChecked
			w.bundle.Tenants[0].Name = "Acme\nrevoked \u202e<b>&\\"
			w.stamp.Fields = []payload.Field{{Key: "holder", Value: "\x1b[31m\u2028\"</script>"}, {Key: "note", Value: ""}}
		}, check: offline.CheckSignature, code: offline.CodeOK},
	}
	for i := range cases {
		cases[i].verdict, cases[i].assurance = offline.Valid, offline.AssuranceStatus
	}
	return cases
}

func notFoundCases() []verdictCase {
	flip := func(at int) func(*world) {
		return func(w *world) {
			w.edit(func(raw []byte) []byte { raw[(at+len(raw))%len(raw)] ^= 1; return raw })
		}
	}
	cases := []verdictCase{
		{name: "not-found-reference-changed", comment: "one bit of the reference", change: flip(10), check: offline.CheckSignature, code: offline.CodeSignatureInvalid},
		{name: "not-found-fingerprint-changed", comment: "one bit of the file's fingerprint", change: flip(-65), check: offline.CheckSignature, code: offline.CodeSignatureInvalid},
		{name: "not-found-signature-changed", comment: "one bit of the signature", change: flip(-1), check: offline.CheckSignature, code: offline.CodeSignatureInvalid},
		{name: "not-found-plain-changed", comment: "the flag plain set after signing: nothing is plain", change: func(w *world) { w.edit(func(raw []byte) []byte { raw[2] |= 0x04; return raw }) }, check: offline.CheckSignature, code: offline.CodeSignatureInvalid},
		{name: "not-found-other-key", comment: "signed by somebody else's key", change: func(w *world) { w.signer = w.edOther }, check: offline.CheckSignature, code: offline.CodeSignatureInvalid},
		{name: "not-found-algorithm", comment: "names a key of another algorithm", change: func(w *world) { w.signer = w.es }, check: offline.CheckSignature, code: offline.CodeAlgorithmMismatch},
		{name: "not-found-before-key", comment: "dated before the key was used", change: func(w *world) { w.stamp.IssuedAt = noon.Add(-40*day - time.Second) }, check: offline.CheckKeyWindow, code: offline.CodeIssuedBeforeKey},
		{name: "not-found-after-key", comment: "dated when the key signed no more", change: func(w *world) { w.signer, w.stamp.KeySeq, w.stamp.IssuedAt = w.es, 0, noon.Add(-20*day) }, check: offline.CheckKeyWindow, code: offline.CodeIssuedAfterKey},
		{name: "not-found-other-document", comment: "a genuine stamp on another file", change: func(w *world) { w.vector.Binding = binding.Mismatch }, check: offline.CheckBinding, code: offline.CodeBindingMismatch},
		{name: "not-found-other-document-revoked", comment: "not_found comes before revoked", change: func(w *world) { w.vector.Binding, w.entry = binding.Mismatch, statuslist.Revoked }, check: offline.CheckStatusEntry, code: offline.CodeRevoked},
		{name: "not-found-other-document-issuer-unknown", comment: "not_found comes before unverified", change: func(w *world) { w.vector.Binding, w.stamp.Issuer = binding.Mismatch, "NOBODY" }, check: offline.CheckIssuerKnown, code: offline.CodeIssuerUnknown},
		{name: "not-found-suspended-forgery", comment: "a forgery in a suspended issuer's name", change: func(w *world) { w.stamp.Issuer, w.signer = "SUSP01", w.edOther }, check: offline.CheckIssuerActive, code: offline.CodeIssuerSuspended},
		{name: "not-found-not-tcode", comment: "another kind of seal", change: func(w *world) { w.edit(func(raw []byte) []byte { raw[0] = 0xDC; return raw }) }, check: offline.CheckHeader, code: offline.CodeNotTCode},
		{name: "not-found-version", comment: "a version of the future", change: func(w *world) { w.edit(func(raw []byte) []byte { raw[1] += 0x10; return raw }) }, check: offline.CheckHeader, code: offline.CodeVersionUnknown},
		{name: "not-found-algorithm-unknown", comment: "an algorithm of the future", change: func(w *world) { w.edit(func(raw []byte) []byte { raw[1] = 0x13; return raw }) }, check: offline.CheckHeader, code: offline.CodeAlgorithmUnknown},
		{name: "not-found-flags", comment: "a flag that must be zero", change: func(w *world) { w.edit(func(raw []byte) []byte { raw[2] |= 0x40; return raw }) }, check: offline.CheckHeader, code: offline.CodeHeaderMalformed},
		{name: "not-found-truncated", comment: "one byte short", change: func(w *world) { w.edit(func(raw []byte) []byte { return raw[:len(raw)-1] }) }, check: offline.CheckDecode, code: offline.CodePayloadMalformed},
		{name: "not-found-trailing", comment: "one byte long", change: func(w *world) { w.edit(func(raw []byte) []byte { return append(raw, 0) }) }, check: offline.CheckDecode, code: offline.CodePayloadMalformed},
		{name: "not-found-one-byte", comment: "ends inside the header", change: func(w *world) { w.edit(func(raw []byte) []byte { return raw[:1] }) }, check: offline.CheckDecode, code: offline.CodePayloadMalformed},
		{name: "not-found-lower-case", comment: "the text form has one spelling", change: func(w *world) { w.asText(strings.ToLower) }, check: offline.CheckDecode, code: offline.CodeTextMalformed},
		{name: "not-found-web-address", comment: "somebody else's symbol", change: func(w *world) { w.asText(func(string) string { return "https://example.com/\x1b" }) }, check: offline.CheckDecode, code: offline.CodeTextMalformed},
		{name: "not-found-empty", comment: "an empty symbol", change: func(w *world) { w.asText(func(string) string { return "" }) }, check: offline.CheckDecode, code: offline.CodePayloadMalformed},
	}
	for i := range cases {
		cases[i].verdict, cases[i].assurance = offline.NotFound, offline.AssuranceNone
	}
	return cases
}
