package mkvectors_test

import (
	"encoding/hex"
	"time"

	"tcode/offline/digest"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
)

// rootUpdates are chains of roots.
func rootUpdates() []updateCase {
	same := func(*trust.Root) {}
	online := func(r *trust.Root) { r.Online = trustSigner("online-2").Key() }
	// after is a device with a set, to which roots come.
	after := func(roots func(f *fleet) []string) func(f *fleet) updateVector {
		return func(f *fleet) updateVector {
			held := f.held(f.publish())
			return updateVector{Held: held, Update: &sentSet{Roots: roots(f)}}
		}
	}
	pinned := func(pin string, roots func(f *fleet) []string) func(f *fleet) updateVector {
		return func(f *fleet) updateVector {
			if pin == "own" {
				return updateVector{Pin: f.fp.String(), Update: &sentSet{Roots: roots(f)}}
			}
			return updateVector{Pin: pin, Update: &sentSet{Roots: roots(f)}}
		}
	}
	two := func(f *fleet) []*trust.Signer { return []*trust.Signer{f.rootKeys[0], f.rootKeys[1]} }
	d := trustSigner("root-d")
	// exchanged is a root of other keys: d and e in place of b and c.
	exchanged := func(r *trust.Root) {
		r.Keys = []trust.VerifierKey{r.Keys[0], d.Key(), trustSigner("root-e").Key()}
	}
	chain := func(n int) func(f *fleet) []string {
		return func(f *fleet) []string {
			roots := f.roots
			for range n {
				roots = append(roots, f.next(same, two(f)...))
			}
			return roots
		}
	}
	return []updateCase{
		{"pin", "a first root, pinned by its fingerprint", "ok", pinned("own", chain(0))},
		{"pin-first-use", "a first root, pinned because it came first", "ok", pinned("", chain(0))},
		{"pin-chain", "three roots", "ok", pinned("own", chain(2))},
		{"pin-33", "33 roots: 32 new ones after the first", "ok", pinned("own", chain(32))},
		{"pin-34", "34 roots", "too_many_roots", pinned("own", chain(33))},
		{"pin-other", "another fingerprint is wanted", "fingerprint", pinned("0000000000000000000000000000000000000000000000000000000000000000", chain(0))},
		{"pin-version-2", "the first is version 2", "root_chain", pinned("own", func(f *fleet) []string { return []string{f.next(same, two(f)...)} })},
		{"pin-gap", "version 2 is missing", "root_chain", pinned("own", func(f *fleet) []string {
			f.next(same, two(f)...)
			return append(f.roots, f.next(same, two(f)...))
		})},
		{"root", "version 2", "ok", after(func(f *fleet) []string { return []string{f.next(same, two(f)...)} })},
		{"root-keys", "version 2 with other keys, signed by two of each", "ok", after(func(f *fleet) []string {
			return []string{f.next(exchanged, f.rootKeys[0], f.rootKeys[1], d)}
		})},
		{"root-online", "version 2 changes the online key: the documents of the old one are dropped", "ok", after(func(f *fleet) []string { return []string{f.next(online, two(f)...)} })},
		{"root-held-too", "version 1 again, and version 2", "ok", after(func(f *fleet) []string { return []string{f.roots[0], f.next(same, two(f)...)} })},
		{"root-held-signed", "version 1 again, with another signature", "ok", after(func(f *fleet) []string { return []string{note(f.text(f.root), f.rootKeys...)} })},
		{"root-expired", "version 2 has expired, and is newer all the same", "ok", after(func(f *fleet) []string {
			return []string{f.next(func(r *trust.Root) { r.Expires = noon.Add(-day) }, two(f)...)}
		})},
		{"root-gap", "version 3 without version 2", "root_chain", after(func(f *fleet) []string {
			f.next(same, two(f)...)
			return []string{f.next(same, two(f)...)}
		})},
		{"root-other-2", "version 2 with another text than the held one", "root_chain", func(f *fleet) updateVector {
			before := f.root
			f.roots = append(f.roots, f.next(same, two(f)...))
			held := f.held(f.publish())
			f.root = before
			return updateVector{Held: held, Update: &sentSet{Roots: []string{f.next(func(r *trust.Root) { r.Expires = noon }, two(f)...)}}}
		}},
		{"root-old-threshold", "version 2 with one signature of the keys before", "threshold", after(func(f *fleet) []string {
			return []string{f.next(exchanged, f.rootKeys[0], d)}
		})},
		{"root-own-threshold", "version 2 with one signature of its own keys", "threshold", after(func(f *fleet) []string {
			return []string{f.next(exchanged, f.rootKeys[0], f.rootKeys[1])}
		})},
		{"root-lower-threshold", "version 2 asks for one key, and one has signed", "threshold", after(func(f *fleet) []string {
			return []string{f.next(func(r *trust.Root) { r.Threshold = 1 }, f.rootKeys[0])}
		})},
		{"root-old-signature", "a wrong signature of a key that counted before", "signature", after(func(f *fleet) []string {
			raw := f.next(exchanged, f.rootKeys[0], f.rootKeys[1], d)
			return []string{raw + signatureLine("x", f.rootKeys[2])}
		})},
		{"root-33-more", "33 new roots", "too_many_roots", after(func(f *fleet) []string { return chain(33)(f)[1:] })},
	}
}

