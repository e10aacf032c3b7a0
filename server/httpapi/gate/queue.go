package gate

import (
	"context"
	"time"

	"tcode/server/fault"
	"tcode/server/httpapi/bounded"
)

// A Queue bounds the number of concurrent requests and admits them in the order of
// their arrival. Batches of scans cost more than all other requests: with 200
// concurrent ones on two cores a look-up waits for 2 s, and with one it waits for
// 80 ms and the gateway has a seventh of the memory (PostgreSQL, 2026-11, a busy
// machine). It is safe for concurrent use.
type Queue chan struct{}

// NewQueue returns a queue with the given number of places.
func NewQueue(places int) Queue { return make(Queue, places) }

// queuePatient is the longest wait of a request for a place: shorter than the wait
// of devices for their answer (uplink.DefaultTimeout).
const queuePatient = 45 * time.Second

// Wait waits for a place; if it gets none, it returns an Unavailable fault. The place is
// also released when the request of ctx is cut off.
func (q Queue) Wait(ctx context.Context) (release func(), err error) {
	patience := time.NewTimer(queuePatient)
	defer patience.Stop()
	select {
	case q <- struct{}{}:
		return bounded.Held(ctx, func() { <-q }), nil
	case <-patience.C:
		return nil, fault.New(fault.Unavailable, fault.CodeServiceUnavailable, "too many devices send scans at the moment; try again")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
