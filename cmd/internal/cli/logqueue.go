package cli

import (
	"bytes"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"tcode/offline/contain"
)

// A LogQueue writes log lines in the background, so that a reader that has
// stalled or ended never delays the logging program. It drops and counts lines
// when the queue is full.
//
//	slog ─▶ Write ─▶ lines that wait ─▶ goroutine ─▶ the reader
//	           └ full: dropped ─▶ counted ─▶ one line says how many, once there is room
type LogQueue struct {
	w       io.Writer
	lines   chan []byte
	note    func(dropped uint64) []byte
	done    chan struct{}
	mu      sync.RWMutex // held for reading while a line is queued
	closed  bool
	waiting atomic.Int64 // bytes of lines
	counter sync.Mutex
	dropped uint64 // not told yet
	total   uint64
}

// Limits of the waiting lines, a few seconds of a busy gateway, and of their
// bytes. A line may contain an error message of any length.
const (
	maxLogLines = 8192
	maxLogBytes = 8 << 20
)

// Queued returns a logger that follows the flags, and the queue through which
// it writes to w. Close the queue at the end of the program.
func (f LogFlags) Queued(w io.Writer) (*slog.Logger, *LogQueue) {
	if f.LogFormat == "auto" && IsTerminal(w) {
		f.LogFormat = "text"
	}
	q := newLogQueue(w, maxLogLines, func(dropped uint64) []byte {
		var line bytes.Buffer
		f.Logger(&line).Warn("log lines were dropped: the reader of the log did not take them", slog.Uint64("lines", dropped))
		return line.Bytes()
	})
	return f.Logger(q), q
}

func newLogQueue(w io.Writer, lines int, note func(uint64) []byte) *LogQueue {
	q := &LogQueue{w: w, lines: make(chan []byte, lines), note: note, done: make(chan struct{})}
	contain.Start("log", func() error { q.run(); return nil })
	return q
}

// Write queues one line. It never waits and never fails.
func (q *LogQueue) Write(line []byte) (int, error) {
	q.mu.RLock()
	defer q.mu.RUnlock()
	if n := int64(len(line)); !q.closed {
		if q.waiting.Add(n) <= maxLogBytes {
			select {
			case q.lines <- bytes.Clone(line):
				return len(line), nil
			default:
			}
		}
		q.waiting.Add(-n)
	}
	q.drop(1)
	return len(line), nil
}

// Dropped returns the number of lines dropped since the start.
func (q *LogQueue) Dropped() uint64 {
	q.counter.Lock()
	defer q.counter.Unlock()
	return q.total
}

// Close writes the waiting lines, for at most the time wait. Later lines are
// dropped.
func (q *LogQueue) Close(wait time.Duration) {
	q.mu.Lock()
	if !q.closed {
		q.closed = true
		close(q.lines)
	}
	q.mu.Unlock()
	select {
	case <-q.done:
	case <-time.After(wait):
	}
}

func (q *LogQueue) drop(n uint64) {
	q.counter.Lock()
	defer q.counter.Unlock()
	q.dropped += n
	q.total += n
}

// run writes lines until the queue is closed.
func (q *LogQueue) run() {
	defer close(q.done)
	for line := range q.lines {
		q.waiting.Add(-int64(len(line)))
		if _, err := q.w.Write(line); err != nil {
			q.drop(1) // the reader has ended
			continue
		}
		q.tell()
	}
	q.tell()
}

// tell writes the number of dropped lines, if there is a reader.
func (q *LogQueue) tell() {
	q.counter.Lock()
	n := q.dropped
	q.dropped = 0
	q.counter.Unlock()
	if n == 0 {
		return
	}
	if _, err := q.w.Write(q.note(n)); err != nil {
		q.counter.Lock()
		q.dropped += n
		q.counter.Unlock()
	}
}
