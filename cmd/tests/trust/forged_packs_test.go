package trust_test

import (
	"fmt"
	"slices"

	"tcode/offline/digest"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
)

// packForgeries: forged packs, of a set that has two, for a device that holds
// the first three shards of one.
func packForgeries(add adder) {
	with := func(name string, want error, change func(d *docs)) {
		d := next().wide()
		change(d)
		add("pack "+name, d, want)
	}
	held := newDocs(100, 0).assemble()
	// These are both forms of pack number n.
	late := func(n int, pack, whole func(raw []byte) []byte) func(d *docs) {
		return func(d *docs) {
			at := func(change func(raw []byte) []byte) func(int, []byte) []byte {
				return func(number int, raw []byte) []byte {
					if number == n {
						return change(raw)
					}
					return raw
				}
			}
			d.latePack, d.lateWhole = at(pack), at(whole)
		}
	}
	to := func(raw []byte) func([]byte) []byte { return func([]byte) []byte { return raw } }
	cut := func(n int) func([]byte) []byte { return func(raw []byte) []byte { return raw[:len(raw)-n] } }
	genuine := next().wide().assemble()
	shards := func(n int) []*statuslist.Shard { return slices.Concat(next().wide().shards, next().wide().shards)[:n] }
	for n, name := range []string{"First", "Last"} {
		with(name+"Missing", nil, func(d *docs) { d.drop[fmt.Sprint("pack", n)] = true })
		with(name+"IsTheOther", trust.ErrHash, late(n, to(genuine.packs[1-n]), to(genuine.wholes[1-n])))
		with(name+"Empty", trust.ErrHash, late(n, to([]byte{}), to([]byte{})))
		with(name+"OfNoShards", trust.ErrHash, late(n, to([]byte("tcode-pack/1\n")), to(statuslist.DeflateAll(nil))))
		with(name+"Portal", trust.ErrHash, late(n, to([]byte("<html>sign in</html>\n")), to([]byte("<html>sign in</html>\n"))))
		with(name+"WithoutHead", trust.ErrHash, late(n, func(raw []byte) []byte { return raw[13:] }, cut(3)))
		with(name+"CutShort", trust.ErrHash, late(n, cut(32), cut(5)))
		with(name+"CutWithinAHash", trust.ErrHash, late(n, cut(1), cut(1)))
		with(name+"SomethingFollows", nil, late(n, func(raw []byte) []byte { return append(raw, 0) }, func(raw []byte) []byte { return append(raw, 0) }))
		with(name+"Oversize", nil, late(n, to(make([]byte, trust.MaxPackLen+1)), to(make([]byte, trust.PackShards*statuslist.MaxDeflated+1))))
	}
	with("BothOfTheHeldSet", trust.ErrHash, func(d *docs) {
		d.latePack = func(int, []byte) []byte { return held.packs[0] }
		d.lateWhole = func(int, []byte) []byte { return held.wholes[0] }
	})
	with("FirstOfTheHeldSet", trust.ErrHash, late(0, to(held.packs[0]), to(held.wholes[0])))
	with("AShardFewer", trust.ErrHash, late(0, to(genuine.packs[0][:len(genuine.packs[0])-32]), to(statuslist.DeflateAll(shards(trust.PackShards-1)))))
	with("AShardMore", nil, late(0, to(append(slices.Clone(genuine.packs[0]), make([]byte, 32)...)), to(statuslist.DeflateAll(shards(trust.PackShards+1)))))
	swap := func(raw []byte) []byte {
		raw = slices.Clone(raw)
		a, b := raw[13:45], raw[45:77]
		for i := range a {
			a[i], b[i] = b[i], a[i]
		}
		return raw
	}
	two := shards(trust.PackShards)
	two[0], two[1] = two[1], two[0]
	with("ShardsSwapped", trust.ErrHash, late(0, swap, to(statuslist.DeflateAll(two))))
	other := shards(trust.PackShards)
	other[1] = next().wide().shards[trust.PackShards+1]
	with("ShardOfTheOther", trust.ErrHash, func(d *docs) {
		late(0, to(genuine.packs[0]), to(statuslist.DeflateAll(other)))(d)
		d.lateShard = func(number uint16, raw []byte) []byte {
			if number == 1 {
				return deflated(other[1])
			}
			return raw
		}
	})
	// The pack is signed, but has a wrong hash or content.
	with("WrongHash", nil, func(d *docs) { d.status.Packs = []digest.SHA256{{1}, {2}} })
	with("HashOfThePackWithItsShards", nil, func(d *docs) {
		d.status.Packs = []digest.SHA256{trust.RefTo(0, genuine.wholes[0]).SHA256, trust.RefTo(0, genuine.wholes[1]).SHA256}
	})
	with("HashesSwapped", nil, func(d *docs) {
		d.status.Packs = []digest.SHA256{trust.RefTo(0, genuine.packs[1]).SHA256, trust.RefTo(0, genuine.packs[0]).SHA256}
	})
	with("FirstTwice", nil, func(d *docs) {
		d.status.Packs = []digest.SHA256{trust.RefTo(0, genuine.packs[0]).SHA256, trust.RefTo(0, genuine.packs[0]).SHA256}
	})
	with("NamesAShard", nil, func(d *docs) {
		d.status.Packs = []digest.SHA256{d.shards[0].Hash(), trust.RefTo(0, genuine.packs[1]).SHA256}
	})
	with("NotFullAndNotTheLast", nil, func(d *docs) {
		d.afterPack = func(n int, p trust.Pack) trust.Pack { return p[:min(len(p), trust.PackShards-1)] }
	})
	with("MoreThanTheStatusCounts", nil, func(d *docs) { d.status.Shards = trust.PackShards + 1 })
	with("FewerThanTheStatusCounts", nil, func(d *docs) { d.status.Shards = trust.PackShards + 3 })
	with("OfOtherShards", nil, func(d *docs) {
		d.afterPack = func(_ int, p trust.Pack) trust.Pack {
			for i := range p {
				p[i] = digest.SHA256{byte(i), 9}
			}
			return p
		}
	})
}

