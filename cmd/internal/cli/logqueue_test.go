package cli

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// A stalled reader takes nothing until it is released.
type stalled struct {
	resume chan struct{}
	bytes.Buffer
}

func (s *stalled) Write(p []byte) (int, error) {
	<-s.resume
	return s.Buffer.Write(p)
}

// TestLogQueue: writing to a stalled reader does not wait. The queue counts the
// lines that do not fit, and reports them when the reader continues.
func TestLogQueue(t *testing.T) {
	t.Parallel()
	s := &stalled{resume: make(chan struct{})}
	q := newLogQueue(s, 10, func(n uint64) []byte { return fmt.Appendf(nil, "dropped %d\n", n) })
	for i := range 100 {
		if n, err := fmt.Fprintf(q, "line %02d\n", i); n != 8 || err != nil {
			t.Fatalf("line %d: %d, %v", i, n, err)
		}
	}
	dropped := q.Dropped()
	if dropped < 89 || dropped > 90 { // ten wait, and one may be on its way
		t.Errorf("%d lines dropped, want 89 or 90", dropped)
	}
	q.Close(0) // the reader is still stalled
	fmt.Fprintln(q, "late")
	close(s.resume)
	<-q.done
	if got := s.String(); strings.Count(got, "line ") != 100-int(dropped) || !strings.Contains(got, fmt.Sprintf("dropped %d\n", dropped+1)) {
		t.Errorf("written:\n%s", got)
	}
}

// TestLogQueueBytes: long lines do not fill memory.
func TestLogQueueBytes(t *testing.T) {
	t.Parallel()
	s := &stalled{resume: make(chan struct{})}
	q := newLogQueue(s, 1000, func(n uint64) []byte { return fmt.Appendf(nil, "dropped %d\n", n) })
	long := bytes.Repeat([]byte("x"), maxLogBytes/4)
	for range 100 {
		if n, err := q.Write(long); n != len(long) || err != nil {
			t.Fatalf("%d, %v", n, err)
		}
	}
	if dropped := q.Dropped(); dropped < 95 || dropped > 96 { // four wait, and one may be on its way
		t.Errorf("%d lines dropped, want 95 or 96", dropped)
	}
	close(s.resume)
	q.Close(time.Minute)
	if fmt.Fprintln(q, "late"); s.Len() < 4*len(long) {
		t.Errorf("%d bytes written, want four lines", s.Len())
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

// TestLogQueueBroken: a reader that has ended takes nothing and delays nothing.
func TestLogQueueBroken(t *testing.T) {
	t.Parallel()
	q := newLogQueue(broken{}, 10, func(uint64) []byte { return nil })
	for range 5 {
		fmt.Fprintln(q, "line")
	}
	q.Close(time.Minute)
	if q.Dropped() != 5 {
		t.Errorf("%d lines dropped, want 5", q.Dropped())
	}
}
