package storetest

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
)

// Seed adds n stamps to a database, by SQL alone in one step. They are copies of the one
// with the id like, each a minute earlier than the next:
//
//	every 2nd is named "Diploma number <i>", the others "Invoice number <i>"
//	every 10th is Suspended, and of every 100 one Revoked
//	every 4th bears the external id "seed-<i>"
//	every 3rd was made with the placement template Template
//	every 5th has the field grade, with the value "A" or, every 1,000th, "rare"
//
// Foreign keys are not checked meanwhile, and the status list has no entries
// for them. [SeedWhole] makes the other rows of a stamp too.
func Seed(t testing.TB, dir, like string, n int) {
	t.Helper()
	seed(t, dir, like, n, seedPlan{shard: `m.shard`, entry: `m.entry`, original: `m.original_sha256`, stamped: `m.stamped_sha256`})
}

// A seedPlan is the SQL of what differs between seeded stamps: s.i is the number of a stamp,
// and m the one that they are like.
type seedPlan struct {
	shard, entry, original, stamped string
	// more are statements whose argument is the id of m. In them {numbers} is the table s, and
	// {id}, {reference} and {created} are those of a stamp.
	more []string
}

// seed is Seed by a plan.
func seed(t testing.TB, dir, like string, n int, plan seedPlan) {
	t.Helper()
	db := Raw(t, dir)
	db.SetMaxOpenConns(1)
	postgres := Database(t, dir).DatabaseURL != ""
	series, hex := numbers(n, postgres)
	reference := `unhex(printf('%020x', s.i))`
	off, on := `PRAGMA foreign_keys = off`, `PRAGMA foreign_keys = on`
	if postgres {
		reference = `decode(lpad(to_hex(s.i), 20, '0'), 'hex')`
		off, on = `SET session_replication_role = replica`, `SET session_replication_role = origin`
	}
	id, created := `'00000000-0000-7000-8000-' || `+hex, `(m.created_at - %[1]s * 60000 + s.i * CAST(60000 AS BIGINT))`
	created = fmt.Sprintf(created, fmt.Sprintf("CAST(%d AS BIGINT)", n+1))
	run := func(query string, args ...any) {
		t.Helper()
		if _, err := db.Exec(query, args...); err != nil {
			t.Fatalf("%v: %s", err, query)
		}
	}
	run(off)
	run(`INSERT INTO stamps (tenant, id, reference, status, name, document_type, external_id, test,
			placement_template_id, tdoc_template_id, page, pages, modules, module_mm, size_mm, box_mm, warnings,
			original_sha256, stamped_sha256, key_seq, shard, entry, payload, replaces, replaced_by, reason,
			issued_at, created_at, updated_at)
		SELECT m.tenant, `+id+`, `+reference+`,
			CASE WHEN s.i % 100 = 7 THEN 'Revoked' WHEN s.i % 10 = 3 THEN 'Suspended' ELSE 'Active' END,
			(CASE WHEN s.i % 2 = 0 THEN 'Diploma' ELSE 'Invoice' END) || ' number ' || s.i, m.document_type,
			CASE WHEN s.i % 4 = 0 THEN 'seed-' || s.i ELSE '' END, m.test,
			CASE WHEN s.i % 3 = 0 THEN '`+Template+`' ELSE '' END, '', m.page, m.pages, m.modules, m.module_mm, m.size_mm, m.box_mm, m.warnings,
			`+plan.original+`, `+plan.stamped+`, m.key_seq, `+plan.shard+`, `+plan.entry+`, m.payload, '', '', '',
			m.issued_at, `+created+`, `+created+`
		FROM `+series+`, stamps m WHERE m.id = $1`, like)
	run(`INSERT INTO stamp_fields (tenant, stamp_id, key, value, position, created_at)
		SELECT m.tenant, `+id+`, 'grade', CASE WHEN s.i % 1000 = 0 THEN 'rare' ELSE 'A' END, 0, `+created+`
		FROM `+series+`, stamps m WHERE m.id = $1 AND s.i % 5 = 0`, like)
	for _, word := range []string{`CASE WHEN s.i % 2 = 0 THEN 'diploma' ELSE 'invoice' END`, `'number'`, `'' || s.i`} {
		run(`INSERT INTO stamp_words (tenant, word, created_at, stamp_id)
			SELECT m.tenant, `+word+`, `+created+`, `+id+` FROM `+series+`, stamps m WHERE m.id = $1`, like)
	}
	words := strings.NewReplacer("{numbers}", series, "{id}", id, "{created}", created, "{reference}", reference)
	for _, query := range plan.more {
		run(words.Replace(query), like)
	}
	run(on)
	settle(t, db, postgres)
}

// Multiply adds rows to a database by a statement. In it {numbers} is a table s with a
// column i that has the numbers from 1 to n, and {id} is the text of a UUID that has the
// number s.i.
func Multiply(t testing.TB, dir string, n int, statement string) {
	t.Helper()
	series, hex := numbers(n, Database(t, dir).DatabaseURL != "")
	statement = strings.NewReplacer("{numbers}", series, "{id}", `'00000000-0000-7000-8000-' || `+hex).Replace(statement)
	if _, err := Raw(t, dir).Exec(statement); err != nil {
		t.Fatalf("%v: %s", err, statement)
	}
}

// numbers returns a table s with a column i that has the numbers from 1 to n, and s.i in
// 12 hexadecimal digits.
func numbers(n int, postgres bool) (table, hex string) {
	if postgres {
		return fmt.Sprintf(`generate_series(1, %d) AS s(i)`, n), `lpad(to_hex(s.i), 12, '0')`
	}
	return fmt.Sprintf(`(WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < %d) SELECT i FROM s) AS s`, n), `printf('%012x', s.i)`
}

// Settle leaves the database like one that has grown over months: it has statistics, and
// its background maintenance is done and written. Otherwise the first queries after a
// change of many rows are slower.
func Settle(t testing.TB, dir string) {
	t.Helper()
	settle(t, Raw(t, dir), Database(t, dir).DatabaseURL != "")
}

func settle(t testing.TB, db *sql.DB, postgres bool) {
	t.Helper()
	upkeep := []string{strings.TrimSpace(`ANALYZE`)}
	if postgres {
		upkeep = append(upkeep, `VACUUM (FREEZE)`, `CHECKPOINT`)
	}
	for _, query := range upkeep {
		if _, err := db.Exec(query); err != nil {
			t.Fatalf("%v: %s", err, query)
		}
	}
}

// Template is the placement template of seeded stamps.
const Template = "0196fb7e-0000-7000-8000-000000000001"
