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
// keeps it. Scans that a device signed have no budget.
const (
	claimsFor = 24 * time.Hour

	unknownPerClient = 1 << 20 // bytes that are stored at a time
	unknownInTotal   = 8 << 20
	knownPerClient   = 4 << 20 // bytes in claimsFor
	knownInTotal     = 16 << 20

	// rowOverhead is what a row takes in addition to its item, indexes included.
	rowOverhead = 512
)

// codeClaimBudget is the code of a result that says "retry" because of a budget.
const codeClaimBudget = "CLAIM_BUDGET_EXHAUSTED"

// A ClaimKind says whether a tenant has the stamp that a claim is about. The
// words stand in the database.
type ClaimKind string

// The kinds of claims.
const (
	KnownClaim   ClaimKind = "known"
	UnknownClaim ClaimKind = "unknown"
)

// claimLimits are the budgets, for each client and in total.
var claimLimits = map[ClaimKind][2]int64{
	KnownClaim:   {knownPerClient, knownInTotal},
	UnknownClaim: {unknownPerClient, unknownInTotal},
}

// ClaimKind is the kind of a row that is not signed.
func (r ScanRow) ClaimKind() ClaimKind {
	if r.Found {
		return KnownClaim
	}
	return UnknownClaim
}

// IsClaim reports whether a row is a claim of a stamp that no tenant has, which
// is kept apart.
func (r ScanRow) IsClaim() bool { return !r.Signed && !r.Found }

// A claimBudget is what is left for the claims of one batch.
type claimBudget struct {
	left, took map[ClaimKind]int64
}

// newClaimBudget reads what an address has left.
func newClaimBudget(ctx context.Context, tx SyncTx, client string, now time.Time) (claimBudget, error) {
	b := claimBudget{left: map[ClaimKind]int64{}, took: map[ClaimKind]int64{}}
	for kind, limit := range claimLimits {
		own, all, err := tx.ClaimBytes(ctx, client, kind, now.Add(-claimsFor))
		if err != nil {
			return b, fmt.Errorf("read budget of claims: %w", err)
		}
		b.left[kind] = min(limit[0]-own, limit[1]-all)
	}
	return b, nil
}

// take reports whether there is room for a row, and takes it.
func (b claimBudget) take(r ScanRow) bool {
	kind, size := r.ClaimKind(), claimSize(r)
	if b.left[kind] < size {
		return false
	}
	b.left[kind] -= size
	b.took[kind] += size
	return true
}

// giveBack is for a row that was stored before.
func (b claimBudget) giveBack(r ScanRow) { b.took[r.ClaimKind()] -= claimSize(r) }

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
func overBudget(r *wire.ItemResult) {
	r.Result, r.Code = wire.Retry, codeClaimBudget
	r.Message = "there are too many unsigned scans at the moment: sign them with a device key, or send them later"
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
