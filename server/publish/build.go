package publish

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"tcode/offline/contain"
	"tcode/offline/trust"
)

// ErrRestored means that the database was restored from a backup, and a later revocation
// may be missing. Only devices that have seen that revocation remember it.
var ErrRestored = errors.New("the database was restored from a backup: run tcode-gateway fsck before anything is published from it")

// ErrVersions means that no version is left, as after a clock that ran far ahead.
var ErrVersions = errors.New("no version of trust documents is left under this online key: run tcode-gateway online-key rotate")

// ErrRolledBack means that the database is older than its last publication: a backup of it
// was put back without a restore. It is an [ErrRestored].
var ErrRolledBack = fmt.Errorf("the database is older than its last publication: %w", ErrRestored)

// ErrRootsLost means that the database lacks a root that was published from it. It is an
// [ErrRolledBack].
var ErrRootsLost = fmt.Errorf("the database lacks the newest trust root: put its file back by tcode-gateway root publish: %w", ErrRolledBack)

// Round publishes what is due, by [Config.Apart].
func (p *Publisher) Round(ctx context.Context) error {
	due, _, err := p.look(ctx)
	if err != nil || !due {
		return err
	}
	return p.apart(ctx, Documents)
}

// look reports whether a publication is due, and from which mark. Most looks find nothing to do,
// and need no write lock to see it.
func (p *Publisher) look(ctx context.Context) (due bool, floor Watermark, err error) {
	floor = p.seen(Watermark{}) // before the head is read: it is the older of the two
	h, err := p.c.Store.Head(ctx)
	if err == nil {
		err = p.follow(ctx, h)
	}
	if err == nil {
		err = setBack(h, p.authority.Load().mark(), floor)
	}
	if err != nil {
		return false, floor, fmt.Errorf("publish: %w", err)
	}
	p.seen(h.Watermark())
	return p.due(h, p.authority.Load()), floor, nil
}

