package httpapi

import (
	"context"
	"sync"
)

// tenantSlots bounds how many requests hold a whole file in memory at once, over all
// tenants and for each: a tenant whose uploads trickle in keeps others waiting
// for half of the places at most. It is safe for concurrent use.
type tenantSlots struct {
	all chan struct{} // one token a place

	mu     sync.Mutex               // guards shares
	shares map[string]chan struct{} // of a tenant; there are as many as tenants with keys
}

func newTenantSlots(places int) *tenantSlots {
	return &tenantSlots{all: make(chan struct{}, places), shares: map[string]chan struct{}{}}
}

// take waits for a place until ctx ends. The tenant's own share comes first, so
// that a request that waits for it takes no place from others.
func (t *tenantSlots) take(ctx context.Context, tenant string) (release func(), err error) {
	share := t.share(tenant)
	for _, c := range []chan struct{}{share, t.all} {
		select {
		case c <- struct{}{}:
		case <-ctx.Done():
			if c == t.all {
				<-share
			}
			return nil, ctx.Err()
		}
	}
	return func() { <-t.all; <-share }, nil
}

func (t *tenantSlots) share(tenant string) chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	c, ok := t.shares[tenant]
	if !ok {
		c = make(chan struct{}, max(1, cap(t.all)/2))
		t.shares[tenant] = c
	}
	return c
}
