package verify

import (
	"context"
	"time"
)

// A syncRun stores the scans of one batch in its transaction.
type syncRun struct {
	tx     SyncTx
	signed bool
	low    bool                    // there is no space for what can wait
	room   func(proven bool) error // for signed scans of known stamps
	now    time.Time

	device Device // of a signed batch
	budget claimBudget
}

func (s *Service) newRun(tx SyncTx, signed bool, client string, now time.Time) *syncRun {
	r := &syncRun{tx: tx, signed: signed, low: s.c.Room() != nil, room: s.c.ScanRoom, now: now}
	r.budget = claimBudget{
		tx: tx, address: client, device: &r.device, trusting: s.c.Trusting, now: now, stamps: &s.stamps,
		left: map[claimAccount]int64{}, took: map[claimAccount]int64{}, ofStamps: map[stampUse]int64{},
	}
	return r
}

// begin reads the device of a signed batch.
func (r *syncRun) begin(ctx context.Context, scannerID string) (err error) {
	if r.device, err = r.tx.Device(ctx, scannerID); err != nil {
		return err
	}
	if err := r.device.refused(); err != nil {
		return err
	}
	if r.budget.standing = r.device.standing(r.now); r.budget.trusting {
		r.budget.standing = Proven
	}
	if r.now.Sub(r.device.DayAt) >= claimsFor {
		r.device.DayAt, r.device.DayBytes = r.now, 0
	}
	if r.budget.once = batchOverhead; r.device.FirstAt.IsZero() {
		r.budget.once += deviceOverhead
	}
	return nil
}

// take reports whether there is room for a row, on the disk and in its budgets.
func (r *syncRun) take(ctx context.Context, row ScanRow) (bool, error) {
	full := r.low
	if row.Signed && row.Found {
		full = r.room(r.budget.standing == Proven) != nil
	}
	if full {
		return false, nil
	}
	return r.budget.take(ctx, row)
}
