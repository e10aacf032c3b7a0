package publish

import (
	"context"
	"crypto/sha256"
	"maps"
	"slices"
	"time"

	"tcode/offline/digest"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
)

// deltaLife is the time that the delta of a status covers, unless that is too many
// entries: a device that is so far behind need not fetch packs.
const deltaLife = 6 * time.Hour

// A statusRun publishes the changes of the status list. Its cost depends on the changed
// shards, their packs, and the status document.
type statusRun struct {
	tx      Tx
	version uint64
	now     time.Time

	delta    trust.Delta
	undone   bool // the old contents of a shard are unknown: no delta may begin before this version
	packs    map[int]bool
	replaced []digest.SHA256
}

// publishStatus publishes the changed shards, their packs and, if there are any or the
// status document is a day old, a new status document. With anew, under a new online key,
// the versions of older deltas have no meaning. rest reports that shards changed
// meanwhile, for the next publication.
func (p *Publisher) publishStatus(ctx context.Context, tx Tx, a *authority, h *Head, version uint64, now time.Time, anew bool) (rest bool, err error) {
	run := statusRun{tx: tx, version: version, now: now, undone: anew || h.Delta.Since == 0, packs: map[int]bool{}}
	shards, rest, err := tx.ChangedShards(ctx)
	if err != nil {
		return rest, err
	}
	for _, s := range shards {
		if err := run.shard(ctx, s); err != nil {
			return rest, err
		}
	}
	if len(run.packs) == 0 && lasts(h.Status, now) {
		return rest, nil
	}
	st := trust.Status{Version: version, Issued: now, Expires: now.Add(documentLife)}
	if st.Shards, err = tx.ShardCount(ctx); err != nil {
		return rest, err
	}
	if st.Packs, err = run.putPacks(ctx, st.Shards); err != nil {
		return rest, err
	}
	if st.Delta, err = run.putDelta(ctx, h.Delta.Since); err != nil {
		return rest, err
	}
	raw, err := a.sign(st)
	if err != nil {
		return rest, err
	}
	h.Status, h.Delta = Ref{Version: version, SHA256: sha256.Sum256(raw), Expires: st.Expires}, st.Delta
	if err := tx.PutObject(ctx, Object{SHA256: h.Status.SHA256, Data: raw, ContentType: TypeNote}, now); err != nil {
		return rest, err
	}
	return rest, tx.Supersede(ctx, *h, now, run.replaced...)
}

// shard publishes one shard if its content differs from the published one, and notes its
// pack and its changes.
func (r *statusRun) shard(ctx context.Context, s Shard) error {
	content, err := r.tx.ShardEntries(ctx, s.Number)
	if err != nil {
		return err
	}
	hash := content.Hash()
	s.Published = s.Changed
	if hash == s.SHA256 {
		return r.tx.SetShard(ctx, s)
	}
	r.packs[trust.PackOf(s.Number)] = true
	if err := r.note(ctx, s, content); err != nil {
		return err
	}
	if !s.SHA256.IsZero() {
		r.replaced = append(r.replaced, s.SHA256)
	}
	s.SHA256 = hash
	if err := r.tx.PutObject(ctx, Object{SHA256: hash, Data: content.Deflate(), ContentType: TypeShard}, r.now); err != nil {
		return err
	}
	return r.tx.SetShard(ctx, s)
}

// note adds to the delta the differences between content and the published shard.
func (r *statusRun) note(ctx context.Context, s Shard, content *statuslist.Shard) error {
	before := new(statuslist.Shard)
	if !s.SHA256.IsZero() {
		o, err := r.tx.Object(ctx, s.SHA256)
		if err != nil {
			return err
		}
		if before, err = statuslist.Inflate(o.Data); err != nil || before.Hash() != s.SHA256 {
			r.undone = true
			return nil //nolint:nilerr // devices fetch the shard
		}
	}
	for i := range content {
		if content[i] == before[i] {
			continue
		}
		for entry := 4 * i; entry < 4*i+4; entry++ {
			if v := content.Get(uint16(entry)); v != before.Get(uint16(entry)) {
				r.delta = append(r.delta, trust.DeltaEntry{Shard: s.Number, Entry: uint16(entry), Value: v})
			}
		}
	}
	return nil
}

// putPacks publishes the packs that changed, and those that a status of that many
// shards has more than the last one, and returns the hashes of all.
func (r *statusRun) putPacks(ctx context.Context, shards int) ([]digest.SHA256, error) {
	all, err := r.tx.Packs(ctx)
	if err != nil {
		return nil, err
	}
	for n := len(all); n*trust.PackShards < shards; n++ {
		r.packs[n] = true
	}
	for _, n := range slices.Sorted(maps.Keys(r.packs)) {
		from := n * trust.PackShards
		hashes, err := r.tx.ShardHashes(ctx, from, min(from+trust.PackShards, shards))
		if err != nil {
			return nil, err
		}
		if len(hashes) == 0 {
			continue
		}
		pack := trust.Pack(hashes)
		hash := pack.Hash()
		if err := r.tx.PutObject(ctx, Object{SHA256: hash, Data: pack.Bytes(), ContentType: TypePack}, r.now); err != nil {
			return nil, err
		}
		if n == len(all) {
			all = append(all, hash)
		} else {
			r.replaced = append(r.replaced, all[n])
			all[n] = hash
		}
		if err := r.tx.SetPack(ctx, n, hash); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// putDelta publishes the delta of the status, whose last one began at since.
func (r *statusRun) putDelta(ctx context.Context, since uint64) (ref trust.DeltaRef, err error) {
	var delta trust.Delta
	if r.undone || len(r.delta) > trust.MaxDelta {
		since, err = r.version, r.tx.ClearDelta(ctx)
	} else {
		var cut uint64
		delta, cut, err = r.tx.AddDelta(ctx, r.delta, r.version, r.now, r.now.Add(-deltaLife), trust.MaxDelta)
		since = max(since, cut)
	}
	if err != nil {
		return ref, err
	}
	ref = trust.DeltaRef{Since: since, SHA256: delta.Hash()}
	return ref, r.tx.PutObject(ctx, Object{SHA256: ref.SHA256, Data: delta.Bytes(), ContentType: TypePack}, r.now)
}
