package photo_test

import (
	"math"
	"testing"

	"tcode/scanner/gray"
	"tcode/scanner/simulate"
	"tcode/scanner/simulate/photo"
)

// TestKernels: a point of light spreads evenly around its place, and none is lost.
func TestKernels(t *testing.T) {
	t.Parallel()
	for name, kernel := range map[string]map[[2]int]float64{
		"disc 0.6": photo.Disc(0.6), "disc 4.3": photo.Disc(4.3), "path": photo.Path(7.7, 0.6), "short path": photo.Path(0.8, 2),
	} {
		var sum, x, y float64
		for at, k := range kernel {
			sum, x, y = sum+k, x+k*float64(at[0]), y+k*float64(at[1])
		}
		if math.Abs(sum-1) > 1e-5 || math.Hypot(x, y) > 1e-3 {
			t.Errorf("%s: sum %.6f, middle %.4f, %.4f", name, sum, x, y)
		}
	}
	if k := photo.Disc(3)[[2]int{}]; math.Abs(k-1/(math.Pi*9)) > 2e-3 {
		t.Errorf("the middle of a disc of 3 px has %.4f of the light, want %.4f", k, 1/(math.Pi*9))
	}
	for _, l := range []photo.Lens{{Soft: 1.3}, {Defocus: 5}, {Motion: 9, MotionAngle: 1}, {Soft: 0.6, Defocus: 2, Motion: 3}} {
		if sum := photo.Unsharp(l); math.Abs(sum-1) > 1e-4 {
			t.Errorf("%+v: %.6f of the light is left", l, sum)
		}
	}
}

// TestShotNoise: the variance of electrons is their number and the square of the read noise.
func TestShotNoise(t *testing.T) {
	t.Parallel()
	for _, level := range []float64{0.1, 0.5} {
		mean, variance := photo.Exposed(photo.Sensor{White: 1000, Read: 5}, level)
		want := 1000*level + 25
		if math.Abs(mean-1000*level) > 1 || math.Abs(variance-want) > 0.03*want {
			t.Errorf("at %v: mean %.1f, variance %.1f, want %.0f and %.0f", level, mean, variance, 1000*level, want)
		}
	}
}

func TestDenoising(t *testing.T) {
	t.Parallel()
	mean, variance := photo.Smoothened(0.05, 0.15)
	if math.Abs(mean-0.5) > 1e-3 || variance > 0.05*0.05/5 {
		t.Errorf("mean %.4f, variance %.6f of 0.0025 before", mean, variance)
	}
}

func TestGrain(t *testing.T) {
	t.Parallel()
	for _, size := range []float64{0.2, 2, 20} {
		mean, variance, next := photo.GrainStats(size)
		if math.Abs(mean) > 1e-4 || math.Abs(variance-1) > 1e-3 {
			t.Errorf("size %v: mean %.5f, variance %.5f", size, mean, variance)
		}
		if smooth := next > 0.5; smooth != (size >= 2) {
			t.Errorf("size %v: neighbours correlate by %.3f", size, next)
		}
	}
}

// TestLight: the light at the symbol is 1, falls with the angle, and a mirrored lamp shines
// in its place.
func TestLight(t *testing.T) {
	t.Parallel()
	l := photo.Lamp{Place: [3]float64{200, -100, -500}, Ambient: 0.5}
	if a, b := photo.Lit(l, camera(), 100, 150); math.Abs(a-1) > 1e-6 || b != 0 {
		t.Errorf("at the symbol: %.4f and %.4f, want 1 and 0", a, b)
	}
	near, _ := photo.Lit(l, camera(), 140, 130)
	far, _ := photo.Lit(l, camera(), 20, 250)
	if near < 1 || far > 1 {
		t.Errorf("%.3f towards the lamp, %.3f away from it", near, far)
	}
	l = photo.Lamp{Place: photo.MirrorPlace(camera(), 110, 140, 500), Ambient: 0.5, Gloss: 2, Sharp: 200}
	_, there := photo.Lit(l, camera(), 110, 140)
	_, beside := photo.Lit(l, camera(), 130, 150)
	if math.Abs(there-2) > 1e-6 || beside > 1.5 {
		t.Errorf("the mirror image has %.3f in its place, want 2, and %.3f beside it", there, beside)
	}
	l.Gloss, l.Phone = 0, &photo.Phone{Left: -500, Top: -500, Right: 500, Bottom: 500, LampRadius: 1}
	if a, _ := photo.Lit(l, camera(), 100, 150); a > 0.4 {
		t.Errorf("under a large phone: %.3f, want less than the ambient light", a)
	}
}

// square returns a sheet of blank paper with one dark square of 4 mm on it.
func square(page byte) photo.Sheet {
	m := gray.New(400, 400)
	m.Fill(page)
	return photo.Sheet{
		Page: m, DPI: 200, X: 20, Y: 20, Module: 4, Symbol: simulate.Symbol{Rows: 1, Cols: 1, Dark: []bool{true}},
	}
}

// TestPrintGrowth: at a level of one half, the print keeps its size; below, it grows by the same
// width on every side.
func TestPrintGrowth(t *testing.T) {
	t.Parallel()
	p := photo.Print{Spread: 0.03, Level: 0.5, Soft: 0.2, Ink: 0.2, Paper: photo.Paper{White: 0.85}}
	same, _ := photo.InkArea(p, square(255), 16, 16, 28, 28, 0.02)
	if side := math.Sqrt(same); math.Abs(side-4) > 0.03 {
		t.Errorf("a side of %.3f mm, want 4", side)
	}
	p.Level = 0.3
	grown, _ := photo.InkArea(p, square(255), 16, 16, 28, 28, 0.02)
	// The blurred edge has the level 0.3 at 0.524 sigma outside.
	if growth := math.Sqrt(grown) - math.Sqrt(same); math.Abs(growth-2*0.524*0.03) > 0.015 {
		t.Errorf("grown by %.4f mm, want %.4f", growth, 2*0.524*0.03)
	}
}

// TestHalftone: dots cover the share of the paper that the gray asks for.
func TestHalftone(t *testing.T) {
	t.Parallel()
	p := photo.Print{Spread: 0, Level: 0.5, Soft: 0.01, Ink: 0, Paper: photo.Paper{White: 1}}
	for _, g := range []byte{40, 128, 215} {
		s := square(g)
		s.Symbol.Dark[0] = false
		_, mean := photo.InkArea(p, s, 26, 26, 48, 48, 25.4/600)
		if want := float64(g) / 255; math.Abs(mean-want) > 0.08 {
			t.Errorf("gray %d: %.3f of the paper is bare, want %.3f", g, mean, want)
		}
	}
}

// TestScreenKeepsLight: the black between the stripes does not change the mean.
func TestScreenKeepsLight(t *testing.T) {
	t.Parallel()
	s := square(255)
	s.X, s.Y = 42, 42
	for _, gap := range []float64{0, 0.1, 0.3} {
		if mean := photo.ShownMean(photo.Screen{Pitch: 0.2, Gap: gap, Dark: 0.01}, s); math.Abs(mean-1) > 0.05 {
			t.Errorf("gap %v: mean %.3f, want 1", gap, mean)
		}
	}
}
