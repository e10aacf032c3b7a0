package compare

import (
	"context"
	"time"
)

// A side is one of the two files of a [Stamping].
type side int

const (
	before side = iota
	after
)

// A stopwatch measures the time that one engine draws, without its waits for a child.
type stopwatch struct {
	spent [2]time.Duration // by side
	end   time.Time        // end of the time for the present drawing
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
	begin := time.Now()
	left := s.left(of, limit, least)
	s.end = begin.Add(left)
	timer := time.AfterFunc(left, func() { cancel(errLate) })
	return func() {
		timer.Stop()
		s.spent[of] += time.Since(begin)
	}
}

// late reports whether the time of the present drawing is over.
func (s *stopwatch) late() bool { return !time.Now().Before(s.end) }
