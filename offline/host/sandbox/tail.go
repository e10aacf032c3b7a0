package sandbox

import "sync"

// A tail keeps the beginning and the end of the bytes written to it: a Go crash names the reason first, a C library
// last.
type tail struct {
	mu        sync.Mutex
	head, end []byte
}

// With the line between them both parts stay below 4 KiB.
const (
	headBytes = 2000
	endBytes  = 2000
)

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	k := min(headBytes-len(t.head), n)
	t.head = append(t.head, p[:k]...)
	p = p[k:]
	t.end = append(t.end, p[max(0, len(p)-endBytes):]...)
	t.end = append(t.end[:0], t.end[max(0, len(t.end)-endBytes):]...)
	return n, nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.end) < endBytes {
		return string(t.head) + string(t.end)
	}
	return string(t.head) + "\n[...]\n" + string(t.end)
}
