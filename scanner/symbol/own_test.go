//go:build !race

package symbol_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"tcode/scanner/gray"
	"tcode/scanner/simulate"
	"tcode/scanner/symbol"
)

// readOwn reads scans and photos of pages that the project makes. It replaces
// the pictures of others where there are none.
func readOwn(t *testing.T) {
	t.Helper()
	for name, see := range map[string]func(*gray.Image, uint64) *gray.Image{"scans": simulate.Scan, "photos": simulate.Photo} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const pages, floor = 16, 15
			read := 0
			for seed := range uint64(pages) {
				r := rand.New(rand.NewPCG(baseSeed(t)+seed, 5))
				side := []int{18, 26, 40, 52}[seed%4]
				s, text := random(t, r, side, side)
				px := 3.2 + r.Float64()
				page := simulate.Clutter(800, 1000, 20, seed)
				simulate.Draw(page, s, simulate.Place{X: 60 + 400*r.Float64(), Y: 80 + 600*r.Float64(), ModulePx: px, Turns: int(seed / 4), Quiet: 2}, 20, 245)
				got := symbol.ReadImage(context.Background(), see(page, seed), symbol.Options{Budget: patient})
				for _, sym := range got.Symbols {
					if sym.Text != text {
						t.Errorf("seed %d: read %q, want %q", seed, sym.Text, text)
					}
				}
				if len(got.Symbols) == 1 {
					read++
				} else {
					t.Logf("seed %d: %+v", seed, got.Reason)
				}
			}
			t.Logf("%d of %d read, floor %d", read, pages, floor)
			if read < floor {
				t.Errorf("%d read, want at least %d", read, floor)
			}
		})
	}
}

// ownEmpty returns 22 pictures without a symbol: pages of text and tables, as
// scans and as photos, and patterns of about the size of modules.
func ownEmpty(t *testing.T) map[string]*gray.Image {
	t.Helper()
	out := map[string]*gray.Image{}
	for seed := range uint64(5) {
		page := simulate.Clutter(700, 900, 14+4*float64(seed), seed)
		out[fmt.Sprintf("page %d", seed)] = page
		out[fmt.Sprintf("scan %d", seed)] = simulate.Scan(page, seed)
		out[fmt.Sprintf("photo %d", seed)] = simulate.Photo(page, seed)
	}
	for name, dark := range map[string]func(x, y int, r *rand.Rand) bool{
		"noise":       func(_, _ int, r *rand.Rand) bool { return r.IntN(2) == 0 },
		"checkers":    func(x, y int, _ *rand.Rand) bool { return (x+y)%2 == 0 },
		"stripes":     func(x, _ int, _ *rand.Rand) bool { return x%2 == 0 },
		"columns":     func(x, _ int, r *rand.Rand) bool { return x%3 == 0 || r.IntN(9) == 0 },
		"a maze":      func(x, y int, r *rand.Rand) bool { return x%2 == 0 && y%2 == 0 || r.IntN(3) == 0 },
		"dots":        func(x, y int, _ *rand.Rand) bool { return x%2 == 0 && y%2 == 0 },
		"a half tone": func(x, y int, _ *rand.Rand) bool { return math.Sin(float64(x))*math.Sin(float64(y)) > 0.3 },
	} {
		r := rand.New(rand.NewPCG(1, 6))
		m := gray.New(600, 600)
		for i := range m.Pix {
			m.Pix[i] = 240
		}
		for y := range 60 {
			for x := range 60 {
				if dark(x, y, r) {
					square(m, 60+8*x, 60+8*y, 8)
				}
			}
		}
		out[name] = m
	}
	return out
}

// square draws a dark square of side px at x, y.
func square(m *gray.Image, x, y, side int) {
	for row := range side {
		for col := range side {
			m.Row(y + row)[x+col] = 15
		}
	}
}
