package store

import (
	"context"
	"fmt"
	"time"

	"tcode/offline/digest"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
	"tcode/server/publish"
	"tcode/server/store/pgdb"
)

func (p publication) Object(ctx context.Context, sha256 digest.SHA256) (publish.Object, error) {
	return object(ctx, p.tx, sha256)
}

func (p publication) ChangedShards(ctx context.Context) (shards []publish.Shard, more bool, err error) {
	changed, err := all(ctx, p.tx, func(r scanner) (s publish.Shard, err error) {
		var sha []byte
		err = r.Scan(&s.Number, &s.Changed, &s.Published, &sha)
		copy(s.SHA256[:], sha)
		return s, err
	}, `SELECT number, changed, published, sha256 FROM shards WHERE changed <> published ORDER BY number`)
	for _, s := range changed {
		if p.locked == nil || p.locked[s.Number] {
			shards = append(shards, s)
		}
	}
	return shards, len(shards) < len(changed), wrap(err, "read changed shards")
}

func (p publication) ShardEntries(ctx context.Context, number uint16) (*statuslist.Shard, error) {
	rows, err := p.tx.QueryContext(ctx, `SELECT entry, value FROM status_entries WHERE shard = $1 AND value <> 0
		UNION ALL SELECT entry, value FROM lost_entries WHERE shard = $1`, number)
	if err != nil {
		return nil, fmt.Errorf("read shard %d: %w", number, err)
	}
	defer rows.Close()
	var s statuslist.Shard
	for rows.Next() {
		var entry uint16
		var value statuslist.Value
		if err := rows.Scan(&entry, &value); err != nil {
			return nil, fmt.Errorf("read shard %d: %w", number, err)
		}
		s.Set(entry, value)
	}
	return &s, wrap(rows.Err(), "read shard %d", number)
}

func (p publication) SetShard(ctx context.Context, s publish.Shard) error {
	_, err := p.tx.ExecContext(pgdb.Later(ctx), `UPDATE shards SET published = $1, sha256 = $2 WHERE number = $3`, s.Published, s.SHA256[:], s.Number)
	return wrap(err, "set shard %d", s.Number)
}

func (p publication) ShardCount(ctx context.Context) (count int, err error) {
	err = p.tx.QueryRowContext(ctx, `
		SELECT coalesce((SELECT min(number) FROM shards WHERE changed <> published AND published = 0), (SELECT max(number) + 1 FROM shards))`).Scan(&count)
	return count, wrap(err, "count shards")
}

func (p publication) ShardHashes(ctx context.Context, from, to int) ([]digest.SHA256, error) {
	next := from
	hashes, err := all(ctx, p.tx, func(r scanner) (hash digest.SHA256, err error) {
		var number int
		var sha []byte
		err = r.Scan(&number, &sha)
		if err == nil && number != next {
			err = fmt.Errorf("there is no shard %d", next)
		}
		next++
		copy(hash[:], sha)
		return hash, err
	}, `SELECT number, sha256 FROM shards WHERE number >= $1 AND number < $2 ORDER BY number`, from, to)
	return hashes, wrap(err, "read shards %d to %d", from, to)
}

func (p publication) Packs(ctx context.Context) ([]digest.SHA256, error) {
	hashes, err := all(ctx, p.tx, func(r scanner) (hash digest.SHA256, err error) {
		var sha []byte
		err = r.Scan(&sha)
		copy(hash[:], sha)
		return hash, err
	}, `SELECT sha256 FROM packs ORDER BY number`)
	return hashes, wrap(err, "read packs")
}

func (p publication) SetPack(ctx context.Context, number int, hash digest.SHA256) error {
	_, err := p.tx.ExecContext(pgdb.Later(ctx), `
		INSERT INTO packs (number, sha256) VALUES ($1, $2) ON CONFLICT (number) DO UPDATE SET sha256 = excluded.sha256`, number, hash[:])
	return wrap(err, "set pack %d", number)
}

func (p publication) AddDelta(ctx context.Context, add trust.Delta, version uint64, now, oldest time.Time, limit int) (trust.Delta, uint64, error) {
	for _, e := range add {
		_, err := p.tx.ExecContext(pgdb.Later(ctx), `
			INSERT INTO status_delta (shard, entry, value, version, at) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (shard, entry) DO UPDATE SET value = excluded.value, version = excluded.version, at = excluded.at`,
			e.Shard, e.Entry, e.Value, version, ms(now))
		if err != nil {
			return nil, 0, fmt.Errorf("note changed entry: %w", err)
		}
	}
	var cut uint64
	err := p.tx.QueryRowContext(ctx, `
		SELECT coalesce(max(version), 0) FROM (
			SELECT max(version) AS version FROM status_delta WHERE at < $1
			UNION ALL SELECT * FROM (SELECT version FROM status_delta ORDER BY version DESC LIMIT 1 OFFSET $2) AS beyond
		) AS old`, ms(oldest), limit).Scan(&cut)
	if err != nil {
		return nil, 0, fmt.Errorf("find old changes: %w", err)
	}
	if _, err := p.tx.ExecContext(ctx, `DELETE FROM status_delta WHERE version <= $1`, cut); err != nil {
		return nil, 0, fmt.Errorf("drop old changes: %w", err)
	}
	delta, err := all(ctx, p.tx, func(r scanner) (e trust.DeltaEntry, err error) {
		err = r.Scan(&e.Shard, &e.Entry, &e.Value)
		return e, err
	}, `SELECT shard, entry, value FROM status_delta ORDER BY shard, entry`)
	return delta, cut, wrap(err, "read changes")
}

func (p publication) ClearDelta(ctx context.Context) error {
	_, err := p.tx.ExecContext(ctx, `DELETE FROM status_delta`)
	return wrap(err, "drop changes")
}
