package compare_test

//race:off whole pages

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"tcode/offline/geometry"
	"tcode/offline/host/sandbox"
	"tcode/scanner/compare"
	"tcode/scanner/raster"
)

func TestMain(m *testing.M) {
	sandbox.Main(raster.Roles()...)
	os.Exit(m.Run())
}

// engines returns the two engines for a test. They keep the machine code of PDFium in a folder that all
// tests share.
func engines(tb testing.TB) (mupdf, pdfium compare.Engine) {
	tb.Helper()
	if raster.DefaultEngine != raster.MuPDF {
		tb.Skip("MuPDF is not linked in this build")
	}
	open := func(e raster.Engine) compare.Engine {
		r := raster.New(sandbox.Config{Wall: 5 * time.Minute}, raster.Limits{}, raster.WithEngine(e))
		tb.Cleanup(r.Close)
		return compare.Engine{Name: string(e), Raster: r}
	}
	return open(raster.MuPDF), open(raster.PDFium)
}

// document returns a PDF with the pages' contents, 200 x 100 points, with Helvetica as F1; objects are further
// ones.
func document(pages []string, annots string, objects ...string) []byte {
	return documentIn("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>", pages, annots, objects...)
}

// documentIn is document with another font as F1, object 3.
func documentIn(font string, pages []string, annots string, objects ...string) []byte {
	var b bytes.Buffer
	var offsets []int
	add := func(body string) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(offsets), body)
	}
	b.WriteString("%PDF-1.7\n")
	var kids []string
	first := 4 + len(objects)
	for i := range pages {
		kids = append(kids, fmt.Sprintf("%d 0 R", first+2*i))
	}
	add("<</Type/Catalog/Pages 2 0 R>>")
	add(fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]/MediaBox[0 0 200 100]>>", len(pages), strings.Join(kids, " ")))
	add(font)
	for _, o := range objects {
		add(o)
	}
	for i, p := range pages {
		add(fmt.Sprintf("<</Type/Page/Parent 2 0 R/Contents %d 0 R/Resources<</Font<</F1 3 0 R>>>>%s>>", first+2*i+1, annots))
		add(fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", len(p), p))
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, start)
	return b.Bytes()
}

func text(s string) string { return fmt.Sprintf("BT /F1 10 Tf 20 50 Td (%s) Tj ET", s) }

func file(data []byte) *io.SectionReader {
	return io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data)))
}

func TestFiles(t *testing.T) {
	t.Parallel()
	mupdf, pdfium := engines(t)
	base := document([]string{text("Pay 100 EUR"), text("Page two")}, "")
	for name, c := range map[string]struct {
		after []byte
		o     compare.Options
		want  []int // pages of differences
	}{
		"equal":            {base, compare.Options{MaxTime: time.Hour}, nil},
		"another digit":    {document([]string{text("Pay 900 EUR"), text("Page two")}, ""), compare.Options{MaxTime: time.Hour}, []int{1}},
		"second page":      {document([]string{text("Pay 100 EUR"), text("Page too")}, ""), compare.Options{MaxTime: time.Hour}, []int{2}},
		"other page asked": {document([]string{text("Pay 900 EUR"), text("Page two")}, ""), compare.Options{MaxTime: time.Hour, Pages: []int{2}}, nil},
		"masked": {
			document([]string{text("Pay 900 EUR"), text("Page two")}, ""),
			compare.Options{MaxTime: time.Hour, Masks: map[int][]geometry.Rect{1: {{X: 5, Y: 10, Width: 60, Height: 10}}}},
			nil,
		},
		"mask on another page": {
			document([]string{text("Pay 900 EUR"), text("Page two")}, ""),
			compare.Options{MaxTime: time.Hour, Masks: map[int][]geometry.Rect{2: {{X: 5, Y: 10, Width: 60, Height: 10}}}},
			[]int{1},
		},
		"a page less": {document([]string{text("Pay 100 EUR")}, ""), compare.Options{MaxTime: time.Hour}, []int{0}},
		"no document": {[]byte("%PDF-1.7\nnothing"), compare.Options{MaxTime: time.Hour}, []int{0}},
	} {
		for _, e := range []compare.Engine{mupdf, pdfium} {
			got, err := compare.Files(t.Context(), file(base), file(c.after), e, c.o)
			if err != nil {
				t.Errorf("%s in %s: %v", name, e.Name, err)
			}
			if pages := pagesOf(got); !slices.Equal(pages, c.want) {
				t.Errorf("%s in %s: differences on pages %v, want %v: %+v", name, e.Name, pages, c.want, got)
			}
		}
	}
}

