package symbol_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"tcode/scanner/simulate"
	"tcode/scanner/symbol"
)

// TestReadBeside reads symbols that are much smaller, or have much larger
// modules, than another of the same page: that one was read is no reason to look
// less.
func TestReadBeside(t *testing.T) {
	t.Parallel()
	type mark struct {
		rows, cols int
		px         float64
	}
	tests := [][]mark{
		{{40, 40, 3}, {16, 16, 3}},
		{{48, 48, 3}, {22, 22, 8}, {24, 24, 2.7}},
		{{36, 36, 4}, {20, 20, 3}, {26, 26, 3}, {32, 32, 5}},
		{{20, 20, 3}, {20, 20, 9}},
	}
	for i, marks := range tests {
		t.Run(fmt.Sprint(marks), func(t *testing.T) {
			t.Parallel()
			seed := baseSeed(t) + uint64(i)
			r := rand.New(rand.NewPCG(seed, 8))
			page := simulate.Clutter(1000, 1300, 22, seed)
			var want []string
			for k, m := range marks {
				s, text := random(t, r, m.rows, m.cols)
				want = append(want, text)
				x, y := 80+500*float64(k%2), 120+600*float64(k/2)
				simulate.Draw(page, s, simulate.Place{X: x + 150*r.Float64(), Y: y + 150*r.Float64(), ModulePx: m.px, Turns: r.IntN(4), Quiet: 2}, 0, 255)
			}
			mustRead(t, simulate.Scan(page, seed), symbol.Options{}, want...)
		})
	}
}
