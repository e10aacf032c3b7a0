package proof_test

import (
	"math"
	"testing"

	"tcode/offline/geometry"
)

// A symbol that was drawn into the page is found from every area that it reaches into.
func TestGround(t *testing.T) {
	t.Parallel()
	const module, side = 0.375, 40 * 0.375
	stamped := page{moduleMM: module}
	stamped.under.WriteString(rect(20, 20, 10, 10))
	tests := []struct {
		name    string
		area    geometry.Rect
		leastI  float64 // ink
		symbols int
	}{
		{"at its place", geometry.Rect{X: left - 1, Y: top - 1, Width: side + 2, Height: side + 2}, 0.3, 1},
		{"over its left edge", geometry.Rect{X: left - 20, Y: top, Width: 22, Height: 20}, 0.02, 1},
		{"over a corner", geometry.Rect{X: left + side - 3, Y: top + side - 3, Width: 20, Height: 15}, 0.005, 1},
		{"inside", geometry.Rect{X: left + 5, Y: top + 5, Width: 5, Height: 5}, 0.3, 1},
		{"beside it", geometry.Rect{X: left - 21, Y: top, Width: 20, Height: 20}, 0, 0},
		{"ink that is no symbol", geometry.Rect{X: 15, Y: 15, Width: 20, Height: 20}, 0.2, 0},
		{"beside the page", geometry.Rect{X: 300, Y: 15, Width: 20, Height: 20}, 0, 0},
	}
	prover := newProver(t)
	var areas []geometry.Area
	for _, tt := range tests {
		areas = append(areas, geometry.Area{Page: 1, Rect: tt.area})
	}
	got, err := prover.Ground(t.Context(), pdf(t, &stamped), areas)
	if err != nil || len(got) != len(tests) {
		t.Fatalf("%d grounds, %v", len(got), err)
	}
	ink, err := prover.Ink(t.Context(), pdf(t, &stamped), areas)
	if err != nil || len(ink) != len(tests) {
		t.Fatalf("%d shares, %v", len(ink), err)
	}
	for i, tt := range tests {
		g := got[i]
		if g.Ink < tt.leastI || g.Ink > 0 && tt.leastI == 0 || g.Ink != ink[i] || len(g.Symbols) != tt.symbols {
			t.Errorf("%s: %+v, ink %g; want %d symbols and ink of %g", tt.name, g, ink[i], tt.symbols, tt.leastI)
			continue
		}
		for _, s := range g.Symbols {
			if s.Text != text || math.Abs(s.At.X-left) > 0.2 || math.Abs(s.At.Y-top) > 0.2 || math.Abs(s.At.Width-side) > 0.2 || math.Abs(s.At.Height-side) > 0.2 {
				t.Errorf("%s: %+v", tt.name, s)
			}
		}
	}
}
