package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"

	"tcode/cmd/internal/cli"
	"tcode/offline/contain"
	"tcode/offline/host/memory"
)

// A worker does the work of verify or watch in this process; see supervise. A nil worker works in a
// process that no other one follows.
type worker struct {
	order order

	mu sync.Mutex // guards to
	to *json.Encoder
}

// newWorker returns the worker of this process, nil if it is none.
func newWorker(ctx context.Context) (*worker, error) {
	in, out, ok := inherited()
	if !ok {
		return nil, nil
	}
	w := &worker{to: json.NewEncoder(out)}
	from := json.NewDecoder(in)
	if err := from.Decode(&w.order); err != nil {
		return nil, fmt.Errorf("the process that started this one is gone: %w", err)
	}
	w.report(report{Counts: w.order.Counts})
	contain.Start("worker-life", func() error {
		var end order
		for from.Decode(&end) == nil {
			cli.End(ctx)
		}
		os.Exit(cli.CodeInterrupted) // the process that started this one is gone
		return nil
	})
	return w, nil
}

// report tells the process that started this one. Without it this one ends, see newWorker.
func (w *worker) report(r report) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_ = w.to.Encode(r)
}

// A speech is what a worker would print and has not reported yet. It is safe for concurrent use.
type speech struct {
	mu       sync.Mutex // guards both
	out, err []byte
}

// sayByReport makes a worker report what it would print. Other processes print it themselves.
func (a *app) sayByReport() *speech {
	s := &speech{}
	if a.worker != nil {
		a.out.W, a.std.Err = speaker{s, &s.out}, speaker{s, &s.err}
	}
	return s
}

// with returns r with all that was said since the last call.
func (s *speech) with(r report) report {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.Out, r.Err = s.out, s.err
	s.out, s.err = nil, nil
	return r
}

// A speaker is one of the streams of a speech.
type speaker struct {
	speech *speech
	to     *[]byte
}

func (s speaker) Write(b []byte) (int, error) {
	s.speech.mu.Lock()
	defer s.speech.mu.Unlock()
	*s.to = append(*s.to, b...)
	return len(b), nil
}

// begin says that an item is in work until the returned function is called.
func (w *worker) begin(item string) (end func()) {
	w.report(report{Begin: item})
	return func() { w.report(report{End: item}) }
}

// errEnded is why a document has no answer.
var errEnded = errors.New("this program ended twice while it judged the file")

// ended reports whether an item may not be tried again.
func (w *worker) ended(item string) bool {
	if w == nil {
		return false
	}
	return w.order.Ends[item] >= maxEnds || item == stdin && w.order.Ends[item] > 0 // it is read once
}

// names returns the documents of a command line, which are those of the workers before.
func (w *worker) names(files []string) ([]string, error) {
	if w == nil {
		return expand(files)
	}
	return w.order.Names, nil
}

// suspects returns the number of the first of names after which none was in work when a worker
// ended.
func (w *worker) suspects(names []string) (n int) {
	if w == nil {
		return 0
	}
	for i, name := range names {
		if w.order.Ends[name] > 0 {
			n = i + 1
		}
	}
	return n
}

// counts returns those that the workers before had reached.
func (w *worker) counts() map[string]int {
	if w == nil || w.order.Counts == nil {
		return map[string]int{}
	}
	return w.order.Counts
}

// itemSeparator is between the name of a file and its state in an item of watch; no name contains it.
const itemSeparator = "\x00"

// itemName returns the name of the file of an item.
func itemName(item string) string {
	name, _, _ := strings.Cut(item, itemSeparator)
	return name
}

// Memory of this process: some, and as much for each processor as a document of the largest kind
// takes several times.
const (
	baseMemory     = 1 << 30
	documentMemory = 1 << 29
)

// boundMemory ends this process if its memory grows without end.
func (a *app) boundMemory(ctx context.Context, jobs int) {
	limit := baseMemory + uint64(cmp.Or(max(jobs, 0), runtime.GOMAXPROCS(0)))*documentMemory
	if most := memory.Default(); most > 0 {
		limit = min(limit, most)
	}
	to := a.std.Err // without a report: this process ends
	contain.Start("memory-watch", func() error {
		memory.Watch(ctx, limit, func(uint64) {
			fmt.Fprintf(to, "tcode-scan: it needs more than %d MiB of memory, and ends\n", limit>>20)
			os.Exit(cli.CodeUnreadable)
		})
		return nil
	})
}
