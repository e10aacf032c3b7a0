// Package transporttest holds each transport.Transport to its rules, against real
// servers. A program's transport is tested in one process:
//
//	transporttest.Run(t, nethttp.New(nil), transporttest.Serve(t))
//
// For a transport of the browser, a test serves [Handler] and the page from one
// origin, and the page runs [Run] with the address of that server.
package transporttest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"tcode/sync/transport"
)

// A Server says where the servers of the suite are.
type Server struct {
	URL string // base URL of [Handler]
	// Refused is the base URL of a server that does not exist. Untrusted is that of
	// an HTTPS server whose certificate the transport does not trust. The suite
	// leaves out a test whose URL is empty.
	Refused, Untrusted string
	// Blind says that the transport is a browser's: it sees neither why it reached no
	// server nor the status of a redirect, may send a request twice, and may not
	// tell that compressed data lack their end.
	Blind bool
}

// page is a body of another server than the gateway.
const page = "<html>sign in</html>"

// echoed is a request as the server received it.
type echoed struct {
	Method string            `json:"method"`
	Query  string            `json:"query"`
	Header map[string]string `json:"header"` // names in lower case
	Body   []byte            `json:"body"`
}

// A suite is one run of the tests.
type suite struct {
	transport.Transport
	Server
	keys int
}

// Run tests the transport tr against the servers of s.
func Run(t *testing.T, tr transport.Transport, s Server) {
	r := &suite{Transport: tr, Server: s}
	for _, tt := range []struct {
		name string
		run  func(t *testing.T)
	}{
		{"Request", r.request},
		{"BinaryBody", r.binaryBody},
		{"Malformed", r.malformed},
		{"Statuses", r.statuses},
		{"NothingIsKept", r.nothingIsKept},
		{"Redirects", r.redirects},
		{"FollowedRedirects", r.followed},
		{"Limits", r.limits},
		{"Endless", r.endless},
		{"Gzip", r.gzip},
		{"Cut", r.cut},
		{"SlowBody", r.slowBody},
		{"Timeouts", r.timeouts},
		{"Cancelled", r.cancelled},
		{"Unreachable", r.unreachable},
		{"Untrusted", r.untrusted},
		{"Concurrent", r.concurrent},
	} {
		t.Run(tt.name, tt.run)
	}
}

// key returns a new name under which the server counts requests.
func (r *suite) key() string {
	r.keys++
	return fmt.Sprintf("k%d-%d", r.keys, time.Now().UnixNano())
}

func (r *suite) get(path string, limit int) transport.Request {
	return transport.Request{Method: "GET", URL: r.URL + path, MaxBody: limit}
}

// counted asks the server how many requests named the key, and whether it saw one
// of them end early.
func (r *suite) counted(t *testing.T, key string) (n int, ended bool) {
	t.Helper()
	res, err := r.Do(t.Context(), r.get("/t/count?key="+key, 100))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscanf(string(res.Body), "%d %t", &n, &ended); err != nil {
		t.Fatal(err)
	}
	return n, ended
}

