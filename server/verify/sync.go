package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"tcode/offline/digest"
	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/issue/stamp"
	"tcode/server/platform/pace"
	"tcode/sync/wire"
)

// A ScanRow is one scan in its stored form.
type ScanRow struct {
	ScannerID     string
	Signed        bool
	BatchID       string
	Item          wire.Item
	Digest        digest.SHA256
	SentAt        time.Time // zero in the single form
	ReceivedAt    time.Time
	Tenant        string // of the stamp, "" if none was found
	Reference     payload.Reference
	Found         bool // Tenant and Reference are set
	Verdict       Verdict
	VerdictAtScan Verdict
	Test          bool // the stamp is a test document
	Finding       wire.Finding
	Swept         bool // of a first scan: it was deleted because of its age, and only Digest is left
	Quiet         bool // its finding is reported to no tenant
}

// SyncTx is one batch's transaction.
type SyncTx interface {
	// Records returns the stamps with these references.
	Records(ctx context.Context, refs []payload.Reference) (map[payload.Reference]Record, error)
	// Pasts returns the histories of stamps and their issuers, by the stamps'
	// ids.
	Pasts(ctx context.Context, of []Record) (map[string]Past, error)
	// InsertScans stores scans of one scanner. If there is one with the same (scanner, signed,
	// scan id) already, before or in rows, first[i] is the stored one: its digest, verdicts
	// and the scan's id and time; of one that was deleted because of its age, only the digest.
	// Otherwise first[i] is nil. Claims ([ScanRow.IsClaim]) are
	// stored separately.
	InsertScans(ctx context.Context, rows []ScanRow) (first []*ScanRow, err error)
	// InsertConflict stores a second scan under an id in addition to the first, once.
	InsertConflict(ctx context.Context, row ScanRow) error
	// InsertClockEvents stores the clock events of a device's batch, each once, and returns
	// the number of new ones.
	InsertClockEvents(ctx context.Context, b wire.Batch, receivedAt time.Time) (news int, err error)
	// InsertBatch stores the signed data of a device.
	InsertBatch(ctx context.Context, b wire.Batch, p Proof, receivedAt time.Time) error

	// Device returns a device's record, and blocks its other batches until the transaction
	// ends.
	Device(ctx context.Context, scannerID string) (Device, error)
	// ScansNumbered returns the ids of a device's first scans with these numbers.
	ScansNumbered(ctx context.Context, scannerID string, seqs []uint64) (map[uint64]string, error)
	// PutDevice stores a device's record, and sends events about clones.
	PutDevice(ctx context.Context, d Device, clones []Clone) error

	// ClaimBytes returns the bytes of a client's claims since a time, and those of all
	// clients. Clients have names that begin with a letter and a space: c for addresses, d
	// for devices, t for tenants.
	ClaimBytes(ctx context.Context, client string, kind ClaimKind, since time.Time) (own, all int64, err error)
	// AddClaimBytes adds to both; counts from before since are deleted.
	AddClaimBytes(ctx context.Context, client string, kind ClaimKind, n int64, since, now time.Time) error
}

// Sync judges each scan of a batch, now and at its time, and stores it, all in one transaction, and exactly once
// however often the batch is sent. The same holds for a device's clock events. A bad signature is an Unauthorized
// fault, a refused device ([Service.RefuseDevice]) a Forbidden one. Scans without a signature are claims, stored separately from those that devices prove. The single form
// gets its ids here.
//
// A batch is a request: if it ends the gateway, its transaction is undone, and no gateway begins it
// again by itself. Its device does, with growing waits.
func (s *Service) Sync(ctx context.Context, b wire.Batch, p Proof) (wire.Reply, error) {
	signed := true
	if err := wire.VerifyBatch(b, p.DeviceKey, p.Signature); errors.Is(err, wire.ErrUnsigned) {
		signed, b.Clock = false, nil // any client could report about any clock
	} else if err != nil {
		return wire.Reply{}, fault.New(fault.Unauthorized, fault.CodeUnauthorized, "the batch's signature does not hold").WithErr(err)
	}
	now := wire.TruncateMillis(s.c.Now())
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
		scans[i].timed, scans[i].accepts = b.Single, p.Test
	}
	pace.Of(ctx).Rest()
	reply := wire.Reply{BatchID: b.ID, ReceivedAt: now}
	var stamps map[stampUse]int64
	err = s.c.Store.Sync(ctx, func(tx SyncTx) error {
		// The transaction may run again: the results of the last run count.
		run := s.newRun(tx, signed, p.Client, now)
		results, news, err := run.store(ctx, b, scans)
		if err != nil {
			return err
		}
		reply.Results, stamps = results, run.budget.ofStamps
		switch {
		case !news:
			return errNoNews
		case !signed:
			return nil
		}
		return tx.InsertBatch(ctx, b, p, now)
	})
	if err != nil && !errors.Is(err, errNoNews) {
		return wire.Reply{}, fmt.Errorf("sync batch: %w", err)
	}
	s.stamps.add(stamps)
	pace.Of(ctx).Rest()
	for _, r := range reply.Results {
		if r.Verdict != "" {
			s.c.Count(ByScan, Verdict(r.Verdict))
		}
	}
	return reply, s.receipt(b, signed, &reply)
}

