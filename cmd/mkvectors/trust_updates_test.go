package mkvectors_test

import (
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"tcode/offline/digest"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
)

// updateVector is a device, an update or proof that comes to it, and its state then.
type updateVector struct {
	Comment string    `json:"comment"`
	Pin     string    `json:"pin,omitempty"`
	Held    *heldSet  `json:"held,omitempty"`
	Update  *sentSet  `json:"update,omitempty"`
	Proof   time.Time `json:"proof,omitzero"`
	Want    string    `json:"want"`
	After   *afterSet `json:"after,omitempty"` // where the update was accepted
}

type heldSet struct {
	Roots     []string `json:"roots"`
	Timestamp string   `json:"timestamp,omitempty"`
	Bundle    string   `json:"bundle,omitempty"`
	Status    string   `json:"status,omitempty"`
	Packs     []string `json:"packs,omitempty"`
	// Shards are needed where they are compared.
	Shards map[uint16]string `json:"shards,omitempty"`
	Floor  time.Time         `json:"floor,omitzero"`
	Ahead  uint64            `json:"ahead,omitempty"`
}

type sentSet struct {
	Roots     []string          `json:"roots,omitempty"`
	Timestamp string            `json:"timestamp,omitempty"`
	Bundle    string            `json:"bundle,omitempty"`
	Status    string            `json:"status,omitempty"`
	Packs     map[uint16]string `json:"packs,omitempty"`
	Shards    map[uint16]string `json:"shards,omitempty"`
}

type afterSet struct {
	Root      uint64    `json:"root"`
	Timestamp uint64    `json:"timestamp"`
	Bundle    uint64    `json:"bundle"`
	Status    uint64    `json:"status"`
	Floor     time.Time `json:"floor,omitzero"`
	Ahead     uint64    `json:"ahead"`
	Shards    []string  `json:"shards"`
	Changed   bool      `json:"changed"`
	Undone    []string  `json:"undone"`
	Forget    bool      `json:"forget"`
}

// run applies the update, or the proof.
func (v updateVector) run() (*afterSet, error) {
	s, err := v.state()
	if err != nil {
		return nil, err
	}
	before, undone, forget := s.Root.Online, []string{}, false
	if !v.Proof.IsZero() {
		s, _ = s.Proved(v.Proof)
	} else {
		u, err := v.Update.update()
		if err != nil {
			return nil, err
		}
		if v.Held == nil {
			u.Roots = nil
		}
		held, err := v.Held.shards()
		if err != nil {
			return nil, err
		}
		next, changes, err := s.Apply(u)
		if err != nil {
			return nil, err
		}
		marks, err := s.Undone(next, changes, u, held)
		if err != nil {
			return nil, err
		}
		for _, m := range marks {
			undone = append(undone, m.String())
		}
		s, forget = next, changes.Forget
	}
	if len(undone) > 1000 {
		undone = []string{fmt.Sprint(len(undone))}
	}
	a := &afterSet{
		Root: s.Root.Version, Floor: s.Floor, Ahead: s.Ahead, Shards: []string{}, Changed: s.Root.Online != before,
		Undone: undone, Forget: forget,
	}
	if s.Complete() {
		a.Timestamp, a.Bundle, a.Status = s.Timestamp.Version, s.Bundle.Version, s.Status.Version
	}
	for _, hash := range s.Shards {
		a.Shards = append(a.Shards, hex.EncodeToString(hash[:]))
	}
	return a, nil
}

func (v updateVector) state() (trust.State, error) {
	if v.Held == nil {
		var want *trust.Fingerprint
		if v.Pin != "" {
			fp, err := trust.ParseFingerprint(v.Pin)
			if err != nil {
				return trust.State{}, err
			}
			want = &fp
		}
		return trust.Pin(raws(v.Update.Roots), want)
	}
	h := v.Held
	saved := trust.Saved{Roots: raws(h.Roots), Floor: h.Floor, Ahead: h.Ahead}
	if h.Timestamp != "" {
		saved.Timestamp, saved.Bundle, saved.Status = []byte(h.Timestamp), []byte(h.Bundle), []byte(h.Status)
	}
	for _, digits := range h.Packs {
		raw, err := hex.DecodeString(digits)
		if err != nil {
			return trust.State{}, err
		}
		saved.Packs = append(saved.Packs, raw)
	}
	return trust.Load(saved)
}

// shards are those that the device holds, in transit form.
func (h *heldSet) shards() (map[uint16][]byte, error) {
	all := map[uint16][]byte{}
	if h == nil {
		return all, nil
	}
	for number, digits := range h.Shards {
		raw, err := hex.DecodeString(digits)
		if err != nil {
			return nil, err
		}
		all[number] = raw
	}
	return all, nil
}

