//go:build cgo && !nomupdf

package scanner_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tcode/offline/host/sandbox"
	"tcode/scanner"
	"tcode/scanner/raster"
)

// A page that MuPDF cannot draw is read as PDFium draws it. The first engine's reason counts where neither can.
func TestSecondEngine(t *testing.T) {
	t.Parallel()
	page, text := symbolPage(t, 7, 20)
	page.entries += " /UserUnit 0" // MuPDF: no area
	file := pdf(page)
	var re *raster.Error
	one := raster.New(sandbox.Config{Size: 1, Wall: 5 * time.Minute}, raster.Limits{}, raster.WithEngine(raster.MuPDF))
	t.Cleanup(one.Close)
	err := one.Open(t.Context(), file, func(d *raster.Document) error { _, err := d.Page(1, 72); return err })
	if !errors.As(err, &re) || !errors.Is(err, raster.ErrDamaged) {
		t.Fatalf("MuPDF: %v, want damaged: the file shows nothing", err)
	}
	s := newScanner(t, scanner.Config{})
	for name, opt := range map[string]scanner.DocumentOptions{"all": {}, "stamp only": {StampOnly: true}} {
		pages, err := readAll(t.Context(), s, file, opt)
		if diff := cmp.Diff(map[int][]string{1: {text}}, texts(pages)); err != nil || diff != "" {
			t.Errorf("%s: %v, (-want +got):\n%s", name, err, diff)
		}
	}
	_, err = readAll(t.Context(), s, []byte("%PDF-1.7\nno more"), scanner.DocumentOptions{})
	var de *scanner.DocumentError
	if !errors.As(err, &de) || de.Code != scanner.FileDamaged {
		t.Errorf("damaged for both: %v", err)
	}
}
