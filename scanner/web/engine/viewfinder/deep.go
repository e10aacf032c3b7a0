package viewfinder

import (
	"context"
	"iter"
	"time"

	"tcode/scanner/gray"
	"tcode/scanner/symbol"
)

// deepTimes is the number of budgets that a deep search may take.
const deepTimes = 10

// A deep search is one of a single whole frame that goes on while others come, for pages with too much that looks like a symbol. Each
// step of it takes the time of one frame. The zero value searches nothing.
type deep struct {
	next  func() (deepStep, bool)
	stop  func()
	until time.Duration // by the clock: the end of the present step
}

// A deepStep is the end of a step.
type deepStep struct {
	look Look // if done
	done bool
}

// running reports whether a search has begun and not ended.
func (d *deep) running() bool { return d.next != nil }

// begin prepares the search of a copy of img, for deepTimes times limit.
func (d *deep) begin(img *gray.Image, limit time.Duration, clock func() time.Duration) {
	img = img.Clone()
	d.next, d.stop = iter.Pull(func(yield func(deepStep) bool) {
		since, used, ended := clock(), time.Duration(0), false // of the present step, of those before it
		own := func() time.Duration {
			now := clock()
			if now > d.until && !ended {
				used += now - since
				ended = !yield(deepStep{})
				now = clock()
				since = now
			}
			if ended {
				return 2 * deepTimes * limit
			}
			return used + now - since
		}
		whole := gray.Rect{X1: img.Width, Y1: img.Height}
		out := search(context.Background(), img, whole, symbol.Options{MaxSymbols: 1, Budget: deepTimes * limit, Clock: own, Inverted: true})
		if !ended {
			yield(deepStep{out, true})
		}
	})
}

// step goes on until the clock says until. done says that the search has ended, with out.
func (d *deep) step(until time.Duration) (out Look, done bool) {
	d.until = until
	s, _ := d.next()
	if s.done {
		d.end()
	}
	return s.look, s.done
}

// end forgets the search.
func (d *deep) end() {
	if d.running() {
		d.stop()
	}
	*d = deep{}
}
