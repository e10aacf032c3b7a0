package trust

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"tcode/offline/digest"
)

// A State is the trust of a device at one moment: a chain of roots and, after
// the first accepted update, one complete set of documents. It is a value;
// Apply returns another one and never changes the memory of its receiver. The
// shards themselves are stored elsewhere, under the hashes in Shards.
type State struct {
	Fingerprint Fingerprint
	Roots       [][]byte // signed notes, version 1 first, without gaps
	Root        Root     // the last of Roots

	// All three are nil until the first set is accepted, and again after a root
	// that changed the online key. Their versions are the floors.
	Bundle    *Bundle
	Status    *Status
	Timestamp *Timestamp
	// These are the signed notes of the three.
	RawBundle, RawStatus, RawTimestamp []byte
	// Shards is the SHA-256 of each shard by its number, as the packs name them.
	Shards []digest.SHA256

	// Floor is the highest StatusAsOf of any timestamp accepted under the present
	// online key: the true time cannot be earlier, unless a gateway's clock ran
	// ahead. It is zero if there was none. [State.Proved] may lower it.
	Floor time.Time
	// Ahead marks timestamps up to this version: a proof has shown that a clock
	// that ran ahead dated one of them, so their dates mean nothing. 0: none.
	Ahead uint64
}

// An Update is a set of documents from a feed or an import file. Roots may come
// alone; the rest is one complete set, without parts that the device already
// holds with the same hash.
type Update struct {
	Roots                     [][]byte // ascending; may include held ones
	Timestamp, Bundle, Status []byte
	Packs                     map[uint16][]byte
	Shards                    map[uint16][]byte // in their transit form, at most statuslist.MaxDeflated bytes each
}

// Changes lists the documents that an accepted update replaced.
type Changes struct {
	Roots int // new roots
	// Reset: the online key changed, so floors and documents from the time of the old
	// key are void. Forget: a root that changed it says that what devices remember is
	// void too (Root.Forget).
	Reset, Forget             bool
	Timestamp, Bundle, Status bool
	Packs, Shards             []uint16 // to be stored, ascending
	// Undone is the number of final facts that the device has seen and that the update
	// lacks. Package trustbook sets it.
	Undone int
}

// Any reports whether anything changed.
func (c Changes) Any() bool {
	return c.Roots > 0 || c.Timestamp || c.Bundle || c.Status || len(c.Packs) > 0 || len(c.Shards) > 0
}

// Pin starts a trust state with a chain of roots from version 1 on, at most
// MaxRootRun after the first. The first root must have the fingerprint want
// (ErrFingerprint). If want is nil, Pin trusts any root on first use, and the
// program should show its fingerprint to a person.
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
	// This comes first, so that the error about a foreign gateway says so.
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

// follow advances s by one root, in place. It skips a root that is already held.
// It never appends to s.Roots in place, because other States may share it.
func (s *State) follow(raw []byte) (changed bool, err error) {
	next, err := ParseRoot(s.Fingerprint, raw)
	if err != nil {
		return false, &DocumentError{Type: TypeRoot, Err: err}
	}
	switch {
	case next.Version <= s.Root.Version:
		// The text counts, not the bytes: others may have added signatures since then.
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

// textOf returns the signed text of a note that was opened before.
func textOf(raw []byte) []byte { return raw[:bytes.LastIndex(raw, []byte("\n\n"))+1] }

// A Saved is a State as bytes, for a store or an export file.
type Saved struct {
	Roots                     [][]byte
	Timestamp, Bundle, Status []byte   // all three or none
	Packs                     [][]byte // those that Status names, in their order
	Floor                     time.Time
	Ahead                     uint64
}

// Save returns the input of Load. It aliases s.
func (s State) Save() Saved {
	var raw [][]byte
	for _, p := range Packs(s.Shards) {
		raw = append(raw, p.Bytes())
	}
	return Saved{Packs: raw, Roots: s.Roots, Timestamp: s.RawTimestamp, Bundle: s.RawBundle, Status: s.RawStatus, Floor: s.Floor, Ahead: s.Ahead}
}

// Load checks every signature and hash again and returns the saved State, so
// that it detects a damaged or edited store. Shards are checked when they are
// used.
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
// nothing is certain. It is zero without a set.
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

// Complete reports whether the state has a set of documents, not only a root.
func (s *State) Complete() bool {
	return s != nil && s.Bundle != nil && s.Status != nil && s.Timestamp != nil
}
