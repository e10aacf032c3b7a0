package sandbox

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrCrowded says that the pool has killed the child because all children together used too much memory. Alone the task
// may succeed, so it is an [ErrKilled].
var ErrCrowded = fmt.Errorf("%w: all children together used too much memory", ErrKilled)

// errIdle is the reason why an idle child is killed.
var errIdle = errors.New("other children need the memory of this idle one")

// together holds the memory use of all children of this process. It is process-wide because the children of all pools
// share one machine.
var together = struct {
	mu       sync.Mutex
	limit    uint64 // bytes; 0: none
	children map[*worker]usage
}{children: map[*worker]usage{}}

// usage is the memory of a child at the last check.
type usage struct {
	memory
	phase phase
}

// A phase is a part of the life of a child. Its number is the order in which children are killed for their memory. A child
// that starts is not killed, because it has no document yet and a task waits for it.
type phase int

const (
	idle phase = iota
	working
	workingAgain // see Again
	starting
)

// takeDown is how long the other children stand still at most until a killed one has ended: 20 ms on an idle machine, half a
// second on a busy one.
const takeDown = 5 * time.Second

// LimitTogether bounds the resident memory of all children of this process together, in bytes; 0 removes the limit. Pages
// of files, such as the program's, count once. When the children exceed it, the pools kill idle children, and then the
// working child with the most memory of its own: that child's task fails with [ErrCrowded], which [Again] tries again, or
// with [ErrMemory] if it exceeds the limit alone. The other children stand still until the memory is free (Linux). On
// systems that do not report the resident memory (see [Config]) the limit has no effect.
func LimitTogether(bytes uint64) {
	together.mu.Lock()
	defer together.mu.Unlock()
	together.limit = bytes * memoryScale
}

// note measures the child in phase p. If all children together exceed the limit, it returns when they no longer do. It
// reports false if the child has ended or was killed.
func (w *worker) note(p phase) (m memory, ok bool) {
	together.mu.Lock()
	defer together.mu.Unlock()
	m, ok = w.measure(p)
	if ok && together.limit > 0 && memoryTogether() > together.limit {
		relieve()
	}
	return m, ok && w.spared()
}

// phaseOf returns the phase of a child that works on a task of ctx.
func phaseOf(ctx context.Context) phase {
	if isPreferred(ctx) {
		return workingAgain
	}
	return working
}

// measure reads the memory of the child into the account. The caller holds together.mu.
func (w *worker) measure(p phase) (m memory, ok bool) {
	if !w.alive() { // the process id may belong to another process by now
		delete(together.children, w)
		return memory{}, false
	}
	m = memoryOf(w.cmd.Process)
	together.children[w] = usage{m, p}
	return m, true
}

// memoryTogether returns the sum of the last checks. The caller holds together.mu.
func memoryTogether() uint64 {
	var own, files uint64
	for _, u := range together.children {
		own += u.own
		files = max(files, u.files)
	}
	return own + files
}

// relieve kills children until all together are within the limit. On a busy machine the kernel takes a killed process down
// late, and the memory is in use until then. So all children stand still meanwhile. The caller holds together.mu, so no
// other child begins a task.
func relieve() {
	for w := range together.children {
		w.pause()
		defer w.resume()
	}
	for {
		for w, u := range together.children {
			w.measure(u.phase)
		}
		w, reason := victim()
		if w == nil || memoryTogether() <= together.limit {
			return
		}
		w.kill(reason)
		select {
		case <-w.dead:
		case <-time.After(takeDown):
			return
		}
	}
}

// victim returns the child to kill next, nil if there is none, and the reason.
func victim() (w *worker, reason error) {
	var most usage
	for c, u := range together.children {
		if !c.spared() || u.phase == starting || w != nil && (u.phase > most.phase || u.phase == most.phase && u.own <= most.own) {
			continue
		}
		w, most = c, u
	}
	switch {
	case w == nil || most.phase == idle:
		return w, errIdle
	case most.resident() > together.limit:
		return w, ErrMemory
	}
	return w, ErrCrowded
}

// forget removes a child that is gone from the account.
func (w *worker) forget() {
	together.mu.Lock()
	defer together.mu.Unlock()
	delete(together.children, w)
}
