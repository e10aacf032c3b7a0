package store_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"tcode/offline"
	"tcode/offline/payload"
	"tcode/server/issue/stamp"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// shardStates returns how many shards are open, next and closed, and how many of the next
// ones are not published.
func shardStates(t *testing.T, b *storetest.Bundle) (s string) {
	t.Helper()
	var open, next, closed, unpublished int
	if err := storetest.Raw(t, b.Dir).QueryRow(`SELECT count(*) FILTER (WHERE state = 'open'), count(*) FILTER (WHERE state = 'next'),
		count(*) FILTER (WHERE state = 'closed'), count(*) FILTER (WHERE state = 'next' AND published = 0) FROM shards`).Scan(&open, &next, &closed, &unpublished); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d open, %d next, %d closed, %d unpublished", open, next, closed, unpublished)
}

// insertAt stores a copy of a stamp with an entry.
func insertAt(t *testing.T, b *storetest.Bundle, like stamp.Stamp, shard, entry uint16) (rolled bool, err error) {
	t.Helper()
	st := like
	st.ID = uuid.Must(uuid.NewV7()).String()
	binary.BigEndian.PutUint64(st.Reference[:], rand.Uint64())
	st.StatusIndex = payload.NewStatusIndex(shard, entry)
	return b.DB.InsertStamp(t.Context(), st, stamp.Event{Action: stamp.ActionCreate, To: stamp.Active, At: st.CreatedAt}, nil,
		&tenant.Entry{Tenant: st.Tenant, By: tenant.By{Actor: tenant.ActorSystem}, Action: "stamp.create", Subject: st.ID, At: st.CreatedAt})
}

// TestShards: eight shards are open and as many are published ahead. A full one closes when
// a stamp counts it, and a published one opens in the same transaction. Stamps are in all
// open ones.
func TestShards(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		b := storetest.NewOn(t, e)
		db := storetest.Raw(t, b.Dir)
		id := b.Tenant(t, "Acme", "ACME01")
		if _, err := b.Publish.Publish(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got, want := shardStates(t, b), "8 open, 8 next, 0 closed, 0 unpublished"; got != want {
			t.Errorf("%s; want %s", got, want)
		}
		used := map[uint16]bool{}
		var like stamp.Stamp
		for range 40 {
			like = b.Stamp(t, id, "n")
			used[like.StatusIndex.Shard()] = true
		}
		if len(used) < 6 || len(used) > 8 {
			t.Errorf("40 stamps are in %d shards", len(used))
		}
		zeros := map[storetest.Engine]string{storetest.SQLite: `zeroblob(10)`, storetest.Postgres: `decode(repeat('00', 10), 'hex')`}[e]
		fill := func(shard, n int) {
			storetest.Multiply(t, b.Dir, n, fmt.Sprintf(`INSERT INTO status_entries (shard, entry, tenant, reference, value)
				SELECT %d, s.i, 'ACME01', %s, 0 FROM {numbers} WHERE true ON CONFLICT DO NOTHING`, shard, zeros))
		}
		fill(3, stamp.ShardCapacity/16-100)
		if rolled, err := insertAt(t, b, like, 3, 64000); rolled || err != nil {
			t.Errorf("a shard that is nearly full: %t, %v", rolled, err)
		}
		fill(3, stamp.ShardCapacity/16)
		if rolled, err := insertAt(t, b, like, 3, 64001); rolled || err != nil {
			t.Errorf("a stamp that does not count: %t, %v", rolled, err)
		}
		if rolled, err := insertAt(t, b, like, 3, 64000); rolled || !errors.Is(err, stamp.ErrEntryTaken) {
			t.Errorf("a taken entry: %t, %v", rolled, err)
		}
		if rolled, err := insertAt(t, b, like, 3, 64064); !rolled || err != nil {
			t.Errorf("a full shard: %t, %v", rolled, err)
		}
		if rolled, err := insertAt(t, b, like, 3, 65000); rolled || !errors.Is(err, stamp.ErrShardClosed) {
			t.Errorf("a closed shard: %t, %v", rolled, err)
		}
		if got, want := shardStates(t, b), "7 open, 9 next, 1 closed, 1 unpublished"; got != want {
			t.Errorf("%s; want %s", got, want)
		}
		publish := func(after time.Duration, want string) {
			t.Helper()
			b.Clock.Add(after)
			if _, err := b.Publish.Publish(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := shardStates(t, b); got != want {
				t.Errorf("%s; want %s", got, want)
			}
		}
		publish(0, "7 open, 9 next, 1 closed, 0 unpublished") // devices may not know the next ones yet
		publish(offline.DefaultHardExpiry, "8 open, 8 next, 1 closed, 0 unpublished")
		if open, err := b.DB.OpenShards(t.Context()); err != nil || strings.Trim(fmt.Sprint(open), "[]") != "0 1 2 4 5 6 7 8" {
			t.Errorf("open shards %v, %v", open, err)
		}
		// Publication cannot work for so long that no shard is left.
		if _, err := db.Exec(`UPDATE shards SET state = CASE WHEN number = 8 THEN 'open' ELSE 'closed' END`); err != nil {
			t.Fatal(err)
		}
		fill(8, stamp.ShardCapacity/16)
		if rolled, err := insertAt(t, b, like, 8, 64064); !rolled || err != nil {
			t.Errorf("the last open shard: %t, %v", rolled, err)
		}
		b.Stamp(t, id, "in a shard that is not published")
		publish(0, "1 open, 15 next, 17 closed, 0 unpublished")
		publish(offline.DefaultHardExpiry, "8 open, 8 next, 17 closed, 0 unpublished")
	})
}

// TestShardsPublishedAhead: shards that were published for as long as a device may be without a network open as soon as one
// closes. They count from their own publication, not from the time when a shard is missing.
func TestShardsPublishedAhead(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		b := storetest.NewOn(t, e)
		id := b.Tenant(t, "Acme", "ACME01")
		publish := func() {
			t.Helper()
			if _, err := b.Publish.Publish(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		publish()
		b.Clock.Add(time.Hour)
		b.Stamp(t, id, "so that shards do not open immediately")
		publish()
		b.Clock.Add(offline.DefaultHardExpiry)
		like := b.Stamp(t, id, "later")
		zeros := map[storetest.Engine]string{storetest.SQLite: `zeroblob(10)`, storetest.Postgres: `decode(repeat('00', 10), 'hex')`}[e]
		full := func(shard uint16) {
			t.Helper()
			storetest.Multiply(t, b.Dir, stamp.ShardCapacity/16, fmt.Sprintf(`INSERT INTO status_entries (shard, entry, tenant, reference, value)
				SELECT %d, s.i, 'ACME01', %s, 0 FROM {numbers} WHERE true ON CONFLICT DO NOTHING`, shard, zeros))
			if rolled, err := insertAt(t, b, like, shard, 64064); !rolled || err != nil {
				t.Errorf("shard %d, which is full: %t, %v", shard, rolled, err)
			}
		}
		full(0)
		publish() // shard 16, which was made for it
		b.Clock.Add(offline.DefaultHardExpiry)
		like = b.Stamp(t, id, "later still")
		for shard := range uint16(8) {
			full(shard + 1)
		}
		if got, want := shardStates(t, b), "8 open, 8 next, 9 closed, 8 unpublished"; got != want {
			t.Errorf("%s; want %s", got, want)
		}
	})
}