// pagesOf returns the pages with differences, each once.
func pagesOf(r compare.Report) (out []int) {
	for _, d := range r.Differences {
		out = append(out, d.Page)
	}
	return slices.Compact(out)
}

func TestEngines(t *testing.T) {
	t.Parallel()
	mupdf, pdfium := engines(t)
	// Only PDFium draws a link with an appearance.
	link := document([]string{text("Pay 100 EUR")}, "/Annots[<</Type/Annot/Subtype/Link/F 4/Rect[20 20 120 40]/AP<</N 4 0 R>>>>]",
		"<</Type/XObject/Subtype/Form/BBox[0 0 100 20]/Resources<</Font<</F1 3 0 R>>>>/Length 33>>stream\nBT /F1 10 Tf 0 5 Td (DRAFT) Tj ET\nendstream")
	for name, c := range map[string]struct {
		data []byte
		want []int
	}{
		"plain":  {document([]string{text("Pay 100 EUR to 471135"), text("Page two")}, ""), nil},
		"a link": {link, []int{1}},
	} {
		got, err := compare.Engines(t.Context(), file(c.data), mupdf, pdfium, compare.Options{MaxTime: time.Hour})
		if err != nil || !slices.Equal(pagesOf(got), c.want) || len(got.Compared) != got.Pages || !got.Complete() {
			t.Errorf("%s: %+v, %v, want differences on pages %v", name, got, err, c.want)
		}
		for _, d := range got.Differences {
			// 20 to 40 points from the lower edge of a page of 100 points.
			if d.Box.Y < 15 || d.Box.Y+d.Box.Height > 32 || d.Box.X < 4 || d.What == "" {
				t.Errorf("%s: difference %+v is not at the link", name, d)
			}
		}
	}
	if _, err := compare.Engines(t.Context(), file([]byte("%PDF-1.7\nnothing")), mupdf, pdfium, compare.Options{MaxTime: time.Hour}); err == nil {
		t.Error("a file that neither engine draws: no error")
	}
}

func TestBudget(t *testing.T) {
	t.Parallel()
	mupdf, _ := engines(t)
	var pages []string
	for i := range 5 {
		pages = append(pages, text(fmt.Sprint("Page ", i)))
	}
	data := document(pages, "")
	got, err := compare.Files(t.Context(), file(data), file(data), mupdf, compare.Options{MaxTime: time.Hour, MaxPages: 2})
	if err != nil || !slices.Equal(got.Compared, []int{1, 2}) || len(got.Skipped) != 1 || got.Skipped[0].Page != 3 || got.Skipped[0].To != 5 || got.Complete() {
		t.Errorf("two of five pages: %+v, %v", got, err)
	}
	got, err = compare.Files(t.Context(), file(data), file(data), mupdf, compare.Options{MaxTime: 1})
	if err != nil || len(got.Compared) != 0 || len(got.Skipped) != 1 || got.Skipped[0].To != 5 {
		t.Errorf("no time: %+v, %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = compare.Files(ctx, file(data), file(data), mupdf, compare.Options{MaxTime: time.Hour}); err == nil {
		t.Error("an ended context: no error")
	}
}
