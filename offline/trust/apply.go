package trust

import (
	"bytes"
	"crypto/sha256"
	"fmt"

	"tcode/offline/digest"
)

// Apply accepts u or refuses it as a whole. On an error the returned State is
// s, unchanged, and the error is ErrNoRoot or a [*DocumentError] around one of
// this package's sentinels. Apply accepts expired documents too.
//
// Roots come first. They should come alone: Apply must accept a new root even
// when it refuses the documents that came with it.
func (s State) Apply(u Update) (State, Changes, error) {
	if len(s.Roots) == 0 {
		return s, Changes{}, ErrNoRoot
	}
	next, changes, err := s.apply(u)
	if err != nil {
		return s, Changes{}, err
	}
	return next, changes, nil
}

func (s State) apply(u Update) (State, Changes, error) {
	var c Changes
	online := s.Root.Online
	if len(u.Roots) > len(s.Roots)+MaxRootRun { // before checking any signature
		return s, c, &DocumentError{Type: TypeRoot, Err: fmt.Errorf("%w: %d", ErrTooManyRoots, len(u.Roots))}
	}
	for _, raw := range u.Roots {
		changed, err := s.follow(raw)
		if err != nil {
			return s, c, err
		}
		if changed {
			c.Roots++
			if s.Root.Online != online {
				c.Reset = true
				c.Forget = c.Forget || !s.Root.Forget.IsZero()
			}
			online = s.Root.Online
		}
		if c.Roots > MaxRootRun {
			return s, c, &DocumentError{Type: TypeRoot, Version: s.Root.Version, Err: ErrTooManyRoots}
		}
	}
	if u.Timestamp == nil {
		if u.Bundle != nil || u.Status != nil || len(u.Packs) > 0 || len(u.Shards) > 0 {
			return s, c, &DocumentError{Type: TypeTimestamp, Err: fmt.Errorf("%w: no timestamp", ErrIncomplete)}
		}
		return s, c, nil
	}
	set, err := s.open(u)
	if err != nil {
		return s, c, err
	}
	if set.shards, c.Packs, err = s.packs(set.status, u.Packs); err != nil {
		return s, c, err
	}
	if c.Shards, err = s.brought(set.shards, u.Shards); err != nil {
		return s, c, err
	}
	c.Timestamp = s.Timestamp == nil || s.Timestamp.Version != set.timestamp.Version
	c.Bundle = s.Bundle == nil || s.Bundle.Version != set.bundle.Version
	c.Status = s.Status == nil || s.Status.Version != set.status.Version
	s.adopt(set)
	return s, c, nil
}

// documents is one set whose documents name each other.
type documents struct {
	timestamp                          *Timestamp
	bundle                             *Bundle
	status                             *Status
	rawTimestamp, rawBundle, rawStatus []byte
	shards                             []digest.SHA256
}

func (s *State) adopt(d documents) {
	s.Timestamp, s.RawTimestamp = d.timestamp, bytes.Clone(d.rawTimestamp)
	s.Bundle, s.RawBundle = d.bundle, bytes.Clone(d.rawBundle)
	s.Status, s.RawStatus = d.status, bytes.Clone(d.rawStatus)
	s.Shards = d.shards
	if s.Dated() && s.Floor.Before(d.timestamp.StatusAsOf) {
		s.Floor = d.timestamp.StatusAsOf
	}
}

// open checks timestamp, bundle and status against the root and against the
// held documents.
func (s *State) open(u Update) (documents, error) {
	d := documents{rawTimestamp: u.Timestamp}
	var err error
	if d.timestamp, err = s.openTimestamp(u.Timestamp); err != nil {
		return d, err
	}
	d.bundle, d.rawBundle, err = openRef(TypeBundle, d.timestamp.Bundle, u.Bundle,
		s.RawBundle, s.Bundle, func(b *Bundle) uint64 { return b.Version },
		func(raw []byte) (*Bundle, error) { return ParseBundle(s.Fingerprint, s.Root.Online, raw) })
	if err != nil {
		return d, err
	}
	d.status, d.rawStatus, err = openRef(TypeStatus, d.timestamp.Status, u.Status,
		s.RawStatus, s.Status, func(t *Status) uint64 { return t.Version },
		func(raw []byte) (*Status, error) { return ParseStatus(s.Fingerprint, s.Root.Online, raw) })
	return d, err
}

