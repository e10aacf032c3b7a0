package symbol_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"tcode/scanner/ecc200"
	"tcode/scanner/simulate"
	"tcode/scanner/symbol"
)

// maxLong is the limit of the ratio of length to height of a symbol that is found
// in a poor picture. Longer ones of ISO/IEC 21471 are found by their outline, which must be whole.
const maxLong = 4

// TestReadExtended reads the rectangles of ISO/IEC 21471 among text, under
// every view.
func TestReadExtended(t *testing.T) {
	t.Parallel()
	for i, z := range ecc200.Extended() {
		if z.Cols > maxLong*z.Rows {
			continue
		}
		for k, view := range views {
			if testing.Short() && (i+k)%9 != 0 {
				continue // every third: the whole takes minutes under -race
			}
			t.Run(fmt.Sprintf("%dx%d/%s", z.Rows, z.Cols, view.name), func(t *testing.T) {
				t.Parallel()
				seed := baseSeed(t) + uint64(i*10+k)
				r := rand.New(rand.NewPCG(seed, 9))
				px := 3 + 2*r.Float64()
				side := px * float64(z.Cols)
				width := int(max(420, 1.5*side))
				page := simulate.Clutter(width, width, 18+12*r.Float64(), seed)
				s, text := random(t, r, z.Rows, z.Cols)
				x, y := cornerOf(r.IntN(4), float64(width), float64(width), side, 10+3*px)
				simulate.Draw(page, s, simulate.Place{X: x + r.Float64(), Y: y + r.Float64(), ModulePx: px, Turns: r.IntN(4), Quiet: 2}, 0, 255)
				mustRead(t, view.see(page, r), symbol.Options{}, text)
			})
		}
	}
}
