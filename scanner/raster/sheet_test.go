package raster_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"

	"tcode/scanner/gray"
	"tcode/scanner/raster"
)

// TestParts puts the parts of a page together again.
func TestParts(t *testing.T) {
	t.Parallel()
	big := image.NewGray(image.Rect(0, 0, 300, 400))
	for i := range big.Pix {
		big.Pix[i] = byte(i * 7 / 5)
	}
	big.SetGray(299, 399, color.Gray{77})
	var file bytes.Buffer
	if err := png.Encode(&file, big); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		file []byte
	}{
		{"image", file.Bytes()},
		{"PDF", pdf("/MediaBox [0 0 72 96]")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := newRasterizer(t, raster.Limits{}).Open(t.Context(), tt.file, func(d *raster.Document) error {
				whole, err := d.Page(1, 300)
				if err != nil {
					return err
				}
				small, err := d.Look(raster.Request{Page: 1, DPI: 300, MaxPixels: 40_000})
				if err != nil {
					return err
				}
				if small.Image.Width*small.Image.Height > 40_000 || small.Parts != 1 || small.Width != small.Image.Width || small.DPI > 300 {
					t.Errorf("whole page: %d x %d px of %d x %d at %g dpi, %d parts", small.Image.Width, small.Image.Height,
						small.Width, small.Height, small.DPI, small.Parts)
				}
				again := gray.New(whole.Width, whole.Height)
				for part, parts := 1, 1; part <= parts; part++ {
					p, err := d.Look(raster.Request{Page: 1, DPI: 300, MaxPixels: 40_000, Part: part, Buffer: make([]byte, 40_000)})
					if err != nil {
						return err
					}
					parts = p.Parts
					if p.Width != 300 || p.Height != 400 || parts < 3 {
						t.Fatalf("part %d of %d of a page of %d x %d px", part, parts, p.Width, p.Height)
					}
					for y := range p.Image.Height {
						copy(again.Row(p.Y + y)[p.X:], p.Image.Row(y))
					}
				}
				if !bytes.Equal(again.Pix, whole.Image.Pix) {
					t.Error("the parts together are not the page")
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}
