package publish

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"tcode/offline/trust"
	"tcode/server/fault"
	"tcode/sync/wire"
)

// ErrForeignRoot means that the database holds no chain of roots: it lost them, or never
// belonged to a gateway.
var ErrForeignRoot = errors.New("the database holds no trust root")

// ErrOnlineKey means that the newest root names an online key that this gateway does not
// hold, so that it can sign nothing.
var ErrOnlineKey = errors.New("this gateway does not hold the online key that the trust root names")

// An authority is a chain of roots with the key that signs under its newest. It is
// immutable.
type authority struct {
	roots  [][]byte
	state  trust.State   // with roots only
	since  uint64        // version of the root that first named the online key
	online *trust.Signer // nil: this gateway does not hold it
}

// sign writes a document as a note signed by the online key.
func (a *authority) sign(d interface {
	Text(trust.Fingerprint) ([]byte, error)
},
) ([]byte, error) {
	if a.online == nil {
		return nil, a.lacksKey()
	}
	text, err := d.Text(a.state.Fingerprint)
	if err != nil {
		return nil, err
	}
	return trust.SignNote(text, a.online)
}

// mark is how far the roots of a have come.
func (a *authority) mark() Watermark { return Watermark{Root: a.state.Root.Version, Since: a.since} }

func (a *authority) lacksKey() error {
	return fmt.Errorf("%w: %s, of root %d; make the next root with a new key by tcode-gateway online-key rotate",
		ErrOnlineKey, a.state.Root.Online, a.state.Root.Version)
}

// openChain reads a chain of roots of any length. since is the version of the root that
// first named the last one's online key.
func openChain(roots [][]byte) (s trust.State, since uint64, err error) {
	if len(roots) == 0 {
		return s, 0, ErrForeignRoot
	}
	if s, err = trust.Pin(roots[:1], nil); err != nil {
		return s, 0, err
	}
	return extend(s, 1, roots[1:])
}

// extend reads further roots of a chain.
func extend(s trust.State, since uint64, roots [][]byte) (trust.State, uint64, error) {
	for _, raw := range roots {
		next, changes, err := s.Apply(trust.Update{Roots: [][]byte{raw}})
		if err != nil {
			return s, since, err
		}
		if changes.Reset {
			since = next.Root.Version
		}
		s = next
	}
	return s, since, nil
}

// RootsWatermark says how far a chain of roots has come. Its Version is 0.
func RootsWatermark(roots [][]byte) (Watermark, error) {
	s, since, err := openChain(roots)
	return Watermark{Root: s.Root.Version, Since: since}, err
}

