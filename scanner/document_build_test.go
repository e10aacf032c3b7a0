package scanner_test

//race:off whole documents

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tcode/offline/host/sandbox"
	"tcode/scanner"
	"tcode/scanner/ecc200"
	"tcode/scanner/raster"
)

func TestMain(m *testing.M) {
	roles := raster.Roles()
	for i, role := range roles {
		roles[i].Prepare = func(arg string) error {
			if filepath.Base(arg) == slowFolder {
				time.Sleep(slowBudget + time.Second)
			}
			if role.Prepare == nil {
				return nil
			}
			return role.Prepare(arg)
		}
	}
	sandbox.Main(roles...)
	os.Exit(m.Run())
}

// A child of PDFium whose cache folder has this name takes longer to start than slowBudget.
const (
	slowFolder = "slow"
	slowBudget = 6 * time.Second
)

// newScanner returns a scanner with time enough for a busy machine under the race detector.
func newScanner(tb testing.TB, c scanner.Config) *scanner.Scanner {
	tb.Helper()
	if c.Budget == 0 {
		c.Budget = time.Hour
	}
	if c.Sandbox.Wall == 0 {
		c.Sandbox.Wall = 5 * time.Minute
	}
	s := scanner.New(c)
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// stampedPage is a page dictionary's entries and its content.
type pdfPage struct{ entries, content string }

const letter = "/MediaBox [0 0 612 792]"

// emptyPage has lines like text, but no symbol.
func emptyPage() pdfPage {
	var b strings.Builder
	for y := range 40 {
		fmt.Fprintf(&b, "72 %d %d 2 re f ", 720-16*y, 300+7*y%150)
	}
	return pdfPage{letter, b.String()}
}

// randomSymbol returns a 40x40 symbol, row by row, and its text.
func randomSymbol(tb testing.TB, seed uint64) (dark []bool, text string) {
	tb.Helper()
	size, ok := ecc200.SizeOf(40, 40)
	if !ok {
		tb.Fatal("no size 40x40")
	}
	r := rand.New(rand.NewPCG(seed, 1))
	data, letters := make([]byte, size.Data), make([]byte, size.Data)
	for i := range data {
		letters[i] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[r.IntN(36)]
		data[i] = letters[i] + 1
	}
	dark, err := ecc200.Encode(data, size)
	if err != nil {
		tb.Fatal(err)
	}
	return dark, string(letters)
}

// symbolPage is a page with a random 40x40 symbol of sizeMM at the lower right, and the symbol's text.
func symbolPage(tb testing.TB, seed uint64, sizeMM float64) (pdfPage, string) {
	tb.Helper()
	dark, text := randomSymbol(tb, seed)
	var b strings.Builder
	side := sizeMM / 25.4 * 72 / 40 // of a module, pt
	fmt.Fprintf(&b, "q %g 0 0 %g 520 72 cm ", side, side)
	for i, d := range dark {
		if d {
			fmt.Fprintf(&b, "%d %d 1 1 re ", i%40, 39-i/40)
		}
	}
	b.WriteString("f Q ")
	p := emptyPage()
	p.content += b.String()
	return p, text
}

// endlessPDF has one page that draws a form that draws ten forms that draw ten, twelve levels deep.
func endlessPDF() []byte {
	const levels = 12
	extra := make([]string, levels)
	for i := range extra {
		content := "0 0 1 1 re f"
		resources := ""
		if i+1 < levels {
			content = strings.Repeat("/X Do ", 10)
			resources = fmt.Sprintf("/Resources << /XObject << /X %d 0 R >> >>", 6+i)
		}
		extra[i] = fmt.Sprintf("<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] %s /Length %d >>\nstream\n%s\nendstream",
			resources, len(content), content)
	}
	return pdfWith(extra, pdfPage{letter + " /Resources << /XObject << /X 5 0 R >> >>", "/X Do"})
}

// pdf builds a PDF file.
func pdf(pages ...pdfPage) []byte { return pdfWith(nil, pages...) }

// pdfWith is pdf with more objects, numbered from 3 + 2*len(pages).
func pdfWith(extra []string, pages ...pdfPage) []byte {
	var b bytes.Buffer
	var offsets []int
	obj := func(format string, args ...any) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(offsets), fmt.Sprintf(format, args...))
	}
	b.WriteString("%PDF-1.7\n")
	obj("<< /Type /Catalog /Pages 2 0 R >>")
	var kids strings.Builder
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", 3+2*i)
	}
	obj("<< /Type /Pages /Count %d /Kids [%s] >>", len(pages), kids.String())
	for i, p := range pages {
		obj("<< /Type /Page /Parent 2 0 R /Contents %d 0 R %s >>", 4+2*i, p.entries)
		obj("<< /Length %d >>\nstream\n%s\nendstream", len(p.content), p.content)
	}
	for _, e := range extra {
		obj("%s", e)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, xref)
	return b.Bytes()
}
