package proof_test

//race:off whole pages

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"tcode/offline/geometry"
	"tcode/offline/host/sandbox"
	"tcode/offline/payload"
	"tcode/scanner/ecc200"
	"tcode/scanner/proof"
	"tcode/scanner/raster"
	"tcode/scanner/readback"
)

func TestMain(m *testing.M) {
	sandbox.Main(proof.Roles()...)
	os.Exit(m.Run())
}

func newProver(t testing.TB) *proof.Prover {
	r := raster.New(sandbox.Config{Size: 2, Wall: 5 * time.Minute}, raster.Limits{})
	t.Cleanup(r.Close)
	return proof.New(r)
}

// The symbol of the tests: 40x40 modules, as most stamps have.
const text = "0A1B2C3D4E5F6G7H8I9J0K1L2M3N4O5P6Q7R8S9T0U1V2W3X4Y5Z6A7B8C9D0E1F2G3H4I5J6K7L8M9N0O1P2Q3R4S5T6U7V8W9X0Y1Z2A3B4C5D6E7F8G9H0I1J2K3L4M5N6O7P8Q9R0S1T2U3V4W"

// A page is an A4 page under construction, in points from its bottom left.
type page struct {
	under, over strings.Builder // content before and after the symbol
	extra       string          // entries of its dictionary
	moduleMM    float64         // 0: no symbol
	ink         string          // operators that choose the colour of its modules; empty: black
}

const (
	pageWidth, pageHeight = 595.0, 842.0
	mm                    = 72 / 25.4
	left, top             = 170.0, 262.0 // of the symbol, mm from the page's top left
)

// at returns the place of the symbol.
func (p *page) at(number int) readback.Target {
	side := p.moduleMM * 40
	return readback.Target{Page: number, Symbol: geometry.Rect{X: left, Y: top, Width: side, Height: side}}
}

// rect draws a rectangle given in mm from the page's top left.
func rect(x, y, w, h float64) string {
	return fmt.Sprintf("%g %g %g %g re f\n", x*mm, pageHeight-(y+h)*mm, w*mm, h*mm)
}

func (p *page) content(t testing.TB) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(p.under.String())
	if p.moduleMM > 0 {
		side := p.moduleMM * 40
		b.WriteString("1 g " + rect(left-2*p.moduleMM, top-2*p.moduleMM, side+4*p.moduleMM, side+4*p.moduleMM) + "0 g " + p.ink + "\n")
		for i, dark := range symbol(t) {
			if dark {
				b.WriteString(rect(left+float64(i%40)*p.moduleMM, top+float64(i/40)*p.moduleMM, p.moduleMM, p.moduleMM))
			}
		}
	}
	b.WriteString(p.over.String())
	return b.String()
}

func symbol(t testing.TB) []bool {
	t.Helper()
	words, side, err := payload.Codewords(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range ecc200.Sizes() {
		if size.Rows != side || size.Cols != side || side != 40 {
			continue
		}
		dark, err := ecc200.Encode(words, size)
		if err != nil {
			t.Fatal(err)
		}
		return dark
	}
	t.Fatalf("the text takes %d modules a side, want 40", side)
	return nil
}

func section(b []byte) *io.SectionReader {
	return io.NewSectionReader(bytes.NewReader(b), 0, int64(len(b)))
}

// pdf makes a file of the pages.
func pdf(t testing.TB, pages ...*page) *io.SectionReader {
	t.Helper()
	var b bytes.Buffer
	var offsets []int
	object := func(format string, args ...any) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(offsets), fmt.Sprintf(format, args...))
	}
	b.WriteString("%PDF-1.7\n")
	object("<< /Type /Catalog /Pages 2 0 R >>")
	var kids strings.Builder
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", 3+2*i)
	}
	object("<< /Type /Pages /Count %d /Kids [%s] >>", len(pages), kids.String())
	for i, p := range pages {
		content := p.content(t)
		object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %g %g] /Contents %d 0 R %s >>", pageWidth, pageHeight, 4+2*i, p.extra)
		object("<< /Length %d >>\nstream\n%s\nendstream", len(content), content)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, xref)
	return section(b.Bytes())
}

// over is an annotation that covers a rectangle in mm from the page's top left.
func over(x, y, w, h float64) string {
	return fmt.Sprintf("/Annots [<< /Type /Annot /Subtype /Square /F 4 /Rect [%g %g %g %g] /C [0 0 0] /IC [0 0 0] >>]",
		x*mm, pageHeight-(y+h)*mm, (x+w)*mm, pageHeight-y*mm)
}
