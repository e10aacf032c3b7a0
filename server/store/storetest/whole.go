package storetest

import (
	"fmt"
	"testing"

	"tcode/server/issue/stamp"
)

// SeedWhole is [Seed], and each stamp has all rows that a gateway writes for it: an entry of
// the status list, in full shards that are to be published, its first event, and files, which
// are those of like. The hashes of the files that a stamp names are its own.
func SeedWhole(t testing.TB, dir, like string, n int) {
	t.Helper()
	var last int
	if err := Raw(t, dir).QueryRow(`SELECT max(number) FROM shards`).Scan(&last); err != nil {
		t.Fatal(err)
	}
	none := `zeroblob(32)` // of a shard that is not published
	hash := func(first string) string { return `unhex('` + first + `' || printf('%062x', s.i))` }
	if Database(t, dir).DatabaseURL != "" {
		none = `decode(repeat('00', 32), 'hex')`
		hash = func(first string) string { return `decode('` + first + `' || lpad(to_hex(s.i), 62, '0'), 'hex')` }
	}
	p := seedPlan{
		shard: fmt.Sprintf(`(%d + (s.i - 1) / %d)`, last+1, stamp.ShardCapacity),
		entry: `(CAST(s.i AS BIGINT) * 40503 % 65536)`, // an odd factor leads each number below 65536 to another
	}
	p.original, p.stamped = hash("0a"), hash("0b")
	p.more = []string{
		`INSERT INTO shards (number, state, used, changed, published, sha256)
			SELECT ` + p.shard + `, 'closed', count(*), 1, 0, ` + none + ` FROM {numbers}, stamps m WHERE m.id = $1 GROUP BY 1`,
		`INSERT INTO status_entries (shard, entry, tenant, reference, value)
			SELECT ` + p.shard + `, ` + p.entry + `, m.tenant, {reference}, CASE WHEN s.i % 100 = 7 THEN 1 WHEN s.i % 10 = 3 THEN 2 ELSE 0 END
			FROM {numbers}, stamps m WHERE m.id = $1`,
		`INSERT INTO stamp_files (tenant, stamp_id, kind, sha256, size_bytes, content_type, file_name)
			SELECT m.tenant, {id}, m.kind, m.sha256, m.size_bytes, m.content_type, m.file_name FROM {numbers}, stamp_files m WHERE m.stamp_id = $1`,
		`INSERT INTO stamp_events (tenant, stamp_id, seq, action, from_status, to_status, reason, by_key, at)
			SELECT m.tenant, {id}, 0, 'create', '', 'Active', '', '', {created} FROM {numbers}, stamps m WHERE m.id = $1`,
	}
	seed(t, dir, like, n, p)
}
