package compare_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"

	"tcode/scanner/caveat"
	"tcode/scanner/compare"
	"tcode/scanner/gray"
	"tcode/scanner/raster"
)

// embedded are the fonts that files of these tests bring along.
var embedded = map[string][]byte{"GoRegular": goregular.TTF, "GoBold": gobold.TTF, "GoMono": gomono.TTF}

// phrases are contents of lines; changes are pairs of them, in one digit first, then in one sign.
var phrases, changes = func() (lines []string, pairs [][2]int) {
	for d := range 10 {
		lines = append(lines, fmt.Sprintf("(Pay 3%d7.50 EUR) Tj", d))
		for other := range d {
			pairs = append(pairs, [2]int{d, other})
		}
	}
	for _, signs := range [][2]string{{"-", ""}, {"-", "+"}, {".", ","}, {".", ""}, {",", ""}, {".", ":"}, {"(", ""}, {"%", ""}} {
		for _, sign := range signs { // the text behind does not move
			lines = append(lines, "(Sum 35) Tj 42 0 Td ("+sign+") Tj 9 0 Td (60 EUR) Tj")
		}
		pairs = append(pairs, [2]int{len(lines) - 2, len(lines) - 1})
	}
	return lines, pairs
}()

const digits = 45 // changes of a digit

// withFont returns a PDF with a page for each phrase and size, sizes one after the other. A font of embedded is in it, any
// other one is not.
func withFont(tb testing.TB, name string, sizes []float64) []byte {
	tb.Helper()
	var pages []string
	for _, size := range sizes {
		for _, line := range phrases {
			pages = append(pages, fmt.Sprintf("BT /F1 10 Tf %g 0 0 %g 20.3 20.2 Tm %s ET", size/10, size/10, line))
		}
	}
	const box = "/MediaBox[0 0 340 60]"
	ttf, own := embedded[name]
	if !own {
		return documentIn("<</Type/Font/Subtype/Type1/BaseFont/"+name+"/Encoding/WinAnsiEncoding>>", pages, box)
	}
	font := fmt.Sprintf("<</Type/Font/Subtype/TrueType/BaseFont/%s/Encoding/WinAnsiEncoding/FirstChar 32/LastChar 126/Widths[%s]/FontDescriptor 4 0 R>>", name, widths(tb, ttf))
	return documentIn(font, pages, box,
		fmt.Sprintf("<</Type/FontDescriptor/FontName/%s/Flags 32/FontBBox[-200 -300 1200 1000]/ItalicAngle 0/Ascent 900/Descent -200/CapHeight 700/StemV 80/FontFile2 5 0 R>>", name),
		fmt.Sprintf("<</Length %d/Length1 %d>>stream\n%s\nendstream", len(ttf), len(ttf), ttf))
}

// widths are those of the characters 32 to 126.
func widths(tb testing.TB, ttf []byte) string {
	tb.Helper()
	f, err := sfnt.Parse(ttf)
	if err != nil {
		tb.Fatal(err)
	}
	var out strings.Builder
	for c := rune(32); c < 127; c++ {
		glyph, err := f.GlyphIndex(nil, c)
		if err != nil {
			tb.Fatal(err)
		}
		width, err := f.GlyphAdvance(nil, glyph, fixed.I(1000), font.HintingNone)
		if err != nil {
			tb.Fatal(err)
		}
		fmt.Fprintf(&out, "%d ", width.Round())
	}
	return out.String()
}

// pagesAt draws pages of data at dpi, at most so many; nil is a page that is drawn at less or not at all.
func pagesAt(tb testing.TB, e compare.Engine, data []byte, dpi float64, most int) (out []*gray.Image) {
	tb.Helper()
	// A file that cannot be opened has no pages here.
	_ = e.Raster.OpenFrom(tb.Context(), file(data), func(d *raster.Document) error {
		for page := 1; page <= min(d.Pages, most); page++ {
			v, err := d.View(raster.ViewRequest{Page: page, DPI: dpi, MaxPixels: compare.DefaultMaxPixels})
			if err != nil || v.DPI != dpi {
				out = append(out, nil)
				continue
			}
			out = append(out, v.Gray())
		}
		return nil
	})
	return out
}

// TestStrict changes one digit of text in embedded fonts, drawn by the other engine than the text without the change.
func TestStrict(t *testing.T) {
	t.Parallel()
	mupdf, pdfium := engines(t)
	sizes := []float64{9, 12, 24}
	for name := range embedded {
		data := withFont(t, name, sizes)
		if got := caveat.OwnFonts(data); len(got) != len(sizes)*len(phrases) {
			t.Fatalf("%s: %d pages with fonts of their own", name, len(got))
		}
		one, two := pagesAt(t, mupdf, data, compare.StrictDPI, 1000), pagesAt(t, pdfium, data, compare.StrictDPI, 1000)
		if len(one) != len(sizes)*len(phrases) || len(two) != len(one) {
			t.Fatalf("%s: %d and %d pages", name, len(one), len(two))
		}
		for s, size := range sizes {
			first, found := s*len(phrases), 0
			for i := range phrases {
				if got := compare.Strict(one[first+i], two[first+i], compare.StrictDPI); len(got) > 0 {
					t.Errorf("%s at %g pt: %s differs from itself at %v", name, size, phrases[i], got)
				}
			}
			for _, p := range changes[:digits] {
				if len(compare.Strict(one[first+p[0]], two[first+p[1]], compare.StrictDPI)) > 0 {
					found++
				}
			}
			if found < digits-1 {
				t.Errorf("%s at %g pt: %d of %d changes of a digit are found", name, size, found, digits)
			}
		}
	}
}

// TestStrictPages compares those pages strictly that were asked for.
func TestStrictPages(t *testing.T) {
	t.Parallel()
	mupdf, pdfium := engines(t)
	data := document([]string{text("Page one"), text("Page two")}, "")
	for _, dpi := range []float64{0, 200} {
		heights := map[int]int{}
		got, err := compare.Engines(t.Context(), file(data), mupdf, pdfium, compare.Options{DPI: dpi, Strict: []int{2, 7}, Show: func(p compare.Picture) error {
			heights[p.Page] = p.A.Height
			return nil
		}})
		want := map[int]int{1: 134, 2: 167} // 100 points at 96 and 120 dpi
		if dpi > 0 {
			want = map[int]int{1: 278, 2: 278}
		}
		if err != nil || fmt.Sprint(got.Strict) != "[2]" || fmt.Sprint(heights) != fmt.Sprint(want) {
			t.Errorf("at %g dpi: strict %v, heights %v, want %v, %v", dpi, got.Strict, heights, want, err)
		}
	}
}
