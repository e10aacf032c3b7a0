package gate

import (
	"context"
	"time"

	"tcode/server/fault"
)

// A Queue lets so many requests work at once, in the order they came. Batches of
// scans cost more than all else: with 200 of them at once on two cores a look-up
// waits for 2 s, and with one it waits for 80 ms and the gateway has a seventh of
// the memory (PostgreSQL, 2026-11, a busy machine). It is safe for concurrent use.
type Queue chan struct{}

// NewQueue returns a queue with so many places.
func NewQueue(places int) Queue { return make(Queue, places) }

// queuePatient is how long a request waits for its turn: less than devices wait
// for their answer (uplink.DefaultTimeout).
const queuePatient = 45 * time.Second

// Wait waits for a place; without one it returns an Unavailable fault.
func (q Queue) Wait(ctx context.Context) (release func(), err error) {
	patience := time.NewTimer(queuePatient)
	defer patience.Stop()
	select {
	case q <- struct{}{}:
		return func() { <-q }, nil
	case <-patience.C:
		return nil, fault.New(fault.Unavailable, fault.CodeServiceUnavailable, "too many devices send scans at the moment; try again")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
