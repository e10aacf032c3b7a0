//go:build !js

package outbox

import (
	"context"
	"fmt"
)

// Settle applies the answers in one transaction, each to a scan that is still
// inflight in this batch; it does not change a scan that another sender has
// leased meanwhile. A scan of the batch without an answer stays leased until
// its lease ends.
func (o *Outbox) Settle(ctx context.Context, s Settlement) error {
	if err := s.check(); err != nil {
		return err
	}
	err := o.write(ctx, func(r rows) error { return settle(r, &s) })
	if err = o.suspect(err); err != nil {
		return fmt.Errorf("settle batch %s: %w", s.BatchID, err)
	}
	return nil
}

// Requeue returns dead scans to the queue, all or none, when a person asks for
// it. It refuses a scan that is not dead, or damaged, with [ErrTransition].
func (o *Outbox) Requeue(ctx context.Context, scanIDs ...string) error {
	if err := o.write(ctx, func(r rows) error { return requeue(r, scanIDs) }); err != nil {
		return fmt.Errorf("requeue: %w", err)
	}
	return nil
}