// errNoNews undoes a transaction that has stored nothing: not even a row of a new device.
var errNoNews = errors.New("nothing in the batch is new")

// errTooLong refuses a text that is too long for a payload, so that no client stores other
// data here.
var errTooLong = fmt.Errorf("payload is longer than %d bytes", payload.MaxLen)

// completeSingle adds the missing members of a batch to the usage example's form.
func completeSingle(b *wire.Batch, now time.Time) error {
	b.Items = slices.Clone(b.Items) // the caller's batch does not change
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

// receipt signs for the stored scans. A claim under the name of a device gets no receipt,
// which would look as if the device had sent it.
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

// scan is one item on its way to the store.
type scan struct {
	row      ScanRow
	rejected error // the payload member has no valid form: nothing to store
	timed    bool  // the time is the gateway's time of arrival: a repeat has another
	accepts  bool  // the sender may see the verdict of a test document

	lookup    bool // reference names a stamp to look up
	reference payload.Reference
	genuine   bool   // reference was typed, or is that of a payload with a good signature
	core      []byte // of the payload, to compare with the stamp's; nil for a typed reference
	status    stamp.Status
	erased    bool // the issuer erased the personal data of the stamp that is named
}

// readScans does the work that needs no lock: decoding, and checking the signatures, which
// cost more than everything else together.
func (s *Service) readScans(ctx context.Context, b wire.Batch, signed bool, now time.Time) ([]scan, error) {
	scans := make([]scan, len(b.Items))
	known := make(issuers)
	work := pace.Of(ctx)
	for i, it := range b.Items {
		work.Rest()
		sc := &scans[i]
		sc.row = ScanRow{
			ScannerID: b.ScannerID, Signed: signed, BatchID: b.ID, Item: it, Digest: it.Digest(),
			SentAt: b.SentAt, ReceivedAt: now, Verdict: NotFound, VerdictAtScan: NotFound,
		}
		if it.Payload == "" {
			ref, err := payload.ParseReference(strings.TrimSpace(it.Reference))
			sc.reference, sc.lookup, sc.genuine = ref, err == nil, true
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
		p, err := payload.Parse(raw)
		if err != nil {
			continue // it names no stamp: the verdict stays not_found
		}
		sc.reference, sc.lookup = p.Reference, true
		a, err := s.authenticate(ctx, p, raw, known)
		if err != nil {
			return nil, err
		}
		if a.verdict == "" {
			sc.genuine, sc.core = true, payload.Core(raw)
		}
	}
	return scans, nil
}

// store judges scans by the rows inside the transaction and stores them. news reports
// whether any of them was new.
func (r *syncRun) store(ctx context.Context, b wire.Batch, scans []scan) (results []wire.ItemResult, news bool, err error) {
	if r.signed {
		if err := r.begin(ctx, b.ScannerID); err != nil {
			return nil, false, err
		}
	}
	records, pasts, err := lookUp(ctx, r.tx, scans)
	if err != nil {
		return nil, false, err
	}
	rows, held := make([]ScanRow, 0, len(scans)), make([]int, 0, len(scans))
	results = make([]wire.ItemResult, len(scans))
	work := pace.Of(ctx)
	for i := range scans {
		work.Rest()
		sc, res := &scans[i], &results[i]
		res.ScanID = sc.row.Item.ScanID
		if sc.rejected != nil {
			res.Result, res.Code, res.Message = wire.Rejected, fault.CodeInvalidPayload, sc.rejected.Error()
			continue
		}
		sc.judge(records, pasts, r.now)
		row := sc.stored()
		took, err := r.take(ctx, row)
		if err == nil && took && row.Finding != "" {
			err = r.budget.tell(ctx, &row)
		}
		if err != nil {
			return nil, false, err
		}
		if !took {
			overBudget(res, r.signed)
			continue
		}
		rows, held = append(rows, row), append(held, i)
	}
	first, err := r.tx.InsertScans(ctx, rows)
	if err != nil {
		return nil, false, err
	}
	fresh := make([]ScanRow, 0, len(rows))
	for n, i := range held {
		if err := scans[i].result(ctx, r, rows[n], first[n], &results[i]); err != nil {
			return nil, false, fmt.Errorf("scan %d: %w", i, err)
		}
		if results[i].Result != wire.Duplicate {
			news = true
		} else {
			r.budget.giveBack(rows[n])
		}
		if first[n] == nil {
			fresh = append(fresh, rows[n])
		}
	}
	if r.signed {
		events, err := r.clockEvents(ctx, b)
		if err == nil {
			err = r.watch(ctx, fresh, events, news)
		}
		if err != nil {
			return nil, false, err
		}
		news = news || events > 0
	}
	if news {
		err = r.budget.write(ctx)
	}
	return results, news, err
}

// clockEvents stores the clock events of the batch and returns the number of new ones.
// They use the budget of the device's scans of unknown stamps; if it has no room for them,
// the batch is refused and must be sent again.
func (r *syncRun) clockEvents(ctx context.Context, b wire.Batch) (news int, err error) {
	if len(b.Clock) == 0 {
		return 0, nil
	}
	account := r.budget.account(unknownKinds[r.budget.standing])
	left, err := r.budget.rest(ctx, account)
	if err != nil {
		return 0, err
	}
	if r.low || left < int64(len(b.Clock))*clockEventSize+r.budget.once {
		return 0, fault.New(fault.RateLimited, fault.CodeRateLimited, "there are too many clock events at the moment: keep them and send them later")
	}
	news, err = r.tx.InsertClockEvents(ctx, b, r.now)
	if news > 0 {
		r.budget.change(account, int64(news)*clockEventSize+r.budget.once)
	}
	return news, err
}

// lookUp reads the data for the verdicts.
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

// result sets the result of a scan, stored as row unless there was a first one.
func (sc scan) result(ctx context.Context, run *syncRun, row ScanRow, first *ScanRow, res *wire.ItemResult) error {
	res.Verdict, res.VerdictAtScan = string(row.Verdict), string(row.VerdictAtScan)
	if row.Found {
		res.Reference, res.Status = row.Reference.String(), string(sc.status)
	}
	switch {
	case first == nil:
		res.Result = wire.Accepted
	case sc.same(*first):
		res.Result = wire.Duplicate
		if !first.Swept {
			res.VerdictAtScan = string(first.VerdictAtScan)
		}
	default:
		res.Result = wire.Conflict
		res.Message = "another scan has this scanId; both are kept"
		if row.Finding == "" {
			if err := run.budget.tell(ctx, &row); err != nil {
				return err
			}
		}
		if err := run.tx.InsertConflict(ctx, row); err != nil {
			return err
		}
	}
	if row.Test && !sc.accepts {
		res.Verdict, res.VerdictAtScan = string(NotFound), string(NotFound)
		res.Reference, res.Status, res.Message = "", "", "a test document: it proves nothing"
	}
	res.Changed = res.Verdict != res.VerdictAtScan
	return nil
}

// same reports whether the scan is a repeat of the stored one.
func (sc scan) same(first ScanRow) bool {
	if sc.timed && first.Swept {
		return true // the time in its digest is lost
	}
	if sc.timed {
		sc.row.Item.ScannedAt = first.Item.ScannedAt
		sc.row.Digest = sc.row.Item.Digest()
	}
	return sc.row.Digest == first.Digest
}
