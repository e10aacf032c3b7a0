//go:build !js

package transporttest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Serve starts the servers of the suite; they end with the test.
func Serve(t *testing.T) Server {
	t.Helper()
	plain := httptest.NewServer(Handler())
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	untrusted := httptest.NewUnstartedServer(Handler())
	untrusted.Config.ErrorLog = log.New(io.Discard, "", 0) // it would say that its certificate was refused
	untrusted.StartTLS()
	t.Cleanup(func() {
		plain.CloseClientConnections() // requests that never end
		plain.Close()
		untrusted.Close()
	})
	return Server{URL: plain.URL, Refused: gone.URL, Untrusted: untrusted.URL}
}

// A handler answers in the ways that the suite asks for.
type handler struct {
	mu     sync.Mutex
	counts map[string]int // requests by the key that they name
	ended  map[string]bool
}

// Handler returns the server's side of the suite, for a test that serves it
// together with a page. Its paths begin with /t/.
func Handler() http.Handler {
	h := &handler{counts: map[string]int{}, ended: map[string]bool{}}
	mux := http.NewServeMux()
	mux.HandleFunc("/t/echo", h.echo)
	mux.HandleFunc("/t/count", h.count)
	mux.HandleFunc("/t/status", h.status)
	mux.HandleFunc("/t/redirect", h.redirect)
	mux.HandleFunc("/t/body", h.body)
	mux.HandleFunc("/t/gzip", h.gzip)
	mux.HandleFunc("/t/cut", h.cut)
	mux.HandleFunc("/t/hang", h.hang)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if key := r.URL.Query().Get("key"); key != "" && r.URL.Path != "/t/count" {
			h.mu.Lock()
			h.counts[key]++
			h.mu.Unlock()
		}
		mux.ServeHTTP(w, r)
	})
}

// echo answers with the request, and tries to set a cookie.
func (h *handler) echo(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	e := echoed{Method: r.Method, Query: r.URL.RawQuery, Body: body, Header: map[string]string{}}
	for name := range r.Header {
		e.Header[strings.ToLower(name)] = r.Header.Get(name)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("TCode-Batch-Id", r.Header.Get("TCode-Batch-Id"))
	w.Header().Set("Retry-After", "7")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	http.SetCookie(w, &http.Cookie{Name: "visit", Value: "1", Path: "/"})
	_ = json.NewEncoder(w).Encode(e)
}

// count answers the number of requests with the key, and whether the server saw
// the end of one that it had not answered.
func (h *handler) count(w http.ResponseWriter, r *http.Request) {
	key := r.URL.Query().Get("key")
	h.mu.Lock()
	defer h.mu.Unlock()
	w.Header().Set("Cache-Control", "no-store")
	fmt.Fprintf(w, "%d %t", h.counts[key], h.ended[key])
}

// status answers code with a body that is not what the program expects.
func (h *handler) status(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(number(r, "code"))
	io.WriteString(w, page)
}

// redirect redirects n times, and then to the address to.
func (h *handler) redirect(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	to := q.Get("to")
	if n := number(r, "n"); n > 1 {
		q.Set("n", strconv.Itoa(n-1))
		to = "/t/redirect?" + q.Encode()
	}
	http.Redirect(w, r, to, number(r, "code"))
}

// body answers n bytes in pieces with a pause of ms before each; endless ones if n
// is -1.
func (h *handler) body(w http.ResponseWriter, r *http.Request) {
	defer h.seen(r)
	n, piece, pause := number(r, "n"), number(r, "piece"), time.Duration(number(r, "ms"))*time.Millisecond
	for sent := 0; n < 0 || sent < n; sent += piece {
		select {
		case <-r.Context().Done():
			return
		case <-time.After(pause):
		}
		size := piece
		if n >= 0 {
			size = min(piece, n-sent)
		}
		if _, err := w.Write(bytes.Repeat([]byte("x"), size)); err != nil {
			return
		}
		w.(http.Flusher).Flush()
	}
}

// seen records that a request ended before its answer.
func (h *handler) seen(r *http.Request) {
	if r.Context().Err() != nil {
		h.mu.Lock()
		h.ended[r.URL.Query().Get("key")] = true
		h.mu.Unlock()
	}
}

// gzip answers n bytes, compressed; with damaged, not all of them.
func (h *handler) gzip(w http.ResponseWriter, r *http.Request) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(bytes.Repeat([]byte("x"), number(r, "n")))
	z.Close()
	raw := b.Bytes()
	if r.URL.Query().Has("damaged") {
		raw = raw[:len(raw)/2]
	}
	w.Header().Set("Content-Encoding", "gzip")
	w.Header().Set("Content-Length", strconv.Itoa(len(raw)))
	w.Write(raw)
}

// cut closes the connection: before the head, or after 500 of 1000 bytes, or in the
// middle of a chunked body.
func (h *handler) cut(w http.ResponseWriter, r *http.Request) {
	conn, buf, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	half := strings.Repeat("x", 500)
	switch r.URL.Query().Get("where") {
	case "length":
		fmt.Fprintf(buf, "HTTP/1.1 200 OK\r\nTCode-Batch-Id: b\r\nContent-Length: 1000\r\n\r\n%s", half)
	case "chunk":
		fmt.Fprintf(buf, "HTTP/1.1 200 OK\r\nTCode-Batch-Id: b\r\nTransfer-Encoding: chunked\r\n\r\n1f4\r\n%s\r\n", half)
	}
	_ = buf.Flush()
}

// hang reads the request and never answers it.
func (h *handler) hang(_ http.ResponseWriter, r *http.Request) {
	defer h.seen(r)
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

func number(r *http.Request, name string) int {
	n, err := strconv.Atoi(r.URL.Query().Get(name))
	if err != nil {
		panic(err)
	}
	return n
}
