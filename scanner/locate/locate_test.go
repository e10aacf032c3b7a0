package locate_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
	"tcode/scanner/locate"
	"tcode/scanner/simulate"
)

// drawn returns a cluttered page with a random symbol, its modules and its place.
func drawn(tb testing.TB, side int, px float64, turns int, seed uint64) (*gray.Image, []bool, gray.Rect) {
	tb.Helper()
	z, ok := ecc200.SizeOf(side, side)
	if !ok {
		tb.Fatalf("no size %d", side)
	}
	r := rand.New(rand.NewPCG(seed, 1))
	data := make([]byte, z.Data)
	for i := range data {
		data[i] = byte(1 + r.IntN(128))
	}
	dark, err := ecc200.Encode(data, z)
	if err != nil {
		tb.Fatal(err)
	}
	page := simulate.Clutter(700, 700, 22, seed)
	simulate.Draw(page, simulate.Symbol{Rows: side, Cols: side, Dark: dark}, simulate.Place{X: 300, Y: 250, ModulePx: px, Turns: turns, Quiet: 2}, 0, 255)
	n := int(px * float64(side))
	return page, dark, gray.Rect{X0: 300, Y0: 250, X1: 300 + n, Y1: 250 + n}
}

// TestBoxes: the texture of a large enough symbol has a box, and boxes cover little of the
// page.
func TestBoxes(t *testing.T) {
	t.Parallel()
	var f locate.Finder
	for seed := range uint64(6) {
		page, _, at := drawn(t, 40, 3+0.5*float64(seed), int(seed), seed)
		found := false
		for _, b := range f.Boxes(page) {
			found = found || b.Intersect(at).Area() > at.Area()*9/10 && b.Area() < 700*700/4
		}
		if !found {
			t.Errorf("seed %d: no box on the symbol at %v: %v", seed, at, f.Boxes(page))
		}
	}
	blank := gray.New(700, 700)
	blank.Fill(255)
	if got := f.Boxes(blank); len(got) != 0 {
		t.Errorf("%d boxes on a blank page", len(got))
	}
}

// TestComponents: a symbol that is too small for texture is found by its finder pattern.
func TestComponents(t *testing.T) {
	t.Parallel()
	var f locate.Finder
	for seed := range uint64(6) {
		page, _, at := drawn(t, 10, 2.6+0.4*float64(seed), int(seed), seed)
		found := false
		for _, b := range f.Components(page) {
			found = found || b.Intersect(at).Area() > at.Area()*8/10 && b.Area() < 2*at.Area()
		}
		if !found {
			t.Errorf("seed %d: no part at %v", seed, at)
		}
	}
}

// TestWhole: a symbol is one connected part, and text is not.
func TestWhole(t *testing.T) {
	t.Parallel()
	var f locate.Finder
	for seed := range uint64(6) {
		page, _, at := drawn(t, 40, 2.5+0.5*float64(seed), int(seed), seed)
		if got := f.Whole(page, at.Grow(12)); got < locate.Likely {
			t.Errorf("seed %d: the symbol scores %.1f", seed, got)
		}
		text := simulate.Clutter(700, 700, 22, seed)
		if got := f.Whole(text, at.Grow(12)); got >= locate.Likely {
			t.Errorf("seed %d: text scores %.1f", seed, got)
		}
	}
	if got := f.Whole(gray.New(50, 50), gray.Rect{X0: 60, Y0: 60, X1: 90, Y1: 90}); got != 0 {
		t.Errorf("nothing scores %.1f", got)
	}
}

