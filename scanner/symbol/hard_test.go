//go:build !race

package symbol_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"tcode/scanner/gray"
	"tcode/scanner/simulate"
	"tcode/scanner/symbol"
	"tcode/testdata/corpus"
)

// moved returns m seen through the map from its own points to those of m, each
// pixel the mean of 2 x 2 samples.
func moved(m *gray.Image, to func(p gray.Point) gray.Point) *gray.Image {
	out := gray.New(m.Width, m.Height)
	for y := range m.Height {
		row := out.Row(y)
		for x := range row {
			var sum float64
			for k := range 4 {
				p := to(gray.Point{X: float64(x) + 0.25 + 0.5*float64(k%2), Y: float64(y) + 0.25 + 0.5*float64(k/2)})
				sum += m.Bilinear(p.X, p.Y)
			}
			row[x] = byte(sum/4 + 0.5)
		}
	}
	return out
}

// bent rolls the page up a little: straight lines of side px bow by off px.
func bent(m *gray.Image, r *rand.Rand, side, off float64) *gray.Image {
	length, phase := side*(4.5+2*r.Float64()), 2*math.Pi*r.Float64()
	height := off / (1 - math.Cos(math.Pi*side/length))
	return moved(m, func(p gray.Point) gray.Point {
		a := 2*math.Pi*p.X/length + phase
		return gray.Point{X: p.X + 0.4*height*math.Cos(a), Y: p.Y + height*math.Sin(a)}
	})
}

// glared puts a bright spot of the given strength over a corner of the symbol
// whose middle is c.
func glared(m *gray.Image, c gray.Point, side, strength float64) *gray.Image {
	simulate.Contrast(m, 30, 205, 1)
	at := gray.Point{X: c.X + 0.4*side, Y: c.Y - 0.3*side}
	for y := range m.Height {
		row := m.Row(y)
		for x, v := range row {
			d := gray.Point{X: float64(x), Y: float64(y)}.Sub(at).Len() / (0.45 * side)
			row[x] = byte(min(float64(v)+(265-float64(v))*strength*math.Exp(-d*d/2), 255))
		}
	}
	return m
}

// TestReadHard reads symbols that the first sight of a reader does not get. The
// floors are the lowest results of three seeds, less one.
func TestReadHard(t *testing.T) {
	t.Parallel()
	const px, side = 4.0, 160.0
	mid := gray.Point{X: 280, Y: 260}
	tests := []struct {
		name  string
		floor int // of 12
		see   func(m *gray.Image, r *rand.Rand) *gray.Image
	}{
		{"bent", 9, func(m *gray.Image, r *rand.Rand) *gray.Image { return bent(m, r, side, 1.2*px) }},
		{"glare", 11, func(m *gray.Image, r *rand.Rand) *gray.Image {
			m = glared(m, mid, side, 0.97)
			simulate.Noise(m, r, 4, 0)
			return m
		}},
		{"shadow", 11, func(m *gray.Image, r *rand.Rand) *gray.Image {
			simulate.Contrast(m, 25, 230, 1)
			simulate.Shadow(m, mid, mid.Add(gray.Point{X: 1, Y: r.Float64() - 0.5}), 0.3, 0.2*side)
			simulate.Noise(m, r, 4, 0)
			return m
		}},
		{"blur of 0.6 modules", 11, func(m *gray.Image, _ *rand.Rand) *gray.Image {
			simulate.Blur(m, 0.6*px)
			return m
		}},
		{"blur and noise", 11, func(m *gray.Image, r *rand.Rand) *gray.Image {
			simulate.Blur(m, 0.5*px)
			simulate.Noise(m, r, 8, 0)
			return m
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			read := 0
			for seed := range uint64(12) {
				r := rand.New(rand.NewPCG(baseSeed(t)+seed, 8))
				s, text := random(t, r, 40, 40)
				page := simulate.Clutter(560, 560, 22, seed)
				simulate.Draw(page, s, simulate.Place{X: 200 + r.Float64(), Y: 180 + r.Float64(), ModulePx: px, Turns: int(seed), Quiet: 2}, 0, 255)
				got := symbol.ReadImage(context.Background(), tt.see(page, r), symbol.Options{Budget: patient})
				for _, sym := range got.Symbols {
					if sym.Text != text {
						t.Errorf("seed %d: read %q, which is not there", seed, sym.Text)
					}
				}
				if len(got.Symbols) == 1 {
					read++
				} else {
					t.Logf("seed %d: %+v", seed, got.Reason)
				}
			}
			t.Logf("%d of 12 read, floor %d", read, tt.floor)
			if read < tt.floor {
				t.Errorf("%d of 12 read, want at least %d", read, tt.floor)
			}
		})
	}
}

// TestReadOtherWay reads symbols in a mirror and light ones on dark ground, of
// each shape and direction.
func TestReadOtherWay(t *testing.T) {
	t.Parallel()
	mirror := func(m *gray.Image) *gray.Image {
		w := float64(m.Width)
		return moved(m, func(p gray.Point) gray.Point { return gray.Point{X: w - p.X, Y: p.Y} })
	}
	negative := func(m *gray.Image) *gray.Image {
		m.Invert()
		return m
	}
	for i, z := range [][2]int{{10, 10}, {18, 18}, {24, 24}, {40, 40}, {64, 64}, {8, 18}, {8, 32}, {12, 26}, {12, 36}, {16, 36}, {16, 48}} {
		for turns := range 4 {
			if turns != i%4 && !corpus.Long() {
				continue // the whole takes a minute under -race
			}
			r := rand.New(rand.NewPCG(baseSeed(t)+uint64(i), uint64(turns)))
			s, text := random(t, r, z[0], z[1])
			draw := func() *gray.Image {
				m := gray.New(400, 400)
				m.Fill(255)
				simulate.Draw(m, s, simulate.Place{X: 60.4, Y: 70.7, ModulePx: 4.3, Turns: turns, Quiet: 2}, 20, 240)
				return m
			}
			t.Logf("%v turned by %d", z, turns)
			mustRead(t, mirror(draw()), symbol.Options{}, text)
			mustRead(t, negative(draw()), symbol.Options{Inverted: true}, text)
			mustRead(t, negative(mirror(draw())), symbol.Options{Inverted: true}, text)
		}
	}
}
