package door

import (
	"bytes"
	"context"
	"errors"
	"time"

	"tcode/offline/trust"
	"tcode/offline/trustbook"
	"tcode/sync/devicetime"
	"tcode/sync/feed"
	"tcode/sync/wire"
)

// maxExport is the largest export file in bytes.
const maxExport = 64 << 20

// Trust is what the device believes, and since when.
type Trust struct {
	Enrolled    bool      `json:"enrolled"`
	Gateway     string    `json:"gateway,omitempty"`
	Fingerprint string    `json:"fingerprint,omitempty"`
	Groups      []string  `json:"groups,omitempty"` // of the fingerprint, 4 digits each
	PinnedAt    time.Time `json:"pinnedAt,omitzero"`
	RootVersion uint64    `json:"rootVersion,omitempty"`
	RootUntil   time.Time `json:"rootUntil,omitzero"`

	Version       uint64    `json:"version"`
	StatusAsOf    time.Time `json:"statusAsOf,omitzero"`
	StatusAgeMs   int64     `json:"statusAgeMs"`
	AgeBasis      string    `json:"ageBasis,omitempty"`
	BundleUntil   time.Time `json:"bundleUntil,omitzero"`
	StatusUntil   time.Time `json:"statusUntil,omitzero"`
	Fresh         bool      `json:"fresh"`
	Usable        bool      `json:"usable"`
	Issuers       int       `json:"issuers"`
	Keys          int       `json:"keys"`
	DocumentTypes int       `json:"documentTypes"`
	Shards        int       `json:"shards"`

	LastRefresh *lastRefresh `json:"lastRefresh,omitempty"`
	Clock       clock        `json:"clock"`
}

type lastRefresh struct {
	At          time.Time `json:"at"`
	Error       string    `json:"error,omitempty"`
	SucceededAt time.Time `json:"succeededAt,omitzero"`
}

type clock struct {
	Suspect  bool      `json:"suspect"`
	Proven   bool      `json:"proven"` // by the gateway, since the device started
	ProvenAt time.Time `json:"provenAt,omitzero"`
	Events   int       `json:"events"` // corrections
}

// trustNow returns the present trust state.
func (p *phone) trustNow(ctx context.Context) (t Trust, err error) {
	at, err := p.engine.Clock().Report(ctx)
	if err != nil {
		return t, err
	}
	t.Clock = clock{Suspect: at.Suspect, ProvenAt: at.Proof.Time, Events: len(at.Events)}
	e, err := p.trust.Enrolment(ctx)
	if errors.Is(err, trustbook.ErrNotEnrolled) {
		return t, nil
	}
	if err != nil {
		return t, err
	}
	t.Enrolled, t.Gateway, t.PinnedAt = true, e.Gateway, e.PinnedAt
	t.Fingerprint, t.Groups = e.Fingerprint.String(), groups(e.Fingerprint)
	last, err := p.trust.LastAttempt(ctx)
	if err != nil {
		return t, err
	}
	if !last.At.IsZero() {
		t.LastRefresh = &lastRefresh{last.At, last.Error, last.Refreshed}
	}
	snapshot, err := p.trust.Snapshot(ctx)
	if err != nil {
		return t, err
	}
	t.fill(snapshot.State(), at)
	return t, nil
}

// fill adds what the documents say.
func (t *Trust) fill(s *trust.State, at devicetime.Report) {
	if s == nil {
		return
	}
	t.RootVersion, t.RootUntil = s.Root.Version, s.Root.Expires
	if !s.Complete() {
		return
	}
	t.Version, t.StatusAsOf = s.Timestamp.Version, s.Timestamp.StatusAsOf
	t.BundleUntil, t.StatusUntil = s.Bundle.Expires, s.Status.Expires
	t.Issuers, t.Keys, t.DocumentTypes, t.Shards = len(s.Bundle.Tenants), len(s.Bundle.Keys), len(s.Bundle.DocumentTypes), s.Status.Shards
	t.StatusAgeMs, t.AgeBasis = at.Age.Milliseconds(), string(at.Basis)
	t.Fresh, t.Usable = !at.Stale, !at.Expired
}

