package transporttest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"tcode/sync/transport"
)

// A redirect that is not followed is an answer, and its target is not asked.
func (r *suite) redirects(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, method := range []string{"POST", "GET"} {
			key := r.key()
			to := url.QueryEscape("/t/echo?key=" + key)
			req := r.get(fmt.Sprintf("/t/redirect?code=%d&n=1&to=%s", status, to), 1<<16)
			req.Method = method
			res, err := r.Do(t.Context(), req)
			want := status
			if r.Blind {
				want = 302
			}
			if err != nil || res.Status != want {
				t.Errorf("%s %d: status %d, %v", method, status, res.Status, err)
			}
			if n, _ := r.counted(t, key); n != 0 {
				t.Errorf("%s %d: the redirect was followed", method, status)
			}
		}
	}
}

func (r *suite) followed(t *testing.T) {
	key := r.key()
	req := r.get("/t/redirect?code=302&n=3&to="+url.QueryEscape("/t/echo?key="+key), 1<<16)
	req.Follow = true
	res, err := r.Do(t.Context(), req)
	if err != nil || res.Status != 200 || !strings.Contains(string(res.Body), key) {
		t.Errorf("Do = %d %s, %v", res.Status, res.Body, err)
	}
	if n, _ := r.counted(t, key); n != 1 {
		t.Errorf("the target was asked %d times", n)
	}
	req.URL = r.URL + "/t/redirect?code=302&n=1000&to=/t/echo"
	res, err = r.Do(t.Context(), req)
	failed(t, res, err, transport.ErrUnreachable, false)
}

func (r *suite) limits(t *testing.T) {
	for _, n := range []int{0, 1, 4096, 100_000} {
		for _, piece := range []int{n + 1, n/2 + 1} { // with a length, and without
			path := fmt.Sprintf("/t/body?n=%d&piece=%d&ms=0", n, piece)
			res, err := r.Do(t.Context(), r.get(path, n))
			if err != nil || len(res.Body) != n {
				t.Errorf("%d bytes: %d, %v", n, len(res.Body), err)
			}
			if n == 0 {
				continue
			}
			res, err = r.Do(t.Context(), r.get(path, n-1))
			failed(t, res, err, transport.ErrTooLarge, true)
			if len(res.Body) > n-1 {
				t.Errorf("%d bytes with a limit of %d", len(res.Body), n-1)
			}
		}
	}
}

// An endless body costs no more than its limit, and its connection ends.
func (r *suite) endless(t *testing.T) {
	key := r.key()
	res, err := r.Do(after(t, time.Minute), r.get("/t/body?n=-1&piece=65536&ms=0&key="+key, 1<<20))
	failed(t, res, err, transport.ErrTooLarge, true)
	r.awaitEnd(t, key)
}

// The limit counts decompressed bytes: a short answer may be long.
func (r *suite) gzip(t *testing.T) {
	res, err := r.Do(t.Context(), r.get("/t/gzip?n=50000", 50000))
	if err != nil || len(res.Body) != 50000 || strings.Trim(string(res.Body), "x") != "" {
		t.Errorf("%d bytes, %v", len(res.Body), err)
	}
	res, err = r.Do(t.Context(), r.get("/t/gzip?n=50000000", 1000))
	failed(t, res, err, transport.ErrTooLarge, true)
	res, err = r.Do(t.Context(), r.get("/t/gzip?n=50000&damaged", 50000))
	if r.Blind && err == nil && len(res.Body) < 50000 {
		return // Chromium hides the early end of compressed data
	}
	failed(t, res, err, transport.ErrCut, true)
}

// A connection that ends early never gives a whole answer.
func (r *suite) cut(t *testing.T) {
	for _, where := range []string{"length", "chunk"} {
		req := r.get("/t/cut?where="+where, 1<<16)
		req.Method = "POST"
		res, err := r.Do(t.Context(), req)
		failed(t, res, err, transport.ErrCut, true)
		if res.Status != 200 || res.Get("TCode-Batch-Id") != "b" || len(res.Body) > 500 {
			t.Errorf("%s: %d, %d bytes", where, res.Status, len(res.Body))
		}
	}
	// A request that may have had its effect is not repeated, except by browsers on a
	// connection that was kept open.
	key := r.key()
	req := r.get("/t/cut?where=head&key="+key, 1<<16)
	req.Method, req.Body = "POST", []byte("scans")
	res, err := r.Do(t.Context(), req)
	failed(t, res, err, transport.ErrUnreachable, false)
	if n, _ := r.counted(t, key); n != 1 && !(r.Blind && n == 2) {
		t.Errorf("the request was sent %d times", n)
	}
}

func (r *suite) slowBody(t *testing.T) {
	res, err := r.Do(t.Context(), r.get("/t/body?n=20&piece=1&ms=20", 20))
	if err != nil || len(res.Body) != 20 {
		t.Errorf("%d bytes, %v", len(res.Body), err)
	}
}

// timeouts end a request before its answer, and in the middle of one.
func (r *suite) timeouts(t *testing.T) {
	for path, answered := range map[string]bool{"/t/hang?": false, "/t/body?n=-1&piece=1&ms=20&": true} {
		key := r.key()
		res, err := r.Do(after(t, 2*time.Second), r.get(path+"key="+key, 1<<20))
		failed(t, res, err, transport.ErrTimeout, answered)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v is no DeadlineExceeded", err)
		}
		r.awaitEnd(t, key)
	}
}

// cancelled ends a request by its context.
func (r *suite) cancelled(t *testing.T) {
	for path, answered := range map[string]bool{"/t/hang?": false, "/t/body?n=-1&piece=1&ms=20&": true} {
		key := r.key()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(2*time.Second, cancel)
		res, err := r.Do(ctx, r.get(path+"key="+key, 1<<20))
		failed(t, res, err, transport.ErrCanceled, answered)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v is no Canceled", err)
		}
		r.awaitEnd(t, key)
		cancel()
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	key := r.key()
	res, err := r.Do(ended, r.get("/t/echo?key="+key, 1<<16))
	failed(t, res, err, transport.ErrCanceled, false)
	if n, _ := r.counted(t, key); n != 0 {
		t.Error("a request was sent after its context had ended")
	}
}

func (r *suite) unreachable(t *testing.T) {
	if r.Refused == "" {
		return
	}
	res, err := r.Do(t.Context(), transport.Request{Method: "GET", URL: r.Refused + "/t/echo", MaxBody: 1})
	failed(t, res, err, transport.ErrUnreachable, false)
	if !transport.Unanswered(err) {
		t.Error("a server that does not exist has answered")
	}
}

func (r *suite) untrusted(t *testing.T) {
	if r.Untrusted == "" {
		return
	}
	want := transport.ErrTLS
	if r.Blind {
		want = transport.ErrUnreachable
	}
	res, err := r.Do(t.Context(), transport.Request{Method: "GET", URL: r.Untrusted + "/t/echo", MaxBody: 1})
	failed(t, res, err, want, false)
	if !transport.Unanswered(err) {
		t.Error("a server that is not authentic has answered")
	}
}