// deltaForgeries: forged deltas. A file has no delta, so there the resulting
// shards are wrong.
func deltaForgeries(add adder) {
	with := func(name string, want error, raw []byte, signed bool) {
		d := next().byDelta()
		if signed {
			d.status.Delta.SHA256 = trust.RefTo(0, raw).SHA256
		}
		d.lateDelta = func([]byte) []byte { return raw }
		d.lateWhole = func(int, []byte) []byte { return newDocs(100, 0).assemble().wholes[0] }
		add("delta "+name, d, want)
	}
	one := trust.DeltaEntry{Shard: 1, Entry: 7, Value: statuslist.Revoked}
	right := trust.Delta{one}.Bytes()
	with("RevocationTakenOut", trust.ErrHash, trust.Delta{}.Bytes(), false)
	with("OtherEntry", trust.ErrHash, trust.Delta{{Shard: 1, Entry: 8, Value: statuslist.Revoked}}.Bytes(), false)
	with("OtherValue", trust.ErrHash, trust.Delta{{Shard: 1, Entry: 7, Value: statuslist.Suspended}}.Bytes(), false)
	with("Empty", trust.ErrHash, []byte{}, false)
	with("CutShort", trust.ErrHash, right[:len(right)-1], false)
	with("SomethingFollows", trust.ErrHash, append(slices.Clone(right), 0), false)
	with("Oversize", nil, make([]byte, trust.MaxDeltaLen+1), false)
	with("Portal", trust.ErrHash, []byte("<html>sign in</html>\n"), false)
	with("SignedWithoutHead", nil, right[14:], true)
	with("SignedHalfAnEntry", nil, right[:len(right)-1], true)
	with("SignedEntryTwice", nil, trust.Delta{one, one}.Bytes(), true)
	with("SignedOutOfOrder", nil, trust.Delta{one, {Shard: 0, Entry: 7, Value: 1}}.Bytes(), true)
	with("SignedValueFour", nil, trust.Delta{{Shard: 1, Entry: 7, Value: 4}}.Bytes(), true)
	with("SignedShardThatIsNotThere", nil, trust.Delta{one, {Shard: 3, Entry: 0, Value: 1}}.Bytes(), true)
	with("SignedTooMany", nil, make(trust.Delta, trust.MaxDelta+1).Bytes(), true)
}
