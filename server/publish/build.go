package publish

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"tcode/offline/trust"
)

// ErrRestored: the database came out of a backup, and a revocation made after it
// may be missing. Devices that heard of that revocation must not be told less
// (DESIGN section 6).
var ErrRestored = errors.New("the database was restored from a backup: run tcode-gateway fsck before anything is published from it")

// ErrSetBack: the database is older than what was published from it, so somebody
// put back a backup of it without saying so. It is an [ErrRestored].
var ErrSetBack = fmt.Errorf("the database is older than what was published from it: %w", ErrRestored)

// Publish publishes if a change is unpublished or the timestamp is due, and
// reports whether it did. Of several publishers one does it; the others find it
// done.
func (p *Publisher) Publish(ctx context.Context) (bool, error) {
	// Most looks find nothing to do, and need no write lock to see it.
	floor := p.seen(0) // before the head is read: it is the older of the two
	h, err := p.c.Store.Head(ctx)
	if err == nil && h.Version < floor {
		err = ErrSetBack
	}
	if err != nil {
		return false, fmt.Errorf("publish: %w", err)
	}
	p.seen(h.Version)
	if !p.due(h) {
		return false, nil
	}
	if p.c.Floor != nil {
		floor = max(floor, p.c.Floor())
	}
	did, version := false, uint64(0)
	err = p.c.Store.Publication(ctx, func(tx Tx) error {
		did = false
		h, err := tx.Head(ctx)
		if err == nil && h.Version < floor {
			err = ErrSetBack
		}
		if err != nil || !p.due(h) {
			return err
		}
		restored, err := tx.Restored(ctx)
		if err != nil {
			return err
		}
		if restored {
			return ErrRestored
		}
		did = true
		version, err = p.publish(ctx, tx, h)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("publish: %w", err)
	}
	if did {
		p.seen(version)
		if p.c.Published != nil {
			p.c.Published(version)
		}
	}
	return did, nil
}

// seen notes a published version and returns the highest there was.
func (p *Publisher) seen(version uint64) uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.newest = max(p.newest, version)
	return p.newest
}

func (p *Publisher) due(h Head) bool {
	age := p.c.Now().Sub(h.At)
	// A negative age is a clock set back: the documents say so too, soon.
	return h.Wanted != h.Published || h.Timestamp == nil || age >= refresh || age < 0
}

// publish builds one complete set. Versions are those of the whole set, so that
// each is higher than any before it even after a restore from a backup.
func (p *Publisher) publish(ctx context.Context, tx Tx, h Head) (version uint64, err error) {
	now := p.c.Now().UTC().Truncate(time.Second)
	version = max(h.Version+1, uint64(max(now.Unix(), 0)))

	if err := p.publishBundle(ctx, tx, &h, version, now); err != nil {
		return 0, err
	}
	if err := p.publishStatus(ctx, tx, &h, version, now); err != nil {
		return 0, err
	}
	ts := trust.Timestamp{
		Version: version, Issued: now, Expires: now.Add(timestampLife),
		Bundle: trust.DocumentRef{Version: h.Bundle.Version, SHA256: h.Bundle.SHA256},
		Status: trust.DocumentRef{Version: h.Status.Version, SHA256: h.Status.SHA256},
	}
	raw, err := p.sign(ts)
	if err != nil {
		return 0, err
	}
	h.Version, h.Timestamp, h.Published, h.At = version, raw, h.Wanted, p.c.Now().UTC()
	if err := tx.SetHead(ctx, h, now, now.Add(-keepObjects)); err != nil {
		return 0, err
	}
	p.c.Log.InfoContext(ctx, "trust documents published", slog.Uint64("version", version),
		slog.Uint64("bundle", h.Bundle.Version), slog.Uint64("status", h.Status.Version))
	return version, nil
}

// sign writes a document as a note signed by the online key.
func (p *Publisher) sign(d interface {
	Text(trust.Fingerprint) ([]byte, error)
},
) ([]byte, error) {
	text, err := d.Text(p.fingerprint)
	if err != nil {
		return nil, err
	}
	return trust.SignNote(text, p.online)
}

// lasts reports whether a document need not be signed anew for its age. One that
// expires later than a new one would was dated by a clock that ran ahead.
func lasts(r Ref, now time.Time) bool {
	left := r.Expires.Sub(now)
	return left > documentRenew && left <= documentLife
}

// publishBundle signs a new bundle if its content changed or it is a day old.
func (p *Publisher) publishBundle(ctx context.Context, tx Tx, h *Head, version uint64, now time.Time) error {
	if h.BundleWanted == h.BundlePublished && lasts(h.Bundle, now) {
		return nil
	}
	b, err := bundle(ctx, tx)
	if err != nil {
		return err
	}
	b.Version, b.Issued, b.Expires = version, now, now.Add(documentLife)
	raw, err := p.sign(b)
	if err != nil {
		return err
	}
	h.BundlePublished = h.BundleWanted
	h.Bundle = Ref{Version: version, SHA256: sha256.Sum256(raw), Expires: b.Expires}
	return tx.PutObject(ctx, Object{SHA256: h.Bundle.SHA256, Data: raw, ContentType: TypeNote}, now)
}

// bundle gathers tenants, keys and document types, retired ones too: a stamp
// that bears one still needs its name.
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

// publishStatus publishes the shards that changed and, if any did or the status
// document is a day old, a new one.
func (p *Publisher) publishStatus(ctx context.Context, tx Tx, h *Head, version uint64, now time.Time) error {
	shards, err := tx.Shards(ctx)
	if err != nil {
		return err
	}
	changed := !lasts(h.Status, now)
	for i := range shards {
		did, err := publishShard(ctx, tx, &shards[i], version, now)
		if err != nil {
			return err
		}
		changed = changed || did
	}
	if !changed {
		return nil
	}
	st := trust.Status{Version: version, Issued: now, Expires: now.Add(documentLife)}
	for _, s := range shards {
		st.Shards = append(st.Shards, trust.ShardEntry{Number: s.Number, Version: s.Version, SHA256: s.SHA256})
	}
	slices.SortFunc(st.Shards, func(a, b trust.ShardEntry) int { return int(a.Number) - int(b.Number) })
	raw, err := p.sign(st)
	if err != nil {
		return err
	}
	h.Status = Ref{Version: version, SHA256: sha256.Sum256(raw), Expires: st.Expires}
	return tx.PutObject(ctx, Object{SHA256: h.Status.SHA256, Data: raw, ContentType: TypeNote}, now)
}

// publishShard publishes one shard if its content is not what was published,
// and reports whether it did.
func publishShard(ctx context.Context, tx Tx, s *Shard, version uint64, now time.Time) (bool, error) {
	if s.Version != 0 && s.Changed == s.Published {
		return false, nil
	}
	content, err := tx.ShardEntries(ctx, s.Number)
	if err != nil {
		return false, err
	}
	did := false
	if hash := content.Hash(); s.Version == 0 || hash != s.SHA256 {
		s.Version, s.SHA256, did = version, hash, true
		if err := tx.PutObject(ctx, Object{SHA256: hash, Data: content.Deflate(), ContentType: TypeShard}, now); err != nil {
			return false, err
		}
	}
	s.Published = s.Changed
	return did, tx.SetShard(ctx, *s)
}
