//go:build js

package webapi

import (
	"context"
	"sync"
	"syscall/js"
)

// An Error is an exception or an error object of the browser.
type Error struct {
	Name    string // such as QuotaExceededError
	Message string
}

func (e *Error) Error() string { return e.Name + ": " + e.Message }

// AsError returns v, an error object or any other value that was thrown, as an error.
func AsError(v js.Value) error {
	e := &Error{Name: "Error"}
	if v.Type() != js.TypeObject {
		e.Message = v.String()
		return e
	}
	if name := v.Get("name"); name.Type() == js.TypeString {
		e.Name = name.String()
	}
	if text := v.Get("message"); text.Type() == js.TypeString {
		e.Message = text.String()
	}
	return e
}

// Try calls f, and returns what it throws as an [*Error].
func Try(f func() js.Value) (v js.Value, err error) {
	defer func() {
		switch thrown := recover().(type) {
		case nil:
		case js.Error:
			err = AsError(thrown.Value)
		default:
			panic(thrown)
		}
	}()
	return f(), nil
}

// Await waits until the promise that f returns is settled, and returns its value, or the error that rejected it. It returns
// the error of ctx when ctx ends before; the work of the browser goes on then.
func Await(ctx context.Context, f func() js.Value) (js.Value, error) {
	promise, err := Try(f)
	if err != nil {
		return js.Undefined(), err
	}
	type outcome struct {
		value js.Value
		err   error
	}
	settled := make(chan outcome, 1)
	var done, failed js.Func
	free := func() { done.Release(); failed.Release() }
	done = js.FuncOf(func(_ js.Value, args []js.Value) any {
		free()
		settled <- outcome{value: first(args)}
		return nil
	})
	failed = js.FuncOf(func(_ js.Value, args []js.Value) any {
		free()
		settled <- outcome{err: AsError(first(args))}
		return nil
	})
	js.Global().Get("Promise").Call("resolve", promise).Call("then", done, failed)
	select {
	case o := <-settled:
		return o.value, o.err
	case <-ctx.Done():
		return js.Undefined(), ctx.Err()
	}
}

func first(args []js.Value) js.Value {
	if len(args) == 0 {
		return js.Undefined()
	}
	return args[0]
}

// On calls f with the first argument of each event of that name, such as "success", in the goroutine of events: f must not
// block. The function that it returns ends that; it may be called in f, and more than once.
func On(target js.Value, event string, f func(js.Value)) (off func()) {
	call := js.FuncOf(func(_ js.Value, args []js.Value) any {
		f(first(args))
		return nil
	})
	target.Call("addEventListener", event, call)
	return sync.OnceFunc(func() {
		target.Call("removeEventListener", event, call)
		call.Release()
	})
}

// Array returns a Uint8Array with a copy of b.
func Array(b []byte) js.Value {
	a := js.Global().Get("Uint8Array").New(len(b))
	js.CopyBytesToJS(a, b)
	return a
}

// Bytes returns a copy of the bytes of v, an ArrayBuffer or a Uint8Array.
func Bytes(v js.Value) []byte {
	a := js.Global().Get("Uint8Array").New(v)
	b := make([]byte, a.Length())
	js.CopyBytesToGo(b, a)
	return b
}