func raws(texts []string) (all [][]byte) {
	for _, s := range texts {
		all = append(all, []byte(s))
	}
	return all
}

func (s *sentSet) update() (u trust.Update, err error) {
	u = trust.Update{Roots: raws(s.Roots), Packs: map[uint16][]byte{}, Shards: map[uint16][]byte{}}
	for from, to := range map[*string]*[]byte{&s.Timestamp: &u.Timestamp, &s.Bundle: &u.Bundle, &s.Status: &u.Status} {
		if *from != "" {
			*to = []byte(*from)
		}
	}
	for _, m := range []struct {
		from map[uint16]string
		to   map[uint16][]byte
	}{{s.Packs, u.Packs}, {s.Shards, u.Shards}} {
		for number, digits := range m.from {
			if m.to[number], err = hex.DecodeString(digits); err != nil {
				return u, err
			}
		}
	}
	return u, nil
}

// fleet is an authority with shards, at one moment.
type fleet struct {
	*authority
	roots  []string
	shards []*statuslist.Shard
}

// newFleet has a root and the given number of shards; entry 7 of the last is revoked.
func newFleet(shards int) (*fleet, error) {
	a, err := newAuthority()
	if err != nil {
		return nil, err
	}
	f := &fleet{authority: a, roots: []string{a.signed(a.root)}}
	for range shards {
		f.shards = append(f.shards, new(statuslist.Shard))
	}
	if shards > 0 {
		f.shards[shards-1].Set(7, statuslist.Revoked)
	}
	return f, nil
}

// later makes all documents of that version, as of that time.
func (f *fleet) later(version uint64, at time.Time) {
	f.bundle.Version, f.status.Version, f.timestamp.Version = version, version, version
	f.bundle.Issued, f.status.Issued, f.timestamp.StatusAsOf = at, at, at
	f.bundle.Expires, f.status.Expires, f.timestamp.Expires = at.Add(7*day), at.Add(7*day), at.Add(day)
}

// publish is the whole set as it comes.
func (f *fleet) publish() sentSet {
	hashes := make([]digest.SHA256, len(f.shards))
	u := sentSet{Packs: map[uint16]string{}, Shards: map[uint16]string{}}
	for i, shard := range f.shards {
		hashes[i] = shard.Hash()
		u.Shards[uint16(i)] = hex.EncodeToString(stored(listed(shard)))
	}
	f.status.Shards, f.status.Packs = len(f.shards), nil
	for i, p := range trust.Packs(hashes) {
		f.status.Packs = append(f.status.Packs, p.Hash())
		u.Packs[uint16(i)] = hex.EncodeToString(p.Bytes())
	}
	f.status.Delta.Since = f.status.Version
	u.Bundle, u.Status = f.signed(f.bundle), f.signed(f.status)
	f.timestamp.Bundle, f.timestamp.Status = trust.RefTo(f.bundle.Version, []byte(u.Bundle)), trust.RefTo(f.status.Version, []byte(u.Status))
	u.Timestamp = f.signed(f.timestamp)
	return u
}

// listed is the compact form of a shard with entry 7, none, or all.
func listed(s *statuslist.Shard) []byte {
	if s.Get(8) != statuslist.None {
		return append([]byte{0xFF, 0xFF}, s[:]...)
	}
	if v := s.Get(7); v != statuslist.None {
		return []byte{0, 1, 7, byte(v)}
	}
	return []byte{0, 0}
}

// held is the state of a device after the set u.
func (f *fleet) held(u sentSet) *heldSet {
	h := &heldSet{Roots: f.roots, Timestamp: u.Timestamp, Bundle: u.Bundle, Status: u.Status}
	for i := range len(u.Packs) {
		h.Packs = append(h.Packs, u.Packs[uint16(i)])
	}
	return h
}

// next is a root that follows f.root, signed by those keys.
func (f *fleet) next(change func(r *trust.Root), by ...*trust.Signer) string {
	r := f.root
	r.Version++
	change(&r)
	f.root = r
	return note(f.text(r), by...)
}

// updateCase is one vector with its answer.
type updateCase struct {
	name, comment, want string
	make                func(f *fleet) updateVector
}

func trustUpdates(made files) error {
	for _, c := range slices.Concat(rootUpdates(), setUpdates(), finalUpdates(), proofUpdates()) {
		f, err := newFleet(2)
		if err != nil {
			return err
		}
		v := c.make(f)
		v.Comment, v.Want = c.comment, c.want
		after, err := v.run()
		if got := reason(err); got != c.want {
			return fmt.Errorf("update-%s: got %s, want %s", c.name, got, c.want)
		}
		v.After = after
		if err := made.addJSON("update-"+c.name, v); err != nil {
			return err
		}
	}
	return nil
}
