//go:build js

package webapi

import (
	"context"
	"sync/atomic"
	"syscall/js"
)

// OpenStore opens the IndexedDB database of that name and version, and makes it with one object store, without key paths, if
// there is none. Another tab with an older version makes it wait until that tab closes it, or ctx ends.
func OpenStore(ctx context.Context, name string, version int, store string) (js.Value, error) {
	request, err := Try(func() js.Value { return js.Global().Get("indexedDB").Call("open", name, version) })
	if err != nil {
		return js.Undefined(), err
	}
	done := make(chan error, 1)
	var left atomic.Bool // this function has returned: the connection is not wanted
	var offs []func()
	end := func(err error) {
		for _, off := range offs {
			off()
		}
		done <- err
	}
	offs = append(offs, On(request, "upgradeneeded", func(js.Value) {
		request.Get("result").Call("createObjectStore", store)
	}), On(request, "success", func(js.Value) {
		if left.Load() {
			request.Get("result").Call("close")
		}
		end(nil)
	}), On(request, "error", func(js.Value) {
		end(AsError(request.Get("error")))
	}))
	select {
	case err := <-done:
		if err != nil {
			return js.Undefined(), err
		}
		return request.Get("result"), nil
	case <-ctx.Done():
		left.Store(true)
		select { // the request ended at the same time
		case err := <-done:
			if err == nil {
				request.Get("result").Call("close")
			}
		default:
		}
		return js.Undefined(), ctx.Err()
	}
}

// Finished waits until the IndexedDB transaction tx is complete, or returns the error that aborted it. The error of ctx says nothing about it.
func Finished(ctx context.Context, tx js.Value) error {
	done := make(chan error, 1)
	var offs []func()
	end := func(err error) {
		for _, off := range offs {
			off()
		}
		done <- err
	}
	offs = append(offs, On(tx, "complete", func(js.Value) { end(nil) }), On(tx, "abort", func(js.Value) {
		if cause := tx.Get("error"); cause.Truthy() {
			end(AsError(cause))
			return
		}
		end(&Error{Name: "AbortError", Message: "the transaction was aborted"})
	}))
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
