package field_test

import (
	"encoding/json"
	"strings"
	"testing"

	"tcode/cmd/internal/field"
	"tcode/offline"
	"tcode/offline/binding"
	"tcode/scanner/caveat"
	"tcode/scanner/raster"
)

// TestAccepted: what a document with several stamps counts as.
func TestAccepted(t *testing.T) {
	t.Parallel()
	stamp := func(v offline.Verdict, b binding.State, change ...func(*field.Finding)) field.Finding {
		f := field.Finding{ScanID: "1", Page: 1, Result: offline.Result{Verdict: v, Binding: b}}
		for _, c := range change {
			c(&f)
		}
		return f
	}
	stale := func(f *field.Finding) { f.Result.Stale = true }
	stamped := func(f *field.Finding) { f.Restamped = true }
	again := stamp(offline.Valid, binding.Appended, stamped)
	hidden := func(f *field.Finding) { f.Page, f.Hidden = 0, true }
	image := func(f *field.Finding) { f.Image = true }
	script := func(f *field.Finding) { f.Caveats = []caveat.Caveat{{Code: caveat.Script}} }
	whole, under := stamp(offline.Valid, binding.Match), stamp(offline.Valid, binding.Appended)
	all := field.Demands{Fresh: true, Settled: true}
	for _, tt := range []struct {
		name     string
		findings []field.Finding
		want     field.Demands
		ok       bool
	}{
		{"nothing", nil, field.Demands{}, false},
		{"no symbol", []field.Finding{{}}, field.Demands{Paper: true}, false},
		{"bound", []field.Finding{whole}, all, true},
		{"added to", []field.Finding{under}, field.Demands{}, false},
		{"added to, as paper", []field.Finding{under}, field.Demands{Paper: true}, false},
		{"a copy", []field.Finding{stamp(offline.Valid, binding.NotChecked)}, field.Demands{}, false},
		{"a copy, as paper", []field.Finding{stamp(offline.Valid, binding.NotChecked)}, field.Demands{Paper: true}, true},
		{"a picture", []field.Finding{stamp(offline.Valid, binding.NotChecked, image)}, field.Demands{Fresh: true}, true},
		{"a picture, plain asked for", []field.Finding{stamp(offline.Valid, binding.NotChecked, image)}, all, false},
		{"a copy, as paper, plain asked for", []field.Finding{stamp(offline.Valid, binding.NotChecked)}, field.Demands{Paper: true, Settled: true}, false},
		{"not seen", []field.Finding{whole, stamp(offline.Valid, binding.Appended, hidden)}, field.Demands{}, false},
		{"not seen, revoked", []field.Finding{whole, stamp(offline.Revoked, binding.Appended, hidden)}, field.Demands{}, false},
		{"a mark that proves nothing", []field.Finding{whole, stamp(offline.NotFound, binding.Mismatch, hidden)}, field.Demands{}, false},
		{"bound, but nothing seen", []field.Finding{{}, stamp(offline.Valid, binding.Match, hidden)}, field.Demands{}, false},
		{"stale", []field.Finding{stamp(offline.Valid, binding.Match, stale)}, field.Demands{}, true},
		{"stale, fresh asked for", []field.Finding{stamp(offline.Valid, binding.Match, stale)}, field.Demands{Fresh: true}, false},
		{"caveat", []field.Finding{stamp(offline.Valid, binding.Match, script)}, field.Demands{}, true},
		{"caveat, plain asked for", []field.Finding{stamp(offline.Valid, binding.Match, script)}, field.Demands{Settled: true}, false},
		{"stamp on a stamp", []field.Finding{under, whole}, field.Demands{}, false},
		{"three stamps", []field.Finding{whole, under, under}, field.Demands{}, false},
		{"stamp on a stamp, proven", []field.Finding{again, whole}, all, true},
		{"three stamps, proven", []field.Finding{whole, again, again}, all, true},
		{"three stamps, one proven", []field.Finding{whole, again, under}, field.Demands{}, false},
		{"stamp on a stale one, proven, fresh asked for", []field.Finding{stamp(offline.Valid, binding.Appended, stamped, stale), whole}, field.Demands{Fresh: true}, false},
		{"caveat under a stamp, proven, plain asked for", []field.Finding{stamp(offline.Valid, binding.Appended, stamped, script), whole}, field.Demands{Settled: true}, false},
		{"two stamps, added to", []field.Finding{under, under}, field.Demands{}, false},
		{"stamp on a revoked one", []field.Finding{stamp(offline.Revoked, binding.Appended), whole}, field.Demands{}, false},
		{"revoked stamp on a stamp", []field.Finding{under, stamp(offline.Revoked, binding.Match)}, field.Demands{}, false},
		{"stamp on a stale one, fresh asked for", []field.Finding{stamp(offline.Valid, binding.Appended, stale), whole}, field.Demands{Fresh: true}, false},
		{"stamp on a forged one", []field.Finding{stamp(offline.NotFound, binding.Mismatch), whole}, field.Demands{}, false},
		{"caveat on a stamp, plain asked for", []field.Finding{under, stamp(offline.Valid, binding.Match, script)}, field.Demands{Settled: true}, false},
	} {
		if got := field.Accepted(tt.findings, tt.want); got != tt.ok {
			t.Errorf("%s: accepted %v, want %v", tt.name, got, tt.ok)
		}
	}
}

// TestFindingJSON: members that the verdict's own do not have come before them,
// and only where there is something to say.
func TestFindingJSON(t *testing.T) {
	t.Parallel()
	f := field.Finding{File: "a.pdf", Kind: raster.PDF, ScanID: "1", Page: 1}
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
