//go:build !cgo || nomupdf

package proof_test

import (
	"errors"
	"testing"

	"tcode/offline/geometry"
	"tcode/offline/host/sandbox"
	"tcode/scanner/proof"
	"tcode/scanner/readback"
	"tcode/testdata"
)

// A build with one engine says so to each question about a page, and blames no file.
func TestOneEngine(t *testing.T) {
	t.Parallel()
	letter, err := testdata.Documents.ReadFile("documents/letter.pdf")
	if err != nil {
		t.Fatal(err)
	}
	p := proof.NewReader(sandbox.Config{Size: 1}, "")
	t.Cleanup(p.Close)
	pdf, at := section(letter), geometry.Rect{X: 10, Y: 10, Width: 20, Height: 20}
	_, ground := p.Ground(t.Context(), pdf, []geometry.Area{{Page: 1, Rect: at}})
	_, read := p.Read(t.Context(), pdf, readback.Request{Text: "x", DPI: 150, Targets: []readback.Target{{Page: 1, Symbol: at}}})
	_, picture := p.Picture(t.Context(), pdf, 1)
	_, compared := p.Compare(t.Context(), pdf, pdf, readback.Comparison{})
	for what, err := range map[string]error{"ground": ground, "read": read, "picture": picture, "compare": compared, "start": p.Start(t.Context()), "engines": proof.Engines()} {
		if !errors.Is(err, readback.ErrOneEngine) {
			t.Errorf("%s: %v, want %v", what, err, readback.ErrOneEngine)
		}
	}
}
