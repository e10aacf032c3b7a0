package mkvectors_test

import (
	"encoding/hex"
	"time"

	"tcode/offline/statuslist"
	"tcode/offline/trust"
)

// finalUpdates take back what was final (offline/trust/FORMAT.md, section 5, 7).
func finalUpdates() []updateCase {
	// lacking is a device with a set, and as update one that change has changed.
	lacking := func(prepare, change func(f *fleet)) func(f *fleet) updateVector {
		return func(f *fleet) updateVector {
			prepare(f)
			held := f.holding()
			f.later(11, noon.Add(time.Hour))
			change(f)
			u := f.publish()
			return updateVector{Held: held, Update: &u}
		}
	}
	entry := func(v statuslist.Value) func(f *fleet) {
		return func(f *fleet) { f.shards[1].Set(7, v) }
	}
	unknown := func(k *trust.Key) {
		k.State, k.CompromisedSince, k.SurvivorList = trust.KeyVerifying, time.Time{}, ""
	}
	nothing := func(*fleet) {}
	// other is a root with another online key that changes the set's.
	other := func(f *fleet, change func(r *trust.Root)) string {
		raw := f.next(func(r *trust.Root) {
			r.Online = trustSigner("online-2").Key()
			change(r)
		}, f.rootKeys[0], f.rootKeys[1])
		f.online = trustSigner("online-2")
		return raw
	}
	forget := func(r *trust.Root) { r.Forget = noon.Add(-day) }
	same := func(*trust.Root) {}
	return []updateCase{
		{"undone-entry", "a revoked entry is not revoked any more", "ok", lacking(nothing, entry(statuslist.None))},
		{"undone-suspended", "a replaced entry is merely suspended", "ok", lacking(entry(statuslist.Replaced), entry(statuslist.Suspended))},
		{
			"undone-not", "a revoked entry is replaced, and one is suspended no more", "ok",
			lacking(func(f *fleet) { f.shards[0].Set(7, statuslist.Suspended) },
				func(f *fleet) { f.shards[0].Set(7, statuslist.None); entry(statuslist.Replaced)(f) }),
		},
		{"undone-key", "a compromised key is not compromised any more", "ok", lacking(nothing, func(f *fleet) { unknown(&f.bundle.Keys[0]) })},
		{
			"undone-other-key", "another compromised key has the number", "ok",
			lacking(nothing, func(f *fleet) { f.bundle.Keys[0].Public = f.bundle.Keys[1].Public }),
		},
		{"undone-damaged", "the held shard is damaged, so its content is unknown", "ok", func(f *fleet) updateVector {
			v := lacking(nothing, entry(statuslist.None))(f)
			v.Held.Shards[1] = hex.EncodeToString(stored(listed(fullShard())))
			return v
		}},
		{
			"undone-65536", "65,536 entries are not revoked any more", "ok",
			lacking(func(f *fleet) { f.shards[1] = fullShard(); unknown(&f.bundle.Keys[0]) },
				func(f *fleet) { f.shards[1] = new(statuslist.Shard) }),
		},
		{
			"undone-65537", "a compromised key too", "undone",
			lacking(func(f *fleet) { f.shards[1] = fullShard() },
				func(f *fleet) { f.shards[1] = new(statuslist.Shard); unknown(&f.bundle.Keys[0]) }),
		},
		{"root-online-compromised", "the online key changes: a compromised key is remembered", "ok", func(f *fleet) updateVector {
			return updateVector{Held: f.holding(), Update: &sentSet{Roots: []string{other(f, same)}}}
		}},
		{"root-online-forget", "the online key changes, and what is remembered is void", "ok", func(f *fleet) updateVector {
			return updateVector{Held: f.holding(), Update: &sentSet{Roots: []string{other(f, forget)}}}
		}},
		{"root-forget", "the line means nothing where the online key stays", "ok", func(f *fleet) updateVector {
			held := f.holding()
			return updateVector{Held: held, Update: &sentSet{Roots: []string{f.next(forget, f.rootKeys[0], f.rootKeys[1])}}}
		}},
		{"undone-new-online", "the first set under a new online key, with a shard less", "ok", func(f *fleet) updateVector {
			held := f.holding()
			held.Timestamp, held.Bundle, held.Status, held.Packs = "", "", "", nil
			held.Roots = append(held.Roots, other(f, same))
			f.shards = f.shards[:1]
			u := f.publish()
			return updateVector{Held: held, Update: &u}
		}},
	}
}

// holding is the state of a device with the whole set, and its shards.
func (f *fleet) holding() *heldSet {
	u := f.publish()
	h := f.held(u)
	h.Shards = u.Shards
	return h
}

// fullShard has every entry revoked.
func fullShard() *statuslist.Shard {
	s := new(statuslist.Shard)
	for i := range s {
		s[i] = 0x55
	}
	return s
}
