// Package feed brings trust documents from a gateway into the device's trust state.
// Start with [New] and [Feed.Enrol], then call [Feed.Refresh].
//
//	root N+1, N+2, ... ──▶ Book (immediately and alone: it may end the trust in a stolen key)
//	timestamp ─▶ bundle, status ─▶ delta, or changed packs ─▶ shards ──▶ Book (one complete set, one commit)
//	                   └─ a key is compromised ─▶ survivor lists ──▶ Book
//	nonce ─▶ time note ──▶ Book (a proof of time; a mirror has none, and nothing depends on it)
//
// The package trusts no server: the Book applies the rules of package trust to
// every answer, and a refusal leaves the old state and records the reason.
// Signed hashes decide what to fetch, so a fetch cannot race a publication.
// Sending scans (package uplink) and fetching documents do not depend on each
// other.
//
// offline/README.md, "Trust documents", has the rules for accepting documents.
package feed

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"tcode/offline"
	"tcode/offline/digest"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
	"tcode/offline/trustbook"
	"tcode/sync/transport"
	"tcode/sync/wire"
)

// Path is the path of the trust store below the gateway's base URL.
const Path = "/v1/reference-data/trust-store/"

// HTTP statuses with a meaning here.
const (
	statusOK       = 200
	statusNotFound = 404
)

// DefaultTimeout bounds a whole run with all its requests.
const DefaultTimeout = time.Minute

var (
	// ErrNoGateway means that the device was enrolled without a gateway: it
	// receives trust documents by file.
	ErrNoGateway = errors.New("no gateway known to this device")
	// ErrTooLarge means that an answer is longer than any document of its kind.
	ErrTooLarge = errors.New("answer too large")
	// ErrMoreRoots means that the run accepted the largest number of roots of
	// one run, and that the documents are signed under a later root: the next
	// run continues there.
	ErrMoreRoots = fmt.Errorf("%d new roots were taken, and there are more: refresh again", trust.MaxRootRun)
	// ErrTimeout means that the run took too long.
	ErrTimeout = errors.New("gateway too slow")
)

// A StatusError is an HTTP answer without a document.
type StatusError struct {
	Path   string // below the base URL
	Status int    // HTTP status
	Text   string // of the status, as the transport has it
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("gateway answers %d %s for %s", e.Status, e.Text, e.Path)
}

// Config configures a Feed.
type Config struct {
	Book *trustbook.Book // required
	// Gateway is the base URL, with or without /v1 at its end. If it is empty,
	// the Feed uses the URL with which this device enrolled.
	Gateway   string
	Transport transport.Transport // required
	Timeout   time.Duration       // of a whole run; 0: DefaultTimeout
	// Boot reads the boot-time clock. If it is nil, the Feed asks for no proof of time.
	Boot func() offline.Boot
	// ProofEvery is the age up to which the Feed keeps the last proof of time,
	// if it is of this start of the machine. 0: each run asks for a new one.
	ProofEvery time.Duration
	Now        func() time.Time // nil: time.Now
	UserAgent  string           // empty: "tcode"
}

// A Feed fetches trust documents. Call only one of its methods at a time.
type Feed struct {
	cfg Config
}

