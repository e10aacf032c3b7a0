package raster_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"testing"

	"tcode/scanner/gray"
	"tcode/scanner/raster"
)

// TestSplit: the parts cover the page, none is too large, and a square of a third of a part lies completely in
// one.
func TestSplit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ w, h, maxPixels, parts int }{
		{2480, 3508, 4_500_000, 3},
		{3000, 4000, 4_500_000, 4},
		{1000, 60_000, 4_500_000, 24},
		{7746, 7746, 4_500_000, 25},
		{60_000_000, 1, 4_500_000, 20},
	} {
		parts := raster.Split(tt.w, tt.h, tt.maxPixels)
		if len(parts) > tt.parts {
			t.Errorf("%d x %d px in %d parts, want %d at most", tt.w, tt.h, len(parts), tt.parts)
		}
		side := min(parts[0].X1-parts[0].X0, parts[0].Y1-parts[0].Y0) / 3
		for _, p := range parts {
			if p.X0 < 0 || p.Y0 < 0 || p.X1 > tt.w || p.Y1 > tt.h || p.Empty() || (p.X1-p.X0)*(p.Y1-p.Y0) > tt.maxPixels {
				t.Errorf("%d x %d px: part %v", tt.w, tt.h, p)
			}
		}
		r := rand.New(rand.NewPCG(1, 1))
	next:
		for range 1000 {
			x, y := r.IntN(max(1, tt.w-side)), r.IntN(max(1, tt.h-side))
			for _, p := range parts {
				if x >= p.X0 && y >= p.Y0 && x+side <= p.X1 && y+side <= p.Y1 {
					continue next
				}
			}
			t.Fatalf("%d x %d px: a square of %d px at (%d, %d) lies whole in no part of %v", tt.w, tt.h, side, x, y, parts)
		}
	}
}

func TestShrink(t *testing.T) {
	t.Parallel()
	m := gray.New(7, 5)
	for i := range m.Pix {
		m.Pix[i] = byte(10 * (i % 7))
	}
	small, by := raster.Shrink(m, 9)
	if by != 2 || small.Width != 3 || small.Height != 2 || !bytes.Equal(small.Pix, []byte{5, 25, 45, 5, 25, 45}) {
		t.Errorf("%d x %d px by %d: %v", small.Width, small.Height, by, small.Pix)
	}
	if thin, _ := raster.Shrink(gray.New(1000, 1), 10); thin.Height != 1 || thin.Width > 10 {
		t.Errorf("1000 x 1 px: %d x %d", thin.Width, thin.Height)
	}
}

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
