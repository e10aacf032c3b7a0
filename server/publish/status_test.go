package publish_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"testing"
	"time"

	"tcode/offline/statuslist"
	"tcode/offline/trust"
	"tcode/server/fault"
	"tcode/server/publish"
	"tcode/server/store/storetest"
)

// grow makes full shards up to n for a tenant, each with the entries 0 to 499 revoked in
// another order, so that all are different.
func grow(t testing.TB, b *storetest.Bundle, n int) {
	t.Helper()
	b.Tenant(t, "Acme", "ACME01")
	db, postgres := storetest.Raw(t, b.Dir), storetest.Database(t, b.Dir).DatabaseURL != ""
	blob := func(size int) string {
		if postgres {
			return fmt.Sprintf("decode(repeat('00', %d), 'hex')", size)
		}
		return fmt.Sprintf("zeroblob(%d)", size)
	}
	series := func(from, to int) string {
		return fmt.Sprintf("WITH RECURSIVE s (i) AS (SELECT %d UNION ALL SELECT i + 1 FROM s WHERE i < %d)", from, to)
	}
	for _, query := range []string{
		`DELETE FROM shards WHERE number > 1`, // empty ones
		`UPDATE shards SET state = 'closed', used = 50000, changed = changed + 1`,
		series(2, n+1) + ` INSERT INTO shards (number, state, used, changed, published, sha256)
			SELECT i, CASE WHEN i < ` + fmt.Sprint(n) + ` THEN 'closed' WHEN i = ` + fmt.Sprint(n) + ` THEN 'open' ELSE 'next' END, 0, 1, 0, ` + blob(32) + ` FROM s`,
		series(0, n*500-1) + ` INSERT INTO status_entries (shard, entry, tenant, reference, value)
			SELECT i / 500, (i % 500) * 90 + i / 500, 'ACME01', ` + blob(10) + `, 1 FROM s`,
		`UPDATE trust_head SET wanted = wanted + 1`,
	} {
		if _, err := db.Exec(query); err != nil {
			t.Fatalf("%v: %s", err, query)
		}
	}
}

// change sets an entry, as a revocation does.
func change(t testing.TB, b *storetest.Bundle, shard, entry int, v statuslist.Value) {
	t.Helper()
	db := storetest.Raw(t, b.Dir)
	blob := `zeroblob(10)`
	if storetest.Database(t, b.Dir).DatabaseURL != "" {
		blob = `decode(repeat('00', 10), 'hex')`
	}
	for _, query := range []string{
		fmt.Sprintf(`INSERT INTO status_entries (shard, entry, tenant, reference, value) VALUES (%d, %d, 'ACME01', %s, %d)
			ON CONFLICT (shard, entry) DO UPDATE SET value = excluded.value`, shard, entry, blob, v),
		fmt.Sprintf(`UPDATE shards SET changed = changed + 1 WHERE number = %d`, shard),
		`UPDATE trust_head SET wanted = wanted + 1`,
	} {
		if _, err := db.Exec(query); err != nil {
			t.Fatalf("%v: %s", err, query)
		}
	}
}

