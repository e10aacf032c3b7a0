package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tcode/cmd/internal/about"
)

// TestBillText: the names and the order of the format's members are those of a bill that the
// library of CycloneDX wrote and that fits the schema of version 1.6.
func TestBillText(t *testing.T) {
	t.Parallel()
	std := about.Module{Path: about.Standard, Version: "go1.26.8", Licence: "BSD-3-Clause"}
	decoder := about.Module{Path: heic, Version: "v0.4.5+x", Licence: "MIT AND LGPL-3.0-or-later"}
	decoder.Sum = "h1:Cq3h<&>"
	at := time.Date(2026, 11, 28, 4, 2, 49, 0, time.UTC)
	r := &release{source: source{version: "v1.2.0", commit: strings.Repeat("ab", 20), at: at}}
	got, err := r.billOf(targets[0], []about.Build{
		{Program: "tcode", Go: "go1.26.8", Modules: []about.Module{std}},
		{Program: "tcode-scan", Go: "go1.26.8", Modules: []about.Module{std, decoder}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join("testdata", "bill.cdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// checkBill decodes the bill and checks the rules of the format: each reference is there once and
// each dependency names one.
func checkBill(t *testing.T, file string) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var b bom
	if err := json.Unmarshal(raw, &b); err != nil {
		t.Fatal(err)
	}
	of := b.Metadata.Component
	refs := map[string]bool{of.Ref: true}
	var add func([]bomComponent)
	add = func(list []bomComponent) {
		for _, c := range list {
			if refs[c.Ref] || c.Ref == "" || c.Name == "" || c.Licences == nil {
				t.Errorf("component %q: reference %q twice or empty, or no licence", c.Name, c.Ref)
			}
			refs[c.Ref] = true
			add(c.Components)
		}
	}
	add(b.Components)
	standard := "pkg:golang/std@" + of.Properties[len(of.Properties)-1].Value // goVersion
	for _, ref := range []string{standard, "pkg:golang/tcode@v1.2.0-rc.1#cmd/tcode-scan"} {
		if !refs[ref] {
			t.Errorf("the bill has no %s", ref)
		}
	}
	kong := func(c bomComponent) bool { return c.Name == "github.com/alecthomas/kong" }
	if !slices.ContainsFunc(b.Components, kong) {
		t.Error("the bill has no kong, which this program links")
	}
	for _, d := range b.Dependencies {
		for _, on := range append(d.DependsOn, d.Ref) {
			if !refs[on] {
				t.Errorf("%s depends on %s, which is no component", d.Ref, on)
			}
		}
	}
	if b.Metadata.Timestamp != "2026-11-28T04:02:49Z" {
		t.Errorf("time %s", b.Metadata.Timestamp)
	}
}
