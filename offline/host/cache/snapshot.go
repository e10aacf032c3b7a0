package cache

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"

	"tcode/offline"
	"tcode/offline/digest"
	"tcode/offline/host/litedb"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
)

var _ offline.Snapshot = (*Snapshot)(nil)

// A Snapshot is the trust state at one moment, read in one transaction and held
// in memory. It is safe for concurrent use and must not be changed. Only
// remembered revocations are read at each look-up, because more of them is
// always the safe side.
type Snapshot struct {
	generation int64
	state      *trust.State // nil: not enrolled
	proof      offline.Proof
	shards     map[uint16][]byte
	survivors  map[string]statuslist.Survivors
	db         *litedb.DB // for remembered revocations
}

// Snapshot reads the trust state. It returns the same snapshot again until a
// process changes the state. The State of a device that is not enrolled is nil.
func (c *Cache) Snapshot(ctx context.Context) (*Snapshot, error) {
	s, err := c.snapshot(ctx)
	if err != nil {
		return nil, fmt.Errorf("read trust state: %w", err)
	}
	return s, nil
}

func (c *Cache) snapshot(ctx context.Context) (*Snapshot, error) {
	tx, err := c.db.Reader().BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	generation, _, err := fact[int64](ctx, tx, "generation")
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	latest := c.latest
	c.mu.Unlock()
	if latest != nil && latest.generation == generation {
		return latest, nil
	}
	s := &Snapshot{generation: generation, db: c.db}
	if s.state, err = load(ctx, tx); err != nil {
		return nil, err
	}
	if s.proof, err = readProof(ctx, tx); err != nil {
		return nil, err
	}
	if s.shards, err = readShards(ctx, tx); err != nil {
		return nil, err
	}
	if s.survivors, err = readSurvivors(ctx, tx); err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.latest = s
	c.mu.Unlock()
	return s, nil
}

func readShards(ctx context.Context, q querier) (map[uint16][]byte, error) {
	rows, err := q.QueryContext(ctx, `SELECT number, deflated FROM shards`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := map[uint16][]byte{}
	for rows.Next() {
		var number uint16
		var deflated []byte
		if err := rows.Scan(&number, &deflated); err != nil {
			return nil, err
		}
		all[number] = deflated
	}
	return all, rows.Err()
}

func readSurvivors(ctx context.Context, q querier) (map[string]statuslist.Survivors, error) {
	raws, err := column[[]byte](ctx, q, `SELECT marks FROM survivors`)
	if err != nil {
		return nil, err
	}
	all := map[string]statuslist.Survivors{}
	for _, raw := range raws {
		list, err := statuslist.ParseSurvivors(raw)
		if err != nil {
			continue // damaged counts as absent: its stamps stay unverified
		}
		all[digest.Of(raw).String()] = list // not the stored name: an edited list must not count
	}
	return all, nil
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
	var one int
	err := s.db.Reader().QueryRowContext(context.Background(), `SELECT 1 FROM remembered WHERE core = $1`, core[:]).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
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
