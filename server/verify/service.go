package verify

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"tcode/offline"
	"tcode/offline/digest"
	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/platform/round"
	"tcode/server/tenant"
	"tcode/sync/wire"
)

// Store stores verifications. Package store implements it.
type Store interface {
	DocumentStore
	DeviceStore
	TenantDeviceStore
	FindingStore
	// RecordByReference returns a NotFound fault if no tenant has the stamp.
	RecordByReference(ctx context.Context, ref payload.Reference) (Record, error)
	// RecordByHash returns the stamp whose stamped file, or else whose original,
	// has the SHA-256, and how many such stamps there are; it is a NotFound
	// fault if there is none. For an original that was stamped more than once
	// they are the live ones, or else the test ones, of the tenant that stamped
	// it first, and the stamp is the newest Active of them, else the newest: what
	// others do with a copy, or anyone with a test key, changes no answer and is
	// not counted.
	RecordByHash(ctx context.Context, sha256 digest.SHA256) (Record, MatchedOn, int, error)
	// Issuer returns a tenant and, if it has one of that number, its key in a
	// list of one. It is a NotFound fault if there is no such tenant.
	Issuer(ctx context.Context, reference string, seq uint8) (tenant.Tenant, []tenant.SigningKey, error)
	// AddVerifications appends to the history.
	AddVerifications(ctx context.Context, entries []Entry) error
	// Tallies counts the newest verifications of one of a tenant's stamps or documents by
	// verdict, at most limit of them.
	Tallies(ctx context.Context, tenant string, kind Kind, reference [10]byte, limit int) ([]Tally, error)
	// Verifications returns one page of a tenant's history of stamps or of
	// documents, newest first.
	Verifications(ctx context.Context, tenant string, f HistoryFilter, p Page) (HistoryPage, error)
	// Sync runs fn in one transaction.
	Sync(ctx context.Context, fn func(SyncTx) error) error
	// ExpireClaims deletes claims of stamps that no tenant has from before a time, and the
	// counts of claims until then.
	ExpireClaims(ctx context.Context, before time.Time) error
	// Scans returns one page of a document's scans, newest first; Verdict is
	// not set.
	Scans(ctx context.Context, tenant string, ref payload.Reference, f ScanFilter) (ScanPage, error)
}

// Receipts signs receipts. Package publish implements it.
type Receipts interface {
	SignReceipt(r wire.Receipt) (string, error)
}

// Config is the configuration of a [Service]. Store and Receipts are required.
type Config struct {
	Store    Store
	Receipts Receipts
	// Count, if set, is called with every verdict. It must be fast and safe for concurrent
	// use.
	Count func(Method, Verdict)
	// Room, if set, returns an error if there is no space for data that can wait: history, and
	// unsigned scans.
	Room func() error
	// ScanRoom, if set, returns an error if signed scans of known stamps must wait, because the
	// rest of the space is for revocations and publication. Devices without a history wait
	// first.
	ScanRoom func(proven bool) error
	// Trusting: only the operator's own devices reach the gateway, so that each is proven, and
	// its scans of known stamps have no budget.
	Trusting bool
	// Outage reports whether an error is that of a database or disk that cannot be used now; nil: every
	// one is.
	Outage func(error) bool
	Now    func() time.Time // nil: time.Now
	Log    *slog.Logger     // nil: discards
}

// Service is the verification domain. It is safe for concurrent use. Run writes its
// history; without Run the history is written when a page of it is full and by
// [Service.Flush].
type Service struct {
	c Config

	stamps stampMeter

	// mu guards pending only; it is never held while rows are written, so that
	// an answer does not wait for the disk.
	mu      sync.Mutex
	pending []Entry

	// writing is held while rows are written, so that concurrent requests do not all call a
	// slow store.
	writing sync.Mutex

	unwritten round.Repeated
}

// New returns the service.
func New(c Config) *Service {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Room == nil {
		c.Room = func() error { return nil }
	}
	if c.ScanRoom == nil {
		c.ScanRoom = func(bool) error { return nil }
	}
	if c.Outage == nil {
		c.Outage = func(error) bool { return true }
	}
	if c.Count == nil {
		c.Count = func(Method, Verdict) {}
	}
	return &Service{c: c, unwritten: round.Repeated{Log: c.Log, What: "write verification history"}}
}

// ByReference answers for a reference as a person types it. A malformed or
// unknown one is the verdict not_found and no error.
func (s *Service) ByReference(ctx context.Context, v Viewer, reference string) (res Result, err error) {
	defer func() { s.count(ByReference, res.Verdict, err) }()
	ref, err := payload.ParseReference(strings.TrimSpace(reference))
	if err != nil {
		return Result{Verdict: NotFound}, nil
	}
	r, err := s.c.Store.RecordByReference(ctx, ref)
	if err != nil {
		return Result{Verdict: NotFound}, unlessNotFound(err)
	}
	return s.answer(ctx, v, r, ByReference), nil
}

// count counts a verdict, if there is one.
func (s *Service) count(m Method, v Verdict, err error) {
	if err == nil {
		s.c.Count(m, v)
	}
}

