package gray_test

import (
	"math"
	"testing"

	"tcode/scanner/gray"
)

// within reports whether r may bound the rows of a part of o: its sides lie in o, and none is
// before the other.
func within(r, o gray.Rect) bool {
	return o.X0 <= r.X0 && r.X0 <= r.X1 && r.X1 <= o.X1 && o.Y0 <= r.Y0 && r.Y0 <= r.Y1 && r.Y1 <= o.Y1
}

func TestClip(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		r, want gray.Rect
	}{
		{"inside", gray.Rect{X0: 1, Y0: 2, X1: 3, Y1: 4}, gray.Rect{X0: 1, Y0: 2, X1: 3, Y1: 4}},
		{"over all sides", gray.Rect{X0: -1, Y0: -2, X1: 99, Y1: 98}, gray.Rect{X1: 10, Y1: 8}},
		{"right of it", gray.Rect{X0: 11, Y0: 2, X1: 12, Y1: 4}, gray.Rect{X0: 10, Y0: 2, X1: 10, Y1: 4}},
		{"left of it", gray.Rect{X0: -5, Y0: 2, X1: -2, Y1: 4}, gray.Rect{Y0: 2, Y1: 4}},
		{"below it", gray.Rect{X0: 1, Y0: 9, X1: 3, Y1: 12}, gray.Rect{X0: 1, Y0: 8, X1: 3, Y1: 8}},
		{"above it", gray.Rect{X0: 1, Y0: -9, X1: 3, Y1: -1}, gray.Rect{X0: 1, X1: 3}},
		{"sides in the wrong order", gray.Rect{X0: 5, Y0: 6, X1: 3, Y1: 4}, gray.Rect{X0: 5, Y0: 6, X1: 5, Y1: 6}},
		{"the farthest", gray.Rect{X0: math.MaxInt, Y0: math.MinInt, X1: math.MinInt, Y1: math.MaxInt}, gray.Rect{X0: 10, X1: 10, Y1: 8}},
	} {
		if got := tt.r.Clip(10, 8); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
	// Rows may be cut at the sides of any part.
	m := grain(10, 8, 7)
	for x := -3; x < 14; x++ {
		for y := -3; y < 12; y++ {
			r := gray.Rect{X0: x, Y0: y, X1: x + 2, Y1: y + 2}.Clip(m.Width, m.Height)
			for v := r.Y0; v < r.Y1; v++ {
				_ = m.Row(v)[r.X0:r.X1]
			}
			if c := m.Crop(r); !c.Valid() || c.Width*c.Height != r.Area() {
				t.Errorf("crop at %d, %d: %d x %d px of %+v", x, y, c.Width, c.Height, r)
			}
		}
	}
}

// FuzzIntersect: the part that two rectangles share lies inside of the second one, has the same
// pixels whichever comes first, and has a pixel exactly if both have it.
func FuzzIntersect(f *testing.F) {
	f.Add(0, 0, 10, 8, 11, 2, 12, 4, 10, 3)
	f.Add(0, 0, 10, 8, -5, -5, 5, 5, 4, 4)
	f.Add(3, 3, 3, 9, 1, 1, 9, 9, 3, 4)
	f.Add(math.MinInt, 0, math.MaxInt, 1, 9, 9, 1, 1, 5, 0)
	f.Fuzz(func(t *testing.T, ox0, oy0, ox1, oy1, x0, y0, x1, y1, x, y int) {
		o := gray.Rect{X0: min(ox0, ox1), Y0: min(oy0, oy1), X1: max(ox0, ox1), Y1: max(oy0, oy1)}
		r := gray.Rect{X0: x0, Y0: y0, X1: x1, Y1: y1}
		has := func(r gray.Rect) bool { return r.X0 <= x && x < r.X1 && r.Y0 <= y && y < r.Y1 }
		both := r.Intersect(o)
		if !within(both, o) {
			t.Fatalf("%+v and %+v: %+v is not inside", r, o, both)
		}
		if has(both) != (has(r) && has(o)) {
			t.Fatalf("%+v and %+v: %+v, pixel %d, %d", r, o, both, x, y)
		}
		if turned := o.Intersect(r); both.Empty() != turned.Empty() || !both.Empty() && both != turned {
			t.Fatalf("%+v and %+v: %+v, the other way round %+v", r, o, both, turned)
		}
		w, h := max(x0, 0), max(y0, 0)
		if cut := o.Clip(w, h); !within(cut, gray.Rect{X1: w, Y1: h}) {
			t.Fatalf("%+v in %d x %d px: %+v", o, w, h, cut)
		}
	})
}