// TestSearchRefineSample finds the modules of a box, also with pen strokes through two
// sides: no corner may move by half a module.
func TestSearchRefineSample(t *testing.T) {
	t.Parallel()
	for _, struck := range []bool{false, true} {
		for turns := range 4 {
			page, dark, at := drawn(t, 40, 4, turns, uint64(turns))
			if struck {
				simulate.Stroke(page, gray.Point{X: 280, Y: 300}, gray.Point{X: 480, Y: 350}, 4, 30)
				simulate.Stroke(page, gray.Point{X: 340, Y: 330}, gray.Point{X: 360, Y: 430}, 4, 30)
			}
			var f locate.Finder
			candidates := f.Search(page, at.Grow(14), 4)
			if len(candidates) == 0 {
				t.Errorf("struck %v, turned by %d: no candidate", struck, turns)
				continue
			}
			c := candidates[0]
			f.Refine(page, &c)
			want := [4]gray.Point{{X: 300, Y: 250}, {X: 460, Y: 250}, {X: 460, Y: 410}, {X: 300, Y: 410}}
			for i, p := range c.Corners {
				if far := p.Sub(want[(i+turns)%4]).Len(); far > 2 {
					t.Errorf("struck %v, turned by %d: corner %d is %.1f px off", struck, turns, i, far)
				}
			}
			g, ok := locate.Sample(page, &c)
			if !ok || g.Rows != 40 {
				t.Fatalf("struck %v, turned by %d: %d rows", struck, turns, g.Rows)
			}
			wrong := 0
			for i := range dark {
				if g.Dark[i] != dark[i] {
					wrong++
				}
			}
			if most := map[bool]int{false: 0, true: 60}[struck]; wrong > most {
				t.Errorf("struck %v, turned by %d: %d modules wrong, want at most %d", struck, turns, wrong, most)
			}
		}
	}
}

// TestClassify adds a strong gradient of light over the modules.
func TestClassify(t *testing.T) {
	t.Parallel()
	z, _ := ecc200.SizeOf(24, 24)
	r := rand.New(rand.NewPCG(2, 2))
	want := make([]bool, 24*24)
	v := make([]float64, len(want))
	for i := range v {
		want[i] = r.IntN(2) == 0
		light := 60 + 7*float64(i%24)
		v[i] = light
		if want[i] {
			v[i] = light * 0.3
		}
	}
	g := locate.Classify(z, v)
	if !slices.Equal(g.Dark, want) {
		t.Error("modules under uneven light are told wrongly")
	}
	v[24*12+12] = (v[24*12+11] + 60 + 7*12) / 3
	before := g.Confidence[24*12+12]
	if after := locate.Classify(z, v).Confidence[24*12+12]; after >= before {
		t.Errorf("confidence of a gray module %v, of a clear one %v", after, before)
	}
}

func TestLookAt(t *testing.T) {
	t.Parallel()
	page, _, at := drawn(t, 40, 4, 0, 3)
	z, _ := ecc200.SizeOf(40, 40)
	c := locate.Candidate{Size: z, Corners: [4]gray.Point{{X: 300, Y: 250}, {X: 460, Y: 250}, {X: 460, Y: 410}, {X: 300, Y: 410}}}
	sharp := locate.LookAt(page, &c)
	if sharp.Contrast < 240 || sharp.Sharpness < 0.9 || sharp.Quiet < 0.99 || sharp.Outside {
		t.Errorf("clean symbol looks %+v", sharp)
	}
	simulate.Blur(page, 3)
	if soft := locate.LookAt(page, &c); soft.Sharpness > 0.4 {
		t.Errorf("smeared symbol looks %+v", soft)
	}
	if cut := locate.LookAt(page.Crop(gray.Rect{X1: 700, Y1: at.Y1 - 20}), &c); !cut.Outside {
		t.Errorf("cut symbol looks %+v", cut)
	}
}

func BenchmarkSearch(b *testing.B) {
	page, _, at := drawn(b, 40, 3, 0, 1)
	var f locate.Finder
	b.ReportAllocs()
	for b.Loop() {
		f.Search(page, at.Grow(14), 6)
	}
}

func BenchmarkBoxes(b *testing.B) {
	page := simulate.Clutter(1654, 2339, 28, 1)
	var f locate.Finder
	b.ReportAllocs()
	for b.Loop() {
		f.Boxes(page)
	}
}

// BenchmarkComponents includes the part that Boxes computes for both.
func BenchmarkComponents(b *testing.B) {
	page := simulate.Clutter(1654, 2339, 28, 1)
	var f locate.Finder
	b.ReportAllocs()
	for b.Loop() {
		f.Boxes(page)
		f.Components(page)
	}
}
