package uplink

import (
	"context"
	"time"

	"tcode/offline"
	"tcode/offline/trust"
	"tcode/sync/outbox"
	"tcode/sync/wire"
)

// receiptUnit is how much later than its time a receipt may have been signed: it
// tells whole milliseconds.
const receiptUnit = time.Millisecond

// bootNow reads the boot-time clock, if there is one.
func (u *Uplink) bootNow() offline.Boot {
	if u.cfg.Boot == nil {
		return offline.Boot{}
	}
	return u.cfg.Boot()
}

// prove takes the time of a receipt as a proof if the receipt covers a scan that
// left this device with this very request: its random id was known to nobody
// before, so the receipt cannot be older. A receipt for scans that were sent before
// may be: somebody may have kept the first one back.
func (u *Uplink) prove(ctx context.Context, l outbox.Leased, asked offline.Boot, by trust.VerifierKey, r wire.Receipt, results []wire.ItemResult) error {
	if u.cfg.Boot == nil || u.cfg.Proved == nil {
		return nil
	}
	first := false
	for _, it := range l.Batch.Covered(results).Items {
		first = first || l.Attempts[it.ScanID] == 1
	}
	p, ok := offline.NewProof(asked, u.cfg.Boot(), r.Time, receiptUnit)
	if !first || !ok {
		return nil
	}
	return u.cfg.Proved(ctx, by, p)
}