// groups writes a fingerprint in groups for people to compare.
func groups(f trust.Fingerprint) (all []string) {
	const size = 4
	for digits := f.String(); digits != ""; digits = digits[size:] {
		all = append(all, digits[:size])
	}
	return all
}

// A Refresh is the result of a refresh, as `tcode-scan trust refresh --json` has it.
type Refresh struct {
	TrustVersion uint64   `json:"trustVersion"`
	NewRoots     int      `json:"newRoots"`
	Bundle       bool     `json:"bundleChanged"`
	Status       bool     `json:"statusChanged"`
	Shards       []uint16 `json:"shardsChanged"`
	Requests     int      `json:"requests"`
	Bytes        int64    `json:"bytes"`
}

func refreshOf(changes trust.Changes) *Refresh {
	r := &Refresh{NewRoots: changes.Roots, Bundle: changes.Bundle, Status: changes.Status, Shards: changes.Shards}
	if r.Shards == nil {
		r.Shards = []uint16{}
	}
	return r
}

func viewOf(report feed.Report) *Refresh {
	r := refreshOf(report.Changes)
	r.Requests, r.Bytes = report.Requests, report.Bytes
	if report.Timestamp != nil {
		r.TrustVersion = report.Timestamp.Version
	}
	return r
}

// An Enrolled is the result of enrol and importTrust.
type Enrolled struct {
	State   State    `json:"state"`
	Refresh *Refresh `json:"refresh"`
	Error   *Failure `json:"error,omitempty"` // why the first set did not come
}

// importTrust accepts an export file. A device without a root pins the file's root only with the
// fingerprint that a person has compared; without it the failure names the root's fingerprint.
func (p *phone) importTrust(ctx context.Context, fingerprint string, file []byte) (any, error) {
	if len(file) > maxExport {
		return nil, &Failure{Code: "too_large", Message: "the file is larger than 64 MiB"}
	}
	var want *trust.Fingerprint
	if fingerprint != "" {
		fp, err := trust.ParseFingerprint(fingerprint)
		if err != nil {
			return nil, &Failure{Code: "request", Message: err.Error()}
		}
		want = &fp
	} else if snapshot, err := p.trust.Snapshot(ctx); err != nil {
		return nil, err
	} else if snapshot.State() == nil {
		return nil, fingerprintNeeded(file)
	}
	changes, err := p.trust.Import(ctx, bytes.NewReader(file), want)
	if err != nil {
		return nil, err
	}
	return p.enrolled(ctx, refreshOf(changes), nil)
}

// enrolled returns the state after the trust state has changed, and tells it.
func (p *phone) enrolled(ctx context.Context, r *Refresh, failed error) (any, error) {
	state, err := p.state(ctx)
	if err != nil {
		return nil, err
	}
	p.tellTrust()
	p.link.Hurry()
	result := Enrolled{State: state, Refresh: r}
	if failed != nil {
		result.Error = failureOf(failed)
	}
	return result, nil
}

// fingerprintNeeded names the fingerprint of the first root of an export file. Nothing is pinned.
func fingerprintNeeded(file []byte) error {
	update, _, err := trustbook.ReadExport(bytes.NewReader(file))
	if err != nil {
		return err
	}
	state, err := trust.Pin(update.Roots, nil)
	if err != nil {
		return err
	}
	return &Failure{Code: "fingerprint_needed", Message: "compare the fingerprint of the trust root", Fingerprint: state.Fingerprint.String()}
}

// exportTrust writes the trust documents as a file for other devices.
func (p *phone) exportTrust(ctx context.Context) (any, error) {
	var file bytes.Buffer
	if err := p.trust.Export(ctx, &file); err != nil {
		return nil, err
	}
	name := "tcode-trust-" + p.door.cfg.Now().UTC().Format("20060102") + ".export"
	return Export{Name: name, Type: "application/octet-stream", bytes: file.Bytes()}, nil
}

