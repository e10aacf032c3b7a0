package sandbox

import (
	"sync"
	"time"
)

// together holds the memory use of all children of this process. It is process-wide because the children of all pools
// share one machine.
var together = struct {
	mu       sync.Mutex
	limit    uint64 // bytes; 0: none
	children map[*worker]usage
}{children: map[*worker]usage{}}

// takeDown is how long the other children stand still at most until a killed one has ended: 20 ms on an idle machine, half a
// second on a busy one.
const takeDown = 5 * time.Second

// usage is the resident memory of a child at the last check.
type usage struct {
	bytes   uint64
	working bool
}

// LimitTogether bounds the resident memory of all children of this process together, in bytes; 0 removes the limit.
// When the children exceed it, the pool kills the working child with the most memory, and that child's task fails with
// [ErrMemory]. The other children stand still until its memory is free (Linux). On systems that do not report the
// resident memory (see [Config]) the limit has no effect.
func LimitTogether(bytes uint64) {
	together.mu.Lock()
	defer together.mu.Unlock()
	together.limit = bytes
}

// note measures the child. If all children together exceed the limit, it returns when they no longer do.
func (w *worker) note(working bool) (bytes uint64) {
	together.mu.Lock()
	defer together.mu.Unlock()
	if !w.alive() { // the process id may belong to another process by now
		delete(together.children, w)
		return 0
	}
	bytes = residentBytes(w.cmd.Process)
	together.children[w] = usage{bytes, working}
	if together.limit > 0 && memoryTogether() > together.limit {
		relieve()
	}
	return bytes
}

// memoryTogether returns the sum of the last checks. The caller holds together.mu.
func memoryTogether() (sum uint64) {
	for _, u := range together.children {
		sum += u.bytes
	}
	return sum
}

// relieve kills working children, the largest first, until all together are within the limit. On a busy machine the
// kernel takes a killed process down late, and the memory is in use until then. So all children stand still meanwhile.
// The caller holds together.mu, so no other child begins a task.
func relieve() {
	for w := range together.children {
		w.pause()
		defer w.resume()
	}
	for {
		var largest *worker
		for w, u := range together.children {
			if u.bytes = 0; w.alive() {
				u.bytes = residentBytes(w.cmd.Process)
			}
			together.children[w] = u
			if u.working && u.bytes > 0 && (largest == nil || u.bytes > together.children[largest].bytes) {
				largest = w
			}
		}
		if largest == nil || memoryTogether() <= together.limit {
			return
		}
		largest.kill(ErrMemory)
		select {
		case <-largest.dead:
		case <-time.After(takeDown):
			return
		}
	}
}

// forget removes a child that is gone from the account.
func (w *worker) forget() {
	together.mu.Lock()
	defer together.mu.Unlock()
	delete(together.children, w)
}
