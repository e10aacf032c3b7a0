// Package contain keeps a fault inside the item that has it. An item is one document, row,
// scan, message, event or request. A panic or a hang of one item costs that item; other items
// and the process go on.
//
//	err := contain.Do("bulk-row", func() error { return make(row) })     // a panic is an error
//	err := contain.Within(ctx, "sweep", time.Minute, s.sweep)           // so is a hang
//	group.Go("look", func() error { return look(page) })                // a goroutine
//
// No other package of the programs starts a goroutine: an analyzer (cmd/internal/lint) refuses
// go statements, the Go methods of other groups, and AfterFunc of context and time. A name says
// what kind of item it is. It is
// a constant in lower-case words with hyphens, because it is a label of a metric.
//
// Some faults cannot be contained, because the Go runtime ends the process for them: concurrent
// writes of a map, a full stack, memory that the system refuses. Work on untrusted files
// therefore runs in child processes (offline/host/sandbox).
//
// Nor can the goroutines that libraries start. Those of a gateway and a scanner, and their input:
//
//	wazero, go-commons-pool          the PDFium that the program embeds; in child processes
//	goose                            the migrations that the program embeds
//	River                            rows of its own tables; it recovers the work of a job itself
//	pgx, modernc.org/sqlite          connections and their deadlines; rows are read by the caller
//	net/http, golang.org/x/net       what peers send; a server recovers its handlers
//	acme/autocert                    answers of the authority that the operator chose
//	coreos/go-oidc                   the key set of a provider that signs UserInfo
//	prometheus                       our metrics: server/platform/metrics calls Do
//	boombuler/barcode                addresses and codes that the gateway makes
//	mpb                              counts, for a terminal
//	os/exec                          the last words of a child, into a buffer
//
// pdfcpu, go-fitz, go-pdfium, gozxing, and the decoders of AVIF and HEIC start none.
package contain

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// A Panic is the error of an item that panicked.
type Panic struct {
	Value any    // as given to panic
	Stack []byte // of the goroutine, as text
}

// Error says what the panic said, without the stack.
func (p *Panic) Error() string { return fmt.Sprintf("panic: %v", p.Value) }

// Unwrap returns the value if it is an error.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// ErrHung means that an item did not end in its time. It is the cause of the end of its context.
var ErrHung = errors.New("it did not end in time")

// ErrEnded means that an item ended the process that worked on it for this one.
var ErrEnded = errors.New("it ended its process")

// Fault reports whether err is due to an item that panicked, hung or ended its process.
func Fault(err error) bool {
	_, panicked := errors.AsType[*Panic](err)
	return panicked || errors.Is(err, ErrHung) || errors.Is(err, ErrEnded)
}

// An Event is a fault that was contained.
type Event struct {
	Name string // of the kind of item
	Err  error  // a [*Panic], or wraps [ErrHung]
}

var observer atomic.Pointer[func(Event)]

// Observe has f called for every later event, by any goroutine. A program calls it once, to log
// and count them. Before that they are written to the default log, or the console of a browser.
func Observe(f func(Event)) { observer.Store(&f) }

func report(e Event) {
	if f := observer.Load(); f != nil {
		(*f)(e)
		return
	}
	tell(e)
}

// Recovered makes the error of value, which recover returned in the goroutine that panicked,
// and reports it. It is for a caller that has to look at the value first; others call [Do].
func Recovered(name string, value any) *Panic {
	p, ok := value.(*Panic) // it was contained and raised again: it has its stack and was reported
	if !ok {
		p = &Panic{Value: value, Stack: debug.Stack()}
		report(Event{name, p})
	}
	return p
}

// Do calls f and returns its error, or a [*Panic] if it panicked.
func Do(name string, f func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = Recovered(name, value)
		}
	}()
	Seed(name)
	return f()
}

// Start calls f in a goroutine. The channel gets the result of [Do], and has room for it, so that
// a caller need not wait for it.
func Start(name string, f func() error) <-chan error {
	done := make(chan error, 1)
	StartThen(name, f, func(err error) { done <- err })
	return done
}

// StartThen calls f in a goroutine, and then with the result of [Do], whatever happens to f.
func StartThen(name string, f func() error, then func(error)) {
	go func() {
		err := errExited // for runtime.Goexit
		defer func() { then(err) }()
		err = Do(name, f)
	}()
}

// errExited is the error of an item whose goroutine ended by runtime.Goexit.
var errExited = errors.New("the goroutine exited")

// AfterFunc is [context.AfterFunc] with a function that may panic.
func AfterFunc(ctx context.Context, name string, f func()) (stop func() bool) {
	return context.AfterFunc(ctx, func() { call(name, f) })
}

// After is [time.AfterFunc] with a function that may panic.
func After(d time.Duration, name string, f func()) *time.Timer {
	return time.AfterFunc(d, func() { call(name, f) })
}

func call(name string, f func()) {
	_ = Do(name, func() error { f(); return nil }) // it was reported
}

// Grace is the time that an item has to return after its context ended.
const Grace = 5 * time.Second

// errLimit ends the context of an item at its limit.
var errLimit = fmt.Errorf("%w: %w", ErrHung, context.DeadlineExceeded)

// Within calls f with a context that ends with ctx, and after limit. It returns the result of
// [Do]. If f goes on for [Grace] after the end of its context, Within returns an error that wraps
// [ErrHung] and leaves f behind: a goroutine cannot be ended from outside. f must not use
// memory of the caller without a lock, because it may outlive the call.
func Within(ctx context.Context, name string, limit time.Duration, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errLimit)
	defer cancel()
	done := Start(name, func() error {
		seedItem(ctx, name)
		return f(ctx)
	})
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	late := time.NewTimer(Grace)
	defer late.Stop()
	select {
	case err := <-done:
		return err
	case <-late.C:
	}
	return Abandon(name, context.Cause(ctx), done)
}

// Abandon is for a caller that waits for an item itself, as [Within] does, and waits no longer,
// because of cause. It returns an error that wraps [ErrHung], reports it, and counts the item as
// left behind until done, the channel of [Start], has its result.
func Abandon(name string, cause error, done <-chan error) error {
	err := cause
	if !errors.Is(err, ErrHung) {
		err = fmt.Errorf("%w: %w", ErrHung, cause)
	}
	behind.Add(1)
	go func() {
		<-done
		behind.Add(-1)
	}()
	report(Event{name, err})
	return err
}

var behind atomic.Int64

// Behind returns the number of items that hung and go on.
func Behind() int { return int(behind.Load()) }
