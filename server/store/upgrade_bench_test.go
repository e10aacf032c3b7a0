package store_test

import (
	"database/sql"
	"fmt"
	"os"
	"testing"
	"time"

	"tcode/server/store"
	"tcode/server/store/storetest"
)

// fillStamps inserts stamps with a field each into an early schema, by SQL alone.
func fillStamps(b *testing.B, db *sql.DB, e storetest.Engine, version int64, stamps int) {
	b.Helper()
	series, reference, hash := `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %d - 1)`, `CAST(printf('%010d', i) AS BLOB)`, `CAST(printf('%032d', i) AS BLOB)`
	id := `printf('%036d', i)`
	if e == storetest.Postgres {
		series, reference, hash = `WITH n (i) AS (SELECT generate_series(0, %d - 1))`, `convert_to(lpad(i::text, 10, '0'), 'UTF8')`, `convert_to(lpad(i::text, 32, '0'), 'UTF8')`
		id = `lpad(i::text, 36, '0')`
	}
	series = fmt.Sprintf(series, stamps)
	more, name := "", ""
	if version < 4 {
		more, name = ", search_name", `, 'diploma of student number ' || i`
	}
	for _, statement := range []string{
		`INSERT INTO tenants (reference, name, state, created_at, updated_at) VALUES ('AAAAAA', 'A', 'active', 1, 1)`,
		`INSERT INTO signing_keys (tenant, seq, algorithm, public, state, valid_from, created_at, sealed) SELECT 'AAAAAA', 0, 'Ed25519', sha256, 'signing', 1, 1, sha256 FROM shards WHERE number = 0`,
		`INSERT INTO document_types (code, names, field_labels) VALUES ('DIP', '{"en":"Diploma"}', '{}')`,
		series + ` INSERT INTO shards (number, state, used, changed, published, sha256` + map[bool]string{true: ", version", false: ""}[version < 19] + `) SELECT i / 50000 + 2, 'closed', 50000, 1, 1, (SELECT sha256 FROM shards WHERE number = 0)` + map[bool]string{true: ", 1", false: ""}[version < 19] + ` FROM n WHERE i % 50000 = 0`,
		series + ` INSERT INTO status_entries (shard, entry, tenant, reference, value) SELECT i / 50000 + 2, i % 50000, 'AAAAAA', ` + reference + `, 0 FROM n`,
		series + ` INSERT INTO stamps (tenant, id, reference, status, name, document_type, test, page, modules, module_mm, size_mm, box_mm, warnings, original_sha256, stamped_sha256, key_seq, shard, entry, payload, issued_at, created_at, updated_at` + more + `)
			SELECT 'AAAAAA', ` + id + `, ` + reference + `, 'Active', 'Diploma of student number ' || i, 'DIP', 0, 1, 40, 0.5, 20, 22, '[]', ` + hash + `, ` + hash + `, 0, i / 50000 + 2, i % 50000, ` + hash + `, 1, 1700000000000 + i, 1700000000000 + i` + name + ` FROM n`,
		series + ` INSERT INTO stamp_fields (tenant, stamp_id, key, value) SELECT 'AAAAAA', ` + id + `, 'grade', CAST(i % 7 AS TEXT) FROM n`,
	} {
		if _, err := db.Exec(statement); err != nil {
			b.Fatalf("%s: %v", statement, err)
		}
	}
}

// sizeOf returns the bytes of a database.
func sizeOf(b *testing.B, c store.Config) (n int64) {
	b.Helper()
	if c.DatabaseURL != "" {
		if err := storetest.RawOf(b, c).QueryRow(`SELECT pg_database_size(current_database())`).Scan(&n); err != nil {
			b.Fatal(err)
		}
		return n
	}
	for _, end := range []string{"", "-wal"} {
		if info, err := os.Stat(c.Path + end); err == nil {
			n += info.Size()
		}
	}
	return n
}

// BenchmarkUpgrade measures the update of a database with TCODE_BENCH_STAMPS stamps, from the
// first schema and from that of a week ago.
func BenchmarkUpgrade(b *testing.B) {
	for _, e := range []storetest.Engine{storetest.SQLite, storetest.Postgres} {
		for _, version := range []int64{1, 38} {
			b.Run(fmt.Sprintf("%s/%d", e, version), func(b *testing.B) {
				for range b.N {
					b.StopTimer()
					c := storetest.Database(b, b.TempDir())
					if e == storetest.Postgres {
						c.DatabaseURL = storetest.EmptyPostgres(b)
					}
					if err := store.MigrateTo(b.Context(), c, version); err != nil {
						b.Fatal(err)
					}
					fillStamps(b, storetest.RawOf(b, c), e, version, benchStamps(b))
					before := sizeOf(b, c)
					b.StartTimer()
					start := time.Now()
					db, err := store.Open(b.Context(), c)
					if err != nil {
						b.Fatal(err)
					}
					b.StopTimer()
					b.ReportMetric(time.Since(start).Seconds(), "s/update")
					b.ReportMetric(float64(before)/1e6, "MB-before")
					b.ReportMetric(float64(sizeOf(b, c))/1e6, "MB-after")
					if err := db.Close(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
