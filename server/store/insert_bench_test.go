package store_test

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/issue/stamp"
	"tcode/server/store"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// hotRows makes the transaction of a stamp lock the row of its status shard and one row of
// each count until it ends, as it did when a shard and a count had one row.
func hotRows(query string) string {
	return strings.Replace(hotShard(query), ` ORDER BY part LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`, ` ORDER BY part LIMIT 1`, 1)
}

// hotShard makes it lock the row of its status shard.
func hotShard(query string) string {
	return strings.Replace(query, `SELECT k.state, s.state FROM signing_keys k, shards s WHERE k.tenant = $1 AND k.seq = $2 AND s.number = $3 FOR SHARE OF k FOR KEY SHARE OF s`,
		`WITH s AS (UPDATE shards SET used = used + 1 WHERE number = $3 RETURNING state) SELECT k.state, s.state FROM signing_keys k, s WHERE k.tenant = $1 AND k.seq = $2 FOR SHARE OF k`, 1)
}

// writers is the number of concurrent writers of the benchmark.
const writers = 16

// BenchmarkInserts prints how many stamps a second 16 writers of one tenant store on
// PostgreSQL: with one hot row of each kind, with the rows of 8 shards, and without hot
// rows; in turns, each with and without a commit delay of 5 ms. It needs
// TCODE_TEST_FSYNC=on, because PostgreSQL delays no commit that it does not sync.
func BenchmarkInserts(b *testing.B) {
	variants := []struct {
		name    string
		rewrite func(string) string
		shards  int
	}{{"one-row", hotRows, 1}, {"8-shard-rows", hotShard, 8}, {"no-row", nil, 8}}
	for _, delay := range []string{"0", "5000"} {
		b.Run("delay="+delay+"us", func(b *testing.B) {
			var pools []*inserter
			for _, v := range variants {
				p := newInserter(b, delay, v.rewrite, v.shards)
				// PostgreSQL plans by the statistics of the tables, which autovacuum makes where it runs.
				p.rate(b, time.Second)
				if _, err := p.raw.Exec(`ANALYZE`); err != nil {
					b.Fatal(err)
				}
				pools = append(pools, p)
			}
			b.ResetTimer()
			rates := make([][]float64, len(variants))
			for range max(b.N, 3) {
				for i, p := range pools {
					rates[i] = append(rates[i], p.rate(b, 2*time.Second))
				}
			}
			for i, v := range variants {
				slices.Sort(rates[i])
				b.ReportMetric(rates[i][len(rates[i])/2], v.name+"/s")
			}
			b.ReportMetric(rates[2][len(rates[2])/2]/rates[0][len(rates[0])/2], "ratio")
		})
	}
}

// An inserter stores copies of a stamp.
type inserter struct {
	db      *store.DB
	raw     *sql.DB
	like    stamp.Stamp
	shards  []uint16
	address string // of the database
}

func newInserter(tb testing.TB, delay string, rewrite func(string) string, shards int) *inserter {
	bundle := storetest.NewOn(tb, storetest.Postgres)
	c := storetest.Database(tb, bundle.Dir)
	raw := storetest.Raw(tb, bundle.Dir)
	for _, set := range []string{"commit_delay = " + delay, "commit_siblings = 0"} {
		if _, err := raw.Exec(`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET ` + set + `', current_database()); END $$`); err != nil {
			tb.Fatal(err)
		}
	}
	like := bundle.Stamp(tb, bundle.Tenant(tb, "Acme", "ACME01"), "n")
	if _, err := raw.Exec(`UPDATE shards SET state = CASE WHEN number < $1 THEN 'open' ELSE 'next' END`, shards); err != nil {
		tb.Fatal(err)
	}
	db, err := store.OpenRewriting(tb.Context(), c.DatabaseURL, func(query string) string {
		if rewrite == nil {
			return query
		}
		return rewrite(query)
	})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { db.Close() })
	open, err := db.OpenShards(tb.Context())
	if err != nil || len(open) != shards {
		tb.Fatalf("%d open shards, want %d: %v", len(open), shards, err)
	}
	return &inserter{db, raw, like, open, c.DatabaseURL}
}

