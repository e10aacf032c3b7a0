package verify

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"tcode/sync/wire"
)

// An unsigned scan is a claim of anyone, and must not fill the disk. Claims of
// stamps that no tenant has are kept for a day; claims of stamps that a tenant
// has are kept like other scans. Both have a budget of bytes, by the address
// they come from and in total. What is over it is answered "retry": the sender
// keeps it.
//
// Anyone can make a device key, too. Signed scans are never deleted, so those of
// stamps that no tenant has also have a budget of bytes a day, and clock events have
// a part in it. Signed scans of stamps that a tenant has have none.
const (
	claimsFor = 24 * time.Hour

	unknownPerClient = 1 << 20 // bytes that are stored at a time
	unknownInTotal   = 8 << 20
	knownPerClient   = 4 << 20 // bytes in claimsFor
	knownInTotal     = 16 << 20
	signedPerClient  = 12 << 20 // bytes in claimsFor
	signedInTotal    = 24 << 20

	// rowOverhead is what a row takes in addition to its item, indexes included.
	rowOverhead = 512

	// clockEventSize is about what a clock event takes, its index included.
	clockEventSize = 512
)

// The codes of a result that says "retry" because of a budget.
const (
	codeClaimBudget = "CLAIM_BUDGET_EXHAUSTED" // of unsigned scans
	codeScanBudget  = "SCAN_BUDGET_EXHAUSTED"  // of signed scans of unknown stamps
)

// A ClaimKind names a budget. The words stand in the database.
type ClaimKind string

// The kinds of claims, and of signed scans that have a budget.
const (
	KnownClaim    ClaimKind = "known"   // not signed, of a stamp that a tenant has
	UnknownClaim  ClaimKind = "unknown" // not signed, of another
	SignedUnknown ClaimKind = "signed"  // signed, of a stamp that no tenant has
)

// claimLimits are the budgets, for each client and in total.
var claimLimits = map[ClaimKind][2]int64{
	KnownClaim:    {knownPerClient, knownInTotal},
	UnknownClaim:  {unknownPerClient, unknownInTotal},
	SignedUnknown: {signedPerClient, signedInTotal},
}

// ClaimKind is the budget of a row; ok is false where it has none.
func (r ScanRow) ClaimKind() (kind ClaimKind, ok bool) {
	switch {
	case r.Signed && r.Found:
		return "", false
	case r.Signed:
		return SignedUnknown, true
	case r.Found:
		return KnownClaim, true
	}
	return UnknownClaim, true
}

// IsClaim reports whether a row is a claim of a stamp that no tenant has, which
// is kept apart.
func (r ScanRow) IsClaim() bool { return !r.Signed && !r.Found }

// A claimBudget is what is left for the scans of one batch.
type claimBudget struct {
	left, took map[ClaimKind]int64
}

// newClaimBudget reads what an address has left for scans of these kinds.
func newClaimBudget(ctx context.Context, tx SyncTx, client string, kinds []ClaimKind, now time.Time) (claimBudget, error) {
	b := claimBudget{left: map[ClaimKind]int64{}, took: map[ClaimKind]int64{}}
	for _, kind := range kinds {
		limit := claimLimits[kind]
		own, all, err := tx.ClaimBytes(ctx, client, kind, now.Add(-claimsFor))
		if err != nil {
			return b, fmt.Errorf("read budget of claims: %w", err)
		}
		b.left[kind] = min(limit[0]-own, limit[1]-all)
	}
	return b, nil
}

// take reports whether a row needs no budget, or there is room for it, which it then
// takes.
func (b claimBudget) take(r ScanRow, low bool) bool {
	kind, bounded := r.ClaimKind()
	if !bounded {
		return true
	}
	size := claimSize(r)
	if low || b.left[kind] < size {
		return false
	}
	b.left[kind] -= size
	b.took[kind] += size
	return true
}

// giveBack is for a row that was stored before.
func (b claimBudget) giveBack(r ScanRow) {
	if kind, bounded := r.ClaimKind(); bounded {
		b.took[kind] -= claimSize(r)
	}
}

func claimSize(r ScanRow) int64 { return int64(len(r.Item.AppendCanonical(nil)) + rowOverhead) }

// write stores what the batch took.
func (b claimBudget) write(ctx context.Context, tx SyncTx, client string, now time.Time) error {
	for kind, n := range b.took {
		if err := tx.AddClaimBytes(ctx, client, kind, n, now.Add(-claimsFor), now); err != nil {
			return fmt.Errorf("write budget of claims: %w", err)
		}
	}
	return nil
}

// overBudget is the result of a scan that there is no room for.
func overBudget(r *wire.ItemResult, signed bool) {
	r.Result, r.Code = wire.Retry, codeClaimBudget
	r.Message = "there are too many unsigned scans at the moment: sign them with a device key, or send them later"
	if signed {
		r.Code, r.Message = codeScanBudget, "there are too many scans of unknown stamps at the moment: keep it and send it later"
	}
}

// Sweep deletes claims of unknown stamps that are over a day old, and forgets
// what older claims took of a budget. Run does it every minute.
func (s *Service) Sweep(ctx context.Context) error {
	return s.c.Store.ExpireClaims(ctx, s.c.Now().Add(-claimsFor))
}

func (s *Service) sweep(ctx context.Context) {
	if err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
		s.c.Log.ErrorContext(ctx, "delete old claims", slog.Any("err", err))
	}
}
