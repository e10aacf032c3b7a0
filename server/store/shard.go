package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"tcode/offline"
	"tcode/server/issue/stamp"
	"tcode/server/store/pgdb"
)

// A status shard is next, open, or closed:
//
//	next ── published for as long as devices may be without a network ──▶ open ── full ──▶ closed
//
// So a device knows the shard of a new stamp, also one that fetched its documents days ago.
// New stamps get entries of any open shard. The transaction of a stamp takes no lock on a
// shard for which another stamp, a change of a status or a publication waits.
const (
	shardNext   = "next"
	shardOpen   = "open"
	shardClosed = "closed"
)

// OpenShards returns the shards in which new stamps get their entries.
func (d *DB) OpenShards(ctx context.Context) (numbers []uint16, err error) {
	numbers, err = all(ctx, d.hot, scanNumber, `SELECT number FROM shards WHERE state = 'open' ORDER BY number`)
	if err == nil && len(numbers) == 0 {
		err = errStatusFull
	}
	return numbers, wrap(err, "read open shards")
}

// errStatusFull means that all 65,536 shards are used.
var errStatusFull = errors.New("the status list is full")

// EntryFree reports whether no stamp has the entry yet.
func (d *DB) EntryFree(ctx context.Context, shard, entry uint16) (bool, error) {
	var n int
	err := d.hot.QueryRowContext(ctx, `SELECT count(*) FROM status_entries WHERE shard = $1 AND entry = $2`, shard, entry).Scan(&n)
	return n == 0, wrap(err, "read status entry")
}

// takeEntry takes the stamp's status entry.
func takeEntry(ctx context.Context, tx *sql.Tx, st stamp.Stamp) error {
	_, err := tx.ExecContext(pgdb.Later(ctx), `INSERT INTO status_entries (shard, entry, tenant, reference, value) VALUES ($1, $2, $3, $4, $5)`,
		st.StatusIndex.Shard(), st.StatusIndex.Entry(), st.Tenant, st.Reference[:], st.Status.Entry(false))
	return wrap(err, "insert status entry")
}

const (
	// countedEntries are the entries whose stamps count their shard: 1 of 64, at random. A
	// shard is full when so many of the first sampleEntries are taken as a shard of
	// [stamp.ShardCapacity] has there: entries are drawn at random.
	countedEntries = 64
	sampleEntries  = 4096
	sampleFull     = stamp.ShardCapacity * sampleEntries / 65536
)

// closeFull closes a shard if the entry of a new stamp is one of those that count, and the
// shard is full. The stamp is stored already: if this fails, the next such entry repeats it.
func (d *DB) closeFull(ctx context.Context, st stamp.Stamp) (closed bool) {
	shard, entry := st.StatusIndex.Shard(), st.StatusIndex.Entry()
	if entry%countedEntries != 0 {
		return false
	}
	var taken int
	err := d.hot.QueryRowContext(ctx, `SELECT count(*) FROM status_entries WHERE shard = $1 AND entry < $2`, shard, sampleEntries).Scan(&taken)
	if err != nil || taken < sampleFull {
		return false
	}
	err = d.write(ctx, everyone, func(tx *sql.Tx) error {
		closed = false
		if err := d.lockValues(ctx, tx, openShardsValue); err != nil {
			return err
		}
		res, err := tx.ExecContext(ctx, `UPDATE shards SET state = 'closed', used = $1 WHERE number = $2 AND state = 'open'`,
			taken*(65536/sampleEntries), shard)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return err
		}
		closed = true
		if err := d.openShards(ctx, tx, ms(st.CreatedAt)); err != nil {
			return err
		}
		return wantStatus(ctx, tx)
	})
	return closed && err == nil
}

// openShardsValue is locked by transactions that open or make shards, before the shards
// themselves.
const openShardsValue = "open shards"

