package certs

import (
	"context"
	"errors"
	"sync"

	"golang.org/x/crypto/acme/autocert"
)

// endingCache is a folder that is not written after close: the manager renews certificates
// by timers of its own, which nothing stops.
type endingCache struct {
	dir autocert.DirCache

	mu    sync.RWMutex // held for reading while a file is written
	ended bool
}

var errEnded = errors.New("orders have ended")

// Get reads a file.
func (c *endingCache) Get(ctx context.Context, name string) ([]byte, error) {
	return c.dir.Get(ctx, name)
}

// Put writes a file whole, also if ctx ends before.
func (c *endingCache) Put(ctx context.Context, name string, data []byte) error {
	return c.unlessEnded(func() error { return c.dir.Put(context.WithoutCancel(ctx), name, data) })
}

// Delete removes a file, also if ctx ends before.
func (c *endingCache) Delete(ctx context.Context, name string) error {
	return c.unlessEnded(func() error { return c.dir.Delete(context.WithoutCancel(ctx), name) })
}

// unlessEnded runs change, and returns errEnded instead after close.
func (c *endingCache) unlessEnded(change func() error) error {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.ended {
		return errEnded
	}
	return change()
}

// close waits until the files that are being written are whole, and ends writing.
func (c *endingCache) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
}