// New returns a Feed; it starts nothing.
func New(cfg Config) (*Feed, error) {
	if cfg.Gateway != "" {
		base, err := wire.BaseURL(cfg.Gateway)
		if err != nil {
			return nil, err
		}
		cfg.Gateway = base
	}
	if cfg.Timeout <= 0 {
		cfg.Timeout = DefaultTimeout
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.UserAgent == "" {
		cfg.UserAgent = "tcode"
	}
	return &Feed{cfg}, nil
}

// Report describes the result of a refresh.
type Report struct {
	Fingerprint trust.Fingerprint // of the pinned root
	Changes     trust.Changes
	Survivors   int   // survivor lists fetched
	Requests    int   // sent
	Bytes       int64 // of bodies read
	// Timestamp is the verified timestamp. It does not tell the present time: a
	// mirror may have kept it for a long time.
	Timestamp *trust.Timestamp

	Proof     offline.Proof        // of the time; zero: none
	Corrected trustbook.Correction // the dates that the proof lowered
	// ProofErr says why there is no proof. The run itself has not failed:
	// mirrors give no time.
	ProofErr error
}

// Enrol pins the gateway's trust root and fetches a first set. The root must have
// the fingerprint want. If want is nil, Enrol pins the first root that it receives,
// and the program should show Report.Fingerprint to a person. Enrolling again with
// the same root is harmless; with another root the error is trustbook.ErrOtherRoot.
//
// If Enrol has pinned the root but cannot fetch the first set, it returns an
// error, and the device is enrolled nevertheless: Refresh continues from there.
func (f *Feed) Enrol(ctx context.Context, want *trust.Fingerprint) (Report, error) {
	if f.cfg.Gateway == "" {
		return Report{}, fmt.Errorf("enrol: %w", ErrNoGateway)
	}
	whole := ctx
	ctx, cancel := context.WithTimeout(ctx, f.cfg.Timeout)
	defer cancel()
	r := &run{Feed: f, base: f.cfg.Gateway}
	raw, err := r.get(ctx, "root/1", trust.MaxRootLen)
	if err != nil {
		return r.report, fmt.Errorf("enrol: %w", err)
	}
	state, err := trust.Pin([][]byte{raw}, want)
	if err != nil {
		return r.report, fmt.Errorf("enrol: %w", err)
	}
	if state, _, err = r.follow(ctx, state); err != nil {
		return r.report, fmt.Errorf("enrol: %w", err)
	}
	r.report.Fingerprint = state.Fingerprint
	if err := f.cfg.Book.Pin(ctx, state); err != nil {
		return r.report, fmt.Errorf("enrol: %w", err)
	}
	if err := f.cfg.Book.SetGateway(ctx, f.cfg.Gateway); err != nil {
		return r.report, fmt.Errorf("enrol: %w", err)
	}
	return f.finish(whole, ctx, r, "enrol")
}

// Refresh fetches the documents that are newer than the held ones. The error says
// why it failed, or why the Book refused a document (a *trust.DocumentError); the
// old state then remains, apart from new roots. The Book records the outcome.
func (f *Feed) Refresh(ctx context.Context) (Report, error) {
	e, err := f.cfg.Book.Enrolment(ctx)
	if err != nil {
		return Report{}, fmt.Errorf("refresh: %w", err)
	}
	r := &run{Feed: f, base: f.cfg.Gateway, report: Report{Fingerprint: e.Fingerprint}}
	if r.base == "" {
		r.base = e.Gateway
	}
	if r.base == "" {
		return r.report, fmt.Errorf("refresh: %w", ErrNoGateway)
	}
	whole := ctx
	ctx, cancel := context.WithTimeout(ctx, f.cfg.Timeout)
	defer cancel()
	return f.finish(whole, ctx, r, "refresh")
}

// finish refreshes within ctx and records the outcome within whole.
func (f *Feed) finish(whole, ctx context.Context, r *run, doing string) (Report, error) {
	err := r.refresh(ctx)
	r.tell(ctx, err)
	if whole.Err() == nil {
		if err != nil && ctx.Err() != nil {
			err = fmt.Errorf("%w: not done in %v: %w", ErrTimeout, f.cfg.Timeout, err)
		}
		if noted := f.cfg.Book.NoteAttempt(whole, f.cfg.Now(), err); noted != nil {
			err = errors.Join(err, noted)
		}
	}
	if err != nil {
		return r.report, fmt.Errorf("%s: %w", doing, err)
	}
	return r.report, nil
}

// A run is one refresh.
type run struct {
	*Feed
	base   string
	report Report
}

func (r *run) refresh(ctx context.Context) error {
	if err := r.newRoots(ctx); err != nil {
		return err
	}
	if err := r.newSet(ctx); err != nil {
		if r.report.Changes.Roots == trust.MaxRootRun && errors.Is(err, trust.ErrForeignKey) {
			return fmt.Errorf("%w: %w", ErrMoreRoots, err)
		}
		return err
	}
	return r.newSurvivors(ctx)
}

// newRoots follows the chain and stores the new roots before anything else is
// read.
func (r *run) newRoots(ctx context.Context) error {
	s, err := r.cfg.Book.Snapshot(ctx)
	if err != nil {
		return err
	}
	if s.State() == nil {
		return trustbook.ErrNotEnrolled
	}
	_, roots, failed := r.follow(ctx, *s.State())
	if len(roots) == 0 {
		return failed
	}
	// Verified roots are stored even if a later one fails.
	changes, err := r.cfg.Book.Apply(context.WithoutCancel(ctx), trust.Update{Roots: roots})
	r.report.Changes.Roots, r.report.Changes.Reset = changes.Roots, changes.Reset
	return errors.Join(failed, err)
}

// follow fetches the roots after s until there is none, at most trust.MaxRootRun.
// It checks each before it asks for the next, so that a server that is not the
// gateway gives only one answer. On an error it returns the verified roots.
func (r *run) follow(ctx context.Context, s trust.State) (trust.State, [][]byte, error) {
	var roots [][]byte
	for len(roots) < trust.MaxRootRun {
		raw, err := r.get(ctx, fmt.Sprintf("root/%d", s.Root.Version+1), trust.MaxRootLen)
		if absent(err) {
			break
		}
		if err != nil {
			return s, roots, err
		}
		next, changes, err := s.Apply(trust.Update{Roots: [][]byte{raw}})
		if err == nil && changes.Roots == 0 {
			err = &trust.DocumentError{Type: trust.TypeRoot, Version: s.Root.Version + 1, Err: trust.ErrVersion}
		}
		if err != nil {
			return s, roots, err
		}
		s, roots = next, append(roots, raw)
	}
	return s, roots, nil
}

// newSet fetches timestamp, bundle, status, packs and shards, as far as they
// differ, and applies them together.
func (r *run) newSet(ctx context.Context) error {
	snapshot, err := r.cfg.Book.Snapshot(ctx)
	if err != nil {
		return err
	}
	state := snapshot.State()
	u := trust.Update{Packs: map[uint16][]byte{}, Shards: map[uint16][]byte{}}
	if u.Timestamp, err = r.get(ctx, "timestamp", trust.MaxTimestampLen); err != nil {
		return err
	}
	want, err := state.Wanted(u.Timestamp)
	if err != nil {
		return err
	}
	if want.Bundle != nil {
		if u.Bundle, err = r.object(ctx, want.Bundle.SHA256, trust.MaxBundleLen); err != nil {
			return err
		}
	}
	if want.Status != nil {
		if u.Status, err = r.object(ctx, want.Status.SHA256, trust.MaxStatusLen); err != nil {
			return err
		}
	}
	if err := r.newPacks(ctx, snapshot, &u); err != nil {
		return err
	}
	changes, err := r.cfg.Book.Apply(ctx, u)
	if err != nil {
		return err
	}
	changes.Roots, changes.Reset = r.report.Changes.Roots, r.report.Changes.Reset
	r.report.Changes, r.report.Timestamp = changes, want.Timestamp
	return nil
}

// newSurvivors fetches the lists that compromised keys name and that the device
// does not hold. Without its list the stamps of a key are unverified, so a
// missing list is an error, but it does not undo the rest.
func (r *run) newSurvivors(ctx context.Context) error {
	snapshot, err := r.cfg.Book.Snapshot(ctx)
	if err != nil {
		return err
	}
	var lists [][]byte
	var failed error
	for _, hash := range snapshot.Missing() {
		raw, err := r.get(ctx, hash, statuslist.MaxSurvivors*statuslist.MarkSize)
		if err == nil && digest.Of(raw).String() != hash {
			err = trust.ErrHash
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("survivor list: %w", err))
			continue
		}
		lists = append(lists, raw)
	}
	if len(lists) == 0 {
		return failed
	}
	if _, err := r.cfg.Book.Apply(ctx, trust.Update{}, lists...); err != nil {
		return errors.Join(failed, err)
	}
	r.report.Survivors = len(lists)
	return failed
}

