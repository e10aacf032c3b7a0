package main

import (
	"testing"

	"tcode/offline"
	"tcode/offline/binding"
	"tcode/scanner/answer"
	"tcode/scanner/caveat"
)

// TestHeadline: only one case is plain green, and age and binding never hide
// each other.
func TestHeadline(t *testing.T) {
	script := []caveat.Caveat{{Code: "script", Text: "it holds scripts"}}
	for _, tt := range []struct {
		verdict offline.Verdict
		binding binding.State
		stale   bool
		word    string
		colour  string
		caveats []caveat.Caveat
	}{
		{offline.Valid, binding.Match, false, "VALID", green, nil},
		{offline.Valid, binding.Match, true, "VALID, BUT STALE", amber, nil},
		{offline.Valid, binding.Match, false, "VALID, BUT CHECK CONTENTS", amber, script},
		{offline.Valid, binding.Match, true, "VALID, BUT CHECK CONTENTS, STALE", amber, script},
		{offline.Valid, binding.Appended, false, "VALID, BUT ADDED TO", amber, script},
		{offline.Revoked, binding.Match, false, "REVOKED", red, script},
		{offline.Valid, binding.Appended, false, "VALID, BUT ADDED TO", amber, nil},
		{offline.Valid, binding.Appended, true, "VALID, BUT ADDED TO, STALE", amber, nil},
		{offline.Valid, binding.NotChecked, false, "GENUINE STAMP, COMPARE", amber, nil},
		{offline.Valid, binding.NotChecked, true, "GENUINE STAMP, COMPARE, STALE", amber, nil},
		{offline.Valid, "", false, "GENUINE STAMP, COMPARE", amber, nil},
		{offline.NotFound, binding.Mismatch, false, "NOT GENUINE", red, nil},
		{offline.Revoked, binding.Match, true, "REVOKED", red, nil},
		{offline.Expired, binding.Match, false, "EXPIRED", red, nil},
		{offline.Suspended, binding.Match, false, "SUSPENDED", red, nil},
		{offline.Unverified, binding.Match, false, "UNVERIFIED", amber, nil},
	} {
		r := offline.Result{Verdict: tt.verdict, Binding: tt.binding, Stale: tt.stale}
		f := answer.Finding{Page: 1, Result: r, Caveats: tt.caveats}
		word, colour := f.Words(), colours[f.Headline().Tone]
		if word != tt.word || colour != tt.colour {
			t.Errorf("%s, %s, stale %v: %q in %s, want %q in %s", tt.verdict, tt.binding, tt.stale, word, colour, tt.word, tt.colour)
		}
	}
}
