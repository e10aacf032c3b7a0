package viewfinder_test

import (
	"testing"
	"time"

	"tcode/scanner/gray"
	"tcode/scanner/simulate"
	"tcode/scanner/web/engine/viewfinder"
)

// A counter is a clock that goes on by step whenever it is asked: the amount of work is its time, on any machine.
type counter struct {
	step time.Duration
	now  time.Duration
}

func (c *counter) clock() time.Duration {
	c.now += c.step
	return c.now
}

// dense returns a page of text and tables with a symbol whose side of a module is px, and the symbol's text.
func dense(t *testing.T, px float64, seed uint64) (*gray.Image, string) {
	t.Helper()
	symbol, text := frame(t, 700, 400, px)
	page := simulate.Clutter(1280, 720, 26, seed)
	side := int(px*32) + 20
	for y := 400 - 10; y < 400-10+side; y++ {
		copy(page.Row(y)[690:690+side], symbol.Row(y)[690:690+side])
	}
	return page, text
}

// TestPace: a machine that is three times slower reads the same page in its first look, because the time of a frame follows its pace. With
// the time of a fast machine it would not. On a machine that is slower than any phone, the time is bounded.
func TestPace(t *testing.T) {
	t.Parallel()
	const probe = 1400 * time.Microsecond // on a machine of usual pace; it asks the clock once
	page, text := dense(t, 2.2, 2)
	for _, c := range []struct {
		slow   time.Duration
		budget time.Duration // 0: by the pace
		read   bool
	}{{1, 0, true}, {3, 0, true}, {3, 30 * time.Millisecond, false}, {20, 0, false}} {
		clock := counter{step: c.slow * probe}
		v := viewfinder.Viewfinder{Budget: c.budget, Clock: clock.clock}
		l := v.Look(t.Context(), page)
		if l.Read() != c.read || c.read && l.Symbols[0].Text != text {
			t.Errorf("%d times slower, budget %v: read %v, %+v", c.slow, c.budget, l.Read(), l.Reason)
		}
		// The clock is asked some more times for the pace and at the begin and the end.
		if took := clock.now; c.slow > 3 && took > 105*time.Millisecond+8*clock.step {
			t.Errorf("%d times slower: a look took %v", c.slow, took)
		}
	}
}

// TestPaceFollows: a phone that becomes hot, and slow, has more time for a frame soon, and less when it is fast again.
func TestPaceFollows(t *testing.T) {
	t.Parallel()
	page := simulate.Clutter(1280, 720, 26, 4) // searched until the time is over
	clock := counter{step: 1400 * time.Microsecond}
	v := viewfinder.Viewfinder{Clock: clock.clock}
	look := func(frames int) (longest time.Duration) {
		for range frames {
			before := clock.now
			v.Look(t.Context(), page)
			longest = max(longest, clock.now-before)
		}
		return longest
	}
	fast := look(20)
	clock.step *= 3
	look(40)
	if slow := look(8); slow < 5*fast/2 {
		t.Errorf("a frame takes %v at first and %v at a third of the pace", fast, slow)
	}
	clock.step /= 3
	look(40)
	if again := look(8); again > fast {
		t.Errorf("a frame takes %v at first and %v at last", fast, again)
	}
}

// TestDeep: where the time of a frame ends before a symbol is found, it is found in a search that goes on over frames, and no look takes
// longer for it.
func TestDeep(t *testing.T) {
	t.Parallel()
	const budget = 10 * time.Millisecond
	clock := counter{step: time.Millisecond}
	v := viewfinder.Viewfinder{Budget: budget, Clock: clock.clock}
	page, text := dense(t, 2.2, 4) // the clock is asked some forty times before it is read
	for i := range 24 {
		before := clock.now
		l := v.Look(t.Context(), page)
		if took := clock.now - before; took > budget+8*clock.step {
			t.Errorf("frame %d took %v", i, took)
		}
		if !l.Read() {
			continue
		}
		if l.Symbols[0].Text != text || !l.Whole || i < 3 {
			t.Errorf("frame %d: %+v", i, l)
		}
		mustRead(t, &v, page, text)
		return
	}
	t.Error("not read in 24 frames")
}

// mustRead fails unless the next frame is read: its place is known now.
func mustRead(t *testing.T, v *viewfinder.Viewfinder, page *gray.Image, text string) {
	t.Helper()
	if l := v.Look(t.Context(), page); !l.Read() || l.Whole || l.Symbols[0].Text != text {
		t.Errorf("the next frame: %+v", l)
	}
}

// TestDeepLight: a light symbol on dark ground is found too where no frame is searched in time.
func TestDeepLight(t *testing.T) {
	t.Parallel()
	clock := counter{step: time.Millisecond}
	page, text := dense(t, 2.2, 2)
	page.Invert()
	v := viewfinder.Viewfinder{Budget: 20 * time.Millisecond, Clock: clock.clock}
	for range 40 {
		if l := v.Look(t.Context(), page); l.Read() {
			if l.Symbols[0].Text != text {
				t.Errorf("%+v", l)
			}
			return
		}
	}
	t.Error("not read in 40 frames")
}

// TestDeepEnds: frames of another size end the search, and so does a symbol that is read meanwhile.
func TestDeepEnds(t *testing.T) {
	t.Parallel()
	clock := counter{step: time.Millisecond}
	v := viewfinder.Viewfinder{Budget: 10 * time.Millisecond, Clock: clock.clock}
	page, _ := dense(t, 2.2, 4)
	for range 4 {
		v.Look(t.Context(), page)
	}
	img, text := frame(t, 500, 300, 5)
	l := v.Look(t.Context(), img)
	if !l.Read() { // it was the turn of the search
		l = v.Look(t.Context(), img)
	}
	mustSee(t, l, text, 500, 300)
	for range 4 {
		v.Look(t.Context(), page)
	}
	part := img.Crop(gray.Rect{X0: 400, Y0: 200, X1: 800, Y1: 600})
	mustSee(t, v.Look(t.Context(), part), text, 100, 100)
}
