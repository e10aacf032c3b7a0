package trust_test

import (
	"bytes"
	"compress/zlib"

	"tcode/offline/digest"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
)

// shardForgeries: forged entries of shards.
func shardForgeries(add adder) {
	with := func(name string, want error, change func(d *docs)) {
		d := next()
		change(d)
		add("shard "+name, d, want)
	}
	bytesOf := func(change func(raw []byte) []byte) func(d *docs) {
		return func(d *docs) {
			d.lateShard = func(number uint16, raw []byte) []byte {
				if number == 1 {
					return change(raw)
				}
				return raw
			}
		}
	}
	whole := func(s *statuslist.Shard) []byte { return s.Deflate() }
	with("RevocationTakenOut", trust.ErrHash, bytesOf(func([]byte) []byte { return whole(&statuslist.Shard{}) }))
	with("OfAnotherNumber", trust.ErrHash, bytesOf(func([]byte) []byte { return newDocs(101, 1).shards[0].Deflate() }))
	with("AllRevoked", trust.ErrHash, bytesOf(func([]byte) []byte {
		var s statuslist.Shard
		for i := range statuslist.Entries {
			s.Set(uint16(i), statuslist.Revoked)
		}
		return whole(&s)
	}))
	with("NoZlib", nil, bytesOf(func([]byte) []byte { return []byte("zzzz") }))
	with("Empty", nil, bytesOf(func([]byte) []byte { return []byte{} }))
	with("CutShort", nil, bytesOf(func(raw []byte) []byte { return raw[:len(raw)-3] }))
	with("SomethingFollows", nil, bytesOf(func(raw []byte) []byte { return append(raw, 0) }))
	with("Oversize", nil, bytesOf(func([]byte) []byte { return make([]byte, statuslist.MaxDeflated+1) }))
	with("Missing", nil, func(d *docs) { d.drop["1"] = true })
	with("LastNamedNoMore", trust.ErrRollback, func(d *docs) { d.shards = d.shards[:2] })
	with("NoneNamed", trust.ErrRollback, func(d *docs) { d.shards = nil })
	with("WrongHash", nil, func(d *docs) {
		d.afterPack = func(_ int, p trust.Pack) trust.Pack { p[1] = digest.SHA256{1}; return p }
	})
	with("HashOfTheCompressedForm", nil, func(d *docs) {
		d.afterPack = func(_ int, p trust.Pack) trust.Pack { p[1] = trust.RefTo(0, d.shards[1].Deflate()).SHA256; return p }
	})
	with("SameVersionOtherContent", trust.ErrConflict, func(d *docs) { d.status.Version = 100 })
	zipped := func(compact ...byte) func(d *docs) {
		return bytesOf(func([]byte) []byte {
			var b bytes.Buffer
			w := zlib.NewWriter(&b)
			w.Write(compact)
			w.Close()
			return b.Bytes()
		})
	}
	with("NoCount", nil, zipped(0))
	with("FewerEntriesThanCounted", nil, zipped(0, 2, 7, 5))
	with("EntryBeyondTheLast", nil, zipped(0, 1, 0x80, 0x80, 4, 1))
	with("GapInTooManyBytes", nil, zipped(0, 1, 0x87, 0, 1))
	with("EntryListedAndNotSet", nil, zipped(0, 2, 7, 0, 1))
	with("ValueWithoutEntry", nil, zipped(0, 1, 7, 5))
	with("MoreListedThanMayBe", nil, zipped(append([]byte{0x10, 0x01}, make([]byte, 6000)...)...))
	with("DenseWithFewEntries", nil, zipped(append([]byte{0xFF, 0xFF}, make([]byte, statuslist.Size)...)...))
	with("TheShardAsItIs", nil, zipped(make([]byte, statuslist.Size)...))
	with("Bomb", nil, zipped(make([]byte, 1<<20)...))
}
