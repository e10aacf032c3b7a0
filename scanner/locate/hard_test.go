package locate_test

import (
	"math"
	"testing"

	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
	"tcode/scanner/locate"
	"tcode/scanner/simulate"
)

// straight returns the place of the symbol that drawn puts on its page, without a turn.
func straight(side int, px float64) locate.Candidate {
	z, _ := ecc200.SizeOf(side, side)
	w := px * float64(side)
	return locate.Candidate{Size: z, Corners: [4]gray.Point{{X: 300, Y: 250}, {X: 300 + w, Y: 250}, {X: 300 + w, Y: 250 + w}, {X: 300, Y: 250 + w}}}
}

// differ counts the modules that differ from want.
func differ(got, want []bool) int {
	n := 0
	for i := range want {
		if got[i] != want[i] {
			n++
		}
	}
	return n
}

// TestEqualize: with blur of more than half a module, a threshold decides wrongly on one
// module in twenty, and Equalize on none.
func TestEqualize(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		page, dark, _ := drawn(t, 40, 4, 0, seed)
		simulate.Blur(page, 2.2)
		c := straight(40, 4)
		m, ok := locate.Measure(page, &c)
		if !ok {
			t.Fatal("not measured")
		}
		plain, sharp := differ(m.Grid().Dark, dark), differ(m.Sharp().Dark, dark)
		if plain < 40 || sharp > 4 {
			t.Errorf("seed %d: %d modules wrong, equalized %d; want 40 or more and 4 at most", seed, plain, sharp)
		}
	}
}

// TestEqualizeNothing: values without any contrast, or of one module only, must not cause
// a failure.
func TestEqualizeNothing(t *testing.T) {
	t.Parallel()
	z, _ := ecc200.SizeOf(10, 10)
	for _, v := range []float64{0, 128, math.NaN()} {
		values := make([]float64, 100)
		for i := range values {
			values[i] = v
		}
		values[55] = 255
		if g := locate.Equalize(z, values); len(g.Dark) != 100 || len(g.Confidence) != 100 {
			t.Errorf("of %v: %d modules", v, len(g.Dark))
		}
	}
}

// TestFlatten: ink in shadow and in light becomes equally dark.
func TestFlatten(t *testing.T) {
	t.Parallel()
	page, dark, at := drawn(t, 40, 4, 0, 5)
	simulate.Shadow(page, gray.Point{X: 380, Y: 0}, gray.Point{X: 380, Y: 700}, 0.2, 10)
	for _, shrink := range []int{1, 2} {
		box := at.Grow(12)
		flat := locate.Flatten(page, box, shrink)
		if flat.Width != (box.X1-box.X0)/shrink || flat.Height != (box.Y1-box.Y0)/shrink {
			t.Fatalf("%dx%d px of %v, shrunk to 1/%d", flat.Width, flat.Height, box, shrink)
		}
		var sum, n [2][2]float64 // by half and module
		for i, d := range dark {
			half, ink := i%40/20, 0
			if d {
				ink = 1
			}
			v := flat.Bilinear((12+4*(float64(i%40)+0.5))/float64(shrink), (12+4*(float64(i/40)+0.5))/float64(shrink))
			sum[half][ink] += v
			n[half][ink]++
		}
		for ink := range 2 {
			if a, b := sum[0][ink]/n[0][ink], sum[1][ink]/n[1][ink]; math.Abs(a-b) > 20 {
				t.Errorf("shrunk to 1/%d: modules have gray %.0f in one half and %.0f in the other", shrink, a, b)
			}
		}
	}
}

// bowed returns a page with a symbol whose straight lines bow by bow px, and its modules.
func bowed(t *testing.T, bow float64) (*gray.Image, []bool) {
	t.Helper()
	page, dark, _ := drawn(t, 40, 4, 0, 6)
	curved := gray.New(page.Width, page.Height)
	for y := range page.Height {
		for x := range page.Width {
			u := (float64(x) - 300) / 160
			curved.Row(y)[x] = byte(page.Bilinear(float64(x)+0.5, float64(y)+0.5-bow*4*u*(1-u)))
		}
	}
	return curved, dark
}

// TestBend bows a symbol by a module and finds its modules, by curves and by a mesh.
func TestBend(t *testing.T) {
	t.Parallel()
	var f locate.Finder
	for _, bow := range []float64{-4.5, -3, 3, 4.5} {
		curved, dark := bowed(t, bow)
		c := straight(40, 4)
		f.Refine(curved, &c)
		g, _ := locate.Sample(curved, &c)
		before, meshed := differ(g.Dark, dark), len(dark)
		left := 1 << 24
		f.Mesh(curved, gray.Rect{X1: curved.Width, Y1: curved.Height}, 0, true, &left, func(m *locate.Meshed) bool {
			if m.Size == c.Size {
				meshed = min(meshed, differ(m.Modules.Grid().Dark, dark))
			}
			return meshed == 0
		})
		if meshed > 0 || before == 0 {
			t.Errorf("bowed by %.1f px: %d modules wrong, on a mesh %d, want 0", bow, before, meshed)
		}
		b, ok := f.Bend(curved, &c)
		if !ok {
			t.Errorf("bowed by %.1f px: curves fit no better than straight sides", bow)
			continue
		}
		m, _ := b.Measure(curved)
		if after := differ(m.Grid().Dark, dark); after > 20 || after >= before {
			t.Errorf("bowed by %.1f px: %d modules wrong, with curves %d, want 20 at most", bow, before, after)
		}
	}
	page, _, _ := drawn(t, 40, 4, 0, 6)
	c := straight(40, 4)
	if _, ok := f.Bend(page, &c); ok {
		t.Error("a straight symbol bends")
	}
}

func TestSame(t *testing.T) {
	t.Parallel()
	a, b := straight(40, 4), straight(44, 4)
	if !a.Same(a.Placed(1, 1, 1)) || a.Same(a.Placed(1, 3, 0)) || a.Same(b) {
		t.Error("candidates a pixel apart are the same, three pixels apart or of another size not")
	}
}
