package placement_test

import (
	"math"
	"testing"

	"tcode/offline/geometry"
	"tcode/server/issue/placement"
)

// TestMoved: a moved placement has its point where it was asked for, and its anchor stays.
func TestMoved(t *testing.T) {
	t.Parallel()
	page := geometry.Size{Width: 200, Height: 300}
	half := 0.5
	for _, tt := range []struct {
		spec   placement.Spec
		x, y   float64 // of its point
		anchor geometry.Anchor
	}{
		{placement.Spec{}, 190, 290, geometry.BottomRight},
		{placement.Spec{Anchor: geometry.Top}, 100, 10, geometry.Top},
		{placement.Spec{Anchor: geometry.TopLeft, SafeMargins: &geometry.Margins{Top: 5, Left: 7}}, 7, 5, geometry.TopLeft},
		{placement.Spec{XNorm: &half, YNorm: &half}, 100, 150, geometry.TopLeft},
		{placement.Spec{XNorm: &half, YNorm: &half, Anchor: geometry.Right}, 100, 150, geometry.Right},
	} {
		x, y := tt.spec.Point(page)
		if x != tt.x || y != tt.y {
			t.Errorf("%+v: point %v, %v; want %v, %v", tt.spec, x, y, tt.x, tt.y)
		}
		moved := tt.spec.Moved(page, -3, 4)
		if x, y = moved.Point(page); math.Abs(x-tt.x+3) > 1e-9 || math.Abs(y-tt.y-4) > 1e-9 || moved.Anchor != tt.anchor {
			t.Errorf("%+v moved: %v, %v at %q", tt.spec, x, y, moved.Anchor)
		}
		if x, y = tt.spec.Moved(page, -1000, 1000).Point(page); x != 0 || y != 300 {
			t.Errorf("%+v moved off the page: %v, %v", tt.spec, x, y)
		}
	}
}
