// Package feed brings trust documents from a gateway into the device's cache.
//
//	root N+1, N+2, ... ──▶ cache (at once, alone: a new root may end the trust in a stolen key)
//	timestamp ─▶ bundle, status ─▶ delta, or changed packs ─▶ shards ──▶ cache (one complete set, one transaction)
//	                   └─ a key is compromised ─▶ survivor lists ──▶ cache
//	nonce ─▶ time note ──▶ cache (a proof of time; a mirror has none, and nothing depends on it)
//
// Nothing here is believed: the cache applies the rules of package trust to
// whatever arrived, and a refusal leaves the old state with the reason noted.
// What must be fetched is decided by signed hashes, so a fetch cannot race a
// publication. Scans going up and documents coming down do not depend on each
// other (package uplink).
//
// offline/README.md, "Trust documents", has the rules of what is accepted.
package feed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"tcode/offline"
	"tcode/offline/digest"
	"tcode/offline/host/cache"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
	"tcode/sync/wire"
)

// Path of the trust store below the gateway's base URL.
const Path = "/v1/reference-data/trust-store/"

// DefaultTimeout bounds a whole run, all its requests together.
const DefaultTimeout = time.Minute

var (
	// ErrNoGateway means that the device was enrolled without a gateway: its
	// trust comes by file.
	ErrNoGateway = errors.New("no gateway known to this device")
	// ErrTooLarge means that an answer is longer than any document of its kind.
	ErrTooLarge = errors.New("answer too large")
	// ErrMoreRoots means that this run took as many roots as one may, and that the
	// documents are signed under a later one: the next run goes on from there.
	ErrMoreRoots = fmt.Errorf("%d new roots were taken, and there are more: refresh again", trust.MaxRootRun)
	// ErrTimeout means that the run was not done in time.
	ErrTimeout = errors.New("gateway too slow")
)

// StatusError is an answer that is no document.
type StatusError struct {
	Path   string // below the base URL
	Status int    // HTTP status
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("gateway answers %d %s for %s", e.Status, http.StatusText(e.Status), e.Path)
}

// Config is what a Feed needs.
type Config struct {
	Cache *cache.Cache // required
	// Gateway is the base URL, with or without /v1 at its end. Empty: the one
	// this device enrolled with.
	Gateway string
	Client  *http.Client  // nil: a plain one
	Timeout time.Duration // of a whole run; 0: DefaultTimeout
	// Boot reads the boot-time clock. nil: no proof of time is asked for.
	Boot func() offline.Boot
	// ProofEvery spares a proof of time when the last one is of this start of the
	// machine and younger. 0: each run asks for one.
	ProofEvery time.Duration
	Now        func() time.Time // nil: time.Now
	Log        *slog.Logger     // nil: none
	UserAgent  string           // empty: "tcode"
}

// Feed fetches. Its methods may be called one at a time.
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
	if cfg.Client == nil {
		cfg.Client = &http.Client{}
	}
	if cfg.Timeout <= 0 {
		cfg.Timeout = DefaultTimeout
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.UserAgent == "" {
		cfg.UserAgent = "tcode"
	}
	return &Feed{cfg}, nil
}

// Report says what a refresh brought.
type Report struct {
	Fingerprint trust.Fingerprint // of the pinned root
	Changes     trust.Changes
	Survivors   int   // survivor lists fetched
	Requests    int   // sent
	Bytes       int64 // of bodies read
	// Timestamp is the one that was verified. It says nothing of what time it is: a
	// mirror may have kept it for long.
	Timestamp *trust.Timestamp

	Proof     offline.Proof    // of the time; zero: there was none
	Corrected cache.Correction // what it lowered
	// ProofErr is why there was no proof. It is no error of the run: mirrors tell no
	// time.
	ProofErr error
}

// Enrol pins the gateway's trust root and fetches a first set. With want the
// root must have that fingerprint; without, the first one seen is pinned and
// Report.Fingerprint should be shown to somebody. Enrolling again with the same
// root is harmless; with another one cache.ErrOtherRoot.
//
// When the root was pinned but the first set did not come through, the error
// says so and the device is enrolled all the same: Refresh goes on from there.
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
	if err := f.cfg.Cache.Pin(ctx, state); err != nil {
		return r.report, fmt.Errorf("enrol: %w", err)
	}
	if err := f.cfg.Cache.SetGateway(ctx, f.cfg.Gateway); err != nil {
		return r.report, fmt.Errorf("enrol: %w", err)
	}
	return f.finish(whole, ctx, r, "enrol")
}

