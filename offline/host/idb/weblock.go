//go:build js

package idb

import (
	"context"
	"syscall/js"

	"tcode/offline/contain"
	"tcode/offline/host/journal"
	"tcode/offline/host/webapi"
)

// weblock is a Web Lock that this worker holds.
type weblock struct {
	resolve  js.Value // ends the promise for which the browser holds the lock
	released js.Value // promise: the lock is free
}

// take takes the Web Lock of that name. The error is journal.ErrLocked if it is taken, in this worker too.
func take(ctx context.Context, name string) (*weblock, error) {
	l := &weblock{}
	granted := make(chan bool, 1)
	var hold, keep js.Func
	keep = js.FuncOf(func(_ js.Value, args []js.Value) any {
		l.resolve = args[0]
		return nil
	})
	hold = js.FuncOf(func(_ js.Value, args []js.Value) any {
		defer hold.Release()
		defer keep.Release()
		if args[0].IsNull() {
			granted <- false
			return nil
		}
		promise := js.Global().Get("Promise").New(keep) // calls keep immediately
		granted <- true
		return promise
	})
	released, err := webapi.Try(func() js.Value {
		return js.Global().Get("navigator").Get("locks").Call("request", name, map[string]any{"ifAvailable": true}, hold)
	})
	if err != nil {
		return nil, err
	}
	l.released = released
	failed := make(chan error, 1) // the browser refuses the request, such as in a document without an origin
	contain.Start("lock-refusal", func() error {
		_, err := webapi.Await(context.WithoutCancel(ctx), func() js.Value { return released })
		if err != nil {
			failed <- err
		}
		return nil
	})
	select {
	case ok := <-granted:
		if !ok {
			return nil, journal.ErrLocked
		}
		return l, nil
	case err := <-failed:
		return nil, err
	case <-ctx.Done():
		contain.Start("lock-return", func() error {
			if <-granted {
				l.resolve.Invoke()
			}
			return nil
		})
		return nil, ctx.Err()
	}
}

// free gives the lock back, and returns when it is free.
func (l *weblock) free(ctx context.Context) error {
	l.resolve.Invoke()
	_, err := webapi.Await(ctx, func() js.Value { return l.released })
	return err
}
