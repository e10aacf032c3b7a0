package locate_test

import (
	"math"
	"testing"

	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
	"tcode/scanner/locate"
)

// FuzzTracks follows timing tracks on any picture, between any corners: all modules of the size that they show have a gray value.
func FuzzTracks(f *testing.F) {
	f.Add([]byte{0, 255, 255, 0, 0, 255}, uint8(20), uint8(3), 2.0, 2.0, 17.5, 18.0)
	f.Add([]byte{255}, uint8(9), uint8(0), -4.0, 0.0, 1e9, math.Inf(1))
	sizes := ecc200.Sizes()
	f.Fuzz(func(t *testing.T, pixels []byte, side, size uint8, x0, y0, x1, y1 float64) {
		if len(pixels) == 0 || side == 0 {
			return
		}
		m := gray.New(int(side), int(side))
		for i := range m.Pix {
			m.Pix[i] = pixels[i%len(pixels)]
		}
		c := locate.Candidate{Size: sizes[int(size)%len(sizes)], Corners: [4]gray.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}}}
		got, ok := locate.Tracks(m, &c)
		if !ok {
			return
		}
		if len(got.Value) != got.Size.Rows*got.Size.Cols {
			t.Errorf("%d modules of a symbol of %dx%d", len(got.Value), got.Size.Rows, got.Size.Cols)
		}
		for _, v := range got.Value {
			if !(v >= 0 && v <= 255) {
				t.Fatalf("a gray level of %v", v)
			}
		}
	})
}
