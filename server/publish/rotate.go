package publish

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"tcode/offline/trust"
	"tcode/server/tenant"
)

// The operator's actions on the root, as the audit log names them.
const (
	ActionRootPublish   = "root.publish"
	ActionOnlineKeyMake = "online_key.create"
)

var (
	// ErrTaken means that there is already another root of this version.
	ErrTaken = errors.New("another root of this version is published already: make the next one from it by tcode-gateway root rotate, and have it signed")
	// ErrRootExpired means that the root is of no use to devices.
	ErrRootExpired = errors.New("the root has expired, or expires within a day")
)

// Authority is the newest root and the keys of it that this gateway holds.
type Authority struct {
	Root       trust.Root
	Raw        []byte // the signed note
	OnlineHeld bool
	// Embedded is the root key that this gateway holds sealed, or zero if it holds none that
	// the root names. While it is enough to sign a root, a person with the gateway's data and
	// its keyset can change everything.
	Embedded trust.VerifierKey
}

// Alone reports whether the gateway can sign the next root alone.
func (a Authority) Alone() bool { return !a.Embedded.IsZero() && a.Root.Threshold == 1 }

// Authority returns the newest root of the database.
func (p *Publisher) Authority(ctx context.Context) (Authority, error) {
	h, err := p.c.Store.Head(ctx)
	if err == nil {
		err = p.follow(ctx, h)
	}
	if err != nil {
		return Authority{}, fmt.Errorf("read trust root: %w", err)
	}
	a := p.authority.Load()
	out := Authority{Root: a.state.Root, Raw: a.roots[len(a.roots)-1], OnlineHeld: a.online != nil}
	root, err := p.rootSigner(ctx, a.state.Root)
	if root != nil {
		out.Embedded = root.Key()
	}
	return out, err
}

// rootSigner returns the sealed root key if r names it, else nil.
func (p *Publisher) rootSigner(ctx context.Context, r trust.Root) (*trust.Signer, error) {
	s, err := p.stored(ctx, rootName, rootName)
	if err != nil || s == nil || !slices.Contains(r.Keys, s.Key()) {
		return nil, err
	}
	return s, nil
}

// NewOnlineKey makes an online key for a future root. It is sealed in the database, and
// signs nothing until a root that names it is published.
func (p *Publisher) NewOnlineKey(ctx context.Context) (trust.VerifierKey, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return trust.VerifierKey{}, err
	}
	signer, err := trust.NewSigner(onlineName, key)
	if err != nil {
		return trust.VerifierKey{}, err
	}
	secret := onlineSecret(signer.Key().Public)
	sealed, err := p.c.Ring.Seal(key.Seed(), "", secret)
	if err == nil {
		_, err = p.c.Store.PutSecret(ctx, secret, sealed)
	}
	if err != nil {
		return trust.VerifierKey{}, fmt.Errorf("make online key: %w", err)
	}
	p.c.Log.InfoContext(ctx, "online key made", slog.String("key", signer.Key().String()))
	return signer.Key(), nil
}

// SignRoot adds the signature of the sealed root key, if this gateway holds one and the
// newest root or the one in the text names it, and returns the note. Otherwise it returns
// its argument.
func (p *Publisher) SignRoot(ctx context.Context, textOrNote []byte) ([]byte, error) {
	_, next, err := trust.ReadRoot(textOrNote)
	if err != nil {
		return nil, err
	}
	now := p.authority.Load().state.Root
	s, err := p.rootSigner(ctx, trust.Root{Keys: slices.Concat(now.Keys, next.Keys)})
	if err != nil || s == nil {
		return textOrNote, err
	}
	return trust.SignNote(textOrNote, s)
}

// PublishRoots publishes the roots that follow the newest one, and in the same transaction
// the first documents under the last of them, so that no document signed by an older
// online key follows. It returns the number of new roots. This gateway must hold the last
// one's online key ([ErrOnlineKey]). It deletes online keys that are not named any more,
// and the sealed root key likewise.
//
// A restored database accepts roots, too, but publishes no documents.
func (p *Publisher) PublishRoots(ctx context.Context, raws ...[]byte) (int, error) {
	var n int
	var done Watermark
	var a *authority
	names, err := p.c.Store.SecretNames(ctx, onlineName)
	if err != nil {
		return 0, fmt.Errorf("publish root: %w", err)
	}
	err = p.c.Store.Publication(ctx, func(tx Tx) error {
		n, done = 0, Watermark{}
		roots, err := tx.Roots(ctx)
		if err != nil {
			return err
		}
		if a, n, err = p.append(ctx, roots, raws); err != nil || n == 0 {
			return err
		}
		for _, raw := range a.roots[len(roots):] {
			if err := p.putRoot(ctx, tx, raw); err != nil {
				return err
			}
		}
		if err := tx.DropSecrets(ctx, a.unnamed(names)...); err != nil {
			return err
		}
		done, err = p.publishUnder(ctx, tx, a)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("publish root: %w", err)
	}
	p.adopt(ctx, a)
	p.published(done)
	return n, nil
}

// append returns the authority of roots with the new ones of raws, and their
// number.
func (p *Publisher) append(ctx context.Context, roots, raws [][]byte) (*authority, int, error) {
	state, since, err := openChain(roots)
	if err != nil {
		return nil, 0, err
	}
	for _, raw := range raws {
		if _, r, err := trust.ReadRoot(raw); err == nil && !bytes.Contains(raw, []byte("\n\n")) {
			return nil, 0, fmt.Errorf("%w: root %d has no signature", trust.ErrThreshold, r.Version)
		}
	}
	next, since, err := extend(state, since, raws)
	if err != nil {
		if _, r, readErr := trust.ReadRoot(raws[0]); readErr == nil && r.Version <= state.Root.Version && errors.Is(err, trust.ErrRootChain) {
			return nil, 0, fmt.Errorf("root %d: %w", r.Version, ErrTaken)
		}
		return nil, 0, err
	}
	a := &authority{roots: next.Roots, state: next, since: since}
	if a.online, err = p.held(ctx, next.Root.Online); err != nil {
		return nil, 0, err
	}
	n := len(next.Roots) - len(roots)
	switch {
	case n == 0:
		return a, 0, nil
	case a.online == nil:
		return nil, 0, a.lacksKey()
	case next.Root.Expires.Before(p.c.Now().Add(MinRootLife)):
		return nil, 0, fmt.Errorf("%w: %s", ErrRootExpired, next.Root.Expires.Format(time.RFC3339))
	}
	return a, n, nil
}

func (p *Publisher) putRoot(ctx context.Context, tx Tx, raw []byte) error {
	_, r, err := trust.ReadRoot(raw)
	if err != nil {
		return err
	}
	if err := tx.PutRoot(ctx, r.Version, raw); err != nil {
		return err
	}
	return tx.Audit(ctx, tenant.NewEntry(ctx, "", ActionRootPublish, fmt.Sprintf("root %d", r.Version), p.c.Now().UTC()).
		With("threshold", fmt.Sprintf("%d of %d", r.Threshold, len(r.Keys))).With("onlineKey", r.Online.String()))
}

// unnamed returns the secrets of online keys that the newest root does not name, and the
// root key's if it is not that root's. names were read before the transaction: a key made
// meanwhile stays.
func (a *authority) unnamed(names []string) []string {
	var out []string
	for _, name := range names {
		if name == onlineSecret(a.state.Root.Online.Public) {
			out = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == name })
			break
		}
	}
	if !slices.ContainsFunc(a.state.Root.Keys, func(k trust.VerifierKey) bool { return k.Name == rootName }) {
		out = append(out, rootName)
	}
	return out
}