// setUpdates are timestamps, bundles, statuses, packs and shards.
func setUpdates() []updateCase {
	// from is a device with a set of version 10, and as update the next, whole set
	// after change has changed it.
	from := func(version uint64, prepare func(f *fleet), change func(f *fleet, u *sentSet)) func(f *fleet) updateVector {
		return func(f *fleet) updateVector {
			held := f.held(f.publish())
			f.later(version, noon.Add(time.Hour))
			prepare(f)
			u := f.publish()
			change(f, &u)
			return updateVector{Held: held, Update: &u}
		}
	}
	all, nothing := func(*fleet, *sentSet) {}, func(*fleet) {}
	bare := func(_ *fleet, u *sentSet) { u.Packs, u.Shards = nil, nil }
	revoke := func(f *fleet) { f.shards[0].Set(7, statuslist.Revoked) }
	// renamed has the timestamp say something else of bundle and status.
	renamed := func(change func(t *trust.Timestamp)) func(f *fleet, u *sentSet) {
		return func(f *fleet, u *sentSet) { change(&f.timestamp); u.Timestamp = f.signed(f.timestamp) }
	}
	cases := []updateCase{
		{"first", "roots and a first set for a device that holds nothing", "ok", func(f *fleet) updateVector {
			u := f.publish()
			u.Roots = f.roots
			return updateVector{Pin: f.fp.String(), Update: &u}
		}},
		{"newer", "a newer set, all of it", "ok", from(11, revoke, all)},
		{"newer-held", "packs and shards that are held are left out", "ok", from(11, nothing, bare)},
		{"newer-one-shard", "only the shard that differs", "ok", from(11, revoke, func(_ *fleet, u *sentSet) { delete(u.Shards, 1) })},
		{"again", "the set that is held", "ok", func(f *fleet) updateVector {
			u := f.publish()
			return updateVector{Held: f.held(u), Update: &sentSet{Timestamp: u.Timestamp}}
		}},
		{"again-witness", "the held timestamp with a line of a witness more", "ok", func(f *fleet) updateVector {
			u := f.publish()
			return updateVector{Held: f.held(u), Update: &sentSet{Timestamp: u.Timestamp + witness("w", 60)}}
		}},
		{"timestamp-alone", "a newer timestamp of the held bundle and status", "ok", func(f *fleet) updateVector {
			held := f.held(f.publish())
			f.timestamp.Version, f.timestamp.StatusAsOf, f.timestamp.Expires = 11, noon.Add(time.Hour), noon.Add(day)
			return updateVector{Held: held, Update: &sentSet{Timestamp: f.signed(f.timestamp)}}
		}},
		{"more-shards", "a shard more", "ok", from(11, func(f *fleet) { f.shards = append(f.shards, new(statuslist.Shard)) }, all)},
		{"expired", "a newer set that has expired", "ok", from(11, func(f *fleet) { f.later(11, noon.Add(-30*day)) }, all)},
		{"issued-earlier", "a higher version with an earlier date: the floor stays", "ok", from(11, func(f *fleet) { f.timestamp.StatusAsOf = noon.Add(-time.Hour) }, all)},
		{"after-ahead", "a version above those that are marked raises the floor", "ok", func(f *fleet) updateVector {
			v := from(11, nothing, all)(f)
			v.Held.Ahead, v.Held.Floor = 10, noon.Add(-time.Hour)
			return v
		}},
		{"still-ahead", "a version that is marked raises no floor", "ok", func(f *fleet) updateVector {
			v := from(11, nothing, all)(f)
			v.Held.Ahead, v.Held.Floor = 11, noon.Add(-time.Hour)
			return v
		}},
		{"rollback", "a lower version", "rollback", from(9, nothing, all)},
		{"conflict", "the held version with another date", "conflict", from(10, nothing, all)},
		{"bundle-rollback", "a newer timestamp names an older bundle", "rollback", from(11, func(f *fleet) { f.bundle.Version = 9 }, all)},
		{"bundle-conflict", "the held version of the bundle with other content", "conflict", from(11, func(f *fleet) { f.bundle.Version = 10 }, all)},
		{"status-rollback", "a newer timestamp names an older status", "rollback", from(11, func(f *fleet) { f.status.Version = 9 }, all)},
		{"status-conflict", "the held version of the status with other content", "conflict", from(11, func(f *fleet) { f.status.Version = 10 }, all)},
		{"fewer-shards", "a shard less", "rollback", from(11, func(f *fleet) { f.shards = f.shards[1:] }, all)},
		{"bundle-hash", "a bundle that the timestamp does not name", "hash", from(11, nothing, func(f *fleet, u *sentSet) { u.Bundle = note(f.text(f.bundle), f.online) + witness("w", 60) })},
		{"status-hash", "a status that the timestamp does not name", "hash", from(11, nothing, func(f *fleet, u *sentSet) { u.Status += witness("w", 60) })},
		{"bundle-version", "the bundle says another version than the timestamp", "version", from(11, nothing, renamed(func(t *trust.Timestamp) { t.Bundle.Version = 12 }))},
		{"status-version", "the status says another version than the timestamp", "version", from(11, nothing, renamed(func(t *trust.Timestamp) { t.Status.Version = 12 }))},
		{"bundle-missing", "no bundle", "incomplete", from(11, nothing, func(_ *fleet, u *sentSet) { u.Bundle = "" })},
		{"status-missing", "no status", "incomplete", from(11, nothing, func(_ *fleet, u *sentSet) { u.Status = "" })},
		{"timestamp-missing", "no timestamp", "incomplete", from(11, nothing, func(_ *fleet, u *sentSet) { u.Timestamp = "" })},
		{"pack-missing", "no pack, and it differs", "incomplete", from(11, revoke, func(_ *fleet, u *sentSet) { u.Packs = nil })},
		{"pack-more", "a pack that the status does not name", "incomplete", from(11, nothing, func(_ *fleet, u *sentSet) { u.Packs[1] = u.Packs[0] })},
		{"pack-hash", "another pack", "hash", from(11, revoke, func(f *fleet, u *sentSet) {
			u.Packs[0] = hex.EncodeToString(trust.Pack{f.shards[0].Hash(), {1}}.Bytes())
		})},
		{"pack-fewer", "a pack has a shard less than the status says", "incomplete", from(11, revoke, shorter(1))},
		{"pack-longer", "a pack has a shard more than the status says", "incomplete", from(11, revoke, shorter(3))},
		{"shard-missing", "a shard that differs is missing", "incomplete", from(11, revoke, func(_ *fleet, u *sentSet) { delete(u.Shards, 0) })},
		{"shard-more", "a shard that no pack names", "incomplete", from(11, nothing, func(_ *fleet, u *sentSet) { u.Shards[2] = u.Shards[0] })},
		{"shard-hash", "another shard", "hash", from(11, revoke, func(_ *fleet, u *sentSet) { u.Shards[0] = hex.EncodeToString(stored([]byte{0, 0})) })},
		{"shard-held-hash", "another shard for one that is held", "hash", from(11, nothing, func(_ *fleet, u *sentSet) { u.Shards[0] = hex.EncodeToString(stored([]byte{0, 1, 9, 1})) })},
		{"shard-compact", "a shard that is in no form", "hash", from(11, revoke, func(_ *fleet, u *sentSet) { u.Shards[0] = hex.EncodeToString(stored([]byte{0})) })},
	}
	return append(cases, []updateCase{
		{"timestamp-root-key", "a timestamp that a root key signed", "foreign_key", from(11, nothing, func(f *fleet, u *sentSet) { u.Timestamp = note(f.text(f.timestamp), f.rootKeys[0]) })},
		{"bundle-root-key", "a bundle that a root key signed, named by its hash", "foreign_key", from(11, nothing, func(f *fleet, u *sentSet) {
			u.Bundle = note(f.text(f.bundle), f.rootKeys[0])
			f.timestamp.Bundle = trust.RefTo(11, []byte(u.Bundle))
			u.Timestamp = f.signed(f.timestamp)
		})},
		{"old-online-key", "a set of the old online key after the root has changed it", "foreign_key", func(f *fleet) updateVector {
			u := f.publish()
			f.roots = append(f.roots, f.next(func(r *trust.Root) { r.Online = trustSigner("online-2").Key() }, f.rootKeys[0], f.rootKeys[1]))
			return updateVector{Held: &heldSet{Roots: f.roots}, Update: &u}
		}},
		{"new-online-key", "a lower version of the new online key", "ok", func(f *fleet) updateVector {
			f.roots = append(f.roots, f.next(func(r *trust.Root) { r.Online = trustSigner("online-2").Key() }, f.rootKeys[0], f.rootKeys[1]))
			f.online = trustSigner("online-2")
			f.later(1, noon)
			u := f.publish()
			return updateVector{Held: &heldSet{Roots: f.roots}, Update: &u}
		}},
	}...)
}

