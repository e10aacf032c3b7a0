package pgdb

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// ahead is how far the server's clock is ahead of this machine's.
type ahead struct{ ns atomic.Int64 }

// slowest is the longest answer from which a clock is read.
const slowest = time.Second

// ReadClock compares the server's clock with this machine's, for [DB.Ahead]. An answer that
// took long says nothing and changes nothing.
func (db *DB) ReadClock(ctx context.Context) error {
	begun := time.Now()
	var us int64
	if err := db.public.QueryRowContext(ctx, `SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)`).Scan(&us); err != nil {
		return fmt.Errorf("read the server's clock: %w", err)
	}
	if took := time.Since(begun); took < slowest {
		db.ahead.ns.Store(int64(aheadBy(time.UnixMicro(us), begun, took)))
	}
	return nil
}

// aheadBy returns how far a clock is ahead that had the time at, some time within took after
// begun: 0 if both clocks may be the same, because gateways with one clock must agree on the time.
func aheadBy(at, begun time.Time, took time.Duration) time.Duration {
	ahead := at.Sub(begun.Add(took / 2))
	if ahead.Abs() <= took/2+time.Millisecond {
		return 0
	}
	return ahead
}

// Ahead returns how far the server's clock was ahead of this machine's when it was last read.
func (db *DB) Ahead() time.Duration { return time.Duration(db.ahead.ns.Load()) }