func count(t testing.TB, b *storetest.Bundle, query string) (n int) {
	t.Helper()
	if err := storetest.Raw(t, b.Dir).QueryRow(query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestGatewaysShareTheStatus: several gateways on one database serve the packs, shards and
// deltas that any of them published, and devices can use any of them.
func TestGatewaysShareTheStatus(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, b *storetest.Bundle) {
		grow(t, b, 260)
		publishNow(t, b, true)
		b2 := storetest.Open(t, b.Dir, b.Clock)
		held := device(t, b2.Publish, trust.State{})
		if held.Status.Shards != 276 || len(held.Status.Packs) != 3 {
			t.Fatalf("%d shards in %d packs", held.Status.Shards, len(held.Status.Packs))
		}
		for i, g := range []*storetest.Bundle{b2, b, b2} {
			change(t, b, 130, 60000+i, statuslist.Revoked)
			b.Clock.Add(time.Minute)
			publishNow(t, g, true)
			next := device(t, b.Publish, held)
			if next.Shards[130] == held.Shards[130] || next.Status.Packs[0] != held.Status.Packs[0] || next.Status.Packs[1] == held.Status.Packs[1] {
				t.Errorf("publication %d: not shard 130 and pack 1 alone have changed", i)
			}
			delta, _, err := b.Publish.Object(t.Context(), hex.EncodeToString(next.Status.Delta.SHA256[:]))
			if err != nil {
				t.Fatal(err)
			}
			p, err := held.Patch(next.Status, delta, func(number uint16) (*statuslist.Shard, error) {
				data, _, err := b.Publish.Object(t.Context(), hex.EncodeToString(held.Shards[number][:]))
				if err != nil {
					return nil, err
				}
				return statuslist.Inflate(data)
			})
			if err != nil || !held.Patches(next.Status) || len(p.Packs) != 1 || len(p.Shards) != 1 {
				t.Errorf("publication %d: a delta of %d bytes since %d gives %d packs, %d shards, %v", i, len(delta), next.Status.Delta.Since, len(p.Packs), len(p.Shards), err)
			}
			held = next
		}
	})
}

// TestPublicationCost: the cost of one change does not depend on the number of shards: the
// objects written are the shard, its pack, the delta and the status.
func TestPublicationCost(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, b *storetest.Bundle) {
		for _, shards := range []int{3, 300} {
			b := b
			if shards == 300 {
				b = storetest.NewOn(t, map[bool]storetest.Engine{true: storetest.Postgres, false: storetest.SQLite}[storetest.Database(t, b.Dir).DatabaseURL != ""])
			}
			grow(t, b, shards)
			publishNow(t, b, true)
			before := count(t, b, `SELECT count(*) FROM trust_objects`)
			for i := range 3 {
				change(t, b, 1, 60000+i, statuslist.Suspended)
				b.Clock.Add(time.Second)
				publishNow(t, b, true)
			}
			made, superseded := count(t, b, `SELECT count(*) FROM trust_objects`)-before, count(t, b, `SELECT count(*) FROM trust_objects WHERE superseded_at <> 0`)
			if made != 12 || superseded != 12 {
				t.Errorf("%d shards: 3 changes make %d objects and supersede %d, want 12 of each", shards, made, superseded)
			}
			b.Clock.Add(2 * time.Hour)
			publishNow(t, b, true)
			if left := count(t, b, `SELECT count(*) FROM trust_objects`); left != before {
				t.Errorf("%d shards: %d objects are left, want %d", shards, left, before)
			}
		}
	})
}