// A Code is an enrolment code. Reading it pins nothing.
type Code struct {
	Gateway     string   `json:"gateway"`
	Fingerprint string   `json:"fingerprint"`
	Groups      []string `json:"groups"`
	Pinned      string   `json:"pinned"`    // the relation to the root that is pinned: same, other or empty
	Elsewhere   bool     `json:"elsewhere"` // this app cannot reach that gateway: its own app can
}

// readCode reads the text of an enrolment code.
func (p *phone) readCode(ctx context.Context, text string) (*Code, error) {
	gateway, root, err := wire.ParseEnrolmentCode(text)
	if err != nil {
		return nil, err
	}
	c := &Code{Gateway: gateway, Fingerprint: root.String(), Groups: groups(root), Elsewhere: !p.door.reaches(gateway)}
	e, err := p.trust.Enrolment(ctx)
	switch {
	case errors.Is(err, trustbook.ErrNotEnrolled):
	case err != nil:
		return nil, err
	case e.Fingerprint == root:
		c.Pinned = "same"
	default:
		c.Pinned = "other"
	}
	return c, nil
}

// reaches reports whether the transport can reach a gateway.
func (d *Door) reaches(gateway string) bool {
	return d.cfg.Origin == "" || gateway == d.cfg.Origin || len(gateway) > len(d.cfg.Origin) && gateway[:len(d.cfg.Origin)+1] == d.cfg.Origin+"/"
}

// enrol pins the root of a gateway, whose fingerprint a person has compared, and fetches a first set.
func (p *phone) enrol(ctx context.Context, r request) (any, error) {
	want, err := trust.ParseFingerprint(r.Fingerprint)
	if err != nil {
		return nil, &Failure{Code: "request", Message: err.Error()}
	}
	gateway, err := wire.BaseURL(r.Gateway)
	if err != nil {
		return nil, err
	}
	if !p.door.reaches(gateway) {
		return nil, &Failure{
			Code: "other_origin", Message: "this app was opened at " + p.door.cfg.Origin + " and reaches no other gateway",
			Advice: "Open the app of that gateway.", Gateway: gateway,
		}
	}
	report, failed := p.link.Enrol(ctx, gateway, want)
	e, err := p.trust.Enrolment(ctx)
	if failed != nil && (err != nil || e.Fingerprint != want || e.Gateway != gateway) {
		return nil, failed
	}
	if r.DeviceName != "" {
		if _, err := p.change(ctx, encode(map[string]string{"deviceName": r.DeviceName}, 0)); err != nil {
			return nil, err
		}
	}
	if failed != nil {
		return p.enrolled(ctx, nil, failed)
	}
	return p.enrolled(ctx, viewOf(report), nil)
}

// confirmTime takes a person's word for the time, on a device that never reaches its gateway. The device's clock must agree.
func (p *phone) confirmTime(ctx context.Context, at time.Time, despite bool) (any, error) {
	now := p.door.cfg.Now()
	if d := at.Sub(now); at.IsZero() || d.Abs() > trust.ClockTolerance {
		return nil, &Failure{Code: "refused", Message: "the device's clock says " + now.UTC().Format(time.RFC3339) + ": set it first, then confirm it"}
	}
	if err := p.engine.Clock().Confirm(ctx, now, despite); err != nil {
		return nil, err
	}
	p.tellTrust()
	return p.trustNow(ctx)
}

// forget gives up the trust root. The scans stay.
func (p *phone) forget(ctx context.Context, confirm string) (any, error) {
	if confirm != "forget" {
		return nil, &Failure{Code: "request", Message: `confirm is "forget"`}
	}
	if err := p.trust.Unpin(ctx); err != nil {
		return nil, err
	}
	p.tellTrust()
	return p.state(ctx)
}