// New returns the publisher of a database. At first use it makes the trust root
// (one key) and the online key, both sealed by the ring. A gateway without the
// online key of the newest root also opens, but publishes nothing
// ([ErrOnlineKey]).
func New(ctx context.Context, c Config) (*Publisher, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	p := &Publisher{c: c, wake: make(chan struct{}, 1), epoch: time.Now()}
	roots, err := c.Store.Roots(ctx)
	if err == nil && len(roots) == 0 {
		roots, err = p.firstRoot(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("load trust root: %w", err)
	}
	a, err := p.open(ctx, roots)
	if err != nil {
		return nil, fmt.Errorf("load trust root: %w", err)
	}
	p.authority.Store(a)
	if err := p.renewRoot(ctx); err != nil {
		return nil, fmt.Errorf("renew trust root: %w", err)
	}
	return p, nil
}

// open returns the authority of a chain of roots.
func (p *Publisher) open(ctx context.Context, roots [][]byte) (a *authority, err error) {
	a = &authority{roots: roots}
	if a.state, a.since, err = openChain(roots); err != nil {
		return nil, err
	}
	if a.online, err = p.held(ctx, a.state.Root.Online); err != nil {
		return nil, err
	}
	return a, nil
}

// follow makes the authority match the database with the head h, which was just
// read.
func (p *Publisher) follow(ctx context.Context, h Head) (err error) {
	at := time.Since(p.epoch)
	defer func() {
		if err == nil {
			p.looked.Store(int64(at))
		}
	}()
	if a := p.authority.Load(); a.state.Root.Version == h.Root && a.online != nil {
		return nil
	}
	roots, err := p.c.Store.Roots(ctx)
	if err != nil {
		return err
	}
	a, err := p.open(ctx, roots)
	if err != nil {
		return fmt.Errorf("new trust root: %w", err)
	}
	p.adopt(ctx, a)
	return nil
}

// adopt makes a the authority from now on.
func (p *Publisher) adopt(ctx context.Context, a *authority) {
	before := p.authority.Swap(a)
	if before != nil && before.state.Root.Version != a.state.Root.Version {
		p.c.Log.InfoContext(ctx, "new trust root", slog.Uint64("version", a.state.Root.Version),
			slog.String("online", a.state.Root.Online.String()), slog.Bool("held", a.online != nil))
	}
}

// authorityOf returns the authority of a transaction with the head h.
func (p *Publisher) authorityOf(ctx context.Context, tx Tx, h Head) (*authority, error) {
	if a := p.authority.Load(); a.state.Root.Version == h.Root {
		return a, nil
	}
	roots, err := tx.Roots(ctx)
	if err != nil {
		return nil, err
	}
	return p.open(ctx, roots)
}

// signer returns the Ed25519 key of that secret, made at first use.
func (p *Publisher) signer(ctx context.Context, name string) (*trust.Signer, error) {
	seed, err := p.c.Ring.SecretFunc(ctx, p.c.Store, name, func() ([]byte, error) {
		_, key, err := ed25519.GenerateKey(rand.Reader)
		return key.Seed(), err
	})
	if err != nil {
		return nil, err
	}
	return signerOf(name, name, seed)
}

func signerOf(secret, name string, seed []byte) (*trust.Signer, error) {
	if len(seed) != ed25519.SeedSize {
		return nil, fmt.Errorf("secret %s: %d bytes, want %d", secret, len(seed), ed25519.SeedSize)
	}
	return trust.NewSigner(name, ed25519.NewKeyFromSeed(seed))
}

// onlineSecret names the secret of an online key that [Publisher.NewOnlineKey]
// made.
func onlineSecret(public [32]byte) string { return onlineName + "-" + hex.EncodeToString(public[:]) }

// held returns the signer of an online key, or nil if this gateway does not hold
// it.
func (p *Publisher) held(ctx context.Context, key trust.VerifierKey) (*trust.Signer, error) {
	for _, secret := range []string{onlineSecret(key.Public), onlineName} {
		s, err := p.stored(ctx, secret, key.Name)
		if err != nil {
			return nil, err
		}
		if s != nil && s.Key() == key {
			return s, nil
		}
	}
	return nil, nil
}

// stored returns the signer of a secret under a name, or nil if there is none.
func (p *Publisher) stored(ctx context.Context, secret, name string) (*trust.Signer, error) {
	sealed, err := p.c.Store.Secret(ctx, secret)
	if err != nil || sealed == nil {
		return nil, err
	}
	seed, err := p.c.Ring.Open(sealed, "", secret)
	if err != nil {
		return nil, err
	}
	return signerOf(secret, name, seed)
}

// Fingerprint returns the fingerprint of the trust root, which devices pin.
func (p *Publisher) Fingerprint() trust.Fingerprint { return p.authority.Load().state.Fingerprint }

// Root returns one root version, or a NotFound fault.
func (p *Publisher) Root(ctx context.Context, version uint64) ([]byte, error) {
	a := p.authority.Load()
	if version == a.state.Root.Version+1 { // another process may have published it just now
		h, err := p.c.Store.Head(ctx)
		if err == nil {
			err = p.follow(ctx, h)
		}
		if err != nil {
			return nil, fmt.Errorf("read trust root: %w", err)
		}
		a = p.authority.Load()
	}
	if version < 1 || version > uint64(len(a.roots)) {
		return nil, fault.New(fault.NotFound, fault.CodeNotFound, "there is no root version %d", version)
	}
	return a.roots[version-1], nil
}

// PublicKey returns the key that signs bundle, status, timestamp and receipts.
func (p *Publisher) PublicKey() OnlineKey {
	k := p.authority.Load().state.Root.Online
	return OnlineKey{Name: k.Name, Public: ed25519.PublicKey(k.Public[:]), Note: k.String()}
}

// CanSign returns an [ErrOnlineKey] if this gateway does not hold the online key of its
// root: then it neither publishes nor signs receipts.
func (p *Publisher) CanSign() error {
	if a := p.authority.Load(); a.online == nil {
		return a.lacksKey()
	}
	return nil
}

// SignReceipt signs a receipt for a device by the online key that the newest root in the
// database names.
func (p *Publisher) SignReceipt(r wire.Receipt) (string, error) {
	ctx := context.Background()
	h, err := p.c.Store.Head(ctx)
	if err == nil {
		err = p.follow(ctx, h)
	}
	if err != nil {
		return "", fmt.Errorf("sign receipt: %w", err)
	}
	a := p.authority.Load()
	if a.online == nil {
		return "", a.lacksKey()
	}
	return wire.SignReceipt(r, a.online)
}

// Time signs the gateway's time, cut to whole seconds, for a device that sent this nonce.
// Another process may publish a root with a new online key, and a device with this root
// refuses a time signed by the old key. So the key is checked at most a second ago: Time
// reads the database if [Publisher.Run] has not done so since, and is Unavailable while
// the database does not answer.
func (p *Publisher) Time(ctx context.Context, nonce [32]byte) ([]byte, error) {
	if since := time.Since(p.epoch) - time.Duration(p.looked.Load()); since > lookAfter {
		ctx, cancel := context.WithTimeout(ctx, lookAfter)
		defer cancel()
		h, err := p.c.Store.Head(ctx)
		if err == nil {
			err = p.follow(ctx, h)
		}
		if err != nil {
			return nil, fault.New(fault.Unavailable, fault.CodeServiceUnavailable, "the gateway cannot tell at present which key signs").
				WithErr(fmt.Errorf("sign time: %w", err))
		}
	}
	return p.authority.Load().sign(trust.TimeNote{Nonce: nonce, Time: p.c.Now().UTC().Truncate(time.Second)})
}
