package mail

import (
	"context"
	"net"
	"strings"
	"sync"
)

// cuttable holds the connection that is being made, so that it can be cut when
// time is up, whatever the library waits for.
type cuttable struct {
	mu   sync.Mutex
	conn net.Conn
	over bool
}

// dialer returns dial, with the connection kept.
func (c *cuttable) dialer(dial func(context.Context, string, string) (net.Conn, error)) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.over {
			conn.Close()
			return nil, net.ErrClosed
		}
		c.conn = conn
		return conn, nil
	}
}

// cut closes the connection, now or as soon as there is one.
func (c *cuttable) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	if c.conn != nil {
		c.conn.Close()
	}
}

// domainOf returns what stands behind the @ of an address.
func domainOf(address string) string { return address[strings.LastIndexByte(address, '@')+1:] }