// unlessNotFound is err, or nil if err says that there is no such row: that is a
// verdict and no error.
func unlessNotFound(err error) error {
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

// ByHash answers for the SHA-256 of a file, 64 hex digits. A malformed or
// unknown one is the verdict not_found and no error.
func (s *Service) ByHash(ctx context.Context, v Viewer, hash string) (res Result, err error) {
	defer func() { s.count(ByHash, res.Verdict, err) }()
	sha256, err := digest.Parse(strings.ToLower(strings.TrimSpace(hash)))
	if err != nil {
		return Result{Verdict: NotFound}, nil
	}
	r, on, n, err := s.c.Store.RecordByHash(ctx, sha256)
	if err != nil {
		return Result{Verdict: NotFound}, unlessNotFound(err)
	}
	res = s.answer(ctx, v, r, ByHash)
	if res.Verdict != NotFound {
		if res.MatchedOn, res.MatchCount = on, n; on == OnOriginal {
			res.Reason = notStamped(n)
		}
	}
	return res, nil
}

// ParsePayload reads a payload in Base64 or in its text form. It checks no signature. The error is an
// invalid-payload fault.
func ParsePayload(text string) (p payload.Payload, raw []byte, err error) {
	raw, err = wire.PayloadBytes(text)
	if err == nil {
		p, err = payload.Parse(raw)
	}
	if err != nil {
		return payload.Payload{}, nil, invalidPayload(err)
	}
	return p, raw, nil
}

// ByPayload answers for what a symbol holds, in one of the three forms of
// [wire.PayloadBytes]. What does not decode or parse is an INVALID_PAYLOAD fault;
// what does, and fails a later check, is the verdict not_found with its checks.
func (s *Service) ByPayload(ctx context.Context, v Viewer, text string) (res Result, err error) {
	defer func() { s.count(ByPayload, res.Verdict, err) }()
	p, raw, err := ParsePayload(text)
	if err != nil {
		return Result{}, err
	}
	a, err := s.authenticate(ctx, p, raw, nil)
	if err != nil {
		return Result{}, err
	}
	if a.verdict != "" {
		return Result{Verdict: NotFound, Checks: a.checks, Assurance: offline.AssuranceNone}, nil
	}
	r, err := s.c.Store.RecordByReference(ctx, p.Reference)
	held := !fault.Is(err, fault.NotFound)
	if held && err != nil {
		return Result{}, err
	}
	if c := recordCheck(payload.Core(raw), r, held); c.Status != offline.Pass {
		return Result{Verdict: NotFound, Checks: append(a.checks, c), Assurance: offline.AssuranceNone}, nil
	}
	res = s.answer(ctx, v, r, ByPayload)
	survived(a.checks)
	if res.Verdict == NotFound {
		res.Checks = slices.Concat(a.checks, res.Checks)
		return res, nil
	}
	res.Checks = slices.Concat(a.checks, res.Checks[1:]) // issuer_active is already among the first
	res.Assurance = offline.AssuranceStatus
	return res, nil
}

func invalidPayload(err error) error {
	return fault.New(fault.Invalid, fault.CodeInvalidPayload, "the payload cannot be decoded: %v", err).
		WithField("payload", "%v", err)
}

// authentic is the result for a payload without its row.
type authentic struct {
	checks  []offline.Check
	verdict offline.Verdict // "" when nothing is against it
}

// issuers caches issuers for the rest of one request: most scans of a batch often have the
// same one.
type issuers map[issuerKey]issuer

type issuerKey struct {
	reference string
	seq       uint8
}

// authenticate runs the devices' own checks on p, which was parsed from raw, against
// the gateway's keys. known, if not nil, keeps these keys for the next payload.
func (s *Service) authenticate(ctx context.Context, p payload.Payload, raw []byte, known issuers) (a authentic, err error) {
	key := issuerKey{p.Issuer, p.KeySeq}
	keys, ok := known[key]
	if !ok {
		keys.tenant, keys.keys, err = s.c.Store.Issuer(ctx, p.Issuer, p.KeySeq)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return a, err
		}
		if known != nil {
			known[key] = keys
		}
	}
	a.checks, a.verdict = offline.AuthenticateParsed(p, payload.Core(raw), keys, s.c.Now())
	return a, nil
}

// answer returns the result for a stamp of this gateway, and adds a line to its history.
func (s *Service) answer(ctx context.Context, v Viewer, r Record, m Method) Result {
	now := s.c.Now().UTC()
	st := r.now(now)
	row := rowChecks(r, st)
	res := Result{
		Verdict: st.word(), Checks: []offline.Check{issuerCheck(st.issuerActive), row[0], row[1], row[2]},
		Status: st.shown(), Reference: r.Stamp.Reference, IssuerReference: r.Issuer.Reference, IssuerName: r.Issuer.Name,
		Document: r.Stamp.Document, PageName: r.Stamp.Name, Template: r.Stamp.TdocTemplateID,
		KeyID: tenant.KeyID(r.Issuer.Reference, r.Stamp.KeySeq), IssuedAt: r.Stamp.IssuedAt, Fields: r.Stamp.Fields, Test: r.Stamp.Test, StatusAsOf: now,
		Replaces: r.Stamp.Replaces, ReplacedBy: r.Stamp.ReplacedBy, ErasedAt: r.Stamp.ErasedAt,
		DocumentType: r.Kind,
	}
	if v.owns(r.Issuer.Reference, r.Stamp.Test) {
		res.Name = r.Stamp.Name
	}
	if !v.accepts(r.Stamp.Test) {
		res = Result{Verdict: NotFound, Checks: []offline.Check{notTest}, Assurance: offline.AssuranceNone, Test: true}
	}
	s.remember(ctx, Entry{
		Tenant: r.Issuer.Reference, Kind: OfStamp, Reference: r.Stamp.Reference, Verdict: res.Verdict, Method: m,
		ViewerKey: v.KeyPrefix, VerifiedAt: now, Test: r.Stamp.Test, ScannerID: v.ScannerID, Location: v.Location,
	})
	return res
}
