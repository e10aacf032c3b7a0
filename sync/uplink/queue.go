package uplink

import (
	"context"
	"time"

	"tcode/sync/outbox"
	"tcode/sync/wire"
)

// A Queue holds the scans that an Uplink sends: an [outbox.Queue] over any store. When one of its
// operations fails, the Uplink takes its outcome for unknown and asks again what is due.
type Queue interface {
	LockSync(ctx context.Context) (outbox.SyncLock, error)
	Bind(ctx context.Context, scannerID string) error
	Check(ctx context.Context) error
	Recover(ctx context.Context, lock outbox.SyncLock) error
	Lease(ctx context.Context, batchID string, now time.Time, l outbox.Limits) (outbox.Leased, error)
	Settle(ctx context.Context, s outbox.Settlement) error
	Pause(ctx context.Context, until time.Time) error
	Paused(ctx context.Context, now time.Time) (bool, error)
	RetryNow(ctx context.Context) error
	NextDue(ctx context.Context, now time.Time) (at time.Time, ok bool, err error)
	Untold(ctx context.Context) ([]wire.ClockEvent, error)
}