func (s *State) openTimestamp(raw []byte) (*Timestamp, error) {
	t, err := ParseTimestamp(s.Fingerprint, s.Root.Online, raw)
	if err != nil {
		return nil, &DocumentError{Type: TypeTimestamp, Err: err}
	}
	if s.Timestamp == nil {
		return t, nil
	}
	err = floor(t.Version, s.Timestamp.Version, bytes.Equal(textOf(raw), textOf(s.RawTimestamp)))
	if err != nil {
		return nil, &DocumentError{Type: TypeTimestamp, Version: t.Version, Err: err}
	}
	return t, nil
}

// floor accepts a higher version, or the same version with the same content.
func floor(version, held uint64, same bool) error {
	switch {
	case version < held:
		return fmt.Errorf("%w: version %d is held", ErrRollback, held)
	case version == held && !same:
		return ErrConflict
	}
	return nil
}

// openRef returns the document that ref names: the one in the update, or the
// held one if ref names that.
func openRef[T any](kind string, ref DocumentRef, raw, heldRaw []byte, held *T, version func(*T) uint64, parse func([]byte) (*T, error)) (*T, []byte, error) {
	refuse := func(err error) (*T, []byte, error) {
		return nil, nil, &DocumentError{Type: kind, Version: ref.Version, Err: err}
	}
	isHeld := held != nil && sha256.Sum256(heldRaw) == ref.SHA256
	if held != nil {
		if err := floor(ref.Version, version(held), isHeld); err != nil {
			return refuse(err)
		}
	}
	switch {
	case raw == nil && isHeld:
		raw = heldRaw
	case raw == nil:
		return refuse(fmt.Errorf("%w: it is missing", ErrIncomplete))
	case sha256.Sum256(raw) != ref.SHA256:
		return refuse(fmt.Errorf("%w: want %s", ErrHash, ref.SHA256))
	}
	if isHeld && version(held) == ref.Version {
		return held, heldRaw, nil
	}
	d, err := parse(raw)
	if err != nil {
		return refuse(err)
	}
	if version(d) != ref.Version {
		return refuse(fmt.Errorf("%w: it says %d", ErrVersion, version(d)))
	}
	return d, raw, nil
}

// A Want lists the documents that a device must fetch for the set that a
// timestamp names. A nil or empty member means that the device holds it already.
type Want struct {
	Timestamp      *Timestamp
	Bundle, Status *DocumentRef
}

// Wanted returns the documents to fetch after a timestamp. It refuses a
// timestamp as Apply does, so that the device fetches nothing in vain.
func (s State) Wanted(timestamp []byte) (Want, error) {
	if len(s.Roots) == 0 {
		return Want{}, ErrNoRoot
	}
	t, err := s.openTimestamp(timestamp)
	if err != nil {
		return Want{}, err
	}
	w := Want{Timestamp: t}
	if s.Bundle == nil || sha256.Sum256(s.RawBundle) != t.Bundle.SHA256 {
		w.Bundle = &t.Bundle
	}
	if s.Status == nil || sha256.Sum256(s.RawStatus) != t.Status.SHA256 {
		w.Status = &t.Status
	}
	return w, nil
}

// WantedSurvivors returns the SHA-256 of every survivor list that a fetched
// bundle names; nil means the held bundle. Lists are not part of the set:
// without its list a stamp counts as not on it.
func (s State) WantedSurvivors(bundle []byte) ([]string, error) {
	if bundle == nil {
		if s.Bundle == nil {
			return nil, nil
		}
		return s.Bundle.SurvivorLists(), nil
	}
	next, err := ParseBundle(s.Fingerprint, s.Root.Online, bundle)
	if err != nil {
		return nil, &DocumentError{Type: TypeBundle, Err: err}
	}
	return next.SurvivorLists(), nil
}
