package raster_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"tcode/offline/host/sandbox"
	"tcode/scanner/gray"
	"tcode/scanner/raster"
)

// pictures are images of which two could be stamps.
const pictures = "q 50 0 0 50 20 30 cm BI /W 1 /H 1 /BPC 8 /CS /G ID 0 EI Q " + // 18 mm
	"q 45 0 0 60 500 20 cm BI /W 1 /H 1 /BPC 8 /CS /G ID @ EI Q " + // oblong, but not by much
	"q 200 0 0 20 100 300 cm BI /W 1 /H 1 /BPC 8 /CS /G ID 0 EI Q " + // a band
	"q 5 0 0 5 300 300 cm BI /W 1 /H 1 /BPC 8 /CS /G ID 0 EI Q " + // too small
	"0 0 20 20 re f"

// TestSquares: a square has the pixels of the whole page at its place, and the page stays available.
func TestSquares(t *testing.T) {
	t.Parallel()
	r := newRasterizer(t, raster.Limits{})
	err := r.Open(t.Context(), pdfOf(pictures, letter), func(d *raster.Document) error {
		part, err := d.Look(raster.Request{Page: 1, DPI: 150, Squares: true, Buffer: make([]byte, 1<<20)})
		if err != nil {
			return err
		}
		whole, err := d.Look(raster.Request{Page: 1, DPI: 150})
		if err != nil {
			return err
		}
		if part.Image != nil || part.Width != whole.Width || part.Height != whole.Height || part.DPI != whole.DPI || part.Parts != 1 {
			t.Errorf("squares of a page: %+v", part)
		}
		got, want := part.Squares(), whole.Squares()
		if len(got) != 2 || len(want) != 2 {
			return fmt.Errorf("%d squares, %d of the whole page; want 2", len(got), len(want))
		}
		for i, s := range got {
			if s.Box != want[i].Box || s.Around != want[i].Around || !bytes.Equal(s.Image.Pix, want[i].Image.Clone().Pix) {
				t.Errorf("square %d at %v, %v differs from that of the whole page at %v, %v", i, s.Box, s.Around, want[i].Box, want[i].Around)
			}
		}
		part, err = d.Look(raster.Request{Page: 1, DPI: 150, Squares: true, MaxPixels: 1 << 18})
		if err == nil && (part.Image != nil || !part.Shrunk || len(part.Squares()) != 2 || part.Width*part.Height > 1<<18) {
			t.Errorf("squares of a page made smaller: %+v", part)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{"0 0 72 72 re f", "q 612 0 0 792 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID 0 EI Q"} {
		err := r.Open(t.Context(), pdfOf(content, letter), func(d *raster.Document) error {
			p, err := d.Look(raster.Request{Page: 1, DPI: 150, Squares: true})
			if err == nil && (p.Image == nil || len(p.Squares()) != 0) {
				t.Errorf("page without squares: image %v, %d squares; want the page", p.Image != nil, len(p.Squares()))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestSquaresDrawnOnce: a request for a whole page after its squares does not draw it again.
func TestSquaresDrawnOnce(t *testing.T) {
	t.Parallel()
	if n := raster.DrawnFor(raster.Request{Page: 1, DPI: 150, Squares: true}, raster.Request{Page: 1, DPI: 150}); n != 1 {
		t.Errorf("drawn %d times, want once", n)
	}
}

// TestSquaresLie: the parent notices a child that sends other squares than requested.
func TestSquaresLie(t *testing.T) {
	t.Parallel()
	box := gray.Rect{X0: 10, Y0: 10, X1: 90, Y1: 90} // 96 px a side with its surroundings
	for _, tt := range []struct {
		name     string
		pictures []gray.Rect
		dpi      float64
		n        int
		want     error
	}{
		{"true", []gray.Rect{box}, 150, 106 * 106, nil},
		{"too few", []gray.Rect{box}, 150, 106*106 - 1, sandbox.ErrProtocol},
		{"too many", []gray.Rect{box}, 150, 106*106 + 1, sandbox.ErrProtocol},
		{"none", nil, 150, 0, sandbox.ErrProtocol},
		{"absurd resolution", []gray.Rect{box}, 1e300, 106 * 106, sandbox.ErrProtocol},
	} {
		if err := raster.TakeSquares(200, 200, tt.dpi, tt.pictures, make([]byte, tt.n)); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}
