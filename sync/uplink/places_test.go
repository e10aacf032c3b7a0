package uplink_test

import (
	"context"
	"testing"
	"time"

	"tcode/offline/host/journal"
	"tcode/sync/outbox"
	"tcode/sync/uplink"
)

// A clock is the time of one device and its gateway. It stands still, except
// while one of them waits, so a script of hours takes no longer than its work.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func (c *clock) pass(d time.Duration) { c.at = c.at.Add(d) }

// sleep is uplink.Config.Sleep.
func (c *clock) sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.pass(d)
	return nil
}

// A queue is an outbox, of either store.
type queue interface {
	uplink.Queue
	Record(ctx context.Context, scans ...*outbox.Scan) error
	Counts(ctx context.Context) (outbox.Counts, error)
	History(ctx context.Context, f outbox.Filter) ([]outbox.Entry, error)
	Correct(ctx context.Context, e outbox.ClockEvent) (kept outbox.ClockEvent, ok bool, err error)
	ClockEvents(ctx context.Context, limit int) ([]outbox.ClockEvent, error)
	Close() error
}

// A place is where an outbox lies.
type place struct {
	open func(ctx context.Context) (queue, error)
	fail func(faults ...journal.Fault) // nil: no faults on order
}

// stores returns a new place of each store by its name; files for one system add others.
var stores = map[string]func(t *testing.T) place{
	"journal": func(*testing.T) place {
		disk := new(journal.Disk)
		return place{
			open: func(ctx context.Context) (queue, error) {
				j, err := disk.Open()
				if err != nil {
					return nil, err
				}
				return outbox.OpenBook(ctx, j)
			},
			fail: disk.Fail,
		}
	},
}
