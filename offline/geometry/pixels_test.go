package geometry_test

import (
	"math"
	"testing"

	"tcode/offline/geometry"
)

// TestLeastModule: modules must be wider on pages that scanners draw with fewer dots.
func TestLeastModule(t *testing.T) {
	t.Parallel()
	for page, want := range map[geometry.Size]float64{
		{}:                          0.2,
		{Width: 210, Height: 297}:   0.2,
		{Width: 841, Height: 1189}:  0.2,
		{Width: 1311, Height: 1311}: 0.2,
		{Width: 1330, Height: 1330}: 0.2028,
		{Width: 5000, Height: 1400}: 0.4034,
		{Width: 5080, Height: 5080}: 0.7746,
	} {
		if got := geometry.LeastModuleMM(page, 300); math.Abs(got-want) > 1e-4 {
			t.Errorf("%v: %g mm, want %g", page, got, want)
		}
	}
	if got := geometry.LeastModuleMM(geometry.Size{}, 75); got != 0.4 {
		t.Errorf("a scan with 75 dpi: %g mm, want 0.4", got)
	}
}
