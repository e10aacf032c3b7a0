package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"tcode/offline"
	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/stamp"
	"tcode/sync/wire"
)

// A ScanRow is one scan as it is stored.
type ScanRow struct {
	ScannerID     string
	Signed        bool
	BatchID       string
	Item          wire.Item
	Digest        [32]byte
	SentAt        time.Time // zero in the single form
	ReceivedAt    time.Time
	Tenant        string // of the stamp, "" when none was found
	Reference     payload.Reference
	Found         bool // Tenant and Reference are set
	Verdict       Verdict
	VerdictAtScan Verdict
}

// SyncTx is one batch's transaction.
type SyncTx interface {
	// Records returns the stamps that tenants have of these references.
	Records(ctx context.Context, refs []payload.Reference) (map[payload.Reference]Record, error)
	// Pasts returns what happened to stamps and their issuers, by the stamps'
	// ids.
	Pasts(ctx context.Context, of []Record) (map[string]Past, error)
	// InsertScans stores scans of one scanner, each unless (scanner, signed,
	// scan id) has one already, before or in rows: then first[i] is the stored
	// one: its digest, verdicts and the scan's id and time. Else it is nil.
	InsertScans(ctx context.Context, rows []ScanRow) (first []*ScanRow, err error)
	// InsertConflict keeps a second scan under an id beside the first, once.
	InsertConflict(ctx context.Context, row ScanRow) error
	// InsertBatch keeps what a device signed.
	InsertBatch(ctx context.Context, b wire.Batch, p Proof, receivedAt time.Time) error
}

// Sync takes in a batch: each scan is judged, now and as of its time, and
// stored, all in one transaction, and exactly once however often the batch
// comes. A bad signature is an Unauthorized fault; without one the scans are
// claims, kept apart from what devices prove. The single form gets its ids
// here.
func (s *Service) Sync(ctx context.Context, b wire.Batch, p Proof) (wire.Reply, error) {
	signed := true
	if err := wire.VerifyBatch(b, p.DeviceKey, p.Signature); errors.Is(err, wire.ErrUnsigned) {
		signed = false
	} else if err != nil {
		return wire.Reply{}, fault.New(fault.Unauthorized, fault.CodeUnauthorized, "the batch's signature does not hold").WithErr(err)
	}
	now := wire.Stamp(s.c.Now())
	if b.Single {
		if err := completeSingle(&b, now); err != nil {
			return wire.Reply{}, err
		}
	}
	scans, err := s.readScans(ctx, b, signed, now)
	if err != nil {
		return wire.Reply{}, err
	}
	for i := range scans {
		scans[i].timed = b.Single
	}
	reply := wire.Reply{BatchID: b.ID, ReceivedAt: now}
	err = s.c.Store.Sync(ctx, func(tx SyncTx) error {
		// The transaction may run again: the results are those of the last run.
		results, news, err := storeScans(ctx, tx, scans, now)
		if err != nil {
			return err
		}
		reply.Results = results
		if !signed || !news {
			return nil
		}
		return tx.InsertBatch(ctx, b, p, now)
	})
	if err != nil {
		return wire.Reply{}, fmt.Errorf("sync batch: %w", err)
	}
	for _, r := range reply.Results {
		if r.Verdict != "" {
			s.c.Count(ByScan, Verdict(r.Verdict))
		}
	}
	return reply, s.receipt(b, signed, &reply)
}

// errTooLong refuses what no payload can be, so that nobody stores anything else
// with us.
var errTooLong = fmt.Errorf("payload is longer than %d bytes", payload.MaxLen)

// completeSingle gives the usage example's form what a batch has.
func completeSingle(b *wire.Batch, now time.Time) error {
	b.Items = slices.Clone(b.Items) // the caller's batch stays as it came
	for _, id := range []*string{&b.ID, &b.Items[0].ScanID} {
		if *id != "" {
			continue
		}
		u, err := uuid.NewV7()
		if err != nil {
			return fmt.Errorf("make scan id: %w", err)
		}
		*id = u.String()
	}
	if b.Items[0].ScannedAt.IsZero() {
		b.Items[0].ScannedAt = now
	}
	return nil
}

