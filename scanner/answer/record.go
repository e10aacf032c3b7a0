package answer

import (
	"context"
	"fmt"
	"time"

	"tcode/offline"
	"tcode/offline/digest"
	"tcode/sync/outbox"
	"tcode/sync/wire"
)

// A Store keeps what an answer leaves behind. What its methods have stored
// survives a power cut when they return nil.
type Store struct {
	Remember func(ctx context.Context, cores ...digest.SHA256) error // revocations; see trustbook
	Record   func(ctx context.Context, scans ...*outbox.Scan) error  // in one commit; fills the scan ids
}

// Record makes the findings durable: first the revocations to remember, then
// the scans, in one commit. It fills the findings' scan ids. Show no verdict
// before it has returned nil.
func Record(ctx context.Context, to Store, findings []Finding, now time.Time, where wire.Context) error {
	var revoked []digest.SHA256
	var scans []*outbox.Scan
	for _, f := range findings {
		if f.Result.Remember {
			revoked = append(revoked, f.Result.CoreHash)
		}
		if f.recorded() {
			scans = append(scans, scanOf(f, now, where))
		}
	}
	if len(scans) == 0 {
		return nil
	}
	if len(revoked) > 0 {
		if err := to.Remember(ctx, revoked...); err != nil {
			return fmt.Errorf("remember revocation: %w", err)
		}
	}
	if err := to.Record(ctx, scans...); err != nil {
		return fmt.Errorf("record scan: %w", err)
	}
	for i := range findings {
		if findings[i].recorded() {
			findings[i].ScanID, scans = scans[0].ScanID, scans[1:]
		}
	}
	return nil
}

// scanOf returns the outbox row of a finding. Its time is the proven one if
// there is one, because the device's clock may be years off.
func scanOf(f Finding, now time.Time, where wire.Context) *outbox.Scan {
	r := f.Result
	if r.Basis == offline.Proven {
		now = r.Now
	}
	raw := payloadOf(f.Symbol.Text)
	if raw == nil {
		raw = []byte(f.Symbol.Text) // kept as evidence; the gateway refuses it by name
	}
	return &outbox.Scan{
		Payload:      raw,
		ScannedAt:    now,
		Verdict:      string(r.Verdict),
		Assurance:    string(r.Assurance),
		Binding:      string(r.Binding),
		TrustVersion: r.TrustVersion,
		StatusAsOf:   r.StatusAsOf,
		Stale:        r.Stale,
		ClockSuspect: r.ClockSuspect,
		Proven:       r.Basis == offline.Proven,
		Test:         r.Test,
		Context:      where,
		Source:       f.File,
		Page:         f.Page,
	}
}