// publishUnder publishes under a new root, unless the database was restored.
func (p *Publisher) publishUnder(ctx context.Context, tx Tx, a *authority) (Watermark, error) {
	if restored, err := tx.Restored(ctx); err != nil || restored {
		return Watermark{}, err
	}
	h, err := tx.Head(ctx)
	if err != nil {
		return Watermark{}, err
	}
	floor := p.seen(Watermark{})
	if p.c.Floor != nil {
		floor = floor.Join(p.c.Floor())
	}
	if err := setBack(h, a.mark(), floor); err != nil {
		return Watermark{}, err
	}
	return p.publish(ctx, tx, h, a, floor)
}

// firstRoot makes root 1 and its keys and returns the present roots: another gateway may
// have been first.
func (p *Publisher) firstRoot(ctx context.Context) ([][]byte, error) {
	root, err := p.signer(ctx, rootName)
	if err != nil {
		return nil, err
	}
	online, err := p.signer(ctx, onlineName)
	if err != nil {
		return nil, err
	}
	first := trust.Root{
		Version: 1, Expires: p.c.Now().UTC().Truncate(time.Second).Add(RootLife), Threshold: 1,
		Keys: []trust.VerifierKey{root.Key()}, Online: online.Key(),
	}
	fp, err := first.Fingerprint()
	if err != nil {
		return nil, err
	}
	text, err := first.Text(fp)
	if err != nil {
		return nil, err
	}
	raw, err := trust.SignNote(text, root)
	if err != nil {
		return nil, err
	}
	err = p.c.Store.Publication(ctx, func(tx Tx) error {
		if roots, err := tx.Roots(ctx); err != nil || len(roots) > 0 {
			return err
		}
		return tx.PutRoot(ctx, 1, raw)
	})
	if err != nil {
		return nil, err
	}
	return p.c.Store.Roots(ctx)
}

// renewRoot extends a root that the gateway can sign alone by another year, long before it
// expires: the keys stay, so devices need not learn anything again. Once a day, the log
// names a root that others must sign.
func (p *Publisher) renewRoot(ctx context.Context) error {
	a := p.authority.Load()
	newest, now := a.state.Root, p.c.Now().UTC()
	if newest.Expires.Sub(now) > rootRenew {
		return nil
	}
	signer, err := p.rootSigner(ctx, newest)
	if err != nil {
		return err
	}
	if signer == nil || newest.Threshold > 1 {
		p.warnExpiry(ctx, newest, now)
		return nil
	}
	next := newest
	next.Version, next.Expires, next.Forget = newest.Version+1, now.Truncate(time.Second).Add(RootLife), time.Time{}
	text, err := next.Text(a.state.Fingerprint)
	if err != nil {
		return err
	}
	raw, err := trust.SignNote(text, signer)
	if err != nil {
		return err
	}
	err = p.c.Store.Publication(ctx, func(tx Tx) error {
		roots, err := tx.Roots(ctx)
		if err != nil || !bytes.Equal(roots[len(roots)-1], a.roots[len(a.roots)-1]) {
			return err // another gateway did it, or an operator
		}
		return p.putRoot(ctx, tx, raw)
	})
	if err != nil {
		return err
	}
	h, err := p.c.Store.Head(ctx)
	if err != nil {
		return err
	}
	return p.follow(ctx, h)
}

func (p *Publisher) warnExpiry(ctx context.Context, r trust.Root, now time.Time) {
	p.mu.Lock()
	told := now.Sub(p.warned) < 24*time.Hour && !now.Before(p.warned)
	if !told {
		p.warned = now
	}
	p.mu.Unlock()
	if !told {
		p.c.Log.WarnContext(ctx, "the trust root expires, and devices trust nothing after that: have the next one signed (tcode-gateway root rotate)",
			slog.Uint64("version", r.Version), slog.Time("expires", r.Expires))
	}
}
