package field

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"tcode/offline"
	"tcode/offline/trust"
	"tcode/sync/feed"
	"tcode/sync/uplink"
)

// userAgent names the program to the gateway.
const userAgent = "tcode-scan"

// confirmation is the gateway's last answer since the program started: from
// then on the age of the trust state is known by the monotonic clock.
type confirmation struct {
	version uint64
	asked   time.Duration // by uptime, when the timestamp was asked for
}

// started is the program's start, for where the machine's own is not known.
var started = time.Now()

// confirmed is what the verifier is told about it.
func (s *Station) confirmed() offline.Confirmation {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.heard.version == 0 {
		return offline.Confirmation{}
	}
	return offline.Confirmation{Version: s.heard.version, Elapsed: uptime() - s.heard.asked}
}

// hear keeps a refresh's answer. Its time is taken by the program's own clock,
// never by the one that a test or an operator sets.
func (s *Station) hear(report feed.Report, asked time.Duration) {
	if report.Timestamp == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard = confirmation{report.Timestamp.Version, asked}
}

// Enrol pins the gateway's trust root and fetches its trust documents. want may
// be nil: then whatever root comes first is pinned, and the report's fingerprint
// is to be compared by a person.
func (s *Station) Enrol(ctx context.Context, gateway string, want *trust.Fingerprint) (feed.Report, error) {
	f, err := s.feed(gateway)
	if err != nil {
		return feed.Report{}, err
	}
	asked := uptime()
	report, err := f.Enrol(ctx, want)
	s.hear(report, asked)
	return report, err
}

// Refresh fetches the trust documents that changed. gateway may be empty: the
// one this station enrolled with.
func (s *Station) Refresh(ctx context.Context, gateway string) (feed.Report, error) {
	f, err := s.feed(gateway)
	if err != nil {
		return feed.Report{}, err
	}
	asked := uptime()
	report, err := f.Refresh(ctx)
	s.hear(report, asked)
	return report, err
}

func (s *Station) feed(gateway string) (*feed.Feed, error) {
	return feed.New(feed.Config{
		Cache: s.Cache, Gateway: gateway, Now: s.cfg.Now, UserAgent: userAgent,
		Client: &http.Client{Timeout: feed.DefaultTimeout},
	})
}

// ErrNoGateway means that nobody said where the gateway is.
var ErrNoGateway = errors.New("no gateway is known: enrol with one, or name it with --gateway")

// Uplink returns what sends this station's scans. gateway may be empty.
func (s *Station) Uplink(ctx context.Context, gateway, apiKey string) (*uplink.Uplink, error) {
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
		Outbox: s.Outbox, Gateway: gateway, Key: s.key, APIKey: apiKey,
		Online: s.onlineKey, Now: s.cfg.Now, UserAgent: userAgent,
	})
}

// onlineKey is the key that receipts must be signed by.
func (s *Station) onlineKey(ctx context.Context) (trust.VerifierKey, error) {
	snapshot, err := s.Cache.Snapshot(ctx)
	if err != nil {
		return trust.VerifierKey{}, fmt.Errorf("read trust state: %w", err)
	}
	if state := snapshot.State(); state != nil {
		return state.Root.Online, nil
	}
	return trust.VerifierKey{}, nil
}
