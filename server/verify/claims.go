package verify

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"tcode/sync/wire"
)

// An unsigned scan is a claim that any client can make, and any client can also make a device
// key, so neither may fill the disk. Their scans have budgets of bytes a day. A scan over a
// budget gets the answer "retry", so that its sender keeps it and sends it later.
//
// Claims of stamps that no tenant has are kept for a day, other scans as long as the tenant
// says. A device earns its standing by accepted scans of live stamps. The budget of all
// strangers together cannot take the place of devices with a history.
const (
	claimsFor = 24 * time.Hour

	// provenAfter is the time from a device's first scan of a live stamp until it is proven.
	provenAfter = 24 * time.Hour

	// provenPerDay is the bytes that a proven device stores of known stamps.
	provenPerDay = 32 << 20

	// rowOverhead is the size of a row in addition to its item, including indexes;
	// batchOverhead is that of the signed data of a batch, and deviceOverhead that of what
	// is stored of a new device.
	rowOverhead    = 512
	batchOverhead  = 512
	deviceOverhead = 4 << 10

	// clockEventSize is the approximate size of a clock event, including its index.
	clockEventSize = 512
)

// A Standing is what a device has shown of itself.
type Standing int

// The standings.
const (
	Stranger Standing = iota // no batch of it had a scan of a live stamp
	Newcomer                 // one had, less than a day ago
	Proven                   // one had, a day ago or longer; or an operator has named the device
)

// standing returns the standing of a device.
func (d Device) standing(now time.Time) Standing {
	switch {
	case d.Name != "" || !d.KnownAt.IsZero() && now.Sub(d.KnownAt) >= provenAfter:
		return Proven
	case !d.KnownAt.IsZero():
		return Newcomer
	}
	return Stranger
}

// The codes of a result "retry" because of a budget.
const (
	codeClaimBudget = "CLAIM_BUDGET_EXHAUSTED" // of unsigned scans
	codeScanBudget  = "SCAN_BUDGET_EXHAUSTED"  // of signed scans
)

// A ClaimKind names a budget. The words are in the database.
type ClaimKind string

// The kinds of claims, and of signed scans that have a budget with a total.
const (
	KnownClaim      ClaimKind = "known"    // not signed, of a stamp that a tenant has
	UnknownClaim    ClaimKind = "unknown"  // not signed, of another
	SignedKnown     ClaimKind = "stamp"    // of strangers and newcomers, of a stamp that a tenant has
	SignedUnknown   ClaimKind = "signed"   // of strangers, of another, and clock events
	NewcomerUnknown ClaimKind = "newcomer" // the same of newcomers
	ProvenUnknown   ClaimKind = "proven"   // the same of proven devices
	Findings        ClaimKind = "finding"  // not bytes, but findings that are reported to a tenant
)

// claimBudgets are the bytes in claimsFor of all clients together. One client, an address or
// a proven device, has at most a part of what the others leave: 1/share of the rest.
var claimBudgets = map[ClaimKind]struct {
	total, share int64
}{
	KnownClaim:      {8 << 20, 3},
	UnknownClaim:    {6 << 20, 3},
	SignedKnown:     {16 << 20, 3},
	SignedUnknown:   {6 << 20, 3},
	NewcomerUnknown: {6 << 20, 3},
	ProvenUnknown:   {24 << 20, 15},
}

// unknownKinds are the budgets for signed scans of stamps that no tenant has.
var unknownKinds = map[Standing]ClaimKind{Stranger: SignedUnknown, Newcomer: NewcomerUnknown, Proven: ProvenUnknown}

// Findings that are reported to a tenant in claimsFor. The scans beyond are stored with their
// findings, and cause neither an event nor a count.
const (
	findingsOfOthers = 100  // of all strangers and newcomers, for each tenant
	findingsOfProven = 1000 // of each proven device
)

// ClaimKind returns the budget with a total of a row from a device with a standing; ok is
// false if it has none.
func (r ScanRow) ClaimKind(s Standing) (kind ClaimKind, ok bool) {
	switch {
	case r.Signed && !r.Found:
		return unknownKinds[s], true
	case r.Signed:
		return SignedKnown, s != Proven
	case r.Found:
		return KnownClaim, true
	}
	return UnknownClaim, true
}

// IsClaim reports whether a row is a claim of a stamp that no tenant has, which is stored
// separately.
func (r ScanRow) IsClaim() bool { return !r.Signed && !r.Found }

