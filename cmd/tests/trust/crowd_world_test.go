package trust_test

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tcode/cmd/internal/world"
	"tcode/offline/statuslist"
	"tcode/server/store"
	"tcode/server/store/storetest"
)

// stampsOfAShard is the number of stamps that a gateway puts into one shard.
const stampsOfAShard = 50_000

// A crowd is a gateway's status list with many stamps, made by SQL.
type crowd struct {
	t      testing.TB
	db     *sql.DB
	random *rand.Rand
	shards int // full ones
}

// newCrowd fills that many shards of a gateway that is down. Each gets as many
// entries of each value as counts says; entries of value 0 may be left out,
// because published documents do not contain them.
func newCrowd(w *world.World, shards int, counts map[statuslist.Value]int) *crowd {
	w.T.Helper()
	c := &crowd{
		t: w.T, db: storetest.RawOf(w.T, store.Config{Path: filepath.Join(w.Data, store.FileName)}),
		random: rand.New(rand.NewPCG(1, uint64(shards))), shards: shards,
	}
	c.write(func(tx *sql.Tx) {
		c.exec(tx, `UPDATE shards SET state = 'closed', used = $1, changed = changed + 1`, stampsOfAShard)
		for n := 2; n < shards+2; n++ {
			state := map[bool]string{true: "closed"}[n < shards]
			if n >= shards {
				state = []string{"open", "next"}[n-shards]
			}
			c.exec(tx, `INSERT INTO shards (number, state, used, changed, published, sha256) VALUES ($1, $2, 0, 1, 0, zeroblob(32))
				ON CONFLICT (number) DO UPDATE SET state = excluded.state`, n, state)
		}
		for n := range shards {
			c.fill(tx, n, w.Issuers[0].Reference, counts)
		}
	})
	return c
}

func (c *crowd) write(do func(tx *sql.Tx)) {
	c.t.Helper()
	tx, err := c.db.BeginTx(context.Background(), nil)
	if err != nil {
		c.t.Fatal(err)
	}
	do(tx)
	c.exec(tx, `UPDATE trust_head SET wanted = wanted + 1`)
	if err := tx.Commit(); err != nil {
		c.t.Fatal(err)
	}
}

func (c *crowd) exec(tx *sql.Tx, query string, args ...any) {
	c.t.Helper()
	if _, err := tx.Exec(query, args...); err != nil {
		c.t.Fatal(err)
	}
}

// fill inserts the entries of one shard, at random.
func (c *crowd) fill(tx *sql.Tx, shard int, tenant string, counts map[statuslist.Value]int) {
	c.t.Helper()
	entries := c.random.Perm(statuslist.Entries)
	var rows []string
	var args []any
	flush := func() {
		if len(rows) > 0 {
			c.exec(tx, `INSERT INTO status_entries (shard, entry, tenant, reference, value) VALUES `+strings.Join(rows, ", "), args...)
		}
		rows, args = rows[:0], args[:0]
	}
	for value, n := range counts {
		for _, entry := range entries[:n] {
			reference := binary.BigEndian.AppendUint64([]byte{9, 9}, uint64(shard)<<16|uint64(entry))
			rows = append(rows, fmt.Sprintf("(%d, %d, '%s', x'%x', %d)", shard, entry, tenant, reference, value))
			if len(rows) == 500 {
				flush()
			}
		}
		entries = entries[n:]
	}
	flush()
}

// change sets n entries of random shards to values, as revocations do.
func (c *crowd) change(n int, tenant string, values ...statuslist.Value) {
	c.t.Helper()
	c.write(func(tx *sql.Tx) {
		for i := range n {
			shard, entry := c.random.IntN(c.shards), c.random.IntN(statuslist.Entries)
			reference := binary.BigEndian.AppendUint64([]byte{9, 9}, uint64(shard)<<16|uint64(entry))
			c.exec(tx, `INSERT INTO status_entries (shard, entry, tenant, reference, value) VALUES ($1, $2, $3, $4, $5)
				ON CONFLICT (shard, entry) DO UPDATE SET value = excluded.value`, shard, entry, tenant, reference, int(values[i%len(values)]))
			c.exec(tx, `UPDATE shards SET changed = changed + 1 WHERE number = $1`, shard)
		}
	})
}

// published waits until everything is published.
func (c *crowd) published() {
	c.t.Helper()
	for range 6000 {
		var waiting bool
		if err := c.db.QueryRow(`SELECT wanted <> published FROM trust_head`).Scan(&waiting); err != nil {
			c.t.Fatal(err)
		}
		if !waiting {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	c.t.Fatal("the gateway does not publish")
}
