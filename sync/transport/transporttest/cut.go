//go:build !js

package transporttest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
)

// Cut returns a server that answers as next does, and cuts one answer of status 200. The path of a request begins with
// [CutPath], which says where and how.
func Cut(next http.Handler) http.Handler { return &cutter{next: next, counts: map[string]int{}} }

type cutter struct {
	next   http.Handler
	mu     sync.Mutex
	counts map[string]int // answers of status 200, by the begin of their paths
}

func (c *cutter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	part := strings.SplitN(r.URL.Path, "/", 7) // "", cut, key, mode, number, percent, the rest
	if len(part) < 7 || part[1] != "cut" {
		http.NotFound(w, r)
		return
	}
	number, err := strconv.Atoi(part[4])
	percent, err2 := strconv.Atoi(part[5])
	if err != nil || err2 != nil {
		http.NotFound(w, r)
		return
	}
	inner := r.Clone(r.Context())
	inner.URL.Path = "/" + part[6]
	rec := httptest.NewRecorder()
	c.next.ServeHTTP(rec, inner)
	body := rec.Body.Bytes()
	if rec.Code != http.StatusOK || c.count(part[2]) != number {
		for name, values := range rec.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(rec.Code)
		_, _ = w.Write(body)
		return
	}
	cut(w, rec.Header(), part[3], body, percent)
}

func (c *cutter) count(key string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts[key]++
	return c.counts[key]
}

// gzipTail is about the length of what package gzip writes behind the data (the end of a block, an empty block, a checksum and a
// length) and of a last character that may be white space. Chromium takes data without it, and they are whole.
const gzipTail = 32

// cut writes a part of an answer and closes the connection.
func cut(w http.ResponseWriter, header http.Header, mode string, body []byte, percent int) {
	conn, buf, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	if strings.HasPrefix(mode, "gzip") {
		var zipped bytes.Buffer
		z := gzip.NewWriter(&zipped)
		_, _ = z.Write(body)
		_ = z.Close()
		body = zipped.Bytes()
		header.Set("Content-Encoding", "gzip")
	}
	end := 1 // of 100 %: all but the last byte
	if mode == "gzip" {
		end = gzipTail
	}
	n := max(0, min(len(body)*percent/100, len(body)-end))
	fmt.Fprint(buf, "HTTP/1.1 200 OK\r\nConnection: close\r\n")
	_ = header.WriteSubset(buf, map[string]bool{"Content-Length": true, "Connection": true})
	switch mode {
	case "length", "gzip-length":
		fmt.Fprintf(buf, "Content-Length: %d\r\n\r\n%s", len(body), body[:n])
	case "chunk", "gzip-chunk":
		fmt.Fprint(buf, "Transfer-Encoding: chunked\r\n\r\n")
		if n > 0 {
			fmt.Fprintf(buf, "%x\r\n%s\r\n", n, body[:n])
		}
	case "chunk-middle": // a chunk that is longer than its bytes
		fmt.Fprintf(buf, "Transfer-Encoding: chunked\r\n\r\n%x\r\n%s", len(body), body[:n])
	case "gzip": // the length is right: only the compressed data lack their end
		fmt.Fprintf(buf, "Content-Length: %d\r\n\r\n%s", n, body[:n])
	default: // close: nothing says how much would come
		fmt.Fprintf(buf, "\r\n%s", body[:n])
	}
	_ = buf.Flush()
}
