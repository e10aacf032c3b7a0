package device_test

import (
	"encoding/json"
	"strings"
	"testing"

	"tcode/cmd/internal/device"
	"tcode/offline"
	"tcode/offline/binding"
	"tcode/scanner/caveat"
	"tcode/scanner/raster"
)

// TestAccepted: the result for a document with several stamps.
func TestAccepted(t *testing.T) {
	t.Parallel()
	stamp := func(v offline.Verdict, b binding.State, change ...func(*device.Finding)) device.Finding {
		f := device.Finding{ScanID: "1", Page: 1, Result: offline.Result{Verdict: v, Binding: b}}
		for _, c := range change {
			c(&f)
		}
		return f
	}
	stale := func(f *device.Finding) { f.Result.Stale = true }
	stamped := func(f *device.Finding) { f.Restamped = true }
	again := stamp(offline.Valid, binding.Appended, stamped)
	hidden := func(f *device.Finding) { f.Page, f.Hidden = 0, true }
	image := func(f *device.Finding) { f.Image = true }
	script := func(f *device.Finding) { f.Caveats = []caveat.Caveat{{Code: caveat.Script}} }
	whole, under := stamp(offline.Valid, binding.Match), stamp(offline.Valid, binding.Appended)
	all := device.Requirements{Fresh: true, Settled: true}
	for _, tt := range []struct {
		name     string
		findings []device.Finding
		want     device.Requirements
		ok       bool
	}{
		{"nothing", nil, device.Requirements{}, false},
		{"no symbol", []device.Finding{{}}, device.Requirements{Paper: true}, false},
		{"bound", []device.Finding{whole}, all, true},
		{"added to", []device.Finding{under}, device.Requirements{}, false},
		{"added to, as paper", []device.Finding{under}, device.Requirements{Paper: true}, false},
		{"a copy", []device.Finding{stamp(offline.Valid, binding.NotChecked)}, device.Requirements{}, false},
		{"a copy, as paper", []device.Finding{stamp(offline.Valid, binding.NotChecked)}, device.Requirements{Paper: true}, true},
		{"a picture", []device.Finding{stamp(offline.Valid, binding.NotChecked, image)}, device.Requirements{Fresh: true}, true},
		{"a picture, plain asked for", []device.Finding{stamp(offline.Valid, binding.NotChecked, image)}, all, false},
		{"a copy, as paper, plain asked for", []device.Finding{stamp(offline.Valid, binding.NotChecked)}, device.Requirements{Paper: true, Settled: true}, false},
		{"not seen", []device.Finding{whole, stamp(offline.Valid, binding.Appended, hidden)}, device.Requirements{}, false},
		{"not seen, revoked", []device.Finding{whole, stamp(offline.Revoked, binding.Appended, hidden)}, device.Requirements{}, false},
		{"a mark that proves nothing", []device.Finding{whole, stamp(offline.NotFound, binding.Mismatch, hidden)}, device.Requirements{}, false},
		{"bound, but nothing seen", []device.Finding{{}, stamp(offline.Valid, binding.Match, hidden)}, device.Requirements{}, false},
		{"stale", []device.Finding{stamp(offline.Valid, binding.Match, stale)}, device.Requirements{}, true},
		{"stale, fresh asked for", []device.Finding{stamp(offline.Valid, binding.Match, stale)}, device.Requirements{Fresh: true}, false},
		{"caveat", []device.Finding{stamp(offline.Valid, binding.Match, script)}, device.Requirements{}, true},
		{"caveat, plain asked for", []device.Finding{stamp(offline.Valid, binding.Match, script)}, device.Requirements{Settled: true}, false},
		{"stamp on a stamp", []device.Finding{under, whole}, device.Requirements{}, false},
		{"three stamps", []device.Finding{whole, under, under}, device.Requirements{}, false},
		{"stamp on a stamp, proven", []device.Finding{again, whole}, all, true},
		{"three stamps, proven", []device.Finding{whole, again, again}, all, true},
		{"three stamps, one proven", []device.Finding{whole, again, under}, device.Requirements{}, false},
		{"stamp on a stale one, proven, fresh asked for", []device.Finding{stamp(offline.Valid, binding.Appended, stamped, stale), whole}, device.Requirements{Fresh: true}, false},
		{"caveat under a stamp, proven, plain asked for", []device.Finding{stamp(offline.Valid, binding.Appended, stamped, script), whole}, device.Requirements{Settled: true}, false},
		{"two stamps, added to", []device.Finding{under, under}, device.Requirements{}, false},
		{"stamp on a revoked one", []device.Finding{stamp(offline.Revoked, binding.Appended), whole}, device.Requirements{}, false},
		{"revoked stamp on a stamp", []device.Finding{under, stamp(offline.Revoked, binding.Match)}, device.Requirements{}, false},
		{"stamp on a stale one, fresh asked for", []device.Finding{stamp(offline.Valid, binding.Appended, stale), whole}, device.Requirements{Fresh: true}, false},
		{"stamp on a forged one", []device.Finding{stamp(offline.NotFound, binding.Mismatch), whole}, device.Requirements{}, false},
		{"caveat on a stamp, plain asked for", []device.Finding{under, stamp(offline.Valid, binding.Match, script)}, device.Requirements{Settled: true}, false},
	} {
		if got := device.Accepted(tt.findings, tt.want); got != tt.ok {
			t.Errorf("%s: accepted %v, want %v", tt.name, got, tt.ok)
		}
	}
}

// TestFindingJSON: members in addition to the verdict's own come before them,
// and only if they have a value.
func TestFindingJSON(t *testing.T) {
	t.Parallel()
	f := device.Finding{File: "a.pdf", Kind: raster.PDF, ScanID: "1", Page: 1}
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