// Refresh fetches what is newer than what is held. The error says what kept it
// from coming through, or why it was refused (a *trust.DocumentError); the old state is
// kept then, apart from new roots. The outcome is noted in the cache.
func (f *Feed) Refresh(ctx context.Context) (Report, error) {
	e, err := f.cfg.Cache.Enrolment(ctx)
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

// finish refreshes, within ctx, and notes how it went, within whole.
func (f *Feed) finish(whole, ctx context.Context, r *run, doing string) (Report, error) {
	err := r.refresh(ctx)
	r.tell(ctx, err)
	if whole.Err() == nil {
		if err != nil && ctx.Err() != nil {
			err = fmt.Errorf("%w: not done in %v: %w", ErrTimeout, f.cfg.Timeout, err)
		}
		if noted := f.cfg.Cache.NoteAttempt(whole, f.cfg.Now(), err); noted != nil {
			err = errors.Join(err, noted)
		}
	}
	if err != nil {
		f.cfg.Log.WarnContext(whole, "trust refresh", slog.Any("err", err))
		return r.report, fmt.Errorf("%s: %w", doing, err)
	}
	return r.report, nil
}

// run is one refresh.
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

// newRoots walks the chain and keeps what it brought before anything else is
// looked at.
func (r *run) newRoots(ctx context.Context) error {
	s, err := r.cfg.Cache.Snapshot(ctx)
	if err != nil {
		return err
	}
	if s.State() == nil {
		return cache.ErrNotEnrolled
	}
	_, roots, failed := r.follow(ctx, *s.State())
	if len(roots) == 0 {
		return failed
	}
	// What was checked is kept, whatever came after it.
	changes, err := r.cfg.Cache.Apply(context.WithoutCancel(ctx), trust.Update{Roots: roots})
	r.report.Changes.Roots, r.report.Changes.Reset = changes.Roots, changes.Reset
	return errors.Join(failed, err)
}

// follow fetches the roots after s until there is none, at most trust.MaxRootRun.
// Each is checked before the next is asked for, so that a server that is not the
// gateway gets to answer once. On an error it returns those that were right.
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

// newSet fetches timestamp, bundle, status, packs and shards as far as they differ,
// and applies them as one.
func (r *run) newSet(ctx context.Context) error {
	snapshot, err := r.cfg.Cache.Snapshot(ctx)
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
	changes, err := r.cfg.Cache.Apply(ctx, u)
	if err != nil {
		return err
	}
	changes.Roots, changes.Reset = r.report.Changes.Roots, r.report.Changes.Reset
	r.report.Changes, r.report.Timestamp = changes, want.Timestamp
	return nil
}

// newSurvivors fetches the lists that compromised keys name and that are not
// held. Until they are here the stamps of those keys are unverified, so a list
// that cannot be had is an error, but it costs nothing else.
func (r *run) newSurvivors(ctx context.Context) error {
	snapshot, err := r.cfg.Cache.Snapshot(ctx)
	if err != nil {
		return err
	}
	var lists [][]byte
	var failed error
	for _, hash := range snapshot.Missing() {
		raw, err := r.get(ctx, hash, statuslist.MaxSurvivors*statuslist.MarkSize)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("survivor list: %w", err))
			continue
		}
		lists = append(lists, raw)
	}
	if len(lists) == 0 {
		return failed
	}
	if _, err := r.cfg.Cache.Apply(ctx, trust.Update{}, lists...); err != nil {
		return errors.Join(failed, err)
	}
	r.report.Survivors = len(lists)
	return failed
}

// object fetches by hash; the rules compare it with what arrives.
func (r *run) object(ctx context.Context, hash digest.SHA256, limit int) ([]byte, error) {
	return r.get(ctx, hash.String(), limit)
}

// get fetches one document of at most most bytes.
func (r *run) get(ctx context.Context, name string, limit int) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.base+Path+name, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", r.cfg.UserAgent)
	req.Header.Set("Accept", "*/*")
	if name == "timestamp" || strings.HasPrefix(name, "time?") {
		req.Header.Set("Cache-Control", "no-cache") // of the caches on the way
	}
	r.report.Requests++
	res, err := r.cfg.Client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, &StatusError{Path + name, res.StatusCode}
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, int64(limit)+1))
	r.report.Bytes += int64(len(body))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(body) > limit {
		return nil, fmt.Errorf("%s: %w: more than %d bytes", name, ErrTooLarge, limit)
	}
	return body, nil
}
