package trust

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"tcode/offline/digest"
	"tcode/offline/statuslist"
)

// deltaHead begins a delta.
const deltaHead = "tcode-delta/1\n"

// deltaEntry is the length of one entry of a delta in bytes.
const deltaEntry = 5

// Bounds of a delta.
const (
	// MaxDelta is the largest number of entries of a delta.
	MaxDelta = 4096
	// MaxDeltaLen is the length of the longest delta in bytes.
	MaxDeltaLen = len(deltaHead) + MaxDelta*deltaEntry
)

// A DeltaEntry is the new value of one status entry.
type DeltaEntry struct {
	Shard, Entry uint16
	Value        statuslist.Value
}

// compare orders the entries of a delta.
func (e DeltaEntry) compare(o DeltaEntry) int {
	return cmp.Or(cmp.Compare(e.Shard, o.Shard), cmp.Compare(e.Entry, o.Entry))
}

// A Delta lists the entries that have changed since an older status, each once
// with its newest value, ascending by shard and entry. With it a device that
// holds that status, or a newer one, need not fetch the packs and shards. The
// delta proves nothing: its result must have the hashes that the status names.
type Delta []DeltaEntry

// Bytes returns the only encoding of d.
func (d Delta) Bytes() []byte {
	b := make([]byte, 0, len(deltaHead)+len(d)*deltaEntry)
	b = append(b, deltaHead...)
	for _, e := range d {
		b = binary.BigEndian.AppendUint16(b, e.Shard)
		b = binary.BigEndian.AppendUint16(b, e.Entry)
		b = append(b, byte(e.Value))
	}
	return b
}

// Sort sorts d by shard and entry.
func (d Delta) Sort() { slices.SortFunc(d, DeltaEntry.compare) }

// Hash returns the SHA-256 of the encoding of d, by which the status names it.
func (d Delta) Hash() digest.SHA256 { return sha256.Sum256(d.Bytes()) }

// ParseDelta reads a delta of at most [MaxDelta] entries. The error wraps
// [ErrSyntax] or [ErrTooLarge].
func ParseDelta(raw []byte) (Delta, error) {
	if len(raw) > MaxDeltaLen {
		return nil, fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, len(raw), MaxDeltaLen)
	}
	entries, ok := bytes.CutPrefix(raw, []byte(deltaHead))
	if !ok || len(entries)%deltaEntry != 0 {
		return nil, &SyntaxError{Reason: fmt.Sprintf("%d bytes that begin with %.20q are no delta", len(raw), raw)}
	}
	d := make(Delta, 0, len(entries)/deltaEntry)
	for ; len(entries) > 0; entries = entries[deltaEntry:] {
		e := DeltaEntry{
			Shard: binary.BigEndian.Uint16(entries),
			Entry: binary.BigEndian.Uint16(entries[2:]),
			Value: statuslist.Value(entries[4]),
		}
		if e.Value > statuslist.Replaced || len(d) > 0 && d[len(d)-1].compare(e) >= 0 {
			return nil, &SyntaxError{Reason: fmt.Sprintf("entry %d of a delta", len(d))}
		}
		d = append(d, e)
	}
	return d, nil
}

// Patches reports whether the delta of a status leads from the shards of s to
// that status. The status is of the same online key.
func (s *State) Patches(next *Status) bool {
	return s.Status != nil && s.Status.Version >= next.Delta.Since && len(s.Shards) <= next.Shards
}

// A Patched is the result of a delta: packs by number, and in their transit
// form the shards of those packs that differ from the held ones.
type Patched struct {
	Packs, Shards map[uint16][]byte
}

// Patch applies the delta of a status to the held shards and returns those packs
// and shards that the status names and that are not held. held returns the
// content of a shard of s, or nil if it is absent. Patch leaves out a pack whose
// result differs from the hash in the status, so that the device fetches it.
func (s *State) Patch(next *Status, delta []byte, held func(number uint16) (*statuslist.Shard, error)) (Patched, error) {
	p := Patched{Packs: map[uint16][]byte{}, Shards: map[uint16][]byte{}}
	refuse := func(err error) (Patched, error) {
		return Patched{}, &DocumentError{Type: typeDelta, Version: next.Version, Err: err}
	}
	if sha256.Sum256(delta) != next.Delta.SHA256 {
		return refuse(fmt.Errorf("%w: want %s", ErrHash, next.Delta.SHA256))
	}
	d, err := ParseDelta(delta)
	if err != nil {
		return refuse(err)
	}
	hashes, shards, err := s.patchShards(next.Shards, d, held)
	if err != nil {
		return refuse(err)
	}
	for i, pack := range Packs(hashes) {
		before := s.pack(i)
		if pack.Hash() != next.Packs[i] || before != nil && before.Hash() == next.Packs[i] {
			continue
		}
		p.Packs[uint16(i)] = pack.Bytes()
		for _, number := range s.WantedShards(uint16(i), pack) {
			p.Shards[number] = shards[number]
		}
	}
	return p, nil
}

// patchShards returns the hashes of that many shards after d, and the transit form
// of those that may differ from the held ones.
func (s *State) patchShards(count int, d Delta, held func(number uint16) (*statuslist.Shard, error)) ([]digest.SHA256, map[uint16][]byte, error) {
	hashes, changed := make([]digest.SHA256, count), map[uint16][]byte{}
	var empty statuslist.Shard
	hash, deflated := empty.Hash(), empty.Deflate()
	for n := copy(hashes, s.Shards); n < count; n++ {
		hashes[n], changed[uint16(n)] = hash, deflated
	}
	for len(d) > 0 {
		number, n := d[0].Shard, 1
		for n < len(d) && d[n].Shard == number {
			n++
		}
		entries := d[:n]
		d = d[n:]
		if int(number) >= count {
			return nil, nil, fmt.Errorf("%w: shard %d", ErrIncomplete, number)
		}
		var shard statuslist.Shard
		if _, ok := s.Shard(number); ok {
			content, err := held(number)
			if err != nil || content == nil {
				continue // its pack will differ, and the device will fetch it
			}
			shard = *content
		}
		for _, e := range entries {
			shard.Set(e.Entry, e.Value)
		}
		hashes[number], changed[number] = shard.Hash(), shard.Deflate()
	}
	return hashes, changed, nil
}
