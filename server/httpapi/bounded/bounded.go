// Package bounded gives up on requests that hang. A handler that goes on after its time, and after
// the end of its context, keeps its goroutine, but neither its caller nor what it held.
//
//	net/http ─▶ Handler ─▶ the handler, with a [Request] as its writer; later writes fail
//	               └─ timer ─▶ 503, or a broken connection; what the request held is released
package bounded

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"tcode/offline/contain"
	"tcode/server/fault"
)

// DefaultLimit is the time for one request that names no other.
const DefaultLimit = 3 * time.Minute

// Handler returns a handler that calls next. If next goes on for [contain.Grace] after limit, or
// after the time of [Describe] or [Extend], the request is cut off: the client gets 503, or a
// broken connection if the answer has begun, and the fault is reported. A stream of HTTP/2, which
// no other goroutine can answer, is reset.
func Handler(next http.Handler, limit time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := &Request{w: w, limit: limit, name: "request"}
		q.late = contain.After(limit+contain.Grace, "request-end", q.abandon)
		defer q.late.Stop()
		err := q.serve(next, r.WithContext(context.WithValue(r.Context(), requestKey{}, q)))
		if cut := q.end(err); err != nil && !cut {
			q.fail(err)
		}
	})
}

// A Request is the writer of a handler that may hang, and has what the handler holds. After the
// request was cut off, writes fail with [http.ErrHandlerTimeout]. It cannot be hijacked.
type Request struct {
	w     http.ResponseWriter
	limit time.Duration // of requests that name no other
	late  *time.Timer

	mu    sync.Mutex // guards the following fields, and w
	name  string
	trace string
	sent  bool     // the answer has begun
	ended bool     // the handler has returned
	held  []func() // to be called when the request is cut off
	cut   *cut     // nil: the request was not cut off
}

// A cut is the end of a request that hung.
type cut struct {
	done chan error    // gets the result of the handler
	told chan struct{} // closed when the client has its answer
}

type requestKey struct{}

// of returns the request of ctx, nil if there is none.
func of(ctx context.Context) *Request {
	q, _ := ctx.Value(requestKey{}).(*Request)
	return q
}

// serve calls the handler.
func (q *Request) serve(next http.Handler, r *http.Request) (err error) {
	defer func() {
		switch value := recover(); value {
		case nil:
		case http.ErrAbortHandler: // drops the connection, and is no fault
			err = http.ErrAbortHandler
		default:
			err = contain.Recovered("request", value)
		}
	}()
	next.ServeHTTP(q, r)
	return nil
}

// Describe names the kind of the request of ctx and its trace, and how long it may take from now
// on; zero: as before.
func Describe(ctx context.Context, name, trace string, limit time.Duration) {
	q := of(ctx)
	if q == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.name, q.trace = name, trace
	if limit > 0 {
		q.late.Reset(limit + contain.Grace)
	}
}

// Extend lets the request that w answers take the limit of [Handler] times factor, and at least
// [DefaultLimit], from now on, unless it was cut off.
func Extend(w http.ResponseWriter, factor int) {
	for {
		switch t := w.(type) {
		case *Request:
			t.mu.Lock()
			defer t.mu.Unlock()
			if t.cut == nil && !t.ended {
				t.late.Reset(max(time.Duration(factor)*t.limit, DefaultLimit) + contain.Grace)
			}
			return
		case interface{ Unwrap() http.ResponseWriter }:
			w = t.Unwrap()
		default:
			return
		}
	}
}

// Held returns a function that calls release once. It is called when the request of ctx is cut
// off, unless the handler did so.
func Held(ctx context.Context, release func()) (once func()) {
	if of(ctx) == nil {
		return release
	}
	once = sync.OnceFunc(release)
	OnCut(ctx, once)
	return once
}

// OnCut has f called when the request of ctx is cut off.
func OnCut(ctx context.Context, f func()) {
	if q := of(ctx); q != nil {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.held = append(q.held, f)
	}
}

// abandon cuts the request off and answers it, unless its handler has returned.
func (q *Request) abandon() {
	if !q.mu.TryLock() { // the handler waits for the client
		_ = http.NewResponseController(q.w).SetWriteDeadline(time.Now())
		q.mu.Lock()
	}
	if q.ended || q.cut != nil {
		q.mu.Unlock()
		return
	}
	c := &cut{done: make(chan error, 1), told: make(chan struct{})}
	defer close(c.told)
	q.cut = c
	name, held, sent := q.name, q.held, q.sent
	q.mu.Unlock()
	//contain:none the name is that of the request, which has one by then
	_ = contain.Abandon(name, fmt.Errorf("%w, trace %s", context.DeadlineExceeded, q.trace), c.done)
	for _, release := range held {
		release()
	}
	q.breakOff(sent)
}