// TestDeltaWindow: a delta begins as early as its entries allow: at most 4,096 of them, of
// six hours; an entry that changed twice is in it once.
func TestDeltaWindow(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, b *storetest.Bundle) {
		grow(t, b, 3)
		publishNow(t, b, true)
		now := func() (*trust.Status, trust.Delta) {
			t.Helper()
			s := device(t, b.Publish, trust.State{}).Status
			raw, _, err := b.Publish.Object(t.Context(), hex.EncodeToString(s.Delta.SHA256[:]))
			if err != nil {
				t.Fatal(err)
			}
			d, err := trust.ParseDelta(raw)
			if err != nil {
				t.Fatal(err)
			}
			return s, d
		}
		first, d := now()
		if first.Delta.Since != first.Version || len(d) != 0 {
			t.Errorf("the first leads from %d, with %d entries", first.Delta.Since, len(d))
		}
		step := func(after time.Duration, entry int, v statuslist.Value, since uint64, entries int) *trust.Status {
			t.Helper()
			b.Clock.Add(after)
			change(t, b, 1, entry, v)
			publishNow(t, b, true)
			s, d := now()
			if s.Delta.Since != since || len(d) != entries {
				t.Errorf("entry %d: the delta leads from %d with %d entries, want %d, %d", entry, s.Delta.Since, len(d), since, entries)
			}
			return s
		}
		second := step(time.Hour, 60000, statuslist.Revoked, first.Version, 1)
		step(time.Hour, 60001, statuslist.Suspended, first.Version, 2)
		third := step(time.Hour, 60001, statuslist.None, first.Version, 2)
		step(4*time.Hour+time.Second, 60002, statuslist.Revoked, second.Version, 2)
		step(time.Hour, 60003, statuslist.Revoked, second.Version, 3)
		step(4*time.Hour, 60004, statuslist.Revoked, third.Version, 3)

		for _, many := range []int{trust.MaxDelta - 10, 20, trust.MaxDelta + 1} {
			before, _ := now()
			db := storetest.Raw(t, b.Dir)
			query := fmt.Sprintf(`WITH RECURSIVE s (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM s WHERE i < %d)
				INSERT INTO status_entries (shard, entry, tenant, reference, value)
				SELECT 4, i, 'ACME01', (SELECT reference FROM status_entries LIMIT 1), 2 FROM s`, many-1)
			if many <= trust.MaxDelta {
				query = fmt.Sprintf(`WITH RECURSIVE s (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM s WHERE i < %d)
					INSERT INTO status_entries (shard, entry, tenant, reference, value)
					SELECT 3, i, 'ACME01', (SELECT reference FROM status_entries LIMIT 1), 2 FROM s WHERE true ON CONFLICT (shard, entry) DO UPDATE SET value = 3 - status_entries.value`, many-1)
			}
			if _, err := db.Exec(query); err != nil {
				t.Fatal(err)
			}
			b.Clock.Add(time.Second)
			change(t, b, 3, 65000+many%3, statuslist.Revoked)
			change(t, b, 4, 65000, statuslist.Revoked)
			publishNow(t, b, true)
			s, d := now()
			if len(d) > trust.MaxDelta || s.Delta.Since > s.Version || s.Delta.Since < third.Version {
				t.Errorf("%d together: a delta of %d entries since %d", many, len(d), s.Delta.Since)
			}
			if want := map[int]uint64{20: before.Delta.Since, trust.MaxDelta + 1: s.Version}[many]; want != 0 && s.Delta.Since != want {
				t.Errorf("%d together: since %d, want %d", many, s.Delta.Since, want)
			}
		}
	})
}

// TestPackIsServed: Pack returns packs only, by the hash of a pack.
func TestPackIsServed(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	publishNow(t, b, true)
	s := device(t, b.Publish, trust.State{})
	for _, name := range []string{
		"", "x", fmt.Sprintf("%064x", 1), fmt.Sprintf("%X", s.Status.Packs[0]), hex.EncodeToString(s.Shards[0][:]),
		hex.EncodeToString(s.Timestamp.Status.SHA256[:]), hex.EncodeToString(s.Status.Delta.SHA256[:]),
	} {
		if _, err := b.Publish.Pack(t.Context(), name); !fault.Is(err, fault.NotFound) {
			t.Errorf("%q: %v, want NotFound", name, err)
		}
	}
}

// BenchmarkPublish measures the publication of one revocation with that many shards.
func BenchmarkPublish(b *testing.B) {
	for name, e := range map[string]storetest.Engine{"sqlite": storetest.SQLite, "postgres": storetest.Postgres} {
		for _, shards := range []int{20, 200, 2000, 20000} {
			b.Run(fmt.Sprintf("%s/stamps=%d", name, shards*50_000), func(b *testing.B) {
				g := storetest.NewOn(b, e)
				grow(b, g, shards)
				publishOnce(b, g.Publish)
				storetest.Settle(b, g.Dir)
				for i := 0; b.Loop(); i++ {
					b.StopTimer()
					change(b, g, i*7%shards, 65000+i%500, statuslist.Revoked)
					b.StartTimer()
					publishOnce(b, g.Publish)
				}
			})
		}
	}
}

func publishOnce(t testing.TB, p *publish.Publisher) {
	t.Helper()
	if did, err := p.Publish(context.Background()); err != nil || !did {
		t.Fatal(did, err)
	}
}
