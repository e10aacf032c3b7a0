package raster_test

import (
	"bytes"
	"image"
	"image/color"
	"math/rand/v2"
	"testing"

	"tcode/scanner/gray"
	"tcode/scanner/raster"
)

// slow hides the type of an image, so that its pixels are converted one by one.
type slow struct{ image.Image }

// TestToGray: the fast ways give the pixels that the slow way gives, also of parts of images.
func TestToGray(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 3))
	const w, h = 37, 23
	all := image.Rect(0, 0, w, h)
	fill := func(pix []byte) {
		for i := range pix {
			pix[i] = byte(r.IntN(256))
		}
	}
	rgba, flat, grays, ycc := image.NewRGBA(all), image.NewRGBA(all), image.NewGray(all), image.NewYCbCr(all, image.YCbCrSubsampleRatio420)
	for y := range h {
		for x := range w { // not all bytes are a premultiplied colour
			rgba.Set(x, y, color.NRGBA{byte(r.IntN(256)), byte(r.IntN(256)), byte(r.IntN(256)), byte(r.IntN(256))})
			v := byte(r.IntN(256))
			flat.Set(x, y, color.NRGBA{v, v, v, 255 - byte(x%3)})
		}
	}
	fill(grays.Pix)
	fill(ycc.Y)
	for i := range ycc.Cb { // no colour: Y is the luminance
		ycc.Cb[i], ycc.Cr[i] = 128, 128
	}
	part := image.Rect(5, 4, 30, 20)
	for name, m := range map[string]image.Image{
		"rgba": rgba, "flat": flat, "gray": grays, "ycc": ycc,
		"part of rgba": rgba.SubImage(part), "part of gray": grays.SubImage(part), "part of ycc": ycc.SubImage(part),
	} {
		want := raster.ToGray(slow{m})
		got := raster.ToGray(clone(m))
		if got.Width != want.Width || got.Height != want.Height || got.Stride != got.Width || !bytes.Equal(got.Pix, want.Pix) {
			t.Errorf("%s: %d x %d px differ from the slow way's %d x %d", name, got.Width, got.Height, want.Width, want.Height)
		}
	}
}

// clone copies an image with its memory around it, which toGray may use.
func clone(m image.Image) image.Image {
	switch m := m.(type) {
	case *image.Gray:
		c := *m
		c.Pix = bytes.Clone(m.Pix)
		return &c
	case *image.YCbCr:
		c := *m
		c.Y = bytes.Clone(m.Y)
		return &c
	}
	return m
}

// TestOrientPlaces: each pixel goes to the place that the orientation says, also beyond one tile.
func TestOrientPlaces(t *testing.T) {
	t.Parallel()
	m := gray.New(70, 45)
	r := rand.New(rand.NewPCG(4, 4))
	for i := range m.Pix {
		m.Pix[i] = byte(r.IntN(256))
	}
	w, h := m.Width, m.Height
	from := map[int]func(x, y int) (int, int){
		0: func(x, y int) (int, int) { return x, y }, 1: func(x, y int) (int, int) { return x, y },
		2: func(x, y int) (int, int) { return w - 1 - x, y }, 3: func(x, y int) (int, int) { return w - 1 - x, h - 1 - y },
		4: func(x, y int) (int, int) { return x, h - 1 - y }, 5: func(x, y int) (int, int) { return y, x },
		6: func(x, y int) (int, int) { return y, h - 1 - x }, 7: func(x, y int) (int, int) { return w - 1 - y, h - 1 - x },
		8: func(x, y int) (int, int) { return w - 1 - y, x }, 9: func(x, y int) (int, int) { return x, y },
	}
	for o, place := range from {
		got := raster.Orient(m, o)
		if turned := o >= 5 && o <= 8; turned != (got.Width == h) {
			t.Fatalf("orientation %d: %d x %d px", o, got.Width, got.Height)
		}
		for y := range got.Height {
			for x, v := range got.Row(y) {
				if sx, sy := place(x, y); v != m.At(sx, sy) {
					t.Fatalf("orientation %d: (%d, %d) is %d, want %d of (%d, %d)", o, x, y, v, m.At(sx, sy), sx, sy)
				}
			}
		}
	}
}
