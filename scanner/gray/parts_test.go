package gray_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"tcode/scanner/gray"
)

// TestSplit: the parts cover the page, none is too large, and a square of a third of a part lies completely in
// one. It is not small where the page is not narrow: strips of 292 px cut a symbol of 139 px in each.
func TestSplit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ w, h, maxPixels, parts, square int }{
		{2480, 3508, 4_500_000, 3, 500},
		{3000, 4000, 4_500_000, 4, 500},
		{1000, 60_000, 4_500_000, 24, 300},
		{7746, 7746, 4_500_000, 25, 500},
		{60_000_000, 1, 4_500_000, 20, 0},
		{7678, 7678, 2_250_000, 56, 400},
		{4961, 7016, 2_250_000, 30, 400},
		{4000, 6000, 2_250_000, 20, 400},
		{14_764, 886, 2_250_000, 9, 250},
	} {
		parts := gray.Split(tt.w, tt.h, tt.maxPixels)
		if len(parts) > tt.parts {
			t.Errorf("%d x %d px in %d parts, want %d at most", tt.w, tt.h, len(parts), tt.parts)
		}
		side := min(parts[0].X1-parts[0].X0, parts[0].Y1-parts[0].Y0) / 3
		if side < tt.square {
			t.Errorf("%d x %d px: a square of %d px at most is in one part, want %d", tt.w, tt.h, side, tt.square)
		}
		for _, p := range parts {
			if p.X0 < 0 || p.Y0 < 0 || p.X1 > tt.w || p.Y1 > tt.h || p.Empty() || (p.X1-p.X0)*(p.Y1-p.Y0) > tt.maxPixels {
				t.Errorf("%d x %d px: part %v", tt.w, tt.h, p)
			}
		}
		r := rand.New(rand.NewPCG(1, 1))
	next:
		for range 1000 {
			x, y := r.IntN(max(1, tt.w-side)), r.IntN(max(1, tt.h-side))
			for _, p := range parts {
				if x >= p.X0 && y >= p.Y0 && x+side <= p.X1 && y+side <= p.Y1 {
					continue next
				}
			}
			t.Fatalf("%d x %d px: a square of %d px at (%d, %d) lies whole in no part of %v", tt.w, tt.h, side, x, y, parts)
		}
	}
}

// TestShrink: pixels are means of squares, and no side is lost.
func TestShrink(t *testing.T) {
	t.Parallel()
	m := gray.New(7, 5)
	for i := range m.Pix {
		m.Pix[i] = byte(10 * (i % 7))
	}
	by, small := gray.Reduction(7, 5, 9), new(gray.Image)
	if gray.Shrink(small, m, by); by != 2 || small.Width != 3 || small.Height != 2 || !bytes.Equal(small.Pix, []byte{5, 25, 45, 5, 25, 45}) {
		t.Errorf("%d x %d px by %d: %v", small.Width, small.Height, by, small.Pix)
	}
	thin := new(gray.Image)
	if gray.Shrink(thin, gray.New(1000, 1), gray.Reduction(1000, 1, 10)); thin.Height != 1 || thin.Width > 10 {
		t.Errorf("1000 x 1 px: %d x %d", thin.Width, thin.Height)
	}
}
