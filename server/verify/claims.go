package verify

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"tcode/sync/wire"
)

// An unsigned scan is a claim that any client can make, and must not fill the disk. Claims
// of stamps that no tenant has are kept for a day; claims of stamps that a tenant has are
// kept like other scans. Both have a budget of bytes, for each address and in total. A
// claim over the budget gets the answer "retry", so that the sender keeps it.
// keeps it.
// Any client can also make a device key. Signed scans are never deleted, so
// those of stamps that no tenant has also have a budget of bytes a day, which
// includes clock events. Signed scans of stamps that a tenant has have no
// budget.
const (
	claimsFor = 24 * time.Hour

	unknownPerClient = 1 << 20 // bytes stored at any time
	unknownInTotal   = 8 << 20
	knownPerClient   = 4 << 20 // bytes in claimsFor
	knownInTotal     = 16 << 20
	signedPerClient  = 12 << 20 // bytes in claimsFor
	signedInTotal    = 24 << 20

	// rowOverhead is the size of a row in addition to its item, including indexes.
	rowOverhead = 512

	// clockEventSize is the approximate size of a clock event, including its index.
	clockEventSize = 512
)

// The codes of a result "retry" because of a budget.
const (
	codeClaimBudget = "CLAIM_BUDGET_EXHAUSTED" // of unsigned scans
	codeScanBudget  = "SCAN_BUDGET_EXHAUSTED"  // of signed scans of unknown stamps
)

// A ClaimKind names a budget. The words are in the database.
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

// ClaimKind returns the budget of a row; ok is false if it has none.
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

// IsClaim reports whether a row is a claim of a stamp that no tenant has, which is stored
// separately.
func (r ScanRow) IsClaim() bool { return !r.Signed && !r.Found }

// A claimBudget is the rest of the budgets for the scans of one batch.
type claimBudget struct {
	left, took map[ClaimKind]int64
}

// newClaimBudget reads the rest of an address's budgets for scans of these kinds.
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

// take reports whether a row needs no budget, or its budget has room for it, which it then
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

// giveBack returns the room of a row that was stored before.
func (b claimBudget) giveBack(r ScanRow) {
	if kind, bounded := r.ClaimKind(); bounded {
		b.took[kind] -= claimSize(r)
	}
}

func claimSize(r ScanRow) int64 { return int64(len(r.Item.AppendCanonical(nil)) + rowOverhead) }

// write stores the use of the budgets by the batch.
func (b claimBudget) write(ctx context.Context, tx SyncTx, client string, now time.Time) error {
	for kind, n := range b.took {
		if err := tx.AddClaimBytes(ctx, client, kind, n, now.Add(-claimsFor), now); err != nil {
			return fmt.Errorf("write budget of claims: %w", err)
		}
	}
	return nil
}

// overBudget sets the result of a scan for which the budget has no room.
func overBudget(r *wire.ItemResult, signed bool) {
	r.Result, r.Code = wire.Retry, codeClaimBudget
	r.Message = "there are too many unsigned scans at the moment: sign them with a device key, or send them later"
	if signed {
		r.Code, r.Message = codeScanBudget, "there are too many scans of unknown stamps at the moment: keep it and send it later"
	}
}

// Sweep deletes claims of unknown stamps that are over a day old, and the use of budgets
// by older claims. Run calls it every minute.
func (s *Service) Sweep(ctx context.Context) error {
	return s.c.Store.ExpireClaims(ctx, s.c.Now().Add(-claimsFor))
}

func (s *Service) sweep(ctx context.Context) {
	if err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
		s.c.Log.ErrorContext(ctx, "delete old claims", slog.Any("err", err))
	}
}
