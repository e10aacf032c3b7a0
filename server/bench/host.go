package main

import (
	"context"
	"fmt"
	"os"
	"testing"
)

// host lets package storetest set databases up outside of a test. Calling a method that it
// does not override panics.
type host struct {
	testing.TB
	ctx     context.Context //nolint:containedctx // a testing.TB has one
	cleanup []func()
}

// failure is the panic value of a failed set-up.
type failure struct{ error }

// with runs do with a host, then the clean-up functions that do registered. It returns the
// error of do.
func with(ctx context.Context, do func(h *host) error) (err error) {
	h := &host{ctx: ctx}
	defer func() {
		if p := recover(); p != nil {
			f, ok := p.(failure)
			if !ok {
				panic(p)
			}
			err = f.error
		}
		for len(h.cleanup) > 0 {
			last := h.cleanup[len(h.cleanup)-1]
			h.cleanup = h.cleanup[:len(h.cleanup)-1]
			last()
		}
	}()
	return do(h)
}

func (h *host) Helper()                          {}
func (h *host) Context() context.Context         { return h.ctx }
func (h *host) Cleanup(f func())                 { h.cleanup = append(h.cleanup, f) }
func (h *host) Fatal(args ...any)                { panic(failure{fmt.Errorf("%s", fmt.Sprint(args...))}) }
func (h *host) Skip(args ...any)                 { h.Fatal(args...) }
func (h *host) Skipf(format string, args ...any) { h.Fatalf(format, args...) }
func (h *host) Error(args ...any)                { fmt.Fprintln(os.Stderr, args...) }

func (h *host) Fatalf(format string, args ...any) {
	panic(failure{fmt.Errorf("%s", fmt.Sprintf(format, args...))})
}

// TempDir returns a new folder, which exists until the end.
func (h *host) TempDir() string {
	dir, err := os.MkdirTemp("", "tcode-bench-")
	if err != nil {
		h.Fatal(err)
	}
	h.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