// Publish publishes if a change is unpublished, the timestamp is due or a new root names
// another online key, and reports whether it did. If several publishers call it, one
// publishes and the others find it done.
func (p *Publisher) Publish(ctx context.Context) (bool, error) {
	due, floor, err := p.look(ctx)
	if err != nil || !due {
		return false, err
	}
	if p.c.Floor != nil {
		floor = floor.Join(p.c.Floor())
	}
	done := Watermark{}
	err = p.c.Store.Publication(ctx, func(tx Tx) error {
		contain.SeedItem("publication", Documents)
		done = Watermark{}
		h, err := tx.Head(ctx)
		if err != nil {
			return err
		}
		a, err := p.authorityOf(ctx, tx, h)
		if err != nil {
			return err
		}
		if err := setBack(h, a.mark(), floor); err != nil {
			return err
		}
		if !p.due(h, a) {
			return nil
		}
		restored, err := tx.Restored(ctx)
		if err != nil {
			return err
		}
		if restored {
			return ErrRestored
		}
		done, err = p.publish(ctx, tx, h, a, floor)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("publish: %w", err)
	}
	p.published(done)
	return done != Watermark{}, nil
}

// published notes a publication; the zero Mark is none.
func (p *Publisher) published(m Watermark) {
	if m == (Watermark{}) {
		return
	}
	p.seen(m)
	if p.c.Published != nil {
		p.c.Published(m)
	}
}

// setBack refuses a database with the head h and roots up to at that has lost
// something of what was published up to floor: a root, or documents. Documents of
// an older online key may lie below the floor when lost roots were put back: those
// of the present key follow.
func setBack(h Head, at, floor Watermark) error {
	switch {
	case at.Root < floor.Root || at.Since < floor.Since:
		return fmt.Errorf("%w: root %d was published, the database holds root %d", ErrRootsLost, floor.Root, at.Root)
	case h.Since == floor.Since && h.Version < floor.Version:
		return ErrRolledBack
	}
	return nil
}

// CheckRolledBack reports whether a database with the head h and these roots has lost
// something of what was published up to floor: [ErrRolledBack], or its [ErrRootsLost].
func CheckRolledBack(h Head, roots [][]byte, floor Watermark) error {
	if floor == (Watermark{}) {
		return nil
	}
	var at Watermark
	if len(roots) > 0 { // else no gateway has opened it yet
		var err error
		if at, err = RootsWatermark(roots); err != nil {
			return err
		}
	}
	return setBack(h, at, floor)
}

// mostAhead is the largest distance of versions, which are Unix seconds, ahead of the
// clock when a gateway starts. Later publications, and the proofs of time for devices,
// correct a clock that ran ahead by less.
const mostAhead = 2 * 365 * 24 * time.Hour

// ErrAhead means that the versions of the newest trust documents are years ahead of the
// clock: the clock is wrong now, or was when they were published. A restored database
// would then look like the present one.
var ErrAhead = errors.New("the published trust documents are years ahead of the clock of this machine")

// CheckAhead returns an error that wraps [ErrAhead], and says what to do, if a
// publication at now would have to go on from such a version. floor is the mark of
// the last publication, as in [CheckRolledBack]. Under a new online key versions begin anew.
func CheckAhead(h Head, roots [][]byte, floor Watermark, now time.Time) error {
	if len(roots) == 0 {
		return nil
	}
	at, err := RootsWatermark(roots)
	if err != nil {
		return err
	}
	var version uint64
	for _, m := range []Watermark{h.Watermark(), floor} {
		if m.Since == at.Since {
			version = max(version, m.Version)
		}
	}
	if latest := now.Add(mostAhead).Unix(); version == 0 || latest > 0 && version <= uint64(latest) {
		return nil
	}
	return fmt.Errorf("%w: they have version %d, and the clock says %s, which is %d. If the clock is wrong, set it. If it is right, a clock that ran ahead "+
		"published them: run \"tcode-gateway online-key rotate\", after which versions begin again (server/ceremony/README.md)",
		ErrAhead, version, now.UTC().Format(time.DateTime), now.Unix())
}

// seen notes what was published and returns how far publication has come.
func (p *Publisher) seen(m Watermark) Watermark {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.newest = p.newest.Join(m)
	return p.newest
}

func (p *Publisher) due(h Head, a *authority) bool {
	age := p.c.Now().Sub(h.At)
	// A negative age means that the clock was set back: the documents will soon show that too.
	return h.Wanted != h.Published || h.Timestamp == nil || h.Since != a.since || age >= refresh || age < 0
}

// publish builds one complete set under the authority a. Versions are those of
// the whole set, so that each is higher than any before it, floor included, even
// after a restore from a backup. Under a new online key devices hold nothing yet:
// all of it is signed anew, and versions begin at the time again.
func (p *Publisher) publish(ctx context.Context, tx Tx, h Head, a *authority, floor Watermark) (Watermark, error) {
	if a.online == nil {
		return Watermark{}, a.lacksKey()
	}
	now := p.c.Now().UTC().Truncate(time.Second)
	old, anew := h, h.Since != a.since
	if anew {
		h.Since, h.Version, h.Bundle, h.Status = a.since, 0, Ref{}, Ref{}
	}
	version := max(h.Version+1, uint64(max(now.Unix(), 1)))
	if floor.Since == a.since {
		version = max(version, floor.Version+1)
	}
	if version > trust.MaxVersion {
		return Watermark{}, ErrVersions
	}
	if err := p.publishBundle(ctx, tx, a, &h, version, now); err != nil {
		return Watermark{}, err
	}
	rest, err := p.publishStatus(ctx, tx, a, &h, version, now, anew)
	if err != nil {
		return Watermark{}, err
	}
	ts := trust.Timestamp{
		Version: version, StatusAsOf: now, Expires: now.Add(timestampLife),
		Bundle: trust.DocumentRef{Version: h.Bundle.Version, SHA256: h.Bundle.SHA256},
		Status: trust.DocumentRef{Version: h.Status.Version, SHA256: h.Status.SHA256},
	}
	raw, err := a.sign(ts)
	if err != nil {
		return Watermark{}, err
	}
	h.Version, h.Timestamp, h.Published, h.At = version, raw, h.Wanted, p.c.Now().UTC()
	if rest {
		h.Published = h.Wanted - 1 // so that the next publication is due
	}
	if err := tx.Supersede(ctx, h, now, old.Bundle.SHA256, old.Status.SHA256, old.Delta.SHA256); err != nil {
		return Watermark{}, err
	}
	if err := tx.SetHead(ctx, h, now.Add(-keepObjects)); err != nil {
		return Watermark{}, err
	}
	p.c.Log.InfoContext(ctx, "trust documents published", slog.Uint64("version", version), slog.Uint64("root", a.state.Root.Version),
		slog.Uint64("bundle", h.Bundle.Version), slog.Uint64("status", h.Status.Version))
	return h.Watermark(), nil
}

// lasts reports whether a document is still young enough to keep. A document that expires
// later than a new one would was dated by a clock that ran ahead.
func lasts(r Ref, now time.Time) bool {
	left := r.Expires.Sub(now)
	return left > documentRenew && left <= documentLife
}

// publishBundle signs a new bundle if its content changed or it is a day old.
func (p *Publisher) publishBundle(ctx context.Context, tx Tx, a *authority, h *Head, version uint64, now time.Time) error {
	if h.BundleWanted == h.BundlePublished && lasts(h.Bundle, now) {
		return nil
	}
	b, err := bundle(ctx, tx)
	if err != nil {
		return err
	}
	b.Version, b.Issued, b.Expires = version, now, now.Add(documentLife)
	raw, err := a.sign(b)
	if err != nil {
		return err
	}
	h.BundlePublished = h.BundleWanted
	h.Bundle = Ref{Version: version, SHA256: sha256.Sum256(raw), Expires: b.Expires}
	return tx.PutObject(ctx, Object{SHA256: h.Bundle.SHA256, Data: raw, ContentType: TypeNote}, now)
}

// bundle collects tenants, keys and document types, including retired ones, whose stamps
// still need their names.
func bundle(ctx context.Context, tx Tx) (trust.Bundle, error) {
	var b trust.Bundle
	tenants, err := tx.Tenants(ctx)
	if err != nil {
		return b, err
	}
	for _, t := range tenants {
		b.Tenants = append(b.Tenants, t.Trust())
	}
	keys, err := tx.SigningKeys(ctx, "")
	if err != nil {
		return b, err
	}
	for _, k := range keys {
		b.Keys = append(b.Keys, k.Trust())
	}
	types, err := tx.DocumentTypes(ctx)
	if err != nil {
		return b, err
	}
	for _, d := range types {
		b.DocumentTypes = append(b.DocumentTypes, trust.DocumentType{Code: d.Code, Names: d.Names, FieldLabels: d.FieldLabels})
	}
	b.Sort()
	return b, nil
}
