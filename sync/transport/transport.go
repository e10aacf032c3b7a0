// Package transport is the way of feed and uplink to a gateway: one request, one
// answer of a limited size. It has no network itself, so that these packages build
// for the browser without net/http. Take the [Transport] of package nethttp in a
// program, or that of package fetch in a browser:
//
//	feed, uplink ──Request──▶ Transport ──▶ nethttp: net/http
//	     ▲                        │     └─▶ fetch: the browser's fetch
//	     └──Response or [Error]───┘
//
// A transport keeps no answers and no cookies. It does not repeat a POST that may have
// reached the server; browsers do so themselves if a connection that was kept open ends
// before the answer, so a receiver must take duplicates. Package transporttest holds
// every transport to these rules.
package transport

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// A Transport sends requests. It is safe for concurrent use.
type Transport interface {
	// Do sends r and returns the answer, of any status, with the whole body. It
	// returns soon after ctx ends.
	//
	// The error is an [*Error]. If the head of the answer had arrived, the response
	// has the status and the headers nevertheless, and a part of the body; otherwise
	// it is zero.
	Do(ctx context.Context, r Request) (Response, error)
}

// A Request asks for one resource.
type Request struct {
	Method string            // GET or POST
	URL    string            // absolute, http or https
	Header map[string]string // by names in any case; a browser ignores User-Agent
	Body   []byte            // as it is sent, and not changed before Do returns; nil: none

	// MaxBody is the largest number of bytes of the answer's body, after it is
	// decompressed. A longer one is an [ErrTooLarge].
	MaxBody int
	// OnlyOK leaves the body of an answer with another status than 200 unread.
	OnlyOK bool
	// Follow follows redirects. Otherwise a redirect is an answer like others; a
	// transport that cannot see its status and its headers, like fetch, calls it 302.
	Follow bool
}

// Check returns an [ErrRequest] if r is malformed. Every transport calls it first.
func (r Request) Check() error {
	var fault string
	switch {
	case r.Method != "GET" && r.Method != "POST":
		fault = fmt.Sprintf("method %.20q", r.Method)
	case !strings.HasPrefix(r.URL, "http://") && !strings.HasPrefix(r.URL, "https://"):
		fault = fmt.Sprintf("address %.80q", r.URL)
	case r.Method == "GET" && r.Body != nil:
		fault = "GET with a body"
	case r.MaxBody < 0:
		fault = "negative limit"
	}
	for name, value := range r.Header {
		if name == "" || strings.ContainsAny(name+value, "\r\n\x00") || strings.ContainsAny(name, " :") {
			fault = fmt.Sprintf("header %.80q", name)
		}
	}
	if fault == "" {
		return nil
	}
	return &Error{Reason: ErrRequest, Err: fmt.Errorf("%w: %s", ErrRequest, fault)}
}

// A Response is the answer to a request.
type Response struct {
	Status int    // HTTP status; 0: there was no answer
	Text   string // of the status: "Not Found"; it may be empty

	// Header has the headers that the program may see, by names in lower case. A
	// browser shows only a few of those of another origin.
	Header map[string]string
	Body   []byte // decompressed
}

// Get returns the header of that name, in any case; it is empty if there is none.
func (r Response) Get(name string) string { return r.Header[strings.ToLower(name)] }

// Reasons of an [Error].
var (
	// ErrRequest means that the request is malformed: nothing was sent.
	ErrRequest = errors.New("request cannot be sent")
	// ErrUnreachable means that no answer came: no network, no such server, a cut
	// connection, too many redirects. The server may have received the request.
	ErrUnreachable = errors.New("server not reached")
	// ErrTLS means that the server did not prove its name. A transport that cannot
	// tell, like fetch, returns ErrUnreachable.
	ErrTLS = errors.New("server not authentic")
	// ErrTimeout means that the deadline of the context passed, or that of the
	// transport.
	ErrTimeout = errors.New("server too slow")
	// ErrCanceled means that the context was cancelled.
	ErrCanceled = errors.New("request cancelled")
	// ErrCut means that the answer ended before its end, or is not in the
	// encoding that it names. A browser may not notice that a server has compressed
	// a part only: the reader of the body must refuse a part of it.
	ErrCut = errors.New("answer cut short")
	// ErrTooLarge means that the body is longer than [Request.MaxBody].
	ErrTooLarge = errors.New("answer too large")
)

// An Error says why there is no whole answer.
type Error struct {
	Reason   error // one of the reasons above
	Answered bool  // the head of the answer had arrived
	Err      error // the cause; nil: the reason alone
}

func (e *Error) Error() string {
	if e.Err == nil {
		return e.Reason.Error()
	}
	return e.Err.Error()
}

// Unwrap returns the reason and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Reason}
	}
	return []error{e.Reason, e.Err}
}

// Unanswered reports whether err says that a request was sent and that no server
// answered it.
func Unanswered(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && !e.Answered && e.Reason != ErrRequest
}
