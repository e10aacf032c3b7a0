package locate

import (
	"math/rand/v2"
	"testing"

	"tcode/scanner/gray"
)

// TestRelief compares the gradient at single pixels and in windows with that of the whole image, with and without
// sharpening.
func TestRelief(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range [][2]int{{190, 170}, {400, 100}, {133, 257}, {20, 2000}} {
		img := gray.New(size[0], size[1])
		for i := range img.Pix {
			img.Pix[i] = byte(r.IntN(256))
		}
		for _, sharp := range []bool{false, true} {
			var all, some Finder
			want := all.relief(img, sharp)
			want.all()
			got := some.relief(img, sharp)
			if got.whole {
				t.Fatalf("%v: the gradient is calculated everywhere", size)
			}
			if all.acc.strong != some.acc.strong || all.acc.typic != some.acc.typic {
				t.Errorf("%v, sharp %t: strength %d, whole %d", size, sharp, some.acc.strong, all.acc.strong)
			}
			for range 200 {
				i := r.IntN(len(want.dx))
				if dx, dy := got.at(i); dx != want.dx[i] || dy != want.dy[i] {
					t.Fatalf("%v, sharp %t: gradient %d, %d at pixel %d, want %d, %d", size, sharp, dx, dy, i, want.dx[i], want.dy[i])
				}
			}
			for range 20 {
				p := gray.Point{X: r.Float64() * float64(img.Width), Y: r.Float64() * float64(img.Height)}
				radius := 1 + r.IntN(6)
				got.around(p, radius)
				window := gray.Rect{X0: int(p.X) - radius, Y0: int(p.Y) - radius, X1: int(p.X) + radius + 1, Y1: int(p.Y) + radius + 1}.Clip(img.Width, img.Height)
				for y := window.Y0; y < window.Y1; y++ {
					for x := window.X0; x < window.X1; x++ {
						if i := y*img.Width + x; got.dx[i] != want.dx[i] || got.dy[i] != want.dy[i] {
							t.Fatalf("%v, sharp %t: the gradient at (%d, %d) differs in a window", size, sharp, x, y)
						}
					}
				}
			}
		}
	}
}
