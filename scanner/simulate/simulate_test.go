package simulate_test

import (
	"bytes"
	"image/jpeg"
	"image/png"
	"math"
	"testing"

	"tcode/scanner/gray"
	"tcode/scanner/simulate"
)

func TestTurned(t *testing.T) {
	t.Parallel()
	s := simulate.Symbol{Rows: 2, Cols: 3, Dark: []bool{true, false, false, false, true, false}}
	got := s.Turned(1)
	want := []bool{false, true, true, false, false, false}
	if got.Rows != 3 || got.Cols != 2 {
		t.Fatalf("%dx%d, want 3x2", got.Rows, got.Cols)
	}
	for i := range want {
		if got.Dark[i] != want[i] {
			t.Fatalf("one quarter turn gives %v, want %v", got.Dark, want)
		}
	}
	for i, d := range s.Turned(4).Dark {
		if d != s.Dark[i] {
			t.Fatal("four quarter turns are not none")
		}
	}
}

// TestDrawCoverage: wherever a module lies between the pixels, its ink is the same.
func TestDrawCoverage(t *testing.T) {
	t.Parallel()
	s := simulate.Symbol{Rows: 1, Cols: 1, Dark: []bool{true}}
	for _, at := range []float64{10, 10.25, 10.9} {
		page := gray.New(30, 30)
		page.Fill(255)
		simulate.Draw(page, s, simulate.Place{X: at, Y: at / 1.7, ModulePx: 4.5, Quiet: 1}, 0, 255)
		ink := 0.0
		for _, v := range page.Pix {
			ink += float64(255-v) / 255
		}
		if math.Abs(ink-4.5*4.5) > 0.1 {
			t.Errorf("at %v px: ink of %.2f px², want 20.25", at, ink)
		}
	}
}

// TestSameSeedSameBytes also checks that different seeds give different bytes.
func TestSameSeedSameBytes(t *testing.T) {
	t.Parallel()
	page := simulate.Clutter(300, 400, 20, 1)
	if !bytes.Equal(page.Pix, simulate.Clutter(300, 400, 20, 1).Pix) {
		t.Error("Clutter differs from itself")
	}
	for name, f := range map[string]func(*gray.Image, uint64) *gray.Image{"Scan": simulate.Scan, "Photo": simulate.Photo} {
		before := bytes.Clone(page.Pix)
		a, b, c := f(page, 1), f(page, 1), f(page, 2)
		if !bytes.Equal(a.Pix, b.Pix) || a.Width != b.Width {
			t.Errorf("%s differs with the same seed", name)
		}
		if bytes.Equal(a.Pix, c.Pix) {
			t.Errorf("%s is the same with another seed", name)
		}
		if !bytes.Equal(before, page.Pix) {
			t.Errorf("%s changed the page", name)
		}
	}
}

func TestRotationShowsAll(t *testing.T) {
	t.Parallel()
	page := gray.New(200, 100)
	toPage, w, h := simulate.Rotation(page, 30, 1)
	back, ok := toPage.Inverse()
	if !ok {
		t.Fatal("no inverse")
	}
	for _, p := range []gray.Point{{}, {X: 200}, {X: 200, Y: 100}, {Y: 100}} {
		q := back.Map(p)
		if q.X < -0.5 || q.Y < -0.5 || q.X > float64(w)+0.5 || q.Y > float64(h)+0.5 {
			t.Errorf("corner %v goes to %v, outside %d x %d", p, q, w, h)
		}
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	page := simulate.Clutter(120, 90, 12, 3)
	raw, err := simulate.EncodePNG(page)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(simulate.FromImage(img).Pix, page.Pix) {
		t.Error("PNG changed the page")
	}
	raw, err = simulate.EncodeJPEG(page, 60)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := jpeg.DecodeConfig(bytes.NewReader(raw)); err != nil || c.Width != 120 || c.Height != 90 {
		t.Errorf("JPEG of %d x %d, %v", c.Width, c.Height, err)
	}
}

// TestWarpAffine: turning and scaling gives the same pixels as the same map written as a perspective one.
func TestWarpAffine(t *testing.T) {
	t.Parallel()
	page := simulate.Clutter(150, 120, 14, 3)
	for _, tt := range []struct {
		degrees, scale float64
		samples        int
	}{{1.3, 1, 2}, {-40, 0.5, 3}, {181, 0.33, 4}, {90, 2, 1}} {
		toPage, w, h := simulate.Rotation(page, tt.degrees, tt.scale)
		doubled := toPage
		for i := range doubled {
			doubled[i] *= 2
		}
		if !bytes.Equal(simulate.Warp(page, toPage, w, h, tt.samples, 200).Pix, simulate.Warp(page, doubled, w, h, tt.samples, 200).Pix) {
			t.Errorf("turned by %v degrees and scaled by %v, the page differs", tt.degrees, tt.scale)
		}
	}
}
