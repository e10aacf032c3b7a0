package scanner

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"tcode/offline/contain"
	"tcode/offline/host/cputime"
	"tcode/scanner/raster"
)

// A meter counts the processor time of one document, and ends the reading when that or the wall time is over.
//
//	readers: clock of each thread, at each step ─┐
//	                                             ├─▶ spent ─▶ budget  ─▶ errBudget
//	child: clock of its process, from time to time ┘
//	wall clock ──────────────────────────────────────▶ ceiling ─▶ errCeiling
//
// Processor time is work, so other programs on the machine do not shorten the reading, and a file that costs more is
// ended on a quiet machine too. The wall time bounds only a child that waits for something, and a machine that is far too
// busy.
type meter struct {
	start   time.Time
	readers atomic.Int64                    // ns of processor time
	child   atomic.Pointer[raster.Document] // nil before it is open
	budget  atomic.Int64                    // ns of processor time; grows with each page that has its answer
	ceiling atomic.Int64                    // ns of wall time; grows as well
	end     context.CancelCauseFunc
	ended   atomic.Pointer[error] // the first cause; nil while there is time
}

// newMeter returns a meter that ends ctx, and a function that stops it.
func newMeter(ctx context.Context, c Config, end context.CancelCauseFunc) (m *meter, stop func()) {
	m = &meter{start: time.Now(), end: end}
	m.more(min(c.Budget, longest), min(c.Ceiling, longest))
	ctx, stop = context.WithCancel(ctx)
	contain.StartThen("document-time", func() error {
		m.watch(ctx)
		return nil
	}, func(err error) {
		if err != nil { // nothing else ends the reading
			end(err)
		}
	})
	return m, stop
}

// longest is more time than any document takes, and far less than a Duration holds.
const longest = 100_000 * time.Hour

// more adds time.
func (m *meter) more(budget, ceiling time.Duration) {
	m.budget.Add(int64(budget))
	m.ceiling.Add(int64(ceiling))
}

// spent returns the processor time so far.
func (m *meter) spent() time.Duration {
	spent := time.Duration(m.readers.Load())
	if d := m.child.Load(); d != nil {
		spent += d.CPUTime()
	}
	return spent
}

// left returns the times that are left.
func (m *meter) left() (budget, ceiling time.Duration) {
	return time.Duration(m.budget.Load()) - m.spent(), time.Duration(m.ceiling.Load()) - time.Since(m.start)
}

// check ends the reading if the time is over.
func (m *meter) check() {
	var cause error
	switch budget, ceiling := m.left(); {
	case budget <= 0:
		cause = fmt.Errorf("%w (%v)", errBudget, time.Duration(m.budget.Load()).Round(time.Millisecond))
	case ceiling <= 0:
		cause = fmt.Errorf("%w (%v; processors worked for %v of it)", errCeiling,
			time.Duration(m.ceiling.Load()).Round(time.Millisecond), m.spent().Round(time.Millisecond))
	default:
		return
	}
	if m.ended.CompareAndSwap(nil, &cause) {
		m.end(cause)
	}
}

// over returns [errBudget] or [errCeiling] with figures if the time is over, else other.
func (m *meter) over(other error) error {
	if cause := m.ended.Load(); cause != nil {
		return *cause
	}
	return other
}

// watchLeast is the shortest time between two looks at the clock of the child.
const watchLeast = 10 * time.Millisecond

// watch checks the time until ctx ends. All processors together cannot use up the rest of the budget before it looks again.
func (m *meter) watch(ctx context.Context) {
	for {
		budget, ceiling := m.left()
		next := time.NewTimer(max(watchLeast, min(budget/time.Duration(runtime.NumCPU()), ceiling)))
		select {
		case <-ctx.Done():
			next.Stop()
			return
		case <-next.C:
			m.check()
		}
	}
}

// clock returns the clock of a reader, which must keep its thread: the processor time of the thread. It counts the time for
// the document too.
func (m *meter) clock() func() time.Duration {
	last := cputime.Thread()
	return func() time.Duration {
		now := cputime.Thread()
		m.readers.Add(int64(now - last))
		last = now
		m.check()
		return now
	}
}

var (
	// errBudget is the cause when the processor time for a document is over.
	errBudget = errors.New("the processor time for this document ran out")
	// errCeiling is the cause when the wall time for a document is over.
	errCeiling = errors.New("the wall time for this document ran out")
)

// outOfTime reports whether err says that a document took too long.
func outOfTime(err error) bool { return errors.Is(err, errBudget) || errors.Is(err, errCeiling) }
