package server

import (
	"io"
	"net"
	"net/http"
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
		pushed, ok = l.add(c)
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
	if l.n != 6 {
		t.Errorf("%d connections of 6", l.n)
	}
	for _, list := range l.sites {
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