// receipt signs for what is held. A claim under the name of a device gets none:
// it would read as if the device had sent it.
func (s *Service) receipt(b wire.Batch, signed bool, reply *wire.Reply) error {
	if !signed && wire.Keyed(b.ScannerID) {
		return nil
	}
	r, ok := wire.NewReceipt(b, reply.Results, reply.ReceivedAt)
	if !ok {
		return nil
	}
	var err error
	if reply.Receipt, err = s.c.Receipts.SignReceipt(r); err != nil {
		return fmt.Errorf("sign receipt: %w", err)
	}
	return nil
}

// scan is one item on its way into the store.
type scan struct {
	row      ScanRow
	rejected error // the payload member has none of its forms: nothing to store
	timed    bool  // the time is ours, from when it came in: a repeat has another

	lookup    bool // reference names a stamp to look for
	reference payload.Reference
	core      []byte // of the payload, to compare with the stamp's; nil for a typed reference
}

// readScans does what needs no lock: decoding, and the signatures, which cost
// more than all else together.
func (s *Service) readScans(ctx context.Context, b wire.Batch, signed bool, now time.Time) ([]scan, error) {
	scans := make([]scan, len(b.Items))
	known := make(issuers)
	for i, it := range b.Items {
		sc := &scans[i]
		sc.row = ScanRow{
			ScannerID: b.ScannerID, Signed: signed, BatchID: b.ID, Item: it, Digest: it.Digest(),
			SentAt: b.SentAt, ReceivedAt: now, Verdict: NotFound, VerdictAtScan: NotFound,
		}
		if it.Payload == "" {
			ref, err := payload.ParseReference(it.Reference)
			sc.reference, sc.lookup = ref, err == nil
			continue
		}
		raw, err := wire.PayloadBytes(it.Payload)
		if err == nil && len(raw) > payload.MaxLen {
			err = errTooLong
		}
		if err != nil {
			sc.rejected = err
			continue
		}
		a, err := s.authenticate(ctx, raw, known)
		if err != nil {
			return nil, err
		}
		if a.verdict == "" {
			sc.reference, sc.lookup, sc.core = a.payload.Reference, true, core(raw)
		}
	}
	return scans, nil
}

// storeScans judges scans by the rows as they are inside the transaction and
// stores them. news reports that not all of them were known.
func storeScans(ctx context.Context, tx SyncTx, scans []scan, now time.Time) (results []wire.ItemResult, news bool, err error) {
	records, pasts, err := lookUp(ctx, tx, scans)
	if err != nil {
		return nil, false, err
	}
	rows, held := make([]ScanRow, 0, len(scans)), make([]int, 0, len(scans))
	results = make([]wire.ItemResult, len(scans))
	for i, sc := range scans {
		results[i].ScanID = sc.row.Item.ScanID
		if sc.rejected != nil {
			results[i].Result, results[i].Code, results[i].Message = wire.Rejected, fault.CodeInvalidPayload, sc.rejected.Error()
			continue
		}
		if status := sc.judge(records, pasts, now); sc.row.Found {
			results[i].Reference, results[i].Status = sc.row.Reference.String(), string(status)
		}
		rows, held = append(rows, sc.row), append(held, i)
	}
	first, err := tx.InsertScans(ctx, rows)
	if err != nil {
		return nil, false, err
	}
	for n, i := range held {
		if err := scans[i].result(ctx, tx, rows[n], first[n], &results[i]); err != nil {
			return nil, false, fmt.Errorf("scan %d: %w", i, err)
		}
		news = news || results[i].Result != wire.Duplicate
	}
	return results, news, nil
}

