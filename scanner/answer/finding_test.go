package answer_test

import (
	"encoding/json"
	"strings"
	"testing"

	"tcode/offline"
	"tcode/offline/binding"
	"tcode/scanner/answer"
	"tcode/scanner/caveat"
	"tcode/scanner/filekind"
)

// TestOutcomes: the result for a document with several stamps.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	stamp := func(v offline.Verdict, b binding.State, change ...func(*answer.Finding)) answer.Finding {
		f := answer.Finding{ScanID: "1", Page: 1, Result: offline.Result{Verdict: v, Binding: b}}
		for _, c := range change {
			c(&f)
		}
		return f
	}
	stale := func(f *answer.Finding) { f.Result.Stale = true }
	stamped := func(f *answer.Finding) { f.Restamped = true }
	again := stamp(offline.Valid, binding.Appended, stamped)
	hidden := func(f *answer.Finding) { f.Page, f.Hidden = 0, true }
	image := func(f *answer.Finding) { f.Image = true }
	script := func(f *answer.Finding) { f.Caveats = []caveat.Caveat{{Code: caveat.Script}} }
	whole, under := stamp(offline.Valid, binding.Match), stamp(offline.Valid, binding.Appended)
	picture := stamp(offline.Valid, binding.NotChecked, image)
	all := answer.Requirements{Fresh: true, Settled: true}
	for _, tt := range []struct {
		name     string
		findings []answer.Finding
		want     answer.Requirements
		outcome  answer.Outcome
	}{
		{"nothing", nil, answer.Requirements{}, answer.NotValid},
		{"no symbol", []answer.Finding{{}}, answer.Requirements{Paper: true}, answer.NotValid},
		{"bound", []answer.Finding{whole}, all, answer.Valid},
		{"added to", []answer.Finding{under}, answer.Requirements{}, answer.NotValid},
		{"added to, as paper", []answer.Finding{under}, answer.Requirements{Paper: true}, answer.NotValid},
		{"a copy", []answer.Finding{stamp(offline.Valid, binding.NotChecked)}, answer.Requirements{}, answer.NotValid},
		{"a copy, as paper", []answer.Finding{stamp(offline.Valid, binding.NotChecked)}, answer.Requirements{Paper: true}, answer.Valid},
		{"a picture", []answer.Finding{stamp(offline.Valid, binding.NotChecked, image)}, answer.Requirements{Fresh: true}, answer.Compare},
		{"a picture, as paper", []answer.Finding{picture}, answer.Requirements{Paper: true}, answer.Valid},
		{"two on a picture", []answer.Finding{picture, picture}, answer.Requirements{}, answer.Compare},
		{"a picture, one unknown", []answer.Finding{picture, {}}, answer.Requirements{}, answer.NotValid},
		{
			"a revoked one on a picture",
			[]answer.Finding{picture, stamp(offline.Revoked, binding.NotChecked, image)},
			answer.Requirements{Paper: true},
			answer.NotValid,
		},
		{
			"a picture of a stale one, fresh asked for",
			[]answer.Finding{stamp(offline.Valid, binding.NotChecked, image, stale)},
			answer.Requirements{Fresh: true},
			answer.NotValid,
		},
		{"a picture, plain asked for", []answer.Finding{stamp(offline.Valid, binding.NotChecked, image)}, all, answer.NotValid},
		{"a copy, as paper, plain asked for", []answer.Finding{stamp(offline.Valid, binding.NotChecked)}, answer.Requirements{Paper: true, Settled: true}, answer.NotValid},
		{"not seen", []answer.Finding{whole, stamp(offline.Valid, binding.Appended, hidden)}, answer.Requirements{}, answer.NotValid},
		{"not seen, revoked", []answer.Finding{whole, stamp(offline.Revoked, binding.Appended, hidden)}, answer.Requirements{}, answer.NotValid},
		{"a mark that proves nothing", []answer.Finding{whole, stamp(offline.NotFound, binding.Mismatch, hidden)}, answer.Requirements{}, answer.NotValid},
		{"bound, but nothing seen", []answer.Finding{{}, stamp(offline.Valid, binding.Match, hidden)}, answer.Requirements{}, answer.NotValid},
		{"stale", []answer.Finding{stamp(offline.Valid, binding.Match, stale)}, answer.Requirements{}, answer.Valid},
		{"stale, fresh asked for", []answer.Finding{stamp(offline.Valid, binding.Match, stale)}, answer.Requirements{Fresh: true}, answer.NotValid},
		{"caveat", []answer.Finding{stamp(offline.Valid, binding.Match, script)}, answer.Requirements{}, answer.Valid},
		{"caveat, plain asked for", []answer.Finding{stamp(offline.Valid, binding.Match, script)}, answer.Requirements{Settled: true}, answer.NotValid},
		{"stamp on a stamp", []answer.Finding{under, whole}, answer.Requirements{}, answer.NotValid},
		{"three stamps", []answer.Finding{whole, under, under}, answer.Requirements{}, answer.NotValid},
		{"stamp on a stamp, proven", []answer.Finding{again, whole}, all, answer.Valid},
		{"three stamps, proven", []answer.Finding{whole, again, again}, all, answer.Valid},
		{"three stamps, one proven", []answer.Finding{whole, again, under}, answer.Requirements{}, answer.NotValid},
		{"stamp on a stale one, proven, fresh asked for", []answer.Finding{stamp(offline.Valid, binding.Appended, stamped, stale), whole}, answer.Requirements{Fresh: true}, answer.NotValid},
		{"caveat under a stamp, proven, plain asked for", []answer.Finding{stamp(offline.Valid, binding.Appended, stamped, script), whole}, answer.Requirements{Settled: true}, answer.NotValid},
		{"two stamps, added to", []answer.Finding{under, under}, answer.Requirements{}, answer.NotValid},
		{"stamp on a revoked one", []answer.Finding{stamp(offline.Revoked, binding.Appended), whole}, answer.Requirements{}, answer.NotValid},
		{"revoked stamp on a stamp", []answer.Finding{under, stamp(offline.Revoked, binding.Match)}, answer.Requirements{}, answer.NotValid},
		{"stamp on a stale one, fresh asked for", []answer.Finding{stamp(offline.Valid, binding.Appended, stale), whole}, answer.Requirements{Fresh: true}, answer.NotValid},
		{"stamp on a forged one", []answer.Finding{stamp(offline.NotFound, binding.Mismatch), whole}, answer.Requirements{}, answer.NotValid},
		{"caveat on a stamp, plain asked for", []answer.Finding{under, stamp(offline.Valid, binding.Match, script)}, answer.Requirements{Settled: true}, answer.NotValid},
	} {
		if got := answer.OutcomeOf(tt.findings, tt.want); got != tt.outcome {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.outcome)
		}
	}
}

// TestFindingJSON: members in addition to the verdict's own come before them,
// and only if they have a value.
func TestFindingJSON(t *testing.T) {
	t.Parallel()
	f := answer.Finding{File: "a.pdf", Kind: filekind.PDF, ScanID: "1", Page: 1}
	raw, err := json.Marshal(f)
	if err != nil || strings.Contains(string(raw), "caveats") || strings.Contains(string(raw), "hidden") ||
		!strings.HasPrefix(string(raw), `{"file":"a.pdf","kind":"pdf","page":1,"scanId":"1","symbol":`) {
		t.Errorf("%s (%v)", raw, err)
	}
	f.Page, f.Hidden = 0, true
	if raw, err := json.Marshal(f); err != nil || !strings.Contains(string(raw), `"page":0,"hidden":true,`) {
		t.Errorf("%s (%v)", raw, err)
	}
	f.Caveats = []caveat.Caveat{{Code: caveat.Layers, Text: "it has layers"}}
	if raw, err = json.Marshal(f); err != nil {
		t.Fatal(err)
	}
	want := `"caveats":[{"code":"layers","text":"it has layers"}],"verdict":`
	if !strings.Contains(string(raw), want) {
		t.Errorf("%s\nhas no %s", raw, want)
	}
}