// telling is the time that a client has to take the answer of a request that was cut off.
const telling = 5 * time.Second

// breakOff ends the connection, with an answer if none has begun. The handler still has the
// writer: so the answer does not go through it.
func (q *Request) breakOff(sent bool) {
	control := http.NewResponseController(q.w)
	conn, out, err := control.Hijack()
	if err != nil {
		_ = control.SetWriteDeadline(time.Now()) // resets a stream of HTTP/2
		return
	}
	defer conn.Close()
	if sent || conn.SetDeadline(time.Now().Add(telling)) != nil {
		return
	}
	answer := http.Response{
		StatusCode: http.StatusServiceUnavailable, ProtoMajor: 1, ProtoMinor: 1, Close: true,
		Header: http.Header{"Retry-After": {"5"}},
	}
	body := q.problem(answer.Header, answer.StatusCode, fault.CodeServiceUnavailable,
		"the gateway did not get to it in time; try again")
	answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	if answer.Write(out) == nil {
		_ = out.Flush() // a client that is gone needs no answer
	}
}

// end notes that the handler has returned, and reports whether the request was cut off before. Then
// the client has its answer.
func (q *Request) end(err error) bool {
	q.mu.Lock()
	q.ended = true
	c := q.cut
	q.mu.Unlock()
	if c == nil {
		return false
	}
	c.done <- err
	<-c.told // net/http must not end the request before
	return true
}

// fail answers a request whose handler panicked.
func (q *Request) fail(err error) {
	if q.sent || errors.Is(err, http.ErrAbortHandler) {
		panic(http.ErrAbortHandler)
	}
	body := q.problem(q.w.Header(), http.StatusInternalServerError, fault.CodeInternal,
		"something went wrong on our side")
	q.w.WriteHeader(http.StatusInternalServerError)
	_, _ = q.w.Write(body) // a client that is gone needs no answer
}

// problem returns an error in the form of the contract, and sets its headers.
func (q *Request) problem(h http.Header, status int, code, message string) []byte {
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if q.trace != "" {
		h.Set("TCode-Trace-Id", q.trace)
	}
	body, err := json.Marshal(map[string]any{
		"status": status, "code": code, "message": message, "traceId": q.trace,
		"reason": nil, "reference": nil, "errors": map[string]any{},
	})
	if err != nil {
		panic(err) // there are numbers and strings alone
	}
	return append(body, '\n')
}

// Header returns the headers that [Request.WriteHeader] sends.
func (q *Request) Header() http.Header { return q.w.Header() }

// begin sends the headers once.
func (q *Request) begin(status int) {
	if q.sent || q.cut != nil {
		return
	}
	q.sent = status >= http.StatusOK
	q.w.WriteHeader(status)
}

// WriteHeader begins the answer.
func (q *Request) WriteHeader(status int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.begin(status)
}

// Write sends a part of the answer.
func (q *Request) Write(b []byte) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.cut != nil {
		return 0, http.ErrHandlerTimeout
	}
	q.begin(http.StatusOK)
	return q.w.Write(b)
}

// FlushError sends what was written. [http.ResponseController] calls it.
func (q *Request) FlushError() error {
	return q.control(func(c *http.ResponseController) error {
		q.begin(http.StatusOK)
		return c.Flush()
	})
}

// Flush is [Request.FlushError] for a [http.Flusher].
func (q *Request) Flush() { _ = q.FlushError() }

// SetReadDeadline sets the time until which the body must have arrived.
func (q *Request) SetReadDeadline(at time.Time) error {
	return q.control(func(c *http.ResponseController) error { return c.SetReadDeadline(at) })
}

// SetWriteDeadline sets the time until which the client must have taken the answer.
func (q *Request) SetWriteDeadline(at time.Time) error {
	return q.control(func(c *http.ResponseController) error { return c.SetWriteDeadline(at) })
}

func (q *Request) control(do func(*http.ResponseController) error) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.cut != nil {
		return http.ErrHandlerTimeout
	}
	return do(http.NewResponseController(q.w))
}