// lookUp reads what the verdicts rest on.
func lookUp(ctx context.Context, tx SyncTx, scans []scan) (map[payload.Reference]Record, map[string]Past, error) {
	seen := make(map[payload.Reference]bool)
	var refs []payload.Reference
	for _, sc := range scans {
		if sc.rejected == nil && sc.lookup && !seen[sc.reference] {
			seen[sc.reference] = true
			refs = append(refs, sc.reference)
		}
	}
	records, err := tx.Records(ctx, refs)
	if err != nil {
		return nil, nil, err
	}
	of := make([]Record, 0, len(records))
	for _, ref := range refs { // in the batch's order
		if r, ok := records[ref]; ok {
			of = append(of, r)
		}
	}
	pasts, err := tx.Pasts(ctx, of)
	return records, pasts, err
}

// result says what became of a scan, stored as row unless there was a first.
func (sc scan) result(ctx context.Context, tx SyncTx, row ScanRow, first *ScanRow, res *wire.ItemResult) error {
	res.Verdict, res.VerdictAtScan = string(row.Verdict), string(row.VerdictAtScan)
	switch {
	case first == nil:
		res.Result = wire.Accepted
	case sc.same(*first):
		res.Result = wire.Duplicate
		res.VerdictAtScan = string(first.VerdictAtScan)
	default:
		res.Result = wire.Conflict
		res.Message = "another scan has this scanId; both are kept"
		if err := tx.InsertConflict(ctx, row); err != nil {
			return err
		}
	}
	res.Changed = res.Verdict != res.VerdictAtScan
	return nil
}

// same reports whether the scan is the stored one come again.
func (sc scan) same(first ScanRow) bool {
	if sc.timed {
		sc.row.Item.ScannedAt = first.Item.ScannedAt
		sc.row.Digest = sc.row.Item.Digest()
	}
	return sc.row.Digest == first.Digest
}

// judge fills in the verdicts, and the stamp if there is one.
func (sc *scan) judge(records map[payload.Reference]Record, pasts map[string]Past, now time.Time) stamp.Status {
	r, ok := records[sc.reference]
	if !sc.lookup || !ok || sc.core != nil && recordCheck(sc.core, r, true).Status != offline.Pass {
		return ""
	}
	sc.row.Found, sc.row.Tenant, sc.row.Reference = true, r.Stamp.Tenant, r.Stamp.Reference
	sc.row.Verdict = r.now(now).word()
	sc.row.VerdictAtScan = pasts[r.Stamp.ID].at(r, sc.row.Item.ScannedAt).word()
	return r.Stamp.Status
}

// Scans returns one page of a document's scans. Anyone sees verdicts and times;
// where, by whom and what the device said is for the document's tenant. An
// unknown reference has no scans.
func (s *Service) Scans(ctx context.Context, v Viewer, reference string, f ScanFilter) (ScanPage, error) {
	var p fault.Fields
	f.Page, f.PageSize = stamp.CheckPage(&p, f.Page, f.PageSize)
	if !f.From.IsZero() && !f.To.IsZero() && !f.From.Before(f.To) {
		p.Add("To", "must be after From")
	}
	if err := p.Err(); err != nil {
		return ScanPage{}, err
	}
	empty := ScanPage{Page: f.Page, PageSize: f.PageSize}
	ref, err := payload.ParseReference(reference)
	if err != nil {
		return empty, nil
	}
	r, err := s.c.Store.RecordByReference(ctx, ref)
	if fault.Is(err, fault.NotFound) {
		return empty, nil
	}
	if err != nil {
		return ScanPage{}, err
	}
	page, err := s.c.Store.Scans(ctx, r.Stamp.Tenant, ref, f)
	if err != nil {
		return ScanPage{}, err
	}
	page.OwnTenant = v.owns(r.Stamp.Tenant, r.Stamp.Test)
	if !page.OwnTenant {
		for i, it := range page.Items {
			page.Items[i] = Scan{Verdict: it.Verdict, VerifiedAt: it.VerifiedAt}
		}
	}
	return page, nil
}
