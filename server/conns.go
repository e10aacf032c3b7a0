package server

import (
	"bytes"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"sync"

	"tcode/server/httpapi/gate"
)

// The connections of a gateway: of all clients, and of one address. Each costs some 20 KiB. A
// proxy that may name its clients counts as any number of addresses.
const (
	maxConns    = 2048
	connsOfSite = 512
)

// Connections with a header that is still arriving, and is large already: of all clients, and of
// one address; and what is large. A short field of a header takes some thirty times its length in
// memory, so that headers without an end would take more than everything else.
const (
	maxHeaders    = 64
	headersOfSite = 16
	largeBytes    = 4 << 10
	largeLines    = 64
)

// A connLimit is a listener that bounds the connections of each address, and of all, and those with
// a large header that is still arriving. If there is no place, the address with the most loses its
// oldest connection to an address that has fewer.
type connLimit struct {
	net.Listener
	proxies []netip.Prefix

	mu      sync.Mutex // guards the following fields, and those of connections
	conns   places
	headers places
}

// places are connections by address.
type places struct {
	total, each int
	n           int
	sites       map[string][]*limitedConn // the oldest first
}

func newPlaces(total, each int) places {
	return places{total: total, each: each, sites: map[string][]*limitedConn{}}
}

// A limitedConn is a connection that counts until it is closed.
type limitedConn struct {
	net.Conn
	of           *connLimit
	site         string
	closed       bool
	complete     bool // the header has arrived
	large        bool // the connection has a place of headers
	bytes, lines int  // of the header, encrypted with TLS
}

func newConnLimit(l net.Listener, total, each int, proxies []netip.Prefix) *connLimit {
	return &connLimit{
		Listener: l, proxies: proxies,
		conns: newPlaces(total, each), headers: newPlaces(maxHeaders, headersOfSite),
	}
}

// Accept returns the next connection that is within the limits. It closes others.
func (l *connLimit) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		at, err := netip.ParseAddrPort(conn.RemoteAddr().String())
		if err != nil || l.isProxy(at.Addr().Unmap()) {
			return conn, nil
		}
		c := &limitedConn{Conn: conn, of: l, site: gate.ClientOf(at.Addr().String())}
		l.mu.Lock()
		pushed, ok := l.conns.add(c)
		l.mu.Unlock()
		if pushed != nil {
			pushed.Close()
		}
		if ok {
			return c, nil
		}
		conn.Close()
	}
}

func (l *connLimit) isProxy(addr netip.Addr) bool {
	for _, p := range l.proxies {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

// add counts a connection; pushed is another one that has to go for it, or nil. It is called under
// mu, as remove is.
func (p *places) add(c *limitedConn) (pushed *limitedConn, ok bool) {
	own := len(p.sites[c.site])
	if own >= p.each {
		return nil, false
	}
	if p.n >= p.total {
		most := c.site
		for site, list := range p.sites {
			if len(list) > len(p.sites[most]) {
				most = site
			}
		}
		if len(p.sites[most]) <= own+1 {
			return nil, false
		}
		pushed = p.sites[most][0]
		p.remove(pushed)
	}
	p.n++
	p.sites[c.site] = append(p.sites[c.site], c)
	return pushed, true
}

// remove ends the count of a connection.
func (p *places) remove(c *limitedConn) {
	list := p.sites[c.site]
	for i, other := range list {
		if other != c {
			continue
		}
		p.n--
		if p.sites[c.site] = append(list[:i:i], list[i+1:]...); len(list) == 1 {
			delete(p.sites, c.site)
		}
		return
	}
}

// headerState notes when the header of a request has arrived, and when the next one begins.
func headerState(conn net.Conn, state http.ConnState) {
	if encrypted, ok := conn.(*tls.Conn); ok {
		conn = encrypted.NetConn()
	}
	c, ok := conn.(*limitedConn)
	if !ok || state != http.StateActive && state != http.StateIdle {
		return
	}
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.complete, c.large, c.bytes, c.lines = state == http.StateActive, false, 0, 0
	c.of.headers.remove(c)
}

// errHeader ends a connection whose header is large, and of which there are too many.
var errHeader = errors.New("too many large headers are arriving")

// mayRead gives the connection a place if its header is large.
func (c *limitedConn) mayRead() (ok bool) {
	c.of.mu.Lock()
	large := c.bytes >= largeBytes || c.lines > largeLines
	if !large || c.complete || c.large || c.closed {
		c.of.mu.Unlock()
		return true
	}
	pushed, ok := c.of.headers.add(c)
	c.large = ok
	c.of.mu.Unlock()
	if pushed != nil {
		pushed.Close()
	}
	return ok
}

// Read reads what has arrived. It waits for more of a large header only with a place.
func (c *limitedConn) Read(b []byte) (int, error) {
	if !c.mayRead() {
		return 0, errHeader
	}
	n, err := c.Conn.Read(b)
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	if !c.complete {
		c.bytes += n
		c.lines += bytes.Count(b[:n], []byte{'\n'})
	}
	return n, err
}

// CloseWrite ends what is sent. The server does so before it closes a connection whose client still
// sends, so that the client gets its answer.
func (c *limitedConn) CloseWrite() error {
	if conn, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return conn.CloseWrite()
	}
	return nil
}

// Close closes the connection.
func (c *limitedConn) Close() error {
	c.of.mu.Lock()
	if !c.closed {
		c.closed = true
		c.of.conns.remove(c)
		c.of.headers.remove(c)
	}
	c.of.mu.Unlock()
	return c.Conn.Close()
}
