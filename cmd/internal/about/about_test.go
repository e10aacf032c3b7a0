package about_test

import (
	"bytes"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"tcode/cmd/internal/about"
)

// info is a program that links these modules.
func info(modules ...string) *debug.BuildInfo {
	b := &debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Path: "tcode", Version: "v1.2.0"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0ba18ea1"}, {Key: "vcs.time", Value: "2026-11-28T04:02:49Z"}, {Key: "vcs.modified", Value: "true"}, {Key: "GOOS", Value: "windows"}, {Key: "GOARCH", Value: "arm64"},
	}}
	for _, m := range modules {
		b.Deps = append(b.Deps, &debug.Module{Path: m, Version: "v1.0.0"})
	}
	b.Deps = append(b.Deps, &debug.Module{Path: "github.com/ebitengine/purego", Version: "v0.8.4", Replace: &debug.Module{Path: "./scanner/raster/noload"}})
	return b
}

const (
	fitz   = "github.com/gen2brain/go-fitz"
	pdfium = "github.com/klippa-app/go-pdfium"
)

// TestEngines: the answer names the engines and the AGPL as the program links them.
func TestEngines(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		modules []string
		want    []string // in the text
		agpl    int
		unknown int
	}{
		{[]string{fitz, pdfium}, []string{"MuPDF (go-fitz v1.0.0) and PDFium (go-pdfium v1.0.0)", "under the AGPL: " + fitz, "0ba18ea1, with changes", "2026-11-28 04:02 UTC", "windows/arm64"}, 1, 0},
		{[]string{pdfium}, []string{"PDFium (go-pdfium v1.0.0) alone, without MuPDF", "2 modules of others, none of them under the AGPL", "licence    AGPL-3.0-or-later"}, 0, 0},
		{nil, []string{"draws no PDFs", "1 modules"}, 0, 0},
		{[]string{"example.org/new"}, []string{"no licence is known of example.org/new"}, 0, 1},
	} {
		b := about.FromInfo("tcode-scan", info(tt.modules...))
		var text bytes.Buffer
		b.Text(&text, []about.Line{{Name: "children", Text: "limited", Key: "children", Value: true}})
		for _, want := range append(tt.want, "tcode-scan v1.2.0\n", "   children   limited\n") {
			if !strings.Contains(text.String(), want) {
				t.Errorf("%v: %q is not in\n%s", tt.modules, want, text.String())
			}
		}
		if len(b.OtherAGPL) != tt.agpl || len(b.Unknown) != tt.unknown {
			t.Errorf("%v: under the AGPL %v, unknown %v", tt.modules, b.OtherAGPL, b.Unknown)
		}
	}
}

// TestMembers: more lines are members of the JSON object, and cannot replace one.
func TestMembers(t *testing.T) {
	t.Parallel()
	b := about.FromInfo("tcode-scan", info(pdfium))
	members, err := b.Members([]about.Line{{Name: "children", Text: "limited", Key: "children", Value: map[string]bool{"seccomp": true}}, {Name: "note", Text: "for people alone"}})
	if err != nil || members["children"] == nil || members["version"] != "v1.2.0" || members["licence"] != about.OwnLicence || members["note"] != nil {
		t.Errorf("members %v, %v", members, err)
	}
	if _, err := b.Members([]about.Line{{Key: "version"}}); err == nil {
		t.Error("a line replaced the version")
	}
}

// TestLicences: each text of the linked modules is printed once, with all that it covers.
func TestLicences(t *testing.T) {
	t.Parallel()
	if _, err := about.Texts("tcode")[0].Read(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("the texts are not collected: go generate ./cmd/internal/about")
	}
	var all bytes.Buffer
	if err := about.FromInfo("tcode-scan", info(pdfium, "github.com/tetratelabs/wazero")).Licences(&all); err != nil {
		t.Fatal(err)
	}
	for text, times := range map[string]int{
		"GNU AFFERO GENERAL PUBLIC LICENSE\n": 1, // the project's
		"TERMS AND CONDITIONS FOR USE":        1, // Apache: PDFium, Abseil, wazero
		"github.com/tetratelabs/wazero: ":     2,
		"Copyright 2014 The PDFium Authors":   1,
		"The Go Authors":                      1,
		"The FreeType Project LICENSE":        1,
	} {
		if n := strings.Count(all.String(), text); n < 1 || times == 1 && n > 2 {
			t.Errorf("%q is %d times there, want %d", text, n, times)
		}
	}
	if strings.Contains(all.String(), "MuPDF in") || strings.Contains(all.String(), fitz) {
		t.Error("licences of MuPDF in a program without it")
	}
}
