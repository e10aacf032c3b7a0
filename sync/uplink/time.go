package uplink

import (
	"context"
	"time"

	"tcode/offline"
	"tcode/offline/trust"
	"tcode/sync/wire"
)

// receiptUnit is the precision of a receipt's time, a millisecond: it may have
// been signed later by less than this.
const receiptUnit = time.Millisecond

// bootNow reads the boot-time clock, if there is one.
func (u *Uplink) bootNow() offline.Boot {
	if u.cfg.Boot == nil {
		return offline.Boot{}
	}
	return u.cfg.Boot()
}

// prove takes the time of a receipt as a proof. The receipt names the request
// by an id that was random and secret before, so it cannot be older than the
// request. Scans with random ids are not enough: a copy of the home folder may
// have sent them earlier, and an attacker may have kept that receipt.
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