// awaitEnd fails if the server does not see the end of the request with the key.
func (r *suite) awaitEnd(t *testing.T, key string) {
	t.Helper()
	for range 500 {
		if _, ended := r.counted(t, key); ended {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Error("the request is still open at the server")
}

// failed checks the kind of an error.
func failed(t *testing.T, res transport.Response, err, want error, answered bool) {
	t.Helper()
	e, ok := errors.AsType[*transport.Error](err)
	if !ok || !errors.Is(err, want) || e.Reason != want || e.Answered != answered {
		t.Errorf("error %v (%T), want %v, answered %v", err, err, want, answered)
	}
	if ok && e.Error() == "" {
		t.Error("the error has no text")
	}
	if answered != (res.Status != 0) {
		t.Errorf("status %d, answered %v", res.Status, answered)
	}
	if !answered && (len(res.Body) > 0 || len(res.Header) > 0) {
		t.Errorf("a response without an answer: %+v", res)
	}
}

func (r *suite) request(t *testing.T) {
	req := transport.Request{Method: "POST", URL: r.URL + "/t/echo?a=b%2Fc&d", MaxBody: 1 << 16, Body: []byte("scans"), Header: map[string]string{
		"Content-Type": "application/json", "Content-Encoding": "gzip", "tcode-BATCH-id": "b1", "x-api-key": "secret", "Accept": "application/json",
	}}
	res, err := r.Do(t.Context(), req)
	if err != nil || res.Status != 200 {
		t.Fatalf("Do = %d, %v", res.Status, err)
	}
	var e echoed
	if err := json.Unmarshal(res.Body, &e); err != nil {
		t.Fatal(err)
	}
	if e.Method != "POST" || e.Query != "a=b%2Fc&d" || string(e.Body) != "scans" {
		t.Errorf("the server received %+v", e)
	}
	for name, want := range req.Header {
		if got := e.Header[strings.ToLower(name)]; got != want {
			t.Errorf("the server received %q for %s, want %q", got, name, want)
		}
	}
	for name, want := range map[string]string{"TCode-Batch-Id": "b1", "retry-after": "7", "CONTENT-TYPE": "application/json", "x-none": ""} {
		if got := res.Get(name); got != want {
			t.Errorf("header %s is %q, want %q", name, got, want)
		}
	}
	if res, err = r.Do(t.Context(), r.get("/t/echo", 1<<16)); err != nil || json.Unmarshal(res.Body, &e) != nil || e.Method != "GET" {
		t.Errorf("GET = %+v, %v", res, err)
	}
}

// A compressed batch must arrive as it was sent, whatever its bytes are.
func (r *suite) binaryBody(t *testing.T) {
	body := make([]byte, 300<<10)
	for i := range body {
		body[i] = byte(i * 7 >> 3)
	}
	sent := bytes.Clone(body)
	res, err := r.Do(t.Context(), transport.Request{Method: "POST", URL: r.URL + "/t/echo", MaxBody: 1 << 20, Body: body})
	var e echoed
	if err != nil || json.Unmarshal(res.Body, &e) != nil || !bytes.Equal(e.Body, sent) || !bytes.Equal(body, sent) {
		t.Errorf("%d bytes arrived of %d (%v)", len(e.Body), len(sent), err)
	}
}

func (r *suite) malformed(t *testing.T) {
	key := r.key()
	good := transport.Request{Method: "POST", URL: r.URL + "/t/echo?key=" + key, MaxBody: 1 << 16}
	for name, change := range map[string]func(*transport.Request){
		"method":       func(q *transport.Request) { q.Method = "DELETE" },
		"no method":    func(q *transport.Request) { q.Method = "" },
		"scheme":       func(q *transport.Request) { q.URL = "ftp" + strings.TrimPrefix(q.URL, "http") },
		"relative":     func(q *transport.Request) { q.URL = "/t/echo?key=" + key },
		"header value": func(q *transport.Request) { q.Header = map[string]string{"X-A": "b\r\nX-B: c"} },
		"header name":  func(q *transport.Request) { q.Header = map[string]string{"X-A: b": "c"} },
		"body":         func(q *transport.Request) { q.Method, q.Body = "GET", []byte("x") },
		"limit":        func(q *transport.Request) { q.MaxBody = -1 },
	} {
		req := good
		change(&req)
		res, err := r.Do(t.Context(), req)
		if !errors.Is(err, transport.ErrRequest) || transport.Unanswered(err) || res.Status != 0 {
			t.Errorf("%s: %v, want ErrRequest", name, err)
		}
	}
	if n, _ := r.counted(t, key); n != 0 {
		t.Errorf("%d malformed requests were sent", n)
	}
}

// An answer of any status and type is an answer: its reader decides whether it counts.
func (r *suite) statuses(t *testing.T) {
	for _, status := range []int{200, 201, 400, 401, 403, 404, 410, 413, 429, 500, 503} {
		for _, onlyOK := range []bool{false, true} {
			req := r.get(fmt.Sprintf("/t/status?code=%d", status), 100)
			req.OnlyOK = onlyOK
			res, err := r.Do(t.Context(), req)
			want := page
			if onlyOK && status != 200 {
				want = ""
			}
			if err != nil || res.Status != status || string(res.Body) != want || res.Get("Content-Type") != "text/html; charset=utf-8" {
				t.Errorf("%d, only OK %v: %+v, %v", status, onlyOK, res, err)
			}
		}
	}
	// The unread body of a refusal has no limit.
	req := r.get("/t/status?code=404", 0)
	req.OnlyOK = true
	if res, err := r.Do(t.Context(), req); err != nil || res.Status != 404 {
		t.Errorf("404 = %+v, %v", res, err)
	}
}

// Answers are not cached, and cookies are not sent back.
func (r *suite) nothingIsKept(t *testing.T) {
	key := r.key()
	for range 3 {
		res, err := r.Do(t.Context(), r.get("/t/echo?key="+key, 1<<16))
		if err != nil || strings.Contains(string(res.Body), "cookie") {
			t.Errorf("Do = %s, %v", res.Body, err)
		}
	}
	if n, _ := r.counted(t, key); n != 3 {
		t.Errorf("the server received %d requests of 3", n)
	}
}

// concurrent sends several requests at the same time.
func (r *suite) concurrent(t *testing.T) {
	var group sync.WaitGroup
	for i := range 6 {
		group.Go(func() {
			body := fmt.Sprint("body ", i)
			res, err := r.Do(t.Context(), transport.Request{Method: "POST", URL: r.URL + "/t/echo", MaxBody: 1 << 16, Body: []byte(body)})
			var e echoed
			if err != nil || json.Unmarshal(res.Body, &e) != nil || string(e.Body) != body {
				t.Errorf("answer %s, %v to %q", e.Body, err, body)
			}
		})
	}
	group.Wait()
}

// after returns a context that ends after d.
func after(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}
