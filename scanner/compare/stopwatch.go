package compare

import (
	"context"
	"time"

	"tcode/offline/host/awake"
)

// A side is one of the two files of a [Stamping].
type side int

const (
	before side = iota
	after
)

// A stopwatch measures the time that one engine draws while this process runs, without its waits for a child.
type stopwatch struct {
	spent   [2]time.Duration // by side
	drawing *awake.Stopwatch // the present drawing
	time    time.Duration    // for it
}

// left returns how much of limit remains for a file. For the pages that must be compared, each file has limit: a page that
// is slow to draw is drawn twice. For the others, both files share it.
func (s *stopwatch) left(of side, limit time.Duration, least bool) time.Duration {
	if least {
		return limit - s.spent[of]
	}
	return limit - s.spent[before] - s.spent[after]
}

// start begins the time of a file's drawing, and cancels with [errLate] at its end. The returned function stops
// it.
func (s *stopwatch) start(of side, limit time.Duration, least bool, cancel context.CancelCauseFunc) (stop func()) {
	s.drawing, s.time = awake.Start(), s.left(of, limit, least)
	end := awake.AfterFunc(s.time, func() { cancel(errLate) })
	return func() {
		end()
		s.spent[of] += s.drawing.Elapsed()
		s.drawing.Stop()
	}
}

// late reports whether the time of the present drawing is over.
func (s *stopwatch) late() bool { return s.drawing.Elapsed() >= s.time }
