// Package uplink carries scans from the outbox to the gateway, each exactly
// once in effect. Start with [New], then call [Uplink.Run] or [Uplink.Flush].
//
//	outbox ─Lease─▶ batch ─sign, gzip─▶ POST /v1/tcode/verify/sync
//	   ▲                                   │
//	   └──Settle── per scan ◀─ our batch id echoed? results by scan id, receipt verified
//
// Delivery is at least once; the gateway keeps one row per scanner and scan id,
// so the effect is exactly once. A scan leaves the queue only on a receipt that
// the trust state's online key has signed. A reply without our batch id proves
// nothing and only makes the scan wait: captive portals, proxies and caches
// answer too.
//
// sync/README.md has the states and the answers that count.
package uplink

import (
	"compress/gzip"
	"context"
	"crypto"
	"crypto/ed25519"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"tcode/offline"
	"tcode/offline/contain"
	"tcode/offline/digest"
	"tcode/offline/trust"
	"tcode/sync/outbox"
	"tcode/sync/transport"
	"tcode/sync/wire"
)

// Waiting times (sync/README.md, "Which answers count").
const (
	MinBackoff    = time.Second
	MaxBackoff    = 5 * time.Minute
	MaxRetryAfter = time.Hour
	// DefaultTimeout bounds one request with its reply.
	DefaultTimeout = 60 * time.Second
	// DefaultPoll is the interval at which Run looks for scans of other processes.
	DefaultPoll = 2 * time.Second
)

var (
	// ErrKey means that the device key is not an Ed25519 key.
	ErrKey = errors.New("device key is not Ed25519")
	// ErrNoTrust means that the online key is not known. The Uplink sends
	// nothing, because it cannot verify receipts: enrol first.
	ErrNoTrust = errors.New("no trust state to verify receipts with")
	// ErrUnreachable means that a batch received no answer of the gateway.
	ErrUnreachable = errors.New("no answer of the gateway")
	// ErrReceipt means that the gateway's receipt does not verify. The scans
	// stay queued; a trust refresh helps if the gateway has a new key.
	ErrReceipt = errors.New("gateway's receipt does not verify")
)

// A RefusedError is an answer, with our batch id, that this device may not
// send. It is not signed. Scanning continues, the scans stay queued, and the
// program must tell an operator.
type RefusedError struct {
	Status        int // HTTP status, 401 or 403
	Code, Message string
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("gateway refuses this device: %d %s %s", e.Status, e.Code, e.Message)
}

// A Queue is the part of an outbox that an [Uplink] needs: [*outbox.Outbox] or [*outbox.Book].
type Queue interface {
	StartSync(ctx context.Context, scannerID string) (stop func() error, err error)
	Lease(ctx context.Context, batchID string, now time.Time, l outbox.Limits) (outbox.Leased, error)
	Settle(ctx context.Context, s outbox.Settlement) error
	Pause(ctx context.Context, until time.Time) error
	Paused(ctx context.Context, now time.Time) (bool, error)
	RetryNow(ctx context.Context) error
	NextDue(ctx context.Context, now time.Time) (at time.Time, ok bool, err error)
	Untold(ctx context.Context) ([]wire.ClockEvent, error)
}

// Config configures an Uplink.
type Config struct {
	Outbox  Queue         // required
	Gateway string        // base URL, with or without /v1; required
	Key     crypto.Signer // the device's Ed25519 key; required (see [LoadKey])
	// Online returns the gateway's online key of the present trust state, or
	// the zero key if there is none; required.
	Online func(context.Context) (trust.VerifierKey, error)

	// Boot reads the boot-time clock. Proved receives the proof of time from a
	// receipt. If they are nil, receipts prove no time.
	Boot   func() offline.Boot
	Proved func(ctx context.Context, by trust.VerifierKey, p offline.Proof) error

	Transport transport.Transport // required
	APIKey    string              // sent as x-api-key when not empty: rate-limit identity
	Timeout   time.Duration       // of one request with its reply; 0: DefaultTimeout
	MaxItems  int                 // of a batch; 0: wire.MaxItems
	Poll      time.Duration       // of Run; 0: DefaultPoll
	Now       func() time.Time    // nil: time.Now
	// Sleep returns after d by the clock of Now, or with the error of ctx when ctx ends before. nil: by the clock of the system.
	Sleep     func(ctx context.Context, d time.Duration) error
	Rand      *rand.Rand    // nil: a random one; for backoff only
	NewID     func() string // nil: random UUIDs. It names requests; the name must be secret before, or a receipt proves no time
	UserAgent string        // empty: "tcode"
	// Warn takes a warning with names and values, as [log/slog.Logger.WarnContext] does. If it is nil, there are none.
	Warn func(ctx context.Context, message string, args ...any)
}

// An Uplink sends scans. Only one of Flush and Run may run at a time.
type Uplink struct {
	cfg       Config
	base      string
	scannerID string
	zip       *gzip.Writer // of requests: allocating one takes 800 KB

	limit    int // items of the next batch; halved by 413 and 400, doubled by success
	failures int // batches in a row without an answer

	clockAt time.Time // clock events are not sent earlier

	last   digest.SHA256 // digest of the last batch
	lastAt time.Time     // time of sending it
}

