package trustbook

import (
	"context"
	"fmt"
	"math/rand/v2"

	"tcode/offline"
	"tcode/offline/digest"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
)

var _ offline.Snapshot = (*Snapshot)(nil)

// A Snapshot is the trust state at one moment, read in one transaction and held
// in memory. It is safe for concurrent use and must not be changed. Only
// remembered revocations are read at each look-up, because more of them is
// always the safe side.
type Snapshot struct {
	generation uint64
	state      *trust.State // nil: not enrolled
	proof      offline.Proof
	shards     map[uint16][]byte
	survivors  map[string]statuslist.Survivors
	store      Store // for remembered revocations
}

// Snapshot reads the trust state. It returns the same snapshot again until a
// process changes the state. The State of a device that is not enrolled is nil.
// An [ErrState] means that the stored state does not verify.
func (b *Book) Snapshot(ctx context.Context) (*Snapshot, error) {
	var s *Snapshot
	err := b.store.View(ctx, func(r Reader) (err error) {
		s, err = b.snapshot(r)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read trust state: %w", err)
	}
	return s, nil
}

func (b *Book) snapshot(r Reader) (*Snapshot, error) {
	facts, err := r.Facts()
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	latest := b.latest
	b.mu.Unlock()
	if latest != nil && latest.generation == facts.Generation {
		return latest, nil
	}
	s := &Snapshot{generation: facts.Generation, proof: parseProof(facts.Proof), store: b.store, survivors: map[string]statuslist.Survivors{}}
	if s.state, err = load(r, facts); err != nil {
		return nil, err
	}
	if s.shards, err = r.Shards(); err != nil {
		return nil, err
	}
	lists, err := r.Survivors()
	if err != nil {
		return nil, err
	}
	for _, raw := range lists {
		list, err := statuslist.ParseSurvivors(raw)
		if err != nil {
			continue // damaged counts as absent: its stamps stay unverified
		}
		s.survivors[digest.Of(raw).String()] = list // not the stored name: an edited list must not count
	}
	b.mu.Lock()
	b.latest = s
	b.mu.Unlock()
	return s, nil
}

// State returns the trust state, nil when the device is not enrolled.
func (s *Snapshot) State() *trust.State { return s.state }

// Proof returns the last proof of time; it is zero if there is none.
func (s *Snapshot) Proof() offline.Proof { return s.proof }

// Shard returns a status shard, nil when the device does not hold it. The error
// says that the stored bytes are damaged. The caller compares the hash.
func (s *Snapshot) Shard(number uint16) (*statuslist.Shard, error) {
	deflated, ok := s.shards[number]
	if !ok {
		return nil, nil
	}
	shard, err := statuslist.Inflate(deflated)
	if err != nil {
		return nil, fmt.Errorf("stored shard %d: %w", number, err)
	}
	return shard, nil
}

// Damaged checks at most limit of the shards, from a random one on. It returns
// those that are absent or differ from the hashes in the packs: their stamps
// stay unverified until the shards are fetched again.
func (s *Snapshot) Damaged(limit int) []uint16 {
	if s.state == nil || len(s.state.Shards) == 0 {
		return nil
	}
	var damaged []uint16
	first := rand.N(len(s.state.Shards))
	for i := range min(limit, len(s.state.Shards)) {
		number := uint16((first + i) % len(s.state.Shards))
		if shard, err := s.Shard(number); err != nil || shard == nil || shard.Hash() != s.state.Shards[number] {
			damaged = append(damaged, number)
		}
	}
	return damaged
}

// Remembered reports whether this device has seen the stamp revoked; core is
// the SHA-256 of its payload's core.
func (s *Snapshot) Remembered(core digest.SHA256) (bool, error) {
	return s.store.Remembered(context.Background(), core)
}

// Survivors returns the survivor list with that SHA-256 in lower-case
// hexadecimal digits.
func (s *Snapshot) Survivors(sha string) (statuslist.Survivors, bool) {
	list, ok := s.survivors[sha]
	return list, ok
}

// Missing returns the hashes of survivor lists that the bundle names and this
// device does not hold.
func (s *Snapshot) Missing() []string {
	if s.state == nil || s.state.Bundle == nil {
		return nil
	}
	var missing []string
	for _, hash := range s.state.Bundle.SurvivorLists() {
		if _, ok := s.survivors[hash]; !ok {
			missing = append(missing, hash)
		}
	}
	return missing
}
