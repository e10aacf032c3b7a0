package locate_test

import (
	"math/rand/v2"
	"testing"

	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
	"tcode/scanner/locate"
	"tcode/scanner/simulate"
)

// TestLone shows symbols of every size with a narrow quiet zone: as many pass the cheap look for lone symbols as that for all.
// Few negatives of text pass, although their ground hangs together.
func TestLone(t *testing.T) {
	t.Parallel()
	for i, z := range ecc200.Sizes() {
		for _, px := range []float64{2, 3, 6} {
			r := rand.New(rand.NewPCG(uint64(i), 12))
			m := drawnAlone(t, z, r, px)
			all := gray.Rect{X1: m.Width, Y1: m.Height}
			if !(&locate.Finder{Lone: true}).Plausible(m, all, true) && (&locate.Finder{}).Plausible(m, all, true) {
				t.Errorf("%dx%d of %g px looks like a symbol, but not like a lone one", z.Rows, z.Cols, px)
			}
		}
	}
	passed, before := 0, 0
	for seed := range uint64(40) {
		side := 80 + 10*int(seed)
		text := simulate.Clutter(side, side*2/3, 14, seed)
		text.Invert()
		box := gray.Rect{X1: text.Width, Y1: text.Height}.Grow(6)
		if (&locate.Finder{Lone: true}).Plausible(text, box, false) {
			passed++
		}
		if (&locate.Finder{}).Plausible(text, box, false) {
			before++
		}
	}
	t.Logf("%d of 40 grounds of light text look like a lone symbol, %d like a symbol", passed, before)
	if passed > 4 || before < 20 {
		t.Errorf("%d of 40 grounds of light text look like a lone symbol, want 4 at most; %d like a symbol, want more than half", passed, before)
	}
}
