package locate_test

import (
	"math/rand/v2"
	"testing"

	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
	"tcode/scanner/locate"
	"tcode/scanner/simulate"
)

// TestPlausible shows boxes with symbols of every size, spoilt in several ways, which all must pass the
// cheap look, and boxes of other things, of which few may pass.
func TestPlausible(t *testing.T) {
	t.Parallel()
	spoil := map[string]func(m *gray.Image, r *rand.Rand){
		"clean": func(*gray.Image, *rand.Rand) {},
		"blur":  func(m *gray.Image, _ *rand.Rand) { simulate.Blur(m, 2) },
		"noise": func(m *gray.Image, r *rand.Rand) { simulate.Noise(m, r, 40, 0.01) },
		"stroke": func(m *gray.Image, _ *rand.Rand) {
			w, h := float64(m.Width), float64(m.Height)
			simulate.Stroke(m, gray.Point{X: 0, Y: 0.6 * h}, gray.Point{X: w, Y: 0.7 * h}, 4, 0)
		},
		"shadow": func(m *gray.Image, _ *rand.Rand) {
			mid := gray.Point{X: float64(m.Width) / 2, Y: float64(m.Height) / 2}
			simulate.Shadow(m, mid, mid.Add(gray.Point{X: 1, Y: 0.4}), 0.4, 20)
		},
	}
	for name, change := range spoil {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i, z := range ecc200.Sizes() {
				r := rand.New(rand.NewPCG(uint64(i), 11))
				m := drawnAlone(t, z, r, 4)
				change(m, r)
				if !new(locate.Finder).Plausible(m, gray.Rect{X1: m.Width, Y1: m.Height}, true) {
					t.Errorf("%dx%d does not look like a symbol", z.Rows, z.Cols)
				}
			}
		})
	}
	t.Run("nothing", func(t *testing.T) {
		t.Parallel()
		boxes, passed := 0, 0
		for seed := range uint64(10) {
			page := simulate.Clutter(1000, 800, 16+2*float64(seed), seed)
			var f locate.Finder
			for _, b := range append(f.Boxes(page), f.Components(page)...) {
				boxes++
				if f.Plausible(page, b.Grow(6), false) {
					passed++
				}
			}
		}
		t.Logf("%d of %d boxes without a symbol pass", passed, boxes)
		if passed*2 > boxes {
			t.Errorf("%d of %d boxes without a symbol pass, want at most half", passed, boxes)
		}
	})
	t.Run("no pixels", func(t *testing.T) {
		t.Parallel()
		m := gray.New(40, 30)
		for _, b := range []gray.Rect{{}, {X0: 50, Y0: 50, X1: 90, Y1: 90}, {X1: 1, Y1: 1}, {X0: -9, Y0: -9, X1: 2, Y1: 400}, {X1: 40, Y1: 30}} {
			if f := new(locate.Finder); f.Plausible(m, b, true) || f.PlausibleTilted(m, b) {
				t.Errorf("%v of a flat image looks like a symbol", b)
			}
		}
	})
}

// drawnAlone returns a random symbol of px per module with paper around it.
func drawnAlone(t *testing.T, z ecc200.Size, r *rand.Rand, px float64) *gray.Image {
	t.Helper()
	data := make([]byte, z.Data)
	for i := range data {
		data[i] = byte(1 + r.IntN(128))
	}
	dark, err := ecc200.Encode(data, z)
	if err != nil {
		t.Fatal(err)
	}
	w, h := int(float64(z.Cols)*px)+20, int(float64(z.Rows)*px)+20
	m := gray.New(w, h)
	m.Fill(240)
	simulate.Draw(m, simulate.Symbol{Rows: z.Rows, Cols: z.Cols, Dark: dark}, simulate.Place{X: 10.3, Y: 9.6, ModulePx: px}, 20, 240)
	return m
}
