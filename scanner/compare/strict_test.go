package compare_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

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
	"tcode/testdata"
)

// embedded are the fonts that are in the files of these tests.
var embedded = map[string][]byte{"GoRegular": goregular.TTF, "GoBold": gobold.TTF, "GoMono": gomono.TTF}

// phrases are contents of lines; changes are pairs of them that differ in one digit, or, behind
// those, in one sign.
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

// withFont returns a PDF with a page for each phrase and size, sizes one after the other, turned by a multiple of 90
// degrees. A font of embedded is in it, any other one is not.
func withFont(tb testing.TB, name string, sizes []float64, turn int) []byte {
	tb.Helper()
	var pages []string
	for _, size := range sizes {
		for _, line := range phrases {
			pages = append(pages, fmt.Sprintf("BT /F1 10 Tf %g 0 0 %g 20.3 20.2 Tm %s ET", size/10, size/10, line))
		}
	}
	box := fmt.Sprintf("/MediaBox[0 0 340 60]/Rotate %d", turn)
	ttf, own := embedded[name]
	if !own {
		return documentIn("<</Type/Font/Subtype/Type1/BaseFont/"+name+"/Encoding/WinAnsiEncoding>>", pages, box)
	}
	font := fmt.Sprintf("<</Type/Font/Subtype/TrueType/BaseFont/%s/Encoding/WinAnsiEncoding/FirstChar 32/LastChar 126/Widths[%s]/FontDescriptor 4 0 R>>", name, widths(tb, ttf))
	return documentIn(font, pages, box,
		fmt.Sprintf("<</Type/FontDescriptor/FontName/%s/Flags 32/FontBBox[-200 -300 1200 1000]/ItalicAngle 0/Ascent 900/Descent -200/CapHeight 700/StemV 80/FontFile2 5 0 R>>", name),
		fmt.Sprintf("<</Length %d/Length1 %d>>stream\n%s\nendstream", len(ttf), len(ttf), ttf))
}

// widths returns the widths of the characters 32 to 126.
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

// pagesAt draws pages of data at dpi, at most limit. It leaves nil for a page that is drawn at less or
// not at all.
func pagesAt(tb testing.TB, e compare.Engine, data []byte, dpi float64, limit int) (out []*gray.Image) {
	tb.Helper()
	// A file that cannot be opened has no pages here.
	_ = e.Raster.OpenFrom(tb.Context(), file(data), func(d *raster.Document) error {
		for page := 1; page <= min(d.Pages, limit); page++ {
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

// TestStrict changes one digit of text in embedded fonts and draws it with the other engine. Text runs in all four
// directions.
func TestStrict(t *testing.T) {
	t.Parallel()
	mupdf, pdfium := engines(t)
	sizes := []float64{9, 12, 24}
	turn := 0
	for _, name := range slices.Sorted(maps.Keys(embedded)) {
		for range 2 {
			strictly(t, mupdf, pdfium, name, sizes, turn)
			turn = (turn + 90) % 360
		}
	}
}

// strictly is TestStrict for a font and a direction.
func strictly(t *testing.T, mupdf, pdfium compare.Engine, name string, sizes []float64, turn int) {
	t.Helper()
	data := withFont(t, name, sizes, turn)
	if got := caveat.OwnFonts(data); len(got) != len(sizes)*len(phrases) {
		t.Fatalf("%s: %d pages with fonts of their own", name, len(got))
	}
	differ := twice(t, mupdf, pdfium, data)
	for s, size := range sizes {
		first, found := s*len(phrases), 0
		for i := range phrases {
			if differ(first+i, first+i) {
				t.Errorf("%s at %g pt, turned by %d: %s differs from itself", name, size, turn, phrases[i])
			}
		}
		for _, p := range changes[:digits] {
			if differ(first+p[0], first+p[1]) {
				found++
			}
		}
		if found < digits-1 {
			t.Errorf("%s at %g pt, turned by %d: %d of %d changes of a digit are found", name, size, turn, found, digits)
		}
	}
}

// twice returns the strict rule for pages of data: i is drawn by one engine, j by the other.
func twice(tb testing.TB, one, two compare.Engine, data []byte) (differ func(i, j int) bool) {
	tb.Helper()
	draw := func(e compare.Engine, dpi float64) []*gray.Image {
		pages := pagesAt(tb, e, data, dpi, 1000)
		if len(pages) == 0 {
			tb.Fatalf("%s draws no page", e.Name)
		}
		return pages
	}
	a, b := draw(one, compare.StrictDPI), draw(two, compare.StrictDPI)
	a2, b2 := draw(one, compare.AgainDPI), draw(two, compare.AgainDPI)
	return func(i, j int) bool { return compare.Twice(a[i], b[j], a2[i], b2[j]) }
}

// TestTurned: both engines draw a page of downward text alike. That needs the second look.
func TestTurned(t *testing.T) {
	t.Parallel()
	mupdf, pdfium := engines(t)
	raw, err := testdata.Documents.ReadFile("documents/rotated.pdf")
	if err != nil {
		t.Fatal(err)
	}
	got, err := compare.Engines(t.Context(), file(raw), mupdf, pdfium, compare.Options{MaxTime: time.Hour, Strict: caveat.OwnFonts(raw)})
	if err != nil || len(got.Strict) != 1 || !got.Same() {
		t.Errorf("rotated.pdf: %+v, %v", got, err)
	}
}

// TestStrictPages: only the requested pages are compared strictly.
func TestStrictPages(t *testing.T) {
	t.Parallel()
	mupdf, pdfium := engines(t)
	data := document([]string{text("Page one"), text("Page two")}, "")
	for _, dpi := range []float64{0, 200} {
		heights := map[int]int{}
		got, err := compare.Engines(t.Context(), file(data), mupdf, pdfium, compare.Options{MaxTime: time.Hour, DPI: dpi, Strict: []int{2, 7}, Show: func(p compare.Picture) error {
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
