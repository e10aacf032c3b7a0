package link

import (
	"context"
	"crypto"
	"errors"
	"fmt"
	"sync"
	"time"

	"tcode/offline/trust"
	"tcode/offline/trustbook"
	"tcode/scanner/web/engine/keep"
	"tcode/sync/feed"
	"tcode/sync/outbox"
	"tcode/sync/transport"
	"tcode/sync/uplink"
)

// RefreshEvery is the age from which trust documents are fetched again.
const RefreshEvery = 15 * time.Minute

// ErrNoGateway means that the device knows no gateway, or has no network at all: it takes trust documents by file.
var ErrNoGateway = errors.New("this device knows no gateway")

// Config describes a [Link]. All fields are required, except the functions that report.
type Config struct {
	Scans     *keep.Scans
	Book      *trustbook.Book
	Key       crypto.Signer       // the device's Ed25519 key
	Transport transport.Transport // nil: there is no network
	Now       func() time.Time
	UserAgent string

	Sync    func(State)             // sending begins or ends
	Trust   func()                  // trust documents were fetched, or could not be
	Settled func(outbox.Settlement) // an answer of the gateway is stored
}

// A State says how sending goes.
type State struct {
	Sending bool
	At      time.Time      // device clock
	Report  *uplink.Report // of a round that has ended
	Err     error          // that stopped it; nil: the gateway has answered
}

// A Link sends and fetches. It is safe for concurrent use.
type Link struct {
	cfg     Config
	session *keep.Session
	sending turn
	asking  turn
	hurry   [2]chan struct{} // of the sender and of the refresher
	more    chan struct{}

	mu   sync.Mutex
	up   *uplink.Uplink
	base string // gateway of up
}

// New returns a Link. It does nothing before Run or another method is called.
func New(cfg Config) *Link {
	if cfg.Sync == nil {
		cfg.Sync = func(State) {}
	}
	if cfg.Trust == nil {
		cfg.Trust = func() {}
	}
	l := &Link{cfg: cfg, sending: make(turn, 1), asking: make(turn, 1), more: make(chan struct{}, 1)}
	l.hurry = [2]chan struct{}{make(chan struct{}, 1), make(chan struct{}, 1)}
	l.session = cfg.Scans.Session(cfg.Settled)
	return l
}

// A turn is held by one at a time.
type turn chan struct{}

func (t turn) take(ctx context.Context) (end func(), err error) {
	select {
	case t <- struct{}{}:
		return func() { <-t }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// More says that a scan was stored. It is sent soon, unless the gateway does not answer at present.
func (l *Link) More() { poke(l.more) }

// Hurry ends the waiting times: a person is back, or the browser says that the network is.
func (l *Link) Hurry() {
	poke(l.hurry[0])
	poke(l.hurry[1])
}

func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // it is told already
	}
}

// uplink returns the sender to the gateway of the enrolment.
func (l *Link) uplink(ctx context.Context) (*uplink.Uplink, error) {
	e, err := l.cfg.Book.Enrolment(ctx)
	if err != nil {
		return nil, err
	}
	if e.Gateway == "" || l.cfg.Transport == nil {
		return nil, ErrNoGateway
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.up != nil && l.base == e.Gateway {
		return l.up, nil
	}
	up, err := uplink.New(uplink.Config{
		Outbox: l.session, Gateway: e.Gateway, Key: l.cfg.Key, Transport: l.cfg.Transport,
		Online: l.online, Now: l.cfg.Now, UserAgent: l.cfg.UserAgent,
	})
	if err == nil {
		l.up, l.base = up, e.Gateway
	}
	return up, err
}

// online returns the key that signs receipts.
func (l *Link) online(ctx context.Context) (trust.VerifierKey, error) {
	snapshot, err := l.cfg.Book.Snapshot(ctx)
	if err != nil {
		return trust.VerifierKey{}, fmt.Errorf("read trust state: %w", err)
	}
	if state := snapshot.State(); state != nil {
		return state.Root.Online, nil
	}
	return trust.VerifierKey{}, nil
}

// Send sends what is due; with now also what waits for its next try. Errors are [ErrNoGateway],
// trustbook.ErrNotEnrolled and those of [uplink.Uplink.Flush].
func (l *Link) Send(ctx context.Context, now bool) (report uplink.Report, err error) {
	end, err := l.sending.take(ctx)
	if err != nil {
		return report, err
	}
	defer end()
	up, err := l.uplink(ctx)
	if err != nil {
		return report, err
	}
	l.cfg.Sync(State{Sending: true, At: l.cfg.Now()})
	flush := up.Flush
	if now {
		flush = up.FlushNow
	}
	report, err = flush(ctx)
	if errors.Is(err, uplink.ErrReceipt) {
		// An online key that this device does not know yet may have signed the receipt.
		if fresh, failed := l.Refresh(ctx); failed == nil && fresh.Changes.Roots > 0 {
			report, err = flush(ctx)
		}
	}
	l.cfg.Sync(State{At: l.cfg.Now(), Report: &report, Err: err})
	return report, err
}

// Refresh fetches the trust documents that changed.
func (l *Link) Refresh(ctx context.Context) (feed.Report, error) {
	return l.fetch(ctx, "", func(f *feed.Feed) (feed.Report, error) { return f.Refresh(ctx) })
}

// Enrol pins the root of a gateway and fetches a first set ([feed.Feed.Enrol]). The root must have the fingerprint want.
func (l *Link) Enrol(ctx context.Context, gateway string, want trust.Fingerprint) (feed.Report, error) {
	return l.fetch(ctx, gateway, func(f *feed.Feed) (feed.Report, error) { return f.Enrol(ctx, &want) })
}

func (l *Link) fetch(ctx context.Context, gateway string, do func(*feed.Feed) (feed.Report, error)) (feed.Report, error) {
	if l.cfg.Transport == nil {
		return feed.Report{}, ErrNoGateway
	}
	end, err := l.asking.take(ctx)
	if err != nil {
		return feed.Report{}, err
	}
	defer end()
	f, err := feed.New(feed.Config{
		Book: l.cfg.Book, Gateway: gateway, Transport: l.cfg.Transport, Now: l.cfg.Now, UserAgent: l.cfg.UserAgent,
	})
	if err != nil {
		return feed.Report{}, err
	}
	report, err := do(f)
	l.cfg.Trust()
	return report, err
}
