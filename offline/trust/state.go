package trust

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"tcode/offline/digest"
)

// A State is what a device trusts at one moment: a chain of roots and, once a
// first update was accepted, one complete set of documents. It is a value;
// Apply returns another one and never changes what its receiver refers to.
// The shards themselves are kept elsewhere, under the hashes in Shards.
type State struct {
	Fingerprint Fingerprint
	Roots       [][]byte // signed notes, version 1 first, without gaps
	Root        Root     // the last of Roots

	// All three are nil until the first set is accepted, and again after a root
	// that changed the online key. Their versions are the floors.
	Bundle    *Bundle
	Status    *Status
	Timestamp *Timestamp
	// The signed notes of the three.
	RawBundle, RawStatus, RawTimestamp []byte
	// Shards is the SHA-256 of each shard by its number, as the packs name them.
	Shards []digest.SHA256

	// Floor is the highest StatusAsOf of any timestamp accepted under the present
	// online key: the true time cannot be earlier, unless a clock of the gateway's
	// ran ahead. Zero if there was none. [State.Proved] may lower it.
	Floor time.Time
	// Ahead marks timestamps up to this version: a proof has shown that one of
	// them was dated by a clock that ran ahead, so their dates say nothing. 0:
	// none.
	Ahead uint64
}

// An Update is what a feed fetched or an import file holds. Roots may come
// alone; the rest is one complete set, in which what the device already holds
// with the same hash may be left out.
type Update struct {
	Roots                     [][]byte // ascending; those already held may be among them
	Timestamp, Bundle, Status []byte
	Packs                     map[uint16][]byte
	Shards                    map[uint16][]byte // in their transit form, at most statuslist.MaxDeflated bytes each
}

// Changes says what an accepted update replaced.
type Changes struct {
	Roots int // new roots
	// Reset: the online key changed, so floors, documents, shards and remembered
	// revocations learned under the old one are void.
	Reset                     bool
	Timestamp, Bundle, Status bool
	Packs, Shards             []uint16 // to be stored, ascending
}

// Any reports whether anything changed.
func (c Changes) Any() bool {
	return c.Roots > 0 || c.Timestamp || c.Bundle || c.Status || len(c.Packs) > 0 || len(c.Shards) > 0
}

// Pin starts a trust state with a chain of roots from version 1 on, at most
// MaxRootRun after the first. With want, the first root must have that
// fingerprint (ErrFingerprint); without, whatever it has is trusted on first
// use and should be shown to somebody.
func Pin(roots [][]byte, want *Fingerprint) (State, error) {
	if len(roots) > MaxRootRun+1 {
		return State{}, &DocumentError{Type: TypeRoot, Err: fmt.Errorf("%w: %d", ErrTooManyRoots, len(roots)-1)}
	}
	return pin(roots, want)
}

func pin(roots [][]byte, want *Fingerprint) (State, error) {
	if len(roots) == 0 {
		return State{}, &DocumentError{Type: TypeRoot, Err: ErrNoRoot}
	}
	_, fp, _, err := typeLine(roots[0], MaxRootLen)
	if err != nil {
		return State{}, &DocumentError{Type: TypeRoot, Err: err}
	}
	// Before anything else, so that a foreign gateway is called by its name.
	if want != nil && *want != fp {
		return State{}, &DocumentError{Type: TypeRoot, Err: fmt.Errorf("%w: want %s, got %s", ErrFingerprint, want, fp)}
	}
	first, err := ParseRoot(fp, roots[0])
	if err != nil {
		return State{}, &DocumentError{Type: TypeRoot, Err: err}
	}
	if first.Version != 1 {
		return State{}, &DocumentError{Type: TypeRoot, Version: first.Version, Err: fmt.Errorf("%w: the first must be version 1", ErrRootChain)}
	}
	s := State{Fingerprint: fp, Root: first, Roots: [][]byte{bytes.Clone(roots[0])}}
	for _, raw := range roots[1:] {
		if _, err := s.follow(raw); err != nil {
			return State{}, err
		}
	}
	return s, nil
}

