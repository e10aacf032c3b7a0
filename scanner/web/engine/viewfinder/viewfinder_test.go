package viewfinder_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"tcode/scanner/gray"
	"tcode/scanner/simulate"
	"tcode/scanner/web/engine/viewfinder"
)

// patient is a budget that never ends a test on a busy machine.
const patient = 10 * time.Minute

// frame returns a white frame with a symbol at x, y, its text, and its module side in px.
func frame(t *testing.T, x, y, modulePx float64) (*gray.Image, string) {
	t.Helper()
	code, text, err := simulate.RandomText(rand.New(rand.NewPCG(1, 2)), 32)
	if err != nil {
		t.Fatal(err)
	}
	img := gray.New(1280, 720)
	img.Fill(235)
	simulate.Draw(img, code, simulate.Place{X: x, Y: y, ModulePx: modulePx, Quiet: 4}, 20, 235)
	return img, text
}

// mustSee fails unless the look has the symbol with its top left corner near x, y.
func mustSee(t *testing.T, l viewfinder.Look, text string, x, y float64) {
	t.Helper()
	if !l.Read() || l.Symbols[0].Text != text {
		t.Fatalf("read %d symbols, want one: %+v", len(l.Symbols), l.Reason)
	}
	if got := l.Corners[0]; math.Hypot(got[0]-x, got[1]-y) > 2 {
		t.Errorf("top left corner %v, want %v, %v", got, x, y)
	}
	if l.Hint != "" || !l.Seen {
		t.Errorf("hint %q, seen %v", l.Hint, l.Seen)
	}
}

// TestPartFirst: after a symbol the part around it is searched, and the whole frame in every third frame.
func TestPartFirst(t *testing.T) {
	t.Parallel()
	v := viewfinder.Viewfinder{Budget: patient}
	for i := range 9 {
		x, y := 300+float64(12*i), 200+float64(7*i) // a hand moves
		img, text := frame(t, x, y, 5)
		l := v.Look(t.Context(), img)
		mustSee(t, l, text, x, y)
		if want := i%3 == 0; l.Whole != want {
			t.Errorf("frame %d: whole %v, want %v", i, l.Whole, want)
		}
	}
}

// TestJump: a symbol that leaves the searched part is found again within three frames.
func TestJump(t *testing.T) {
	t.Parallel()
	v := viewfinder.Viewfinder{Budget: patient}
	img, text := frame(t, 60, 60, 5)
	mustSee(t, v.Look(t.Context(), img), text, 60, 60)
	img, text = frame(t, 1000, 480, 5)
	for i := range 3 {
		if l := v.Look(t.Context(), img); l.Read() {
			mustSee(t, l, text, 1000, 480)
			return
		} else if l.Whole {
			t.Fatalf("frame %d: the whole frame shows nothing: %+v", i, l.Reason)
		}
	}
	t.Error("not found in three frames")
}

// TestTurned: a frame of another size is searched as a whole.
func TestTurned(t *testing.T) {
	t.Parallel()
	v := viewfinder.Viewfinder{Budget: patient}
	img, text := frame(t, 500, 300, 5)
	mustSee(t, v.Look(t.Context(), img), text, 500, 300)
	part := img.Crop(gray.Rect{X0: 400, Y0: 200, X1: 800, Y1: 600})
	l := v.Look(t.Context(), part)
	mustSee(t, l, text, 100, 100)
	if !l.Whole {
		t.Error("the place of another size of frame was used")
	}
}

// TestHints: each hint comes after two frames, and leaves with a symbol.
func TestHints(t *testing.T) {
	t.Parallel()
	for want, spoil := range map[viewfinder.Hint]func() *gray.Image{
		viewfinder.HoldStill: func() *gray.Image {
			m, _ := frame(t, 400, 150, 8)
			simulate.Blur(m, 5.76)
			return m
		},
		viewfinder.Closer:     func() *gray.Image { m, _ := frame(t, 400, 250, 0.9); return m },
		viewfinder.MoreLight:  func() *gray.Image { return gray.New(1280, 720) },
		viewfinder.WholeStamp: func() *gray.Image { m, _ := frame(t, 1160, 250, 5); return m },
	} {
		t.Run(string(want), func(t *testing.T) {
			t.Parallel()
			v := viewfinder.Viewfinder{Budget: patient}
			img := spoil()
			if l := v.Look(t.Context(), img); l.Hint != "" || l.Read() {
				t.Fatalf("the first frame: hint %q, %d symbols", l.Hint, len(l.Symbols))
			}
			if l := v.Look(t.Context(), img); l.Hint != want {
				t.Errorf("hint %q, want %q (%+v)", l.Hint, want, l.Reason)
			}
		})
	}
}

// TestInverted: a light symbol on dark ground is read within two frames.
func TestInverted(t *testing.T) {
	t.Parallel()
	v := viewfinder.Viewfinder{Budget: patient}
	img, text := frame(t, 500, 300, 5)
	img.Invert()
	if l := v.Look(t.Context(), img); l.Read() {
		return
	}
	mustSee(t, v.Look(t.Context(), img), text, 500, 300)
}

// TestNothing: a frame without pixels and an empty page give no symbol and no hint.
func TestNothing(t *testing.T) {
	t.Parallel()
	v := viewfinder.Viewfinder{Budget: patient}
	page := gray.New(640, 480)
	page.Fill(240)
	for _, img := range []*gray.Image{nil, {}, {Width: 9, Height: 9}, page, page, page} {
		if l := v.Look(t.Context(), img); l.Read() || l.Seen || l.Hint != "" {
			t.Errorf("%+v", l)
		}
	}
}

// TestSeries: an answer is remembered until 512 others have come.
func TestSeries(t *testing.T) {
	t.Parallel()
	var s viewfinder.Series[string]
	if _, ok := s.Repeat("a"); ok {
		t.Error("an empty series knows a symbol")
	}
	now := time.Unix(1_800_000_000, 0)
	s.Add("a", "1", now)
	s.Add("a", "2", now)
	for i := range 511 {
		s.Add(fmt.Sprint(i), "", now)
	}
	if e, ok := s.Repeat("a"); !ok || e.Answer != "2" || !e.At.Equal(now) {
		t.Errorf("%+v, %v", e, ok)
	}
	s.Add("b", "", now)
	if _, ok := s.Repeat("a"); ok {
		t.Error("the oldest is not forgotten")
	}
}

// BenchmarkLook measures a 1280x720 frame: its whole and its part.
func BenchmarkLook(b *testing.B) {
	img := gray.New(1280, 720)
	img.Fill(235)
	code, _, err := simulate.RandomText(rand.New(rand.NewPCG(1, 2)), 44)
	if err != nil {
		b.Fatal(err)
	}
	simulate.Draw(img, code, simulate.Place{X: 500, Y: 200, ModulePx: 5, Quiet: 4}, 20, 235)
	v := viewfinder.Viewfinder{Budget: patient}
	for b.Loop() {
		if !v.Look(b.Context(), img).Read() {
			b.Fatal("not read")
		}
	}
}
