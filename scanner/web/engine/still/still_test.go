package still_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"tcode/scanner/gray"
	"tcode/scanner/simulate"
	"tcode/scanner/symbol"
	"tcode/scanner/web/engine/still"
)

// A watched picture counts its looks and fails if one is larger than allowed.
type watched struct {
	still.Memory
	t     *testing.T
	looks int
	fail  error
}

func (w *watched) Gray(into *gray.Image, part gray.Rect, by int) error {
	if w.looks++; w.fail != nil {
		return w.fail
	}
	limit := symbol.PartPixels
	if w.looks == 1 {
		limit = symbol.WholePixels
	}
	if part.X0 < 0 || part.Y0 < 0 || part.X1 > w.Width || part.Y1 > w.Height || part.Area()/by/by > limit {
		w.t.Errorf("look %d at %v by %d", w.looks, part, by)
	}
	return w.Memory.Gray(into, part, by)
}

// TestRead: every place of a large picture is looked at, in small parts, and one look is enough where a symbol is large.
func TestRead(t *testing.T) {
	t.Parallel()
	s, text, err := simulate.RandomText(rand.New(rand.NewPCG(1, 2)), 32)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		x, y, modulePx float64
		one            bool
	}{{3000, 4000, 12, true}, {300, 200, 2.4, false}, {6900, 5800, 2.4, false}, {3700, 3000, 2.4, false}} {
		img := gray.New(7200, 6100)
		img.Fill(240)
		simulate.Draw(img, s, simulate.Place{X: tt.x, Y: tt.y, ModulePx: tt.modulePx, Quiet: 4}, 20, 240)
		w := &watched{Memory: still.Memory(*img), t: t}
		got, err := still.Read(t.Context(), w, 300, symbol.Options{Budget: time.Hour})
		if err != nil || len(got.Reading.Symbols) != 1 || got.Reading.Symbols[0].Text != text || got.Looks != w.looks || (w.looks == 1) != tt.one {
			t.Errorf("%v: %d looks, %+v, %v", tt, w.looks, got.Reading.Reason, err)
			continue
		}
		by := 1.0
		if tt.one {
			by = 4
		}
		if c := got.Reading.Symbols[0].Corners[0]; max(c[0]*by-tt.x, tt.x-c[0]*by, c[1]*by-tt.y, tt.y-c[1]*by) > 4 || got.DPI != 300/by {
			t.Errorf("%v: corner %v at %g dpi", tt, c, got.DPI)
		}
	}
}

// TestReadFaults: a picture that gives no pixels, a reader without time and one that was ended are errors, not pictures without a symbol.
func TestReadFaults(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	img := simulate.Clutter(1200, 800, 20, 1)
	w := &watched{Memory: still.Memory(*img), t: t, fail: broken}
	if _, err := still.Read(t.Context(), w, 0, symbol.Options{}); !errors.Is(err, broken) {
		t.Error(err)
	}
	w.fail = nil
	if _, err := still.Read(t.Context(), w, 0, symbol.Options{Budget: 1}); !errors.Is(err, still.ErrTime) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(broken)
	if _, err := still.Read(ctx, w, 0, symbol.Options{}); !errors.Is(err, broken) {
		t.Error(err)
	}
}
