//go:build cgo && !nomupdf

package scanner_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/scanner"
	"tcode/scanner/raster"
)

// TestBothEngines reads a document with two engines: pages that they show alike, and pages that only one shows.
func TestBothEngines(t *testing.T) {
	t.Parallel()
	alike, text1 := symbolPage(t, 1, 20)
	hidden, text2 := symbolPage(t, 2, 20)
	hidden.content = emptyPage().content + "W n " + hidden.content // no path to clip by: MuPDF clips all
	absurd, text3 := symbolPage(t, 3, 20)
	absurd.entries += " /UserUnit 0" // MuPDF: no area
	file := pdf(alike, hidden, absurd, emptyPage())
	want := map[int][]scanner.Dispute{
		2: {{Shows: raster.PDFium, Text: text2}},
		3: {{Shows: raster.PDFium, Why: "page 3: damaged: the page has no area"}},
	}
	for _, first := range []raster.Engine{raster.MuPDF, raster.PDFium} {
		s := newScanner(t, scanner.Config{Raster: []raster.Option{raster.WithEngine(first)}})
		pages, err := readAll(t.Context(), s, file, scanner.DocumentOptions{BothEngines: true, StampOnly: true})
		if err != nil {
			t.Errorf("%s: %v", first, err)
		}
		if diff := cmp.Diff(map[int][]string{1: {text1}, 2: {text2}, 3: {text3}}, texts(pages)); diff != "" {
			t.Errorf("%s: symbols (-want +got):\n%s", first, diff)
		}
		got := map[int][]scanner.Dispute{}
		for _, p := range pages {
			if len(p.Disputes) > 0 {
				got[p.Number] = p.Disputes
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: disputes (-want +got):\n%s", first, diff)
		}
		var de *scanner.DocumentError
		if _, err = readAll(t.Context(), s, []byte("%PDF-1.7\nno more"), scanner.DocumentOptions{BothEngines: true}); !errors.As(err, &de) || de.Code != scanner.FileDamaged {
			t.Errorf("%s: damaged for both: %v", first, err)
		}
	}
}
