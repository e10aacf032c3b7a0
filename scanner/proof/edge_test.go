package proof_test

import (
	"fmt"
	"strings"
	"testing"

	"tcode/scanner/readback"
)

// TestReadAtTheEdge: a page may end anywhere in the quiet zone of its symbol, at its right and at
// its bottom. Ground beyond the page counts as free of ink.
func TestReadAtTheEdge(t *testing.T) {
	t.Parallel()
	prover := newProver(t)
	for _, modules := range []float64{0, 0.3, 1, 1.9, 2, 2.1, 4, 6} {
		for _, sides := range [][2]float64{{1, 0}, {0, 1}, {1, 1}} {
			pg := page{moduleMM: 0.375}
			side := pg.moduleMM * (40 + modules)
			right, bottom := pageWidth, 0.0
			if sides[0] > 0 {
				right = (left + side) * mm
			}
			if sides[1] > 0 {
				bottom = pageHeight - (top+side)*mm
			}
			pg.extra = fmt.Sprintf("/CropBox [0 %g %g %g]", bottom, right, pageHeight)
			r := read(t, prover, &pg, readback.Request{}, true)
			if !r.Read && modules >= 1 || r.Read && r.QuietModules < 4 {
				t.Errorf("%g modules to the page's right %v, bottom %v: %+v", modules, sides[0] > 0, sides[1] > 0, r)
			}
		}
	}
}

// TestNarrowModules: a symbol is only read if its modules are wide enough for the first look of scanners, and the
// reason names the size that is.
func TestNarrowModules(t *testing.T) {
	t.Parallel()
	prover := newProver(t)
	for _, tt := range []struct {
		moduleMM float64
		want     string // part of the reason; "": read
	}{
		{0.175, ""},
		{0.375, ""},
		{0.16, "its modules have 0.16 mm; scanners look at a page of 210 x 297 mm at 150 dpi, where 0.17 mm is the least, a symbol of 6.8 mm"},
		{1e-9, "where 0.17 mm is the least"},
	} {
		pg := page{moduleMM: tt.moduleMM}
		at := pg.at(1)
		at.Modules = 40
		got, err := prover.Read(t.Context(), pdf(t, &pg), readback.Request{Text: text, DPI: 600, Targets: []readback.Target{at}})
		if err != nil || len(got) != 1 || got[0].Read != (tt.want == "") || !strings.Contains(got[0].Reason, tt.want) {
			t.Errorf("modules of %g mm: %+v, %v", tt.moduleMM, got, err)
		}
	}
}
