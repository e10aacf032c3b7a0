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

// A stopwatch takes the time that one engine draws, without its waits for a child.
type stopwatch struct {
	spent [2]time.Duration // by side
	end   time.Time        // when the drawing under way has had its time
}

// left is how much of limit is left for a file. Each file has limit for the pages that must be compared: a page that is slow
// to draw is drawn twice. Else both files share it.
func (s *stopwatch) left(of side, limit time.Duration, least bool) time.Duration {
	if least {
		return limit - s.spent[of]
	}
	return limit - s.spent[before] - s.spent[after]
}

// start begins to draw a file, and cancels with [errLate] when its time is over. The returned function ends that.
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

// late reports whether the drawing under way has had its time.
func (s *stopwatch) late() bool { return !time.Now().Before(s.end) }
