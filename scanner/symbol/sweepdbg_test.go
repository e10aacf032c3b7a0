package symbol_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"tcode/scanner/ecc200"
	"tcode/scanner/symbol"
)

// SW_ONE="rows cols ctx px turn off"
func TestSweepOne(t *testing.T) {
	var rows, cols, turns, oi int
	var ctx string
	var px float64
	fmt.Sscan(os.Getenv("SW_ONE"), &rows, &cols, &ctx, &px, &turns, &oi)
	offs := [][2]float64{{0, 0}, {0.5, 0.5}, {0.25, 0.6}, {0.8, 0.3}}
	z, _ := ecc200.SizeOf(rows, cols)
	seed := baseSeed(t) + uint64(z.Rows*1000+z.Cols*10+turns)
	r := rand.New(rand.NewPCG(seed, 77))
	s, text := random(t, r, z.Rows, z.Cols)
	page := sweepPage(ctx, s, z, px, turns, offs[oi], seed)
	// true place
	got := symbol.ReadImage(context.Background(), page, symbol.Options{Budget: patient, Watch: func(tr *symbol.Trace) {
		for i, b := range tr.Boxes {
			fmt.Printf("box %d %s %v score %.1f order %d cands %d\n", i, b.Kind, b.Rect, b.Score, b.Order, len(b.Candidates))
			if b.Order > 0 && len(tr.Boxes) < 2000 {
				for _, c := range b.Candidates {
					fmt.Printf("     %dx%d score %.2f conf %.2f %.1f\n", c.Size.Rows, c.Size.Cols, c.Score, c.Confidence(), c.Corners)
				}
			}
		}
		for _, y := range tr.Tries {
			fmt.Printf("try %dx%d %.2f %v %.1f\n", y.Candidate.Size.Rows, y.Candidate.Size.Cols, y.Candidate.Score, y.Err, y.Candidate.Corners)
		}
	}})
	t2 := s.Turned(turns)
	fmt.Println(len(got.Symbols), got.Reason, len(text), t2.Cols, t2.Rows, page.Width, page.Height)
	os.WriteFile("/tmp/sizes/one.pgm", append([]byte(fmt.Sprintf("P5 %d %d 255\n", page.Width, page.Height)), page.Clone().Pix...), 0o644)
}