// A claimAccount is one client's use of one kind.
type claimAccount struct {
	kind   ClaimKind
	client string
}

// A claimBudget is the rest of the budgets for the scans of one batch.
type claimBudget struct {
	tx       SyncTx
	address  string
	device   *Device // of a signed batch
	standing Standing
	trusting bool // [Config.Trusting]
	now      time.Time
	stamps   *stampMeter

	left, took map[claimAccount]int64
	ofStamps   map[stampUse]int64
	once       int64 // bytes of the batch and the device, for the first scan that is taken
}

// account returns the name under which the use of a kind is counted.
func (b *claimBudget) account(kind ClaimKind) claimAccount {
	if kind == ProvenUnknown {
		return claimAccount{kind, "d " + b.device.ScannerID}
	}
	return claimAccount{kind, "c " + b.address}
}

// rest reads how much an account has left.
func (b *claimBudget) rest(ctx context.Context, a claimAccount) (int64, error) {
	if left, ok := b.left[a]; ok {
		return left, nil
	}
	own, all, err := b.tx.ClaimBytes(ctx, a.client, a.kind, b.now.Add(-claimsFor))
	if err != nil {
		return 0, fmt.Errorf("read budget of claims: %w", err)
	}
	left := int64(findingsOfOthers) - own
	if limit, ok := claimBudgets[a.kind]; ok {
		left = (limit.total - all - limit.share*own) / (limit.share + 1)
	} else if b.standing == Proven {
		left = findingsOfProven - own
	}
	b.left[a] = left
	return left, nil
}

// change takes n from an account, or gives it back.
func (b *claimBudget) change(a claimAccount, n int64) {
	b.left[a] -= n
	b.took[a] += n
}

// take reports whether the budgets have room for a row, which it then takes.
func (b *claimBudget) take(ctx context.Context, r ScanRow) (bool, error) {
	size := claimSize(r) + b.once
	kind, total := r.ClaimKind(b.standing)
	if total {
		if left, err := b.rest(ctx, b.account(kind)); err != nil || left < size {
			return false, err
		}
	} else if !b.trusting && b.device.DayBytes+size > provenPerDay {
		return false, nil
	}
	use := stampUse{r.Reference, b.standing}
	if r.Found && !b.trusting && b.stamps.left(use, b.now)-b.ofStamps[use] < size {
		return false, nil
	}
	b.charge(r, size)
	b.once = 0
	return true, nil
}

// charge counts n bytes of a row; a negative n gives them back.
func (b *claimBudget) charge(r ScanRow, n int64) {
	if kind, total := r.ClaimKind(b.standing); total {
		b.change(b.account(kind), n)
	} else {
		b.device.DayBytes += n
	}
	if r.Found {
		b.ofStamps[stampUse{r.Reference, b.standing}] += n
	}
}

// giveBack returns the room of a row that was stored before.
func (b *claimBudget) giveBack(r ScanRow) {
	b.charge(r, -claimSize(r))
	if r.tells() && r.Finding != "" && !r.Quiet {
		b.change(b.findings(r.Tenant), -1)
	}
}

// tells reports whether the finding of a row is reported to its tenant.
func (r ScanRow) tells() bool { return r.Signed && r.Found && !r.Test }

// findings is the account for findings of a tenant's stamps.
func (b *claimBudget) findings(tenantRef string) claimAccount {
	if b.standing == Proven {
		return claimAccount{Findings, "d " + b.device.ScannerID}
	}
	return claimAccount{Findings, "t " + tenantRef}
}

// tell makes a row quiet unless one more finding may be reported to its tenant.
func (b *claimBudget) tell(ctx context.Context, r *ScanRow) error {
	if !r.tells() || r.Quiet {
		return nil
	}
	a := b.findings(r.Tenant)
	left, err := b.rest(ctx, a)
	if err != nil {
		return err
	}
	if r.Quiet = left < 1; !r.Quiet {
		b.change(a, 1)
	}
	return nil
}

func claimSize(r ScanRow) int64 { return int64(len(r.Item.AppendCanonical(nil)) + rowOverhead) }

// write stores the use of the budgets by the batch.
func (b *claimBudget) write(ctx context.Context) error {
	for a, n := range b.took {
		if err := b.tx.AddClaimBytes(ctx, a.client, a.kind, n, b.now.Add(-claimsFor), b.now); err != nil {
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
		r.Code, r.Message = codeScanBudget, "there are too many such scans at the moment: keep it and send it later"
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
