package trust_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"reflect"
	"testing"

	"tcode/offline/statuslist"
	"tcode/offline/trust"
)

// sentinels are all reasons for a refusal.
var sentinels = []error{
	trust.ErrSyntax, trust.ErrTypeLine, trust.ErrForeignRoot, trust.ErrForeignKey, trust.ErrSignature,
	trust.ErrThreshold, trust.ErrTooLarge, trust.ErrHash, trust.ErrVersion, trust.ErrRollback,
	trust.ErrConflict, trust.ErrIncomplete, trust.ErrRootChain, trust.ErrTooManyRoots,
	trust.ErrFingerprint, trust.ErrNoRoot, trust.ErrKey, trust.ErrNonce,
}

// reasons counts the sentinels that err wraps.
func reasons(err error) (n int) {
	for _, s := range sentinels {
		if errors.Is(err, s) {
			n++
		}
	}
	return n
}

// fuzzText signs the fuzzer's text and checks that a parser accepts only the
// text that Text returns.
func fuzzText[T interface {
	Text(trust.Fingerprint) ([]byte, error)
}](f *testing.F, r *repository, seed []byte, parse func(raw []byte) (T, error),
) {
	text, _, _ := bytes.Cut(seed, []byte("\n\n"))
	f.Add(append(bytes.Clone(text), '\n'))
	f.Fuzz(func(t *testing.T, text []byte) {
		raw, err := trust.SignNote(text, append([]*trust.Signer{r.online}, r.rootKeys...)...)
		if err != nil {
			return
		}
		d, err := parse(raw)
		if err != nil {
			if reasons(err) != 1 {
				t.Fatalf("%v wraps %d reasons", err, reasons(err))
			}
			return
		}
		got, err := d.Text(r.fp)
		if err != nil || !bytes.Equal(got, text) {
			t.Fatalf("Text = %q, %v\nwant   %q", got, err, text)
		}
	})
}

func FuzzRoot(f *testing.F) {
	r := newRepository(f)
	r.publishRoot(r.rootKeys...) // the fingerprint fixes version 1
	fuzzText(f, r, r.roots[1], func(raw []byte) (trust.Root, error) { return trust.ParseRoot(r.fp, raw) })
}

func FuzzBundle(f *testing.F) {
	r := newRepository(f)
	fuzzText(f, r, r.rawBundle, func(raw []byte) (*trust.Bundle, error) { return trust.ParseBundle(r.fp, r.online.Key(), raw) })
}

func FuzzStatus(f *testing.F) {
	r := newRepository(f)
	fuzzText(f, r, r.rawStatus, func(raw []byte) (*trust.Status, error) { return trust.ParseStatus(r.fp, r.online.Key(), raw) })
}

func FuzzTimestamp(f *testing.F) {
	r := newRepository(f)
	fuzzText(f, r, r.rawTimestamp, func(raw []byte) (*trust.Timestamp, error) { return trust.ParseTimestamp(r.fp, r.online.Key(), raw) })
}

func FuzzTimeNote(f *testing.F) {
	r := newRepository(f)
	fuzzText(f, r, r.tell(day0), func(raw []byte) (*trust.TimeNote, error) {
		return trust.ParseTimeNote(r.fp, r.online.Key(), testNonce, raw)
	})
}

// FuzzPack and FuzzDelta: each has one encoding; an accepted one gives the same
// bytes again, within its limit.
func FuzzPack(f *testing.F) {
	f.Add([]byte("tcode-pack/1\n"))
	f.Add(trust.Pack{{1}, {2}}.Bytes())
	f.Add(make(trust.Pack, trust.PackShards+1).Bytes())
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := trust.ParsePack(raw)
		if err != nil {
			if p != nil || reasons(err) != 1 {
				t.Fatalf("%v wraps %d reasons", err, reasons(err))
			}
			return
		}
		if !bytes.Equal(p.Bytes(), raw) || len(p) == 0 || len(p) > trust.PackShards || p.Hash() != sha256.Sum256(raw) {
			t.Fatalf("%x is read as %d shards", raw, len(p))
		}
	})
}

func FuzzDelta(f *testing.F) {
	f.Add(trust.Delta{}.Bytes())
	f.Add(trust.Delta{{0, 7, 1}, {0, 8, 3}, {2, 0, 0}}.Bytes())
	f.Add(trust.Delta{{0, 8, 1}, {0, 7, 1}}.Bytes())
	f.Fuzz(func(t *testing.T, raw []byte) {
		d, err := trust.ParseDelta(raw)
		if err != nil {
			if d != nil || reasons(err) != 1 {
				t.Fatalf("%v wraps %d reasons", err, reasons(err))
			}
			return
		}
		if !bytes.Equal(d.Bytes(), raw) || len(d) > trust.MaxDelta || d.Hash() != sha256.Sum256(raw) {
			t.Fatalf("%x is read as %d entries", raw, len(d))
		}
	})
}

// FuzzRaw gives parsers unsigned bytes: no panic, and one reason.
func FuzzRaw(f *testing.F) {
	r := newRepository(f)
	for _, raw := range [][]byte{r.roots[0], r.rawBundle, r.rawStatus, r.rawTimestamp} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		_, err := trust.Pin([][]byte{raw}, nil)
		if err != nil && reasons(err) != 1 {
			t.Fatalf("%v wraps %d reasons", err, reasons(err))
		}
		_, err = trust.ParseTimestamp(r.fp, r.online.Key(), raw)
		if err != nil && reasons(err) != 1 {
			t.Fatalf("%v wraps %d reasons", err, reasons(err))
		}
	})
}

