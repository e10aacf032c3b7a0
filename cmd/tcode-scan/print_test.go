package main

import (
	"testing"

	"tcode/cmd/internal/field"
	"tcode/offline"
	"tcode/offline/binding"
)

// TestHeadline: plain green stands for one case only, and age and binding never
// hide each other.
func TestHeadline(t *testing.T) {
	for _, tt := range []struct {
		verdict offline.Verdict
		binding binding.State
		stale   bool
		word    string
		colour  string
	}{
		{offline.Valid, binding.Match, false, "VALID", green},
		{offline.Valid, binding.Match, true, "VALID, BUT STALE", amber},
		{offline.Valid, binding.Appended, false, "VALID, BUT ADDED TO", amber},
		{offline.Valid, binding.Appended, true, "VALID, BUT ADDED TO, STALE", amber},
		{offline.Valid, binding.NotChecked, false, "GENUINE STAMP, COMPARE", amber},
		{offline.Valid, binding.NotChecked, true, "GENUINE STAMP, COMPARE, STALE", amber},
		{offline.Valid, "", false, "GENUINE STAMP, COMPARE", amber},
		{offline.NotFound, binding.Mismatch, false, "NOT GENUINE", red},
		{offline.Revoked, binding.Match, true, "REVOKED", red},
		{offline.Expired, binding.Match, false, "EXPIRED", red},
		{offline.Suspended, binding.Match, false, "SUSPENDED", red},
		{offline.Unverified, binding.Match, false, "UNVERIFIED", amber},
	} {
		h := headlineOf(field.Finding{Result: offline.Result{Verdict: tt.verdict, Binding: tt.binding, Stale: tt.stale}})
		if h.word != tt.word || h.colour != tt.colour {
			t.Errorf("%s, %s, stale %v: %q in %s, want %q in %s", tt.verdict, tt.binding, tt.stale, h.word, h.colour, tt.word, tt.colour)
		}
	}
}
