// Package awake measures the time during which this process runs. A process that is stopped, or whose machine stands still,
// does not use up the time that it gives to others: their answers may wait for it.
//
//	stop := awake.AfterFunc(8*time.Second, giveUp)
//	answer := wait() // if the process is stopped for a minute meanwhile, giveUp is called a minute later
//	stop()
//
// Call [AfterFunc] for a limit of one wait, or [Start] to measure.
package awake

import (
	"sync"
	"time"
)

// period is how often the clock looks at the time while it is in use; longest is the longest time between two looks of a
// process that runs, on a busy machine too.
const (
	period  = 50 * time.Millisecond
	longest = 500 * time.Millisecond
)

// clock counts the time for which the process stood still while the clock was in use.
var clock struct {
	mu    sync.Mutex
	users int
	last  time.Time     // of the last look
	lost  time.Duration // before it
	over  chan struct{} // closed when the last user is gone
}

// use keeps the clock running until leave.
func use() {
	clock.mu.Lock()
	defer clock.mu.Unlock()
	if clock.users++; clock.users == 1 {
		clock.last, clock.over = time.Now(), make(chan struct{})
		go run(clock.over)
	}
}

func leave() {
	clock.mu.Lock()
	defer clock.mu.Unlock()
	if clock.users--; clock.users == 0 {
		close(clock.over)
	}
}

func run(over <-chan struct{}) {
	tick := time.NewTicker(period)
	defer tick.Stop()
	for {
		select {
		case <-over:
			return
		case <-tick.C:
			lost()
		}
	}
}

// lost looks at the time and returns for how long the process stood still so far.
func lost() time.Duration {
	clock.mu.Lock()
	defer clock.mu.Unlock()
	now := time.Now()
	if gap := now.Sub(clock.last); gap > longest {
		clock.lost += gap
	}
	clock.last = now
	return clock.lost
}

// A Stopwatch measures the time since [Start] during which the process ran.
type Stopwatch struct {
	begin time.Time
	lost  time.Duration // when it began
	stop  func()
}

// Start starts a Stopwatch. The caller calls Stop.
func Start() *Stopwatch {
	use()
	return &Stopwatch{begin: time.Now(), lost: lost(), stop: sync.OnceFunc(leave)}
}

// Elapsed returns the time so far. It is meant for a running Stopwatch.
func (s *Stopwatch) Elapsed() time.Duration { return time.Since(s.begin) - (lost() - s.lost) }

// Stop ends the use of the clock.
func (s *Stopwatch) Stop() { s.stop() }

// AfterFunc calls f in its own goroutine when the process has run for d. stop prevents that, if f was not called yet.
func AfterFunc(d time.Duration, f func()) (stop func()) {
	s := Start()
	var mu sync.Mutex
	stopped := false
	var timer *time.Timer
	look := func() {
		mu.Lock()
		defer mu.Unlock()
		if stopped {
			return
		}
		if left := d - s.Elapsed(); left > 0 {
			timer.Reset(left)
			return
		}
		stopped = true
		s.Stop()
		go f()
	}
	mu.Lock()
	defer mu.Unlock()
	timer = time.AfterFunc(d, look)
	return func() {
		mu.Lock()
		defer mu.Unlock()
		if !stopped {
			stopped = true
			timer.Stop()
			s.Stop()
		}
	}
}
