package publish

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"tcode/offline/trust"
	"tcode/server/fault"
	"tcode/sync/wire"
)

// ErrForeignRoot means that the newest stored root does not name the keys this
// gateway holds: a database and secrets that do not belong together.
var ErrForeignRoot = errors.New("the stored trust root names other keys")

// New returns the publisher of a database. At first use it makes the trust root
// (one key) and the online key, both kept sealed by the ring.
func New(ctx context.Context, c Config) (*Publisher, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	p := &Publisher{c: c, wake: make(chan struct{}, 1)}
	var err error
	if p.root, err = p.signer(ctx, rootName); err != nil {
		return nil, err
	}
	if p.online, err = p.signer(ctx, onlineName); err != nil {
		return nil, err
	}
	if err := p.loadRoots(ctx); err != nil {
		return nil, fmt.Errorf("load trust root: %w", err)
	}
	return p, nil
}

// signer returns the Ed25519 key of that name, made at first use.
func (p *Publisher) signer(ctx context.Context, name string) (*trust.Signer, error) {
	seed, err := p.c.Ring.SecretFunc(ctx, p.c.Store, name, func() ([]byte, error) {
		_, key, err := ed25519.GenerateKey(rand.Reader)
		return key.Seed(), err
	})
	if err != nil {
		return nil, err
	}
	if len(seed) != ed25519.SeedSize {
		return nil, fmt.Errorf("secret %s: %d bytes, want %d", name, len(seed), ed25519.SeedSize)
	}
	return trust.NewSigner(name, ed25519.NewKeyFromSeed(seed))
}

// loadRoots reads the chain of roots and makes what is missing of it.
func (p *Publisher) loadRoots(ctx context.Context) error {
	roots, err := p.c.Store.Roots(ctx)
	if err != nil {
		return err
	}
	if len(roots) == 0 {
		first := p.nextRoot(1)
		fp, err := first.Fingerprint()
		if err != nil {
			return err
		}
		if roots, err = p.putRoot(ctx, first, fp); err != nil {
			return err
		}
	}
	state, err := trust.Pin(roots, nil)
	if err != nil {
		return err
	}
	if state.Root.Online != p.online.Key() || len(state.Root.Keys) != 1 || state.Root.Keys[0] != p.root.Key() {
		return ErrForeignRoot
	}
	p.mu.Lock()
	p.roots, p.fingerprint = roots, state.Fingerprint
	p.mu.Unlock()
	return p.renewRoot(ctx, state.Root)
}

// nextRoot is a root of that version with the keys there are.
func (p *Publisher) nextRoot(version uint64) trust.Root {
	return trust.Root{
		Version: version, Expires: p.c.Now().UTC().Truncate(time.Second).Add(rootLife), Threshold: 1,
		Keys: []trust.VerifierKey{p.root.Key()}, Online: p.online.Key(),
	}
}

// putRoot signs and stores r and returns all roots there are then: another
// gateway may have stored this version first.
func (p *Publisher) putRoot(ctx context.Context, r trust.Root, fp trust.Fingerprint) ([][]byte, error) {
	text, err := r.Text(fp)
	if err != nil {
		return nil, err
	}
	raw, err := trust.SignNote(text, p.root)
	if err != nil {
		return nil, err
	}
	if err := p.c.Store.PutRoot(ctx, r.Version, raw); err != nil {
		return nil, err
	}
	return p.c.Store.Roots(ctx)
}

// renewRoot gives the root another year long before it expires. The keys stay,
// so nothing that devices have learned is lost.
func (p *Publisher) renewRoot(ctx context.Context, newest trust.Root) error {
	if newest.Expires.Sub(p.c.Now()) > rootRenew {
		return nil
	}
	roots, err := p.putRoot(ctx, p.nextRoot(newest.Version+1), p.fingerprint)
	if err != nil {
		return err
	}
	p.mu.Lock()
	p.roots = roots
	p.mu.Unlock()
	p.c.Log.InfoContext(ctx, "trust root renewed", slog.Uint64("version", newest.Version+1))
	return nil
}

// checkRoot renews the root if it is time.
func (p *Publisher) checkRoot(ctx context.Context) error {
	roots, err := p.c.Store.Roots(ctx)
	if err != nil {
		return err
	}
	if len(roots) == 0 {
		return ErrForeignRoot
	}
	newest, err := trust.ParseRoot(p.fingerprint, roots[len(roots)-1])
	if err != nil {
		return err
	}
	p.mu.Lock()
	p.roots = roots // another gateway may have renewed it
	p.mu.Unlock()
	return p.renewRoot(ctx, newest)
}

// Fingerprint names the trust root, as devices pin it.
func (p *Publisher) Fingerprint() trust.Fingerprint { return p.fingerprint }

// Root returns one root version, or a NotFound fault.
func (p *Publisher) Root(_ context.Context, version uint64) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if version < 1 || version > uint64(len(p.roots)) {
		return nil, fault.New(fault.NotFound, fault.CodeNotFound, "there is no root version %d", version)
	}
	return p.roots[version-1], nil
}

// PublicKey returns the key that signs bundle, status, timestamp and receipts.
func (p *Publisher) PublicKey() OnlineKey {
	k := p.online.Key()
	return OnlineKey{Name: k.Name, Public: ed25519.PublicKey(k.Public[:]), Note: k.String()}
}

// SignReceipt signs a receipt for a device by the online key.
func (p *Publisher) SignReceipt(r wire.Receipt) (string, error) { return wire.SignReceipt(r, p.online) }

// Time signs the gateway's clock, cut to whole seconds, for a device that sent
// this nonce. It reads and writes nothing, so it answers when the database does not.
func (p *Publisher) Time(nonce [32]byte) ([]byte, error) {
	return p.sign(trust.TimeNote{Nonce: nonce, Time: p.c.Now().UTC().Truncate(time.Second)})
}
