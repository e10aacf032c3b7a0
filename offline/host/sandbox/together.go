package sandbox

import "sync"

// together holds the memory use of all children of this process. It is process-wide because the children of all pools
// share one machine.
var together = struct {
	mu       sync.Mutex
	limit    uint64 // bytes; 0: none
	children map[*worker]usage
}{children: map[*worker]usage{}}

// usage is the resident memory of a child at the last check.
type usage struct {
	bytes   uint64
	working bool
}

// LimitTogether bounds the resident memory of all children of this process together, in bytes; 0 removes the limit.
// When the children exceed it, the pool kills the working child with the most memory, and that child's task fails with
// [ErrMemory]. On systems that do not report the resident memory (see [Config]) the limit has no effect.
func LimitTogether(bytes uint64) {
	together.mu.Lock()
	defer together.mu.Unlock()
	together.limit = bytes
}

// note records the memory of the child, and kills the largest one if all children together exceed the limit.
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
		together.children[largest] = usage{} // it counts as gone
		largest.kill(ErrMemory)
	}
}

// forget removes a child that is gone from the account.
func (w *worker) forget() {
	together.mu.Lock()
	defer together.mu.Unlock()
	delete(together.children, w)
}