// insert stores one copy.
func (p *inserter) insert(ctx context.Context) error {
	for {
		st := p.like
		st.ID = uuid.Must(uuid.NewV7()).String()
		st.Name = "n " + st.ID
		binary.BigEndian.PutUint64(st.Reference[:], rand.Uint64())
		st.StatusIndex = payload.NewStatusIndex(p.shards[rand.IntN(len(p.shards))], uint16(rand.Uint32()))
		first := stamp.Event{Action: stamp.ActionCreate, To: stamp.Active, At: st.CreatedAt}
		audit := &tenant.Entry{Tenant: st.Tenant, By: tenant.By{Actor: tenant.ActorSystem}, Action: "stamp.create", Subject: st.ID, At: st.CreatedAt}
		if _, err := p.db.InsertStamp(ctx, st, first, nil, audit); !errors.Is(err, stamp.ErrEntryTaken) {
			return err
		}
	}
}

// rate returns how many stamps a second the writers store.
func (p *inserter) rate(tb testing.TB, window time.Duration) float64 {
	var n atomic.Int64
	var group sync.WaitGroup
	begin := time.Now()
	for range writers {
		group.Go(func() {
			for time.Since(begin) < window {
				if err := p.insert(tb.Context()); err != nil {
					tb.Error(err)
					return
				}
				n.Add(1)
			}
		})
	}
	group.Wait()
	return float64(n.Load()) / time.Since(begin).Seconds()
}

// TestInsertsCounted: concurrent writers of one tenant lose no count and double no entry.
func TestInsertsCounted(t *testing.T) {
	t.Parallel()
	p := newInserter(t, "0", nil, 2)
	const each = 10
	var group sync.WaitGroup
	for range writers {
		group.Go(func() {
			for range each {
				if err := p.insert(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	us, err := p.db.Usage(t.Context(), "ACME01", tenant.MonthOf(p.like.CreatedAt))
	if err != nil || len(us) != 1 || us[0].Used != writers*each+1 {
		t.Errorf("%v, %v; want %d stamps", us, err, writers*each+1)
	}
	day := tenant.DayOf(p.like.CreatedAt)
	if ds, err := p.db.UsageDays(t.Context(), "ACME01", day, day); err != nil || len(ds) != 1 || ds[0].Used != writers*each+1 {
		t.Errorf("days: %v, %v", ds, err)
	}
}

// together runs insert by all writers, and returns how many of them stored a stamp. The
// others must have an error that the tenant is told.
func (p *inserter) together(t *testing.T) (stored int64) {
	var n atomic.Int64
	var group sync.WaitGroup
	for range writers {
		group.Go(func() {
			err := p.insert(t.Context())
			switch {
			case err == nil:
				n.Add(1)
			case fault.As(err).Code != fault.CodeDuplicate && fault.As(err).Reason != fault.ReasonQuotaExceeded:
				t.Error(err)
			}
		})
	}
	group.Wait()
	return n.Load()
}

// TestInsertsTogether: writers that come together take no more than a quota has, and one
// of them alone an external id.
func TestInsertsTogether(t *testing.T) {
	t.Parallel()
	p := newInserter(t, "0", nil, 2)
	limit := func(quota int64) {
		t.Helper()
		_, err := p.db.ChangePlan(t.Context(), "ACME01", func(plan *tenant.Plan) error {
			plan.Quotas = map[tenant.Kind]int64{tenant.KindStamps: quota}
			return nil
		}, p.like.CreatedAt, &tenant.Entry{Tenant: "ACME01", By: tenant.By{Actor: tenant.ActorSystem}, Action: "tenant.plan", Subject: "ACME01", At: p.like.CreatedAt})
		if err != nil {
			t.Fatal(err)
		}
	}
	limit(6) // one is taken
	if n := p.together(t); n != 5 {
		t.Errorf("%d stamps of a quota of 5", n)
	}
	limit(1 << 40)
	p.like.ExternalID = "one"
	if n := p.together(t); n != 1 {
		t.Errorf("%d stamps have one external id", n)
	}
}
