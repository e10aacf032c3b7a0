package compare_test

import (
	"fmt"
	"testing"
	"time"

	"tcode/scanner/compare"
	"tcode/scanner/gray"
)

// TestHeadings draws large text in a font that is not in the file: the substitutes of the engines have an R with
// different legs.
func TestHeadings(t *testing.T) {
	t.Parallel()
	mupdf, pdfium := engines(t)
	sizes := []float64{18, 20, 22, 24, 28}
	draw := func(e compare.Engine, line string) (pages []*gray.Image) {
		var contents []string
		for _, size := range sizes {
			contents = append(contents, fmt.Sprintf("BT /F1 %g Tf 20.3 50.2 Td (%s) Tj ET", size, line))
		}
		data := file(document(contents, "/MediaBox[0 0 300 100]"))
		_, err := compare.Files(t.Context(), data, data, e, compare.Options{MaxTime: time.Hour, Show: func(p compare.Picture) error {
			pages = append(pages, p.A)
			return nil
		}})
		if err != nil || len(pages) != len(sizes) {
			t.Fatalf("%d pages of %d: %v", len(pages), len(sizes), err)
		}
		return pages
	}
	for _, c := range []struct {
		a, b   string
		differ bool
	}{
		{"Pay 100 EUR", "Pay 100 EUR", false},
		{"HRn RR", "HRn RR", false},
		{"HGn GG", "HGn GG", false},
		{"Pay 100 EUR", "Pay 900 EUR", true},
		{"Pay 900 EUR", "Pay 100 EUR", true},
		{"Pay 100 EUR", "Pay 10.0 EUR", true},
		{"Pay 100 EUR", "Pay 100 USD", true},
	} {
		one, two := draw(mupdf, c.a), draw(pdfium, c.b)
		for i, size := range sizes {
			if got := compare.Images(one[i], two[i], dpi); (len(got) > 0) != c.differ {
				t.Errorf("%q and %q at %g pt: %v, want a difference: %v", c.a, c.b, size, got, c.differ)
			}
		}
	}
}
