package server

import (
	"net"
	"testing"
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