// New returns an Uplink; it starts nothing.
func New(cfg Config) (*Uplink, error) {
	base, err := wire.BaseURL(cfg.Gateway)
	if err != nil {
		return nil, err
	}
	pub, ok := cfg.Key.Public().(ed25519.PublicKey)
	if !ok {
		return nil, fmt.Errorf("%w: %T", ErrKey, cfg.Key.Public())
	}
	cfg = cfg.withDefaults()
	return &Uplink{cfg: cfg, base: base, scannerID: wire.ScannerID(pub), zip: gzip.NewWriter(nil), limit: cfg.MaxItems}, nil
}

// ScannerID returns the name under which this device sends.
func (u *Uplink) ScannerID() string { return u.scannerID }

// Report counts the results of one Flush.
type Report struct {
	Batches   int // answered or not
	Sent      int // scans in them
	Done      int // now held by the gateway, receipt stored
	Duplicate int // of Done: the gateway had them from an earlier try
	Conflict  int // of Done: the gateway had another scan under the id
	Changed   int // of Done: the gateway's verdict differs from that at the time of the scan
	Dead      int // refused permanently
	Retry     int // returned to the queue
	Refused   int // of Retry: refused alone in a batch, without a signature
	Told      int // clock events that the gateway now has, by a receipt
}

// Flush sends until nothing is due. It returns early with the reason when a
// batch gets no answer ([ErrUnreachable]), an unverifiable receipt
// ([ErrReceipt]) or a refusal ([*RefusedError]). The error is outbox.ErrSyncing
// if another process is sending.
func (u *Uplink) Flush(ctx context.Context) (Report, error) {
	var rep Report
	done, err := u.begin(ctx)
	if err != nil {
		return rep, fmt.Errorf("sync: %w", err)
	}
	defer done()
	if err := u.flush(ctx, &rep); err != nil {
		return rep, fmt.Errorf("sync: %w", err)
	}
	return rep, nil
}

// FlushNow is Flush for a waiting person: it ignores backoff and waits only for
// a pause that the gateway has asked for.
func (u *Uplink) FlushNow(ctx context.Context) (Report, error) {
	if err := u.cfg.Outbox.RetryNow(ctx); err != nil {
		return Report{}, fmt.Errorf("sync: %w", err)
	}
	u.failures, u.clockAt = 0, time.Time{}
	return u.Flush(ctx)
}

// Run sends scans when they become due, until ctx ends, which is not an error.
// If each is not nil, Run calls it after every round that sent something, with
// the round's report and the error that stopped it. A refusal of this device
// makes Run wait longer but does not end it, because an unsigned answer does
// not prove that it comes from the gateway.
func (u *Uplink) Run(ctx context.Context, each func(Report, error)) error {
	done, err := u.begin(ctx)
	if err != nil {
		return fmt.Errorf("sync: %w", err)
	}
	defer done()
	for {
		var rep Report
		err := contain.Do("sync-round", func() error { return u.flush(ctx, &rep) })
		if ctx.Err() != nil {
			return nil
		}
		if each != nil && (rep.Batches > 0 || err != nil) {
			each(rep, err)
		}
		if outbox.IsDamaged(err) {
			return fmt.Errorf("sync: %w", err)
		}
		if err := u.wait(ctx, err); err != nil {
			return nil //nolint:nilerr // only the end of ctx gets here
		}
	}
}

// wait sleeps until the next scan is due, and after a successful round at most
// for the poll interval.
func (u *Uplink) wait(ctx context.Context, failed error) error {
	d := u.cfg.Poll
	now := u.cfg.Now()
	if at, ok, err := u.cfg.Outbox.NextDue(ctx, now); err == nil && ok && at.Sub(now) < d {
		d = at.Sub(now)
	}
	if failed != nil {
		d = max(d, u.backoff(u.failures))
	}
	return u.cfg.Sleep(ctx, max(d, 10*time.Millisecond))
}

// sleep is the default of Config.Sleep.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// begin takes the sync lock and returns the scans of a dead sender to the queue.
func (u *Uplink) begin(ctx context.Context) (done func(), err error) {
	stop, err := u.cfg.Outbox.StartSync(ctx, u.scannerID)
	if err != nil {
		return nil, err
	}
	return func() {
		if err := stop(); err != nil {
			u.cfg.Warn(ctx, "give back sync lock", "err", err)
		}
	}, nil
}

func (c Config) withDefaults() Config {
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	if c.MaxItems <= 0 || c.MaxItems > wire.MaxItems {
		c.MaxItems = wire.MaxItems
	}
	if c.Poll <= 0 {
		c.Poll = DefaultPoll
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Sleep == nil {
		c.Sleep = sleep
	}
	if c.Rand == nil {
		c.Rand = rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	}
	if c.NewID == nil {
		c.NewID = newID
	}
	if c.Warn == nil {
		c.Warn = func(context.Context, string, ...any) {}
	}
	if c.UserAgent == "" {
		c.UserAgent = "tcode"
	}
	return c
}

// backoff returns MinBackoff and full jitter: a random time up to 1, 2, 4 ... s
// more, at most MaxBackoff, so that a fleet whose gateway was down does not
// return all together.
func (u *Uplink) backoff(attempt int) time.Duration {
	most := MaxBackoff
	if attempt < 16 {
		most = min(MaxBackoff, MinBackoff<<max(attempt, 0))
	}
	return min(MaxBackoff, MinBackoff+time.Duration(u.cfg.Rand.Int64N(int64(most))))
}