// shorter has the status, which says that there are two shards, name a pack of n.
func shorter(n int) func(f *fleet, u *sentSet) {
	return func(f *fleet, u *sentSet) {
		p := make(trust.Pack, n)
		for i := range p {
			p[i] = f.shards[0].Hash()
		}
		u.Shards = map[uint16]string{}
		for i := range n { // so that nothing else is missing or more than named
			u.Shards[uint16(i)] = hex.EncodeToString(stored(listed(f.shards[0])))
		}
		f.status.Packs = []digest.SHA256{p.Hash()}
		u.Packs[0], u.Status = hex.EncodeToString(p.Bytes()), f.signed(f.status)
		f.timestamp.Status = trust.RefTo(f.status.Version, []byte(u.Status))
		u.Timestamp = f.signed(f.timestamp)
	}
}

// proofUpdates are proofs of time that come to a device.
func proofUpdates() []updateCase {
	proved := func(at time.Time, floor time.Time) func(f *fleet) updateVector {
		return func(f *fleet) updateVector {
			held := f.held(f.publish())
			held.Floor = floor
			return updateVector{Held: held, Proof: at}
		}
	}
	edge := noon.Add(-10 * time.Minute)
	return []updateCase{
		{"proof", "a proof that fits changes nothing", "ok", proved(noon.Add(time.Hour), time.Time{})},
		{"proof-edge", "10 minutes before the timestamp's date are forgiven", "ok", proved(edge, time.Time{})},
		{"proof-ahead", "a second more: the timestamp is marked, and the floor becomes the proof's time", "ok", proved(edge.Add(-time.Second), time.Time{})},
		{"proof-floor", "a floor of a clock that ran ahead becomes the proof's time", "ok", proved(noon.Add(time.Hour), noon.Add(400*day))},
	}
}
