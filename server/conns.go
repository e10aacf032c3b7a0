package server

import (
	"net"
	"net/netip"
	"sync"

	"tcode/server/httpapi/gate"
)

// The connections of a gateway: of all clients, and of one address. Each costs some 20 KiB. A
// proxy that may name its clients counts as any number of addresses.
const (
	maxConns    = 4096
	connsOfSite = 512
)

// A connLimit is a listener that bounds the connections of each address, and of all. If it is
// full, the address with the most connections loses its oldest one to an address that has fewer.
type connLimit struct {
	net.Listener
	total, each int
	proxies     []netip.Prefix

	mu    sync.Mutex // guards the following fields
	n     int
	sites map[string][]*limitedConn // the oldest first
}

// A limitedConn is a connection that counts until it is closed.
type limitedConn struct {
	net.Conn
	of   *connLimit
	site string
	once sync.Once
}

func newConnLimit(l net.Listener, total, each int, proxies []netip.Prefix) *connLimit {
	return &connLimit{Listener: l, total: total, each: each, proxies: proxies, sites: map[string][]*limitedConn{}}
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
		pushed, ok := l.add(c)
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

// add counts a connection; pushed is another one that has to go for it, or nil.
func (l *connLimit) add(c *limitedConn) (pushed *limitedConn, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	own := len(l.sites[c.site])
	if own >= l.each {
		return nil, false
	}
	if l.n >= l.total {
		most := c.site
		for site, list := range l.sites {
			if len(list) > len(l.sites[most]) {
				most = site
			}
		}
		if len(l.sites[most]) <= own+1 {
			return nil, false
		}
		pushed = l.sites[most][0]
		l.remove(pushed)
	}
	l.n++
	l.sites[c.site] = append(l.sites[c.site], c)
	return pushed, true
}

// remove ends the count of a connection. It is called under mu.
func (l *connLimit) remove(c *limitedConn) {
	list := l.sites[c.site]
	for i, other := range list {
		if other != c {
			continue
		}
		l.n--
		if l.sites[c.site] = append(list[:i:i], list[i+1:]...); len(list) == 1 {
			delete(l.sites, c.site)
		}
		return
	}
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
	c.once.Do(func() {
		c.of.mu.Lock()
		defer c.of.mu.Unlock()
		c.of.remove(c)
	})
	return c.Conn.Close()
}