// object fetches by hash; the rules of package trust compare the hash with the answer.
func (r *run) object(ctx context.Context, hash digest.SHA256, limit int) ([]byte, error) {
	return r.get(ctx, hash.String(), limit)
}

// get fetches one document of at most limit bytes.
func (r *run) get(ctx context.Context, name string, limit int) ([]byte, error) {
	req := transport.Request{
		Method: "GET", URL: r.base + Path + name, MaxBody: limit, OnlyOK: true, Follow: true,
		Header: map[string]string{"User-Agent": r.cfg.UserAgent, "Accept": "*/*"},
	}
	if name == "timestamp" || strings.HasPrefix(name, "time?") {
		req.Header["Cache-Control"] = "no-cache" // for the caches on the way
	}
	r.report.Requests++
	res, err := r.cfg.Transport.Do(ctx, req)
	r.report.Bytes += int64(len(res.Body))
	switch {
	case res.Status != 0 && res.Status != statusOK:
		return nil, &StatusError{Path + name, res.Status, res.Text}
	case errors.Is(err, transport.ErrTooLarge):
		return nil, fmt.Errorf("%s: %w: more than %d bytes", name, ErrTooLarge, limit)
	case err != nil && res.Status != 0:
		return nil, fmt.Errorf("%s: %w", name, err)
	case err != nil:
		return nil, err
	}
	if res.Body == nil {
		return []byte{}, nil // in a trust.Update nil is the held document
	}
	return res.Body, nil
}
