package symbol_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tcode/scanner/gray"
	"tcode/scanner/symbol"
)

// TestReadExact: a drawn symbol is read as the whole search reads it, turned too, and one with faults is still read.
func TestReadExact(t *testing.T) {
	t.Parallel()
	m, text := random(t, rand.New(rand.NewPCG(31, 1)), 40, 40)
	dark := m.Dark
	for _, tt := range []struct {
		px     float64 // a side of a module
		faults int     // modules
		turn   bool
	}{{1.8, 0, false}, {2.2, 0, false}, {2.2, 0, true}, {3, 0, false}, {3, 5, false}, {3, 5, true}} {
		t.Run(fmt.Sprint(tt), func(t *testing.T) {
			t.Parallel()
			img, box := paint(dark, tt.px, tt.faults, tt.turn)
			got := symbol.ReadExact(t.Context(), img, box)
			if len(got.Symbols) != 1 || got.Symbols[0].Text != text {
				t.Fatalf("%d symbols, want the one", len(got.Symbols))
			}
			s := got.Symbols[0]
			if diff := cmp.Diff(dark, s.Dark); diff != "" || (s.CorrectedErrors+s.Erasures > 0) != (tt.faults > 0) {
				t.Errorf("modules of the symbol (-want +got):\n%s; %d errors, %d erasures with %d faults", diff, s.CorrectedErrors, s.Erasures, tt.faults)
			}
			all := symbol.ReadImage(t.Context(), img, symbol.Options{Budget: time.Hour})
			if len(all.Symbols) != 1 || tt.faults == 0 && cmp.Diff(all.Symbols[0].Codewords, s.Codewords) != "" {
				t.Errorf("the whole search gives %d symbols, want the same one", len(all.Symbols))
			}
		})
	}
	if img, box := paint(make([]bool, 40*40), 3, 40, false); len(symbol.ReadExact(t.Context(), img, box).Symbols) != 0 {
		t.Error("read a symbol where there is none")
	}
}

// paint draws a symbol of 40 modules a side on white, with smooth edges and some modules changed, and says where.
func paint(dark []bool, px float64, faults int, turn bool) (*gray.Image, gray.Rect) {
	const fine = 8 // parts of a pixel's side
	side := int(40 * px)
	img := gray.New(side+40, side+40)
	img.Fill(255)
	for y := range side * fine {
		for x := range side * fine {
			col, row := int(float64(x)/px/fine), int(float64(y)/px/fine)
			if turn {
				col, row = row, 39-col
			}
			on := dark[row*40+col]
			if i := row*40 + col; i%311 == 100 && i/311 < faults {
				on = !on
			}
			if on {
				img.Pix[(y/fine+20)*img.Stride+x/fine+20] -= 255 / (fine * fine)
			}
		}
	}
	return img, gray.Rect{X0: 20, Y0: 20, X1: 20 + side, Y1: 20 + side}
}
