package symbol_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"tcode/scanner/gray"
	"tcode/scanner/simulate"
	"tcode/scanner/symbol"
)

// TestReadUneven reads symbols whose columns get narrower from side to side or in the middle, as where paper slipped in a
// scanner, in all four turns.
func TestReadUneven(t *testing.T) {
	t.Parallel()
	const floor = 42 // a reader with columns of one width reads about 31
	read, all := 0, 0
	widths := map[string]func(at float64) int{ // px of a column, by its place from 0 to 1
		"steps":  func(at float64) int { return 5 - int(3*at) },
		"middle": func(at float64) int { return 3 + int(8*(at-0.5)*(at-0.5)) },
		"slip": func(at float64) int {
			if at > 0.4 && at < 0.65 {
				return 3
			}
			return 5
		},
	}
	for name, width := range widths {
		for _, n := range []int{12, 16, 20, 26} {
			for turns := range 4 {
				r := rand.New(rand.NewPCG(baseSeed(t)+uint64(n), uint64(turns)))
				s, text := random(t, r, n, n)
				m := unevenly(s, width)
				for range turns {
					m = quarter(m)
				}
				got := symbol.ReadImage(context.Background(), m, symbol.Options{Budget: patient})
				all++
				switch {
				case len(got.Symbols) == 0:
					t.Logf("%s, %dx%d, %d turns: %s", name, n, n, turns, got.Reason.Message)
				case len(got.Symbols) > 1 || got.Symbols[0].Text != text:
					t.Errorf("%s, %dx%d, %d turns: %d symbols, want one with the right text", name, n, n, turns, len(got.Symbols))
				default:
					read++
				}
			}
		}
	}
	t.Logf("%d of %d read, floor %d", read, all, floor)
	if read < floor {
		t.Errorf("%d of %d read, want at least %d", read, all, floor)
	}
}

// unevenly draws s with columns of width px and rows of 4.
func unevenly(s simulate.Symbol, width func(at float64) int) *gray.Image {
	const row, paper = 4, 12
	var left []int
	x := paper
	for c := range s.Cols {
		left = append(left, x)
		x += width(float64(c) / float64(s.Cols))
	}
	left = append(left, x)
	m := gray.New(x+paper, s.Rows*row+2*paper)
	m.Fill(255)
	for i, dark := range s.Dark {
		if !dark {
			continue
		}
		r, c := i/s.Cols, i%s.Cols
		for y := paper + r*row; y < paper+(r+1)*row; y++ {
			for x := left[c]; x < left[c+1]; x++ {
				m.Row(y)[x] = 0
			}
		}
	}
	return m
}

// quarter returns m turned by 90 degrees.
func quarter(m *gray.Image) *gray.Image {
	out := gray.New(m.Height, m.Width)
	for y := range m.Height {
		for x, v := range m.Row(y) {
			out.Row(x)[m.Height-1-y] = v
		}
	}
	return out
}
