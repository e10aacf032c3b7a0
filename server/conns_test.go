package server

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestConnLimit: an address has a bounded number of connections. When all places are taken, an
// address that has fewer gets one of the address with the most.
func TestConnLimit(t *testing.T) {
	t.Parallel()
	l := newConnLimit(nil, 6, 4, nil)
	conn := func(site string) (c *limitedConn, pushed *limitedConn, ok bool) {
		one, other := net.Pipe()
		t.Cleanup(func() { one.Close(); other.Close() })
		c = &limitedConn{Conn: one, of: l, site: site}
		pushed, ok = l.conns.add(c)
		return c, pushed, ok
	}
	var first *limitedConn
	for i := range 5 {
		c, pushed, ok := conn("greedy")
		if first == nil {
			first = c
		}
		if ok != (i < 4) || pushed != nil {
			t.Errorf("connection %d of one address: %v, pushed %v", i, ok, pushed)
		}
	}
	for _, site := range []string{"a", "b"} {
		if _, pushed, ok := conn(site); !ok || pushed != nil {
			t.Errorf("%s: %v, pushed %v", site, ok, pushed)
		}
	}
	if _, pushed, ok := conn("c"); !ok || pushed != first {
		t.Errorf("c: %v, pushed %v, want the oldest of the greedy one", ok, pushed)
	}
	first.Close() // it does not count twice
	if _, pushed, ok := conn("greedy"); ok || pushed != nil {
		t.Errorf("the greedy one again: %v, pushed %v", ok, pushed)
	}
	if l.conns.n != 6 {
		t.Errorf("%d connections of 6", l.conns.n)
	}
	for _, list := range l.conns.sites {
		for _, c := range list {
			defer c.Close()
		}
	}
}

// TestConnCloses: a client that still sends sees the end of its answer before its connection is
// closed.
func TestConnCloses(t *testing.T) {
	t.Parallel()
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := newConnLimit(tcp, 6, 4, nil)
	refuse := http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Connection", "close")
			w.WriteHeader(http.StatusRequestEntityTooLarge)
		}),
	}
	defer refuse.Close()
	go refuse.Serve(l) //nolint:errcheck // it ends with the test
	client, err := net.Dial("tcp", tcp.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	begin := "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n"
	if _, err := io.WriteString(client, begin+strings.Repeat("x", 100_000)); err != nil {
		t.Fatal(err)
	}
	client.SetReadDeadline(time.Now().Add(10 * time.Second))
	answer, err := io.ReadAll(client)
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 413 ") {
		t.Errorf("%q, %v", answer, err)
	}
}

// TestLargeHeaders: headers that do not end are bounded: those of many bytes, and those of many
// short lines, which take the most memory. A connection whose header has arrived has its place
// back, and the address with the most loses its oldest to another one.
func TestLargeHeaders(t *testing.T) {
	t.Parallel()
	for name, part := range map[string]string{
		"bytes": strings.Repeat("x", largeBytes), "lines": strings.Repeat("x:\n", largeLines+1),
	} {
		l := newConnLimit(nil, 1000, 1000, nil)
		begin := func(site string) *limitedConn {
			client, conn := net.Pipe()
			t.Cleanup(func() { client.Close(); conn.Close() })
			c := &limitedConn{Conn: conn, of: l, site: site}
			go client.Write([]byte(part)) //nolint:errcheck // it ends with the pipe
			if _, err := io.ReadFull(c, make([]byte, len(part))); err != nil {
				t.Fatal(err)
			}
			return c
		}
		var held []*limitedConn
		for i := range headersOfSite + 1 {
			c := begin("greedy")
			if ok := c.mayRead(); ok != (i < headersOfSite) {
				t.Errorf("%s: large header %d of one address: %v", name, i, ok)
			}
			held = append(held, c)
		}
		for i := range maxHeaders - headersOfSite {
			if c := begin(fmt.Sprint("site ", i)); !c.mayRead() {
				t.Errorf("%s: there is a place, and address %d gets none", name, i)
			}
		}
		if c := begin("late"); !c.mayRead() || !held[0].closed {
			t.Errorf("%s: the address with the most keeps its places", name)
		}
		headerState(held[1], http.StateActive)
		if c := begin("greedy"); !c.mayRead() || l.headers.n != maxHeaders {
			t.Errorf("%s: a header that has arrived keeps its place: %d", name, l.headers.n)
		}
		headerState(held[1], http.StateIdle)
		if !held[1].mayRead() || held[1].large {
			t.Errorf("%s: the next header begins as a large one", name)
		}
		for _, c := range held {
			c.Close()
		}
		if _, ok := l.headers.sites["greedy"]; ok && len(l.headers.sites["greedy"]) != 1 {
			t.Errorf("%s: closed connections hold %d places", name, len(l.headers.sites["greedy"]))
		}
	}
}

// TestFewFields: a header of too many fields is refused before anything is kept of it.
func TestFewFields(t *testing.T) {
	t.Parallel()
	served := fewFields(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	for n, want := range map[int]int{maxFields: 200, maxFields + 1: 431} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		for i := range n {
			r.Header.Add(fmt.Sprint("X-", i/2), "")
		}
		w := httptest.NewRecorder()
		if served.ServeHTTP(w, r); w.Code != want {
			t.Errorf("%d fields: %d, want %d", n, w.Code, want)
		}
	}
}
