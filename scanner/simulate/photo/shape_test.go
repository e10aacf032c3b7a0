package photo_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"tcode/scanner/simulate/photo"
)

// bent are shapes of every form.
func bent() map[string]photo.Shape {
	return map[string]photo.Shape{
		"flat":      {},
		"cylinder":  {Form: photo.Cylinder, Angle: 0.7, Radius: 40},
		"inside":    {Form: photo.Cylinder, Angle: 2, Radius: -90},
		"cone":      {Form: photo.Cone, Angle: 1.1, Radius: 45, Apex: 90},
		"cone back": {Form: photo.Cone, Angle: 4, Radius: -80, Apex: 200},
		"wavy":      {Form: photo.Wavy, Angle: 0.3, Length: 25, Slope: 0.4, Phase: 1},
		"folded":    {Form: photo.Folded, Angle: 2.5, Slope: 0.6, Offset: 4, Round: 0.6},
		"crumpled":  {Form: photo.Crumpled, Length: 20, Slope: 0.2, Seed: 8},
	}
}

// TestPaperDoesNotStretch: small squares of the page stay squares of the same size. A
// crumpled page is a height over a flat one and may stretch.
func TestPaperDoesNotStretch(t *testing.T) {
	t.Parallel()
	for name, s := range bent() {
		want := 1e-4
		if s.Form == photo.Crumpled {
			want = 0.3
		}
		if got := s.Stretch(rand.New(rand.NewPCG(1, 9))); got > want {
			t.Errorf("%s: lengths and angles change by up to %.5f, want at most %g", name, got, want)
		}
	}
}

// TestSymbolLiesInTheOrigin: every page touches the plane z = 0 in the middle of its symbol.
func TestSymbolLiesInTheOrigin(t *testing.T) {
	t.Parallel()
	for name, s := range bent() {
		p, q := s.At(100, 150, 100, 150), s.At(100, 150, 100.01, 150)
		if d := math.Hypot(math.Hypot(p[0], p[1]), p[2]); d > 1e-9 {
			t.Errorf("%s: the symbol lies %g mm from the origin", name, d)
		}
		if math.Abs(q[0]-0.01) > 1e-4 || math.Abs(q[1]) > 1e-5 || math.Abs(q[2]) > 1e-5 {
			t.Errorf("%s: 0.01 mm along the page is %v, want along x", name, q)
		}
	}
}

// TestCylinderIsRound compares the calculated curve with a circle.
func TestCylinderIsRound(t *testing.T) {
	t.Parallel()
	s := photo.Shape{Form: photo.Cylinder, Radius: 60}
	for _, at := range []float64{-80, -33.3, 0.05, 12.34, 83} {
		got := s.At(100, 150, 100+at, 170)
		want := [3]float64{60 * math.Sin(at/60), 20, 60 * (1 - math.Cos(at/60))}
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-4 {
				t.Errorf("%v mm along: %v, want %v", at, got, want)
				break
			}
		}
	}
}

// TestConeIsRound: points of the page at one distance from the tip lie on a circle around
// the axis.
func TestConeIsRound(t *testing.T) {
	t.Parallel()
	s := photo.Shape{Form: photo.Cone, Radius: 50, Apex: 120}
	half := math.Atan(50.0 / 120)
	for _, turn := range []float64{-0.4, -0.1, 0.2, 0.45} { // on the page, around the tip
		got := s.At(200, 150, 80+120*math.Cos(turn), 150+120*math.Sin(turn))
		a := turn / math.Sin(half)
		r := 120 * math.Sin(half)
		// The circle lies in a plane that is tilted by the half angle against the page's normal.
		want := [3]float64{-r * (1 - math.Cos(a)) * math.Sin(half), r * math.Sin(a), r * (1 - math.Cos(a)) * math.Cos(half)}
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-4 {
				t.Errorf("turn %v: %v, want %v", turn, got, want)
				break
			}
		}
	}
}

func camera() photo.Camera {
	return photo.Camera{
		Width: 640, Height: 480, Focal: 480, Distance: 80, Tilt: 0.5, Side: 2, Roll: 1, K1: 0.05, K2: -0.01,
	}
}

func TestCameraThereAndBack(t *testing.T) {
	t.Parallel()
	for _, k := range [][2]float64{{0, 0}, {0.04, 0.01}, {-0.04, -0.01}} {
		c := camera()
		c.K1, c.K2 = k[0], k[1]
		if worst := c.ThereAndBack(rand.New(rand.NewPCG(4, 4))); worst > 1e-6 {
			t.Errorf("distortion %v: points come back %g px away", k, worst)
		}
	}
}

// TestRaysMeetTheirPlaces: a picture's point shows the place of the page that projects to it.
func TestRaysMeetTheirPlaces(t *testing.T) {
	t.Parallel()
	for name, s := range bent() {
		points, middles, seen := photo.HitErrors(s, camera())
		t.Logf("%s: %.4f px, between grid points %.4f px, %d cells", name, points, middles, seen)
		if points > 1e-3 || middles > 0.05 || seen < 3000 {
			t.Errorf("%s: %.4f px off, between grid points %.4f px, in %d cells", name, points, middles, seen)
		}
	}
}
