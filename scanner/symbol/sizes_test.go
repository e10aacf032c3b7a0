package symbol_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
	"tcode/scanner/simulate"
	"tcode/scanner/symbol"
)

func TestSweep(t *testing.T) {
	offs := [][2]float64{{0, 0}, {0.5, 0.5}, {0.25, 0.6}, {0.8, 0.3}}
	inv := os.Getenv("SW_INV") != ""
	for z := range ecc200.All {
		if f := os.Getenv("SW_SIZE"); f != "" && f != fmt.Sprintf("%dx%d", z.Rows, z.Cols) {
			continue
		}
		for _, ctx := range []string{"alone", "page", "tilt7"} {
			if f := os.Getenv("SW_CTX"); f != "" && f != ctx {
				continue
			}
			line := ""
			bad := 0
			for _, px := range []float64{2, 2.5, 3, 4, 6} {
				if ctx == "tilt7" && px < 3 {
					continue
				}
				miss := ""
				for turns := range 4 {
					for oi, off := range offs {
						if oi > 1 && z.Rows > 60 && os.Getenv("SW_ALL") == "" {
							continue
						}
						seed := baseSeed(t) + uint64(z.Rows*1000+z.Cols*10+turns)
						r := rand.New(rand.NewPCG(seed, 77))
						s, text := random(t, r, z.Rows, z.Cols)
						page := sweepPage(ctx, s, z, px, turns, off, seed)
						if inv {
							page.Invert()
						}
						got := symbol.ReadImage(context.Background(), page, symbol.Options{Budget: patient, Inverted: inv})
						ok := false
						for _, y := range got.Symbols {
							if y.Text == text {
								ok = true
							} else {
								t.Errorf("WRONG %dx%d %s %.1f turn %d off %v: %q", z.Rows, z.Cols, ctx, px, turns, off, y.Text)
							}
						}
						if !ok {
							miss += fmt.Sprintf(" %d/%d", turns, oi)
							bad++
						}
					}
				}
				if miss != "" {
					line += fmt.Sprintf("  %.1f:%s", px, miss)
				}
			}
			if bad > 0 {
				fmt.Printf("%dx%d %s %d:%s\n", z.Rows, z.Cols, ctx, bad, line)
			}
		}
	}
}

func sweepPage(ctx string, s simulate.Symbol, z ecc200.Size, px float64, turns int, off [2]float64, seed uint64) *gray.Image {
	t := s.Turned(turns)
	w, h := int(float64(t.Cols)*px), int(float64(t.Rows)*px)
	q := 2.0
	if ctx == "page" {
		pw, ph := max(600, w*3/2), max(700, h*3/2)
		page := simulate.Clutter(pw, ph, 18+float64(seed%12), seed)
		r := rand.New(rand.NewPCG(seed, 5))
		x, y := float64(r.IntN(pw-w-40)+20), float64(r.IntN(ph-h-40)+20)
		simulate.Draw(page, s, simulate.Place{X: x + off[0], Y: y + off[1], ModulePx: px, Turns: turns, Quiet: q}, 0, 255)
		return page
	}
	m := int(q*px + 1)
	page := gray.New(w+2*m+1, h+2*m+1)
	page.Fill(255)
	simulate.Draw(page, s, simulate.Place{X: float64(m) + off[0], Y: float64(m) + off[1], ModulePx: px, Turns: turns, Quiet: 0}, 0, 255)
	if ctx == "tilt7" {
		to, ow, oh := simulate.Rotation(page, 7, 1)
		page = simulate.Warp(page, to, ow, oh, 3, 255)
	}
	return page
}