// keepShards makes and opens shards if there are too few. A publication calls it before it
// publishes, so that it publishes the new ones, and after that, to open published ones.
func (d *DB) keepShards(ctx context.Context, tx *sql.Tx) error {
	n, err := countShards(ctx, tx)
	if err != nil || !n.due(d.open) {
		return err
	}
	if err := d.lockValues(ctx, tx, openShardsValue); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE shards SET listed_at = $1 WHERE state = 'next' AND published > 0 AND listed_at = 0`, n.now); err != nil {
		return fmt.Errorf("list status shards: %w", err)
	}
	return d.openShards(ctx, tx, n.now)
}

// listedFor is how long a shard is published before it opens: a device without a network
// judges by its documents for as long.
const listedFor = offline.DefaultHardExpiry

// shardCounts says which shards there are.
type shardCounts struct {
	open, next int
	unlisted   int   // of the next ones: published, and not noted so yet
	listed     int64 // when the first of the next ones was published, ms; 0: none was
	unused     bool  // no stamp has an entry
	now        int64 // time of the last publication, ms
}

func countShards(ctx context.Context, q queryer) (n shardCounts, err error) {
	err = q.QueryRowContext(ctx, `SELECT count(CASE WHEN state = 'open' THEN 1 END), count(CASE WHEN state = 'next' THEN 1 END),
			count(CASE WHEN state = 'next' AND published > 0 AND listed_at = 0 THEN 1 END),
			coalesce(min(CASE WHEN state = 'next' AND listed_at > 0 THEN listed_at END), 0),
			NOT EXISTS (SELECT 1 FROM status_entries WHERE shard >= 0), (SELECT at FROM trust_head WHERE id = 1)
		FROM shards WHERE state <> 'closed'`).Scan(&n.open, &n.next, &n.unlisted, &n.listed, &n.unused, &n.now)
	return n, wrap(err, "count shards")
}

// due reports whether shards are to be noted as published, opened or made, if so many are to
// be open.
func (n shardCounts) due(want int) bool {
	ready := n.listed > 0 && (n.listed <= n.now-listedFor.Milliseconds() || n.unused)
	return n.unlisted > 0 || n.open == 0 || n.open < want && ready || n.next < n.ahead(want)
}

// ahead is the number of next shards that there are to be: as many as may be open, and one
// for each that is not.
func (n shardCounts) ahead(want int) int { return want + max(0, want-n.open) }

// openShards opens shards that were published long enough before now, until enough are
// open, and makes as many new ones to be published ahead. A gateway without any stamp opens
// published ones immediately. If no shard is left open, it opens the oldest of the next.
func (d *DB) openShards(ctx context.Context, tx *sql.Tx, now int64) error {
	n, err := countShards(ctx, tx)
	if err != nil {
		return err
	}
	if n.open < d.open {
		res, err := tx.ExecContext(ctx, `UPDATE shards SET state = 'open' WHERE number IN (
			SELECT number FROM shards WHERE state = 'next' AND published > 0 AND listed_at > 0
				AND (listed_at <= $1 OR NOT EXISTS (SELECT 1 FROM status_entries WHERE shard >= 0)) ORDER BY number LIMIT $2)`, now-listedFor.Milliseconds(), d.open-n.open)
		if err != nil {
			return fmt.Errorf("open status shards: %w", err)
		}
		opened, err := res.RowsAffected()
		if err != nil {
			return err
		}
		n.open, n.next = n.open+int(opened), n.next-int(opened)
	}
	var last int
	if err := tx.QueryRowContext(ctx, `SELECT max(number) FROM shards`).Scan(&last); err != nil {
		return fmt.Errorf("read shards: %w", err)
	}
	for ; n.next < n.ahead(d.open) && last < 65535; n.next++ {
		last++
		if err := insertShard(ctx, tx, uint16(last), shardNext); err != nil {
			return fmt.Errorf("make a status shard: %w", err)
		}
	}
	if n.open > 0 {
		return nil
	}
	_, err = tx.ExecContext(ctx, `UPDATE shards SET state = 'open' WHERE number = (SELECT min(number) FROM shards WHERE state = 'next')`)
	return wrap(err, "open a status shard")
}

// insertShard makes an empty shard, to be published.
func insertShard(ctx context.Context, tx *sql.Tx, number uint16, state string) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO shards (number, state, used, changed, published, sha256) VALUES ($1, $2, 0, 1, 0, $3)`,
		number, state, make([]byte, 32))
	return err
}
