package gate

import (
	"context"
	"sync"
	"time"

	"tcode/server/fault"
	"tcode/server/httpapi/bounded"
)

// TenantSlots bounds the number of concurrent requests with a file, over all
// tenants and for each: a tenant with slow uploads holds at most half of the
// places. It is safe for concurrent use.
type TenantSlots struct {
	all chan struct{} // one token for each place

	mu     sync.Mutex               // guards shares
	shares map[string]chan struct{} // by tenant, one for each tenant with a key
}

// patience is the longest wait of a request for a place.
const patience = 20 * time.Second

// NewTenantSlots returns slots with the given number of places.
func NewTenantSlots(places int) *TenantSlots {
	return &TenantSlots{all: make(chan struct{}, places), shares: map[string]chan struct{}{}}
}

// Take waits for a place until ctx ends. It waits for the tenant's own share
// first, so that a request that waits for it takes no place from others. The place is
// also released when the request of ctx is cut off.
func (t *TenantSlots) Take(ctx context.Context, tenant string) (release func(), err error) {
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
	return bounded.Held(ctx, func() { <-t.all; <-share }), nil
}

// Turn is like Take, but waits no longer than a client does. If it gets no place,
// it returns an Unavailable fault.
func (t *TenantSlots) Turn(ctx context.Context, tenant string) (release func(), err error) {
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if release, err = t.Take(wait, tenant); err != nil && ctx.Err() == nil {
		err = fault.New(fault.Unavailable, fault.CodeServiceUnavailable, "too many such requests are being answered; try again").WithErr(err)
	}
	return release, err
}

func (t *TenantSlots) share(tenant string) chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	c, ok := t.shares[tenant]
	if !ok {
		c = make(chan struct{}, max(1, cap(t.all)/2))
		t.shares[tenant] = c
	}
	return c
}
