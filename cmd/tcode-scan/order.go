package main

import (
	"context"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// inOrder runs work for every name, up to jobs at a time, and calls show with
// each answer in the order of names. An error of show ends everything.
func inOrder[T any](ctx context.Context, jobs int, names []string, work func(context.Context, string) (T, error), show func(string, T, error) error) error {
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	type answer struct {
		value T
		err   error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make([]chan answer, len(names))
	for i := range answers {
		answers[i] = make(chan answer, 1)
	}
	var workers errgroup.Group
	workers.SetLimit(jobs + 1) // and the feeder below
	workers.Go(func() error {
		for i, name := range names {
			if ctx.Err() != nil {
				answers[i] <- answer{err: ctx.Err()}
				continue
			}
			workers.Go(func() error {
				value, err := work(ctx, name)
				answers[i] <- answer{value, err}
				return nil
			})
		}
		return nil
	})
	var failed error
	for i, name := range names {
		a := <-answers[i]
		if failed = show(name, a.value, a.err); failed != nil {
			cancel()
			break
		}
	}
	_ = workers.Wait() // no worker returns an error; all have ended
	return failed
}
