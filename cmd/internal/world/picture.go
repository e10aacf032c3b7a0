package world

import (
	"bytes"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tcode/offline/host/sandbox"
	"tcode/scanner/gray"
	"tcode/scanner/raster"
)

// InMemory returns a reader of these bytes, as parsers of files take it.
func InMemory(b []byte) *io.SectionReader {
	return io.NewSectionReader(bytes.NewReader(b), 0, int64(len(b)))
}

// DrawPages returns pages of a PDF, from 1, drawn with dpi, or none if the engine finds no pages
// or one is too large for a scanner. It draws a page once.
func DrawPages(t testing.TB, file []byte, dpi float64, pages ...int) (drawn []*gray.Image) {
	t.Helper()
	r := raster.New(sandbox.Config{}, raster.Limits{})
	defer r.Close()
	err := r.Open(t.Context(), file, func(d *raster.Document) error {
		for _, n := range slices.Compact(pages) {
			p, err := d.Look(raster.Request{Page: n, DPI: dpi, MaxPixels: 20_000_000})
			if err != nil {
				return err
			}
			if p.DPI < dpi {
				drawn = nil
				break
			}
			drawn = append(drawn, p.Image.Clone())
		}
		return nil
	})
	if err != nil && !errors.Is(err, raster.ErrDamaged) {
		t.Fatal(err)
	}
	return drawn
}

// lastPage finds the number of pages in what pdfinfo says.
var lastPage = regexp.MustCompile(`(?m)^Pages:\s+(\d+)`)

// Render draws the last page of a file with poppler and returns the PNG's path.
func Render(t testing.TB, pdftoppm, pdf, dpi string) string {
	t.Helper()
	prefix := strings.TrimSuffix(pdf, ".pdf") + "-" + dpi
	info, err := exec.Command(Need(t, "pdfinfo"), pdf).Output()
	if err != nil {
		t.Fatal(err)
	}
	last := lastPage.FindSubmatch(info)
	if last == nil {
		t.Fatalf("pdfinfo counts no pages of %s", pdf)
	}
	args := []string{"-f", string(last[1]), "-r", dpi, "-gray", "-png", pdf, prefix}
	if out, err := exec.Command(pdftoppm, args...).CombinedOutput(); err != nil {
		t.Fatalf("pdftoppm: %v\n%s", err, out)
	}
	pages, err := filepath.Glob(prefix + "-*.png")
	if err != nil || len(pages) != 1 {
		t.Fatalf("pdftoppm made %d pages of %s, want 1 (%v)", len(pages), pdf, err)
	}
	return pages[0]
}
