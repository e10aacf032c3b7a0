package uplink

import (
	"context"
	"time"

	"tcode/offline"
	"tcode/offline/trust"
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

// prove takes the time of a receipt as a proof. The receipt names the request, whose
// random id was known to nobody before, so it cannot be older. That it covers scans
// with random ids would not do: a copy of the home folder may have sent them before,
// and somebody may have kept that receipt.
func (u *Uplink) prove(ctx context.Context, asked offline.Boot, by trust.VerifierKey, r wire.Receipt) error {
	if u.cfg.Boot == nil || u.cfg.Proved == nil {
		return nil
	}
	p, ok := offline.NewProof(asked, u.cfg.Boot(), r.Time, receiptUnit)
	if !ok {
		return nil
	}
	return u.cfg.Proved(ctx, by, p)
}
