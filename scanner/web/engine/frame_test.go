package engine_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"tcode/offline/host/journal"
	"tcode/offline/host/trustjournal"
	"tcode/scanner/gray"
	"tcode/scanner/simulate"
	"tcode/scanner/web/engine"
	"tcode/scanner/web/engine/viewfinder"
	"tcode/sync/wire"
)

// newEngine returns an engine without trust documents that keeps nothing.
func newEngine(t testing.TB) *engine.Engine {
	t.Helper()
	var disk journal.Disk
	trust, err := trustjournal.Open(t.Context(), func(context.Context) (journal.Journal, error) { return disk.Open() }, nil)
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(engine.Config{Trust: trust.Book, FrameBudget: time.Minute}) // a busy machine ends no test
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// other returns a symbol that is no TCode.
func other(t testing.TB) simulate.Symbol {
	t.Helper()
	s, _, err := simulate.RandomText(rand.New(rand.NewPCG(1, 2)), 32)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// page returns a white page with symbols of 5 px a module, from the left to the right.
func page(w, h int, symbols ...simulate.Symbol) *gray.Image {
	img := gray.New(w, h)
	img.Fill(235)
	for i, s := range symbols {
		simulate.Draw(img, s, simulate.Place{X: float64(w*(2*i+1))/float64(2*len(symbols)) - 100, Y: float64(h)/2 - 100, ModulePx: 5, Quiet: 4}, 20, 235)
	}
	return img
}

// TestFrame: a stamp is answered once in a series, and each time outside of one. Other symbols and
// frames outside of the bounds get no answer.
func TestFrame(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	look := func(img *gray.Image, series bool) engine.Look {
		l, err := e.Frame(t.Context(), img, series, wire.Context{})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	stamped := page(1280, 720, simulate.Stranger())
	first := look(stamped, true)
	if first.Answer == nil || first.Repeat != nil || !first.Whole || first.Seen == nil || !first.Seen.Read {
		t.Fatalf("the first frame: %+v", first)
	}
	if f := first.Answer.Findings; len(f) != 1 || f[0].Symbol.Text != simulate.StrangerText || !f[0].NotKept || first.Answer.Source != "camera" {
		t.Errorf("answer %+v", first.Answer)
	}
	again := look(stamped, true)
	if again.Answer != nil || again.Repeat == nil || again.Repeat.AgoMs < 0 || again.Repeat.Answer.JSON != first.Answer.JSON || again.Whole {
		t.Errorf("again in the series: %+v", again)
	}
	if l := look(stamped, false); l.Answer == nil || l.Repeat != nil {
		t.Errorf("outside of the series: %+v", l)
	}
	for range 3 {
		look(page(1280, 720), true)
	}
	if l := look(page(1280, 720, other(t)), true); l.Answer != nil || l.Hint != engine.NotATCode || l.Seen == nil {
		t.Errorf("another symbol: %+v", l)
	}
	for _, img := range []*gray.Image{nil, {}, gray.New(15, 100), gray.New(4097, 100), gray.New(4096, 4096)} {
		if _, err := e.Frame(t.Context(), img, false, wire.Context{}); !errors.Is(err, engine.ErrFrame) {
			t.Errorf("a frame outside of the bounds: %v", err)
		}
	}
}

// TestHint: a hint comes with the second frame that tells it.
func TestHint(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	dark := gray.New(1280, 720)
	for i, want := range []viewfinder.Hint{"", viewfinder.MoreLight, viewfinder.MoreLight} {
		l, err := e.Frame(t.Context(), dark, false, wire.Context{})
		if err != nil || l.Hint != want || l.Answer != nil {
			t.Errorf("frame %d: %+v, %v", i, l, err)
		}
	}
}

// BenchmarkFrame measures frames of text without a symbol, which are searched as a whole each.
func BenchmarkFrame(b *testing.B) {
	e := newEngine(b)
	img := simulate.Clutter(1280, 720, 26, 5)
	for b.Loop() {
		if l, err := e.Frame(b.Context(), img, false, wire.Context{}); err != nil || l.Answer != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(time.Millisecond), "ms/frame")
}
