package sandbox

import "sync"

// together is the memory of all children of this process. It is process-wide because what it guards is: the children of
// all pools share one machine.
var together = struct {
	mu       sync.Mutex
	limit    uint64 // bytes; 0: none
	children map[*worker]usage
}{children: map[*worker]usage{}}

// usage is the resident memory of a child when it was looked at last.
type usage struct {
	bytes   uint64
	working bool
}

// LimitTogether bounds the resident memory of all children of this process together, in bytes; 0 takes the limit away.
// When it is passed, the child that has the most and works on a task is ended, and its task fails with [ErrMemory]. Where
// the system does not tell the resident memory (see [Config]), there is no such limit.
func LimitTogether(bytes uint64) {
	together.mu.Lock()
	defer together.mu.Unlock()
	together.limit = bytes
}

// note tells how much memory the child has, and ends the largest one if all of them have too much.
func (w *worker) note(bytes uint64, working bool) {
	together.mu.Lock()
	defer together.mu.Unlock()
	together.children[w] = usage{bytes, working}
	if together.limit == 0 {
		return
	}
	var sum uint64
	var largest *worker
	for w, u := range together.children {
		sum += u.bytes
		if u.working && (largest == nil || u.bytes > together.children[largest].bytes) {
			largest = w
		}
	}
	if sum > together.limit && largest != nil {
		together.children[largest] = usage{} // it is as good as gone
		largest.kill(ErrMemory)
	}
}

// forget takes a child that is gone out of the account.
func (w *worker) forget() {
	together.mu.Lock()
	defer together.mu.Unlock()
	delete(together.children, w)
}