// history returns the documents of a gateway over time: four sets, the last one
// after a change of the online key with versions that start again.
func history(tb testing.TB) (roots [][]byte, sets []trust.Update, devices []trust.State) {
	r := newRepository(tb)
	for i := range 4 {
		if i == 3 {
			r.rotateOnline("online-2")
			r.bundle.Version, r.status.Version, r.timestamp.Version = 1, 1, 1
		}
		if i > 0 {
			shard := *r.shards[0]
			r.shards[0] = &shard
			r.shards[0].Set(uint16(i), statuslist.Revoked)
			r.bump()
		}
		sets = append(sets, r.update())
		devices = append(devices, r.device())
	}
	return r.roots, sets, devices
}

// FuzzApply builds updates from parts of different sets, with changed bytes and
// omitted parts. A refused one changes nothing, an accepted one is one of the
// gateway's sets, and a version falls only under a new online key.
func FuzzApply(f *testing.F) {
	roots, sets, devices := history(f)
	f.Add(uint8(0), uint8(1), uint8(1), uint8(1), uint8(1), uint8(1), uint8(1), uint8(0), uint16(0), uint8(0))
	f.Add(uint8(1), uint8(2), uint8(2), uint8(1), uint8(2), uint8(2), uint8(1), uint8(0), uint16(0), uint8(0))
	f.Add(uint8(2), uint8(3), uint8(3), uint8(3), uint8(3), uint8(3), uint8(2), uint8(0), uint16(0), uint8(0))
	f.Add(uint8(0), uint8(1), uint8(1), uint8(1), uint8(1), uint8(1), uint8(1), uint8(2), uint16(300), uint8(1))
	f.Add(uint8(1), uint8(0), uint8(0), uint8(0), uint8(0), uint8(0), uint8(1), uint8(0), uint16(0), uint8(0))
	f.Fuzz(func(t *testing.T, device, timestamp, bundle, status, packs, shards, nRoots, target uint8, offset uint16, change uint8) {
		before := devices[device%4]
		saved := before.Save()
		u := trust.Update{
			Roots:     roots[:int(nRoots)%(len(roots)+1)],
			Timestamp: bytes.Clone(sets[timestamp%4].Timestamp),
			Bundle:    bytes.Clone(sets[bundle%4].Bundle),
			Status:    bytes.Clone(sets[status%4].Status),
			Packs:     map[uint16][]byte{0: bytes.Clone(sets[packs%4].Packs[0])},
			Shards:    map[uint16][]byte{0: bytes.Clone(sets[shards%4].Shards[0]), 1: bytes.Clone(sets[shards%4].Shards[1])},
		}
		parts := []*[]byte{&u.Timestamp, &u.Bundle, &u.Status}
		switch part := int(target % 8); {
		case part < 3 && change == 0:
			*parts[part] = nil
		case part < 3:
			(*parts[part])[int(offset)%len(*parts[part])] ^= change
		case part < 5 && change == 0:
			delete(u.Shards, uint16(part-3))
		case part < 5:
			u.Shards[uint16(part-3)][int(offset)%len(u.Shards[uint16(part-3)])] ^= change
		case part == 5 && change == 0:
			u.Packs = nil
		case part == 5:
			u.Packs[0][int(offset)%len(u.Packs[0])] ^= change
		}
		after, changes, err := before.Apply(u)
		if !reflect.DeepEqual(before.Save(), saved) {
			t.Fatal("Apply changed its receiver")
		}
		if err != nil {
			if !reflect.DeepEqual(after, before) || reasons(err) != 1 {
				t.Fatalf("refused with %d reasons (%v), and yet changed: %+v", reasons(err), err, changes)
			}
			return
		}
		if !changes.Reset && before.Complete() && after.Complete() &&
			(after.Timestamp.Version < before.Timestamp.Version || after.Bundle.Version < before.Bundle.Version ||
				after.Status.Version < before.Status.Version || after.Floor.Before(before.Floor)) {
			t.Fatal("something fell")
		}
		if after.Root.Version < before.Root.Version {
			t.Fatal("the root fell")
		}
		checkWhole(t, before, after, changes, u, sets)
	})
}

// checkWhole checks that an accepted state is one set of the gateway's, and
// that every shard of it is held or in the update.
func checkWhole(t *testing.T, before, after trust.State, changes trust.Changes, u trust.Update, sets []trust.Update) {
	t.Helper()
	if !after.Complete() {
		if u.Timestamp != nil || !changes.Reset {
			t.Fatal("accepted, and nothing is held")
		}
		return
	}
	for _, set := range sets {
		if after.Timestamp.Bundle.SHA256 == sha256.Sum256(set.Bundle) && after.Timestamp.Status.SHA256 == sha256.Sum256(set.Status) {
			if !bytes.Equal(after.RawBundle, set.Bundle) || !bytes.Equal(after.RawStatus, set.Status) {
				t.Fatal("mixed")
			}
			for i, hash := range after.Shards {
				number := uint16(i)
				if held, ok := before.Shard(number); !changes.Reset && ok && held == hash {
					continue
				}
				if shard, err := statuslist.Inflate(u.Shards[number]); err != nil || shard.Hash() != hash {
					t.Fatalf("shard %d is neither held nor brought", number)
				}
			}
			return
		}
	}
	t.Fatal("not a set the gateway served")
}
