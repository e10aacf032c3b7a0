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

	"tcode/offline/contain"
)

// period is how often the clock looks at the time while it is in use; longest is the longest time between two looks of a
// process that runs, on a busy machine too.
const (
	period  = 50 * time.Millisecond
	longest = 500 * time.Millisecond
)

// clock counts the time for which the process stood still while the clock was in use.
var clock struct {
	mu      sync.Mutex
	users   int
	running bool          // there is a goroutine that looks
	last    time.Time     // of the last look
	lost    time.Duration // before it
}

// use keeps the clock running until leave.
func use() {
	clock.mu.Lock()
	defer clock.mu.Unlock()
	clock.users++
	if !clock.running {
		clock.running, clock.last = true, time.Now()
		begin()
	}
}

// begin starts the looks, again if they panic: without them no limit ends.
func begin() {
	contain.StartThen("awake-clock", func() error { run(); return nil }, func(err error) {
		if err != nil {
			begin()
		}
	})
}

func leave() {
	clock.mu.Lock()
	defer clock.mu.Unlock()
	clock.users--
}

// linger is the number of looks without a user after which the clock stops: starting a goroutine for each wait would cost
// more than the looks.
const linger = 100

func run() {
	tick := time.NewTicker(period)
	defer tick.Stop()
	for unused := 0; ; unused++ {
		<-tick.C
		lost()
		clock.mu.Lock()
		if clock.users > 0 {
			unused = 0
		}
		clock.running = unused < linger
		over := !clock.running
		clock.mu.Unlock()
		if over {
			return
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
		contain.Start("awake-end", func() error { f(); return nil })
	}
	mu.Lock()
	defer mu.Unlock()
	timer = contain.After(d, "awake-look", look)
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
