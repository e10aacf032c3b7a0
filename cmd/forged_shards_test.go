package cmd_test

import (
	"tcode/offline/statuslist"
	"tcode/offline/trust"
)

// shardForgeries: what stands for the entries themselves.
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
	with("FirstNamedNoMore", trust.ErrRollback, func(d *docs) { d.status.Shards = d.status.Shards[1:] })
	with("MiddleNamedNoMore", trust.ErrRollback, func(d *docs) { d.status.Shards = append(d.status.Shards[:1:1], d.status.Shards[2]) })
	with("LastNamedNoMore", trust.ErrRollback, func(d *docs) { d.status.Shards = d.status.Shards[:2] })
	with("NoneNamed", trust.ErrRollback, func(d *docs) { d.status.Shards = nil })
	with("VersionRollback", trust.ErrRollback, func(d *docs) { d.status.Shards[0].Version = 99 })
	with("SameVersionOtherContent", trust.ErrConflict, func(d *docs) { d.status.Shards[1].Version = 100 })
	with("WrongHash", nil, func(d *docs) { d.status.Shards[1].SHA256 = [32]byte{1} })
	with("HashOfTheCompressedForm", nil, func(d *docs) { d.status.Shards[1].SHA256 = trust.RefTo(0, d.shards[1].Deflate()).SHA256 })
}
