//go:build !race

package symbol_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
	"tcode/scanner/simulate"
	"tcode/scanner/symbol"
	"tcode/testdata/corpus"
)

// TestReadEverySize reads every size of ISO/IEC 16022 and ISO/IEC 21471, undamaged, at 2 px a module and more and in all four
// turns: alone in a picture, light on dark, turned by 7 degrees, and on a page of text. Each size of
// a module is in one of the turns, and with TCODE_LONG=all in all of them.
func TestReadEverySize(t *testing.T) {
	t.Parallel()
	for z := range ecc200.All {
		t.Run(fmt.Sprintf("%dx%d", z.Rows, z.Cols), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(baseSeed(t)+uint64(z.Rows*1000+z.Cols), 77))
			s, text := random(t, r, z.Rows, z.Cols)
			for i, px := range []float64{2, 2.5, 3, 4, 6} {
				for turns := range 4 {
					if !corpus.Long() && turns != (i+z.Rows/2)%4 {
						continue
					}
					see(t, fmt.Sprintf("alone, %g px, %d turns", px, turns), alone(s, px, turns, r), text)
				}
			}
			for k, px := range []float64{2, 4} {
				if !corpus.Long() && k != z.Rows/2%2 {
					continue
				}
				light := alone(s, px, r.IntN(4), r)
				light.Invert()
				see(t, fmt.Sprintf("light on dark, %g px", px), light, text)
				to, w, h := simulate.Rotation(alone(s, 3, k, r), 7, 1)
				see(t, fmt.Sprintf("turned by 7 degrees, %d turns", k), simulate.Warp(alone(s, 3, k, r), to, w, h, 3, 255), text)
			}
			see(t, "on a page, 2 px", onPage(s, 2, r), text)
		})
	}
}

// see reads m and wants text.
func see(t *testing.T, what string, m *gray.Image, text string) {
	t.Helper()
	got := symbol.ReadImage(context.Background(), m, symbol.Options{Budget: patient, Inverted: true})
	if len(got.Symbols) != 1 || got.Symbols[0].Text != text {
		t.Errorf("%s: %d symbols, want one with the right text (%s)", what, len(got.Symbols), got.Reason.Message)
	}
}

// alone returns a picture of s with its quiet zone, at a random place between pixels.
func alone(s simulate.Symbol, px float64, turns int, r *rand.Rand) *gray.Image {
	t := s.Turned(turns)
	margin := int(2*px + 1)
	m := gray.New(int(float64(t.Cols)*px)+2*margin+1, int(float64(t.Rows)*px)+2*margin+1)
	m.Fill(255)
	simulate.Draw(m, s, simulate.Place{X: float64(margin) + r.Float64(), Y: float64(margin) + r.Float64(), ModulePx: px, Turns: turns}, 0, 255)
	return m
}

// onPage returns a page of text with s somewhere on it.
func onPage(s simulate.Symbol, px float64, r *rand.Rand) *gray.Image {
	w, h := float64(s.Cols)*px, float64(s.Rows)*px
	m := simulate.Clutter(int(max(600, 1.5*w)), int(max(700, 1.5*h)), 18+12*r.Float64(), r.Uint64())
	x, y := 20+r.Float64()*(float64(m.Width)-w-40), 20+r.Float64()*(float64(m.Height)-h-40)
	simulate.Draw(m, s, simulate.Place{X: x, Y: y, ModulePx: px, Quiet: 2}, 0, 255)
	return m
}
