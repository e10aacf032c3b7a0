package device

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tcode/offline/trust"
	"tcode/sync/feed"
	"tcode/sync/transport/nethttp"
	"tcode/sync/uplink"
)

// userAgent names the program to the gateway.
const userAgent = "tcode-scan"

// Enrol pins the gateway's trust root and fetches its trust documents. If want
// is nil, it pins the first root that it receives, and a person must compare
// the report's fingerprint.
func (s *Device) Enrol(ctx context.Context, gateway string, want *trust.Fingerprint) (feed.Report, error) {
	f, err := s.feed(gateway, 0)
	if err != nil {
		return feed.Report{}, err
	}
	report, err := f.Enrol(ctx, want)
	return report, errors.Join(err, s.clock().Refreshed(ctx, report.Proof, report.Corrected))
}

// Refresh fetches the trust documents that changed, and a proof of time. If
// gateway is empty, it uses the one with which this device enrolled.
func (s *Device) Refresh(ctx context.Context, gateway string) (feed.Report, error) {
	return s.refresh(ctx, gateway, 0)
}

// Follow is [Device.Refresh] for a device that refreshes every half minute:
// it asks for a proof of time only four times an hour, because many devices
// may share one address, and a gateway limits the requests of an address.
func (s *Device) Follow(ctx context.Context, gateway string) (feed.Report, error) {
	return s.refresh(ctx, gateway, 15*time.Minute)
}

func (s *Device) refresh(ctx context.Context, gateway string, proofEvery time.Duration) (feed.Report, error) {
	f, err := s.feed(gateway, proofEvery)
	if err != nil {
		return feed.Report{}, err
	}
	report, err := f.Refresh(ctx)
	return report, errors.Join(err, s.clock().Refreshed(ctx, report.Proof, report.Corrected))
}

func (s *Device) feed(gateway string, proofEvery time.Duration) (*feed.Feed, error) {
	return feed.New(feed.Config{
		Book: s.Cache.Book, Gateway: gateway, Transport: nethttp.New(nil), Now: s.cfg.Now, Boot: s.cfg.Boot, ProofEvery: proofEvery, Timeout: s.cfg.RefreshTimeout, UserAgent: userAgent,
	})
}

// ErrNoGateway means that no setting names the gateway.
var ErrNoGateway = errors.New("no gateway is known: enrol with one, or name it with --gateway")

// Uplink returns the sender of this device's scans. gateway may be empty.
func (s *Device) Uplink(ctx context.Context, gateway, apiKey string) (*uplink.Uplink, error) {
	if gateway == "" {
		enrolment, err := s.Cache.Enrolment(ctx)
		if err != nil {
			return nil, err
		}
		gateway = enrolment.Gateway
	}
	if gateway == "" {
		return nil, ErrNoGateway
	}
	return uplink.New(uplink.Config{
		Outbox: s.Outbox, Gateway: gateway, Key: s.key, APIKey: apiKey, Transport: nethttp.New(nil),
		Online: s.onlineKey, Now: s.cfg.Now, Boot: s.cfg.Boot, Proved: s.clock().Proved, UserAgent: userAgent,
	})
}

// onlineKey returns the key that must have signed receipts.
func (s *Device) onlineKey(ctx context.Context) (trust.VerifierKey, error) {
	snapshot, err := s.Cache.Snapshot(ctx)
	if err != nil {
		return trust.VerifierKey{}, fmt.Errorf("read trust state: %w", err)
	}
	if state := snapshot.State(); state != nil {
		return state.Root.Online, nil
	}
	return trust.VerifierKey{}, nil
}