// follow walks one root forward, in place. A root that is already held is
// skipped. s.Roots is never appended to in place: it may be shared.
func (s *State) follow(raw []byte) (changed bool, err error) {
	next, err := ParseRoot(s.Fingerprint, raw)
	if err != nil {
		return false, &DocumentError{Type: TypeRoot, Err: err}
	}
	switch {
	case next.Version <= s.Root.Version:
		// The text counts, not the bytes: others may have added signatures since.
		if !bytes.Equal(textOf(raw), textOf(s.Roots[next.Version-1])) {
			return false, &DocumentError{Type: TypeRoot, Version: next.Version, Err: fmt.Errorf("%w: another root of this version is held", ErrRootChain)}
		}
		return false, nil
	case next.Version > s.Root.Version+1:
		return false, &DocumentError{Type: TypeRoot, Version: next.Version, Err: fmt.Errorf("%w: root %d is missing", ErrRootChain, s.Root.Version+1)}
	}
	if err := s.Root.signed(raw); err != nil {
		return false, &DocumentError{Type: TypeRoot, Version: next.Version, Err: err}
	}
	if next.Online != s.Root.Online {
		s.Bundle, s.Status, s.Timestamp = nil, nil, nil
		s.RawBundle, s.RawStatus, s.RawTimestamp = nil, nil, nil
		s.Shards = nil
		s.Floor, s.Ahead = time.Time{}, 0
	}
	s.Root = next
	s.Roots = append(slices.Clip(s.Roots), bytes.Clone(raw))
	return true, nil
}

// textOf returns what was signed of a note that was opened before.
func textOf(raw []byte) []byte { return raw[:bytes.LastIndex(raw, []byte("\n\n"))+1] }

// Saved is a State as bytes, for a store or an export file.
type Saved struct {
	Roots                     [][]byte
	Timestamp, Bundle, Status []byte   // all three or none
	Packs                     [][]byte // those that Status names, in their order
	Floor                     time.Time
	Ahead                     uint64
}

// Save returns what Load needs. It aliases s.
func (s State) Save() Saved {
	var raw [][]byte
	for _, p := range Packs(s.Shards) {
		raw = append(raw, p.Bytes())
	}
	return Saved{Packs: raw, Roots: s.Roots, Timestamp: s.RawTimestamp, Bundle: s.RawBundle, Status: s.RawStatus, Floor: s.Floor, Ahead: s.Ahead}
}

// Load checks every signature and hash again and returns the State that was
// saved, so that a damaged or edited store is noticed. Shards are checked when
// they are used.
func Load(d Saved) (State, error) {
	s, err := pin(d.Roots, nil)
	if err != nil {
		return State{}, err
	}
	if d.Timestamp == nil && d.Bundle == nil && d.Status == nil {
		return s, nil
	}
	s.Ahead = d.Ahead
	set, err := s.open(Update{Timestamp: d.Timestamp, Bundle: d.Bundle, Status: d.Status})
	if err != nil {
		return State{}, err
	}
	brought := make(map[uint16][]byte, len(d.Packs))
	for i, raw := range d.Packs[:min(len(d.Packs), MaxShards)] {
		brought[uint16(i)] = raw
	}
	if set.shards, _, err = s.packs(set.status, brought); err != nil {
		return State{}, err
	}
	s.adopt(set)
	if d.Floor.After(s.Floor) {
		s.Floor = d.Floor.UTC()
	}
	return s, nil
}

// Expires returns the earliest expiry of root, bundle and status: from then on
// nothing is known for sure. Zero while there is no set.
func (s *State) Expires() time.Time {
	if s.Bundle == nil || s.Status == nil {
		return time.Time{}
	}
	e := s.Root.Expires
	for _, t := range []time.Time{s.Bundle.Expires, s.Status.Expires} {
		if t.Before(e) {
			e = t
		}
	}
	return e
}

// Complete reports whether a set of documents is held, not only a root.
func (s *State) Complete() bool {
	return s != nil && s.Bundle != nil && s.Status != nil && s.Timestamp != nil
}
