//go:build js

package fetch

import (
	"context"
	"errors"
	"fmt"
	"syscall/js"
	"time"

	"tcode/offline/host/webapi"
	"tcode/sync/transport"
)

// A Client sends requests; [New] makes it. It is safe for concurrent use.
type Client struct{ limit time.Duration }

var _ transport.Transport = (*Client)(nil)

// New returns a Client whose requests take at most limit, with the whole answer; 0: as long as their contexts allow.
func New(limit time.Duration) *Client { return &Client{limit} }

// Do implements [transport.Transport].
func (c *Client) Do(ctx context.Context, r transport.Request) (transport.Response, error) {
	if err := r.Check(); err != nil {
		return transport.Response{}, err
	}
	if !js.Global().Get("URL").Call("canParse", r.URL).Bool() {
		return transport.Response{}, &transport.Error{Reason: transport.ErrRequest, Err: fmt.Errorf("%w: address %.80q", transport.ErrRequest, r.URL)}
	}
	if c.limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.limit)
		defer cancel()
	}
	if err := ctx.Err(); err != nil {
		return transport.Response{}, failure(ctx, err, transport.ErrUnreachable, false)
	}
	controller := js.Global().Get("AbortController").New()
	defer controller.Call("abort") // what is not read is not wanted
	res, err := webapi.Await(ctx, func() js.Value {
		return js.Global().Call("fetch", r.URL, options(r, controller.Get("signal")))
	})
	if err != nil {
		return transport.Response{}, failure(ctx, err, transport.ErrUnreachable, false)
	}
	if res.Get("type").String() == "opaqueredirect" {
		return transport.Response{Status: 302, Text: "Found", Header: map[string]string{}}, nil
	}
	answer := transport.Response{Status: res.Get("status").Int(), Text: res.Get("statusText").String(), Header: headers(res.Get("headers"))}
	if r.OnlyOK && answer.Status != 200 {
		return answer, nil
	}
	answer.Body, err = body(ctx, res.Get("body"), r.MaxBody)
	return answer, err
}

// options are the second argument of fetch.
func options(r transport.Request, signal js.Value) map[string]any {
	header := map[string]any{}
	for name, value := range r.Header {
		header[name] = value
	}
	o := map[string]any{
		"method": r.Method, "headers": header, "signal": signal, "redirect": "manual",
		"cache": "no-store", "credentials": "omit", "referrerPolicy": "no-referrer",
	}
	if r.Follow {
		o["redirect"] = "follow"
	}
	if r.Body != nil {
		o["body"] = webapi.Array(r.Body)
	}
	return o
}

func headers(h js.Value) map[string]string {
	all := map[string]string{}
	add := js.FuncOf(func(_ js.Value, args []js.Value) any {
		all[args[1].String()] = args[0].String()
		return nil
	})
	defer add.Release()
	h.Call("forEach", add)
	return all
}

// body reads at most limit bytes of a stream, which is null if the answer has no body.
func body(ctx context.Context, stream js.Value, limit int) ([]byte, error) {
	if !stream.Truthy() {
		return nil, nil
	}
	reader := stream.Call("getReader")
	var all []byte
	for {
		part, err := webapi.Await(ctx, func() js.Value { return reader.Call("read") })
		if err != nil {
			return all, failure(ctx, err, transport.ErrCut, true)
		}
		if part.Get("done").Bool() {
			return all, nil
		}
		piece, room := part.Get("value"), limit-len(all)
		if piece.Length() > room {
			all = append(all, webapi.Bytes(piece.Call("subarray", 0, room))...)
			return all, &transport.Error{Reason: transport.ErrTooLarge, Answered: true, Err: fmt.Errorf("%w: more than %d bytes", transport.ErrTooLarge, limit)}
		}
		all = append(all, webapi.Bytes(piece)...)
	}
}

// failure sorts an error of fetch: the end of ctx has caused it if ctx has ended.
func failure(ctx context.Context, err, otherwise error, answered bool) error {
	e := &transport.Error{Reason: otherwise, Answered: answered, Err: err}
	if ended := ctx.Err(); ended != nil {
		e.Reason, e.Err = transport.ErrCanceled, ended
		if errors.Is(ended, context.DeadlineExceeded) {
			e.Reason = transport.ErrTimeout
		}
	}
	return e
}
