package main

import (
	"context"
	"errors"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"tcode/offline/contain"
	"tcode/scanner"
)

// errWorkers is the error of documents that no worker is left for.
var errWorkers = errors.New("no worker is left to read it")

// inOrder runs work for every name, up to jobs at a time, and calls show with
// each answer in the order of names. An error of show ends everything. A panic
// of work is its error, and so is its going on after ctx has ended. show tells by, which may be
// nil, that a document is not in work any more.
func inOrder[T any](
	ctx context.Context, by *worker, jobs int, names []string,
	work func(context.Context, string) (T, error), show func(string, T, error) error,
) error {
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make([]chan answered[T], len(names))
	for i := range answers {
		answers[i] = make(chan answered[T], 1)
	}
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(jobs, len(names)) {
		workers.Add(1)
		contain.StartThen("documents", func() error {
			for i := next.Add(1) - 1; i < int64(len(names)); i = next.Add(1) - 1 {
				answers[i] <- begun(ctx, by, names[i], work)
			}
			return nil
		}, func(error) { workers.Done() })
	}
	ended := make(chan struct{})
	contain.StartThen("documents-end", func() error { workers.Wait(); return nil }, func(error) { close(ended) })
	for i, name := range names {
		var a answered[T]
		select {
		case a = <-answers[i]:
		case <-ended:
			select {
			case a = <-answers[i]:
			default:
				a.err = errWorkers
			}
		}
		if err := show(name, a.value, a.err); err != nil {
			cancel()
			<-ended // soon, because ctx has ended
			return err
		}
	}
	return nil
}

// oneByOne is inOrder without concurrency: what ends the process is known then.
func oneByOne[T any](
	ctx context.Context, by *worker, names []string,
	work func(context.Context, string) (T, error), show func(string, T, error) error,
) error {
	for _, name := range names {
		a := begun(ctx, by, name, work)
		if err := show(name, a.value, a.err); err != nil {
			return err
		}
	}
	return nil
}

// begun calls work for one document and tells by, unless by says that it ended this program.
func begun[T any](
	ctx context.Context, by *worker, name string, work func(context.Context, string) (T, error),
) answered[T] {
	if by.ended(name) {
		return answered[T]{err: scanner.Failed(shown(name), errEnded)}
	}
	by.begin(name)
	return one(ctx, name, work)
}

type answered[T any] struct {
	value T
	err   error
}

// one calls work for one document, whose own limits bound its time.
func one[T any](ctx context.Context, name string, work func(context.Context, string) (T, error)) answered[T] {
	if ctx.Err() != nil {
		return answered[T]{err: ctx.Err()}
	}
	answer := make(chan answered[T], 1) // has room for work that ends too late
	err := contain.Within(contain.SeedNamed(ctx, name), "document", noLimit, func(ctx context.Context) error {
		value, err := work(ctx, name)
		answer <- answered[T]{value, err}
		return nil
	})
	a := answered[T]{err: err}
	if err == nil {
		a = <-answer
	}
	if ctx.Err() == nil && contain.Fault(a.err) {
		a.err = scanner.Failed(shown(name), a.err)
	}
	return a
}

// readDocument reads one complete document. A regular file that does not come within the wall time of a
// document is an error: its disk or its network hangs.
func (a *app) readDocument(ctx context.Context, name string) ([]byte, error) {
	limit := noLimit
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
		limit = min(noLimit/scanner.CeilingTimes, a.grammar.DocumentTime) * scanner.CeilingTimes
	}
	read := make(chan []byte, 1) // has room for a file that comes too late
	err := contain.Within(ctx, "read-file", limit, func(ctx context.Context) error {
		data, err := readFile(ctx, a.std.In, name)
		read <- data
		return err
	})
	if err != nil {
		return nil, err
	}
	return <-read, nil
}

// noLimit is longer than any document takes.
const noLimit = 100_000 * time.Hour
