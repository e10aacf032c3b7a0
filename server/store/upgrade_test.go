package store_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tcode/server/store"
	"tcode/server/store/storetest"
)

// A landed migration is a line of testdata/landed.txt.
type landed struct {
	version int64
	sums    map[string]string // by engine; of migrations in Go: none
	more    bool              // the next one came with it
}

// allLanded returns the migrations in the order in which they came.
func allLanded(t *testing.T) (all []landed) {
	t.Helper()
	file, err := os.Open("testdata/landed.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		l := landed{sums: map[string]string{}}
		if l.version, err = strconv.ParseInt(words[0], 10, 64); err != nil {
			t.Fatal(err)
		}
		for _, w := range words[1:] {
			engine, sum, ok := strings.Cut(w, "=")
			if ok {
				l.sums[engine] = sum
			}
			l.more = !ok
		}
		all = append(all, l)
	}
	return all
}

// sumOf returns a hash of a migration without its comments; "" for one that is written in
// Go.
func sumOf(engine string, version int64) string {
	var statements []string
	for line := range strings.Lines(store.MigrationText(engine, version)) {
		code, _, _ := strings.Cut(line, "--")
		statements = append(statements, strings.Fields(code)...)
	}
	if len(statements) == 0 {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(statements, " "))))[:16]
}

// TestMigrationsStay: a migration that gateways may have run is never changed or removed,
// and its number is not given to another.
func TestMigrationsStay(t *testing.T) {
	t.Parallel()
	known, highest := map[int64]bool{}, int64(0)
	for _, l := range allLanded(t) {
		known[l.version], highest = true, max(highest, l.version)
		for _, engine := range []string{"sqlite", "postgres"} {
			if sum := sumOf(engine, l.version); sum != l.sums[engine] {
				t.Errorf("%s/%05d has other statements than when it landed (%s, and now %s): gateways have run it. Write a new migration", engine, l.version, l.sums[engine], sum)
			}
		}
	}
	for _, v := range store.Migrations() {
		sqlite, postgres := sumOf("sqlite", v), sumOf("postgres", v)
		if v < highest && !known[v] {
			t.Errorf("migration %05d is not in landed.txt: when it has landed, add \"%d sqlite=%s postgres=%s\"", v, v, sqlite, postgres)
		}
		if (sqlite == "") != (postgres == "") {
			t.Errorf("migration %05d is for one engine alone", v)
		}
	}
}

// An edit is a change that was made to a migration after gateways had run it.
type edit struct {
	name     string // of the file
	old, now string
}

// edits have the texts that databases from before the first release may have run.
var edits = []edit{
	{"00001_gateway.sql", "    bundle_version   INTEGER NOT NULL,\n    bundle_sha256    BLOB    NOT NULL,\n    bundle_expires   INTEGER NOT NULL,\n    bundle_digest    BLOB    NOT NULL,\n", `    bundle_wanted    INTEGER NOT NULL,
    bundle_published INTEGER NOT NULL,
    bundle_version   INTEGER NOT NULL,
    bundle_sha256    BLOB    NOT NULL,
    bundle_expires   INTEGER NOT NULL,
`},
	{"00001_gateway.sql", "VALUES (1, 1, 0, 0, 0, 0, zeroblob(32), 0, zeroblob(32), 0, zeroblob(32), 0, NULL)", "VALUES (1, 1, 0, 0, 0, 1, 0, 0, zeroblob(32), 0, 0, zeroblob(32), 0, NULL)"},
	{"00003_tenancy.sql", "'documents')", "'documents', 'requests')"},
	{"00003_tenancy.sql", "'lifecycle')", "'lifecycle', 'requests')"},
	{"00010_bulk.sql", "    csv_sha256    BLOB    NOT NULL CHECK (length(csv_sha256) = 32),\n    zip_sha256    BLOB    NOT NULL CHECK (length(zip_sha256) = 32),\n", `    csv_sha256    TEXT    NOT NULL CHECK (length(csv_sha256) = 64), -- hexadecimal
    csv_bytes     INTEGER NOT NULL,
    zip_sha256    TEXT    NOT NULL CHECK (length(zip_sha256) = 64),
    zip_bytes     INTEGER NOT NULL,
`},
	{"00010_bulk.sql", "    csv_sha256    BYTEA            NOT NULL CHECK (length(csv_sha256) = 32),\n    zip_sha256    BYTEA            NOT NULL CHECK (length(zip_sha256) = 32),\n", `    csv_sha256    TEXT COLLATE "C" NOT NULL CHECK (length(csv_sha256) = 64), -- hexadecimal
    csv_bytes     BIGINT           NOT NULL,
    zip_sha256    TEXT COLLATE "C" NOT NULL CHECK (length(zip_sha256) = 64),
    zip_bytes     BIGINT           NOT NULL,
`},
	{"00025_device_rights.sql", "name TEXT NOT NULL", `name TEXT COLLATE "C" NOT NULL`},
	{"00025_device_rights.sql", "refused TEXT NOT NULL", `refused TEXT COLLATE "C" NOT NULL`},
	{"00030_tenant_devices.sql", "", "CREATE INDEX audit_of_actor ON audit (tenant, actor, at, id);\n"},
}

// asFirstRun returns migrations as the first gateways ran them.
func asFirstRun(engine, name, text string) string {
	if name == "00003_tenancy.sql" && engine == "sqlite" { // restores and lost_entries came later
		text, _, _ = strings.Cut(text, "-- A database that came out of a backup")
	}
	for _, e := range edits {
		if e.name == name {
			text = strings.ReplaceAll(text, e.now, e.old)
		}
	}
	return text
}

// A history is what was stored in a database while its schema moved on.
type history struct {
	edit   func(engine, name, text string) string
	rows   map[int64][]oldRow // by age
	tables []oldTable         // of the newest schema, in SQLite
}

// live makes the database that was begun with the first schema, got every migration on the
// day it landed, and got rows for all of its tables on each of these days.
func (h *history) live(t *testing.T, c store.Config, fill bool) {
	t.Helper()
	postgres := c.DatabaseURL != ""
	err := store.Evolve(t.Context(), c, h.edit, func(db *sql.DB, run func(int64) error) error {
		for _, l := range allLanded(t) {
			if err := run(l.version); err != nil {
				return fmt.Errorf("migration %d: %w", l.version, err)
			}
			if fill {
				h.rows[l.version] = makeRows(oldTables(t, db), l.version)
			}
			rows := h.rows[l.version]
			if postgres {
				rows = inPostgres(rows)
			}
			insertRows(t, db, postgres, rows)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// inPostgres returns rows as they were stored in PostgreSQL, which came after the first change
// of a migration.
func inPostgres(rows []oldRow) (out []oldRow) {
	for _, r := range rows {
		if r.cells.has("bundle_digest") {
			r.cells = maps.Clone(r.cells)
			delete(r.cells, "bundle_digest")
			r.cells["bundle_wanted"], r.cells["bundle_published"] = int64(1), int64(0)
		}
		out = append(out, r)
	}
	return out
}

// begin makes rows for each schema, in a database of SQLite.
func begin(t *testing.T, edit func(engine, name, text string) string) (*history, store.Config) {
	t.Helper()
	h := &history{edit: edit, rows: map[int64][]oldRow{}}
	c := emptyDatabase(t, storetest.SQLite)
	h.live(t, c, true)
	openLived(t, c, func(*store.DB) {})
	h.tables = oldTables(t, storetest.RawOf(t, c))
	return h, c
}

// openLived opens a database with this program.
func openLived(t *testing.T, c store.Config, do func(*store.DB)) {
	t.Helper()
	db, err := store.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	do(db)
}

// emptyDatabase returns a database without a schema.
func emptyDatabase(t *testing.T, e storetest.Engine) store.Config {
	t.Helper()
	c := storetest.Database(t, t.TempDir())
	if e == storetest.Postgres {
		c.DatabaseURL = storetest.EmptyPostgres(t)
	}
	return c
}

// TestUpgrade: what was stored at any earlier schema is there after all migrations, with
// equal values, and what is derived from it agrees. One database has rows of all ages: those
// of an age see the same migrations as in a database that was alone with them, in the order
// of the days they landed. The part "harmed" shows that harm to rows of one age is found.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	t.Run("released", func(t *testing.T) {
		t.Parallel()
		h, lite := begin(t, nil)
		h.check(t, lite)
		t.Run("harmed", h.checkHarms)
	})
	t.Run("first", func(t *testing.T) { // by gateways from before the first release
		t.Parallel()
		h, lite := begin(t, asFirstRun)
		h.check(t, lite)
	})
}

// check checks the database that begin made, and one of PostgreSQL.
func (h *history) check(t *testing.T, lite store.Config) {
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		c := lite
		if e == storetest.Postgres {
			c = emptyDatabase(t, e)
			h.live(t, c, false)
		}
		openLived(t, c, func(db *store.DB) {
			err := db.CheckRows(t.Context(), func(p store.Problem) { t.Errorf("%+v", p) })
			if err != nil {
				t.Error(err)
			}
		})
		raw := storetest.RawOf(t, c)
		for _, problem := range h.compare(t, raw, h.edit != nil) {
			t.Error(problem)
		}
		sameSchema(t, "the database from the first schema", e, raw, storetest.RawOf(t, storetest.Begin(t, e, t.TempDir())))
		if e == storetest.Postgres {
			checkSeparation(t, raw, h.tables)
		}
	})
}

// harms are mistakes in migrations, each with the table that it harms. Some harm rows of one
// age, or one row.
var harms = []struct{ table, name, old, harm string }{
	{"stamp_fields", "00004_search.sql", "SELECT s.created_at FROM stamps s", "SELECT s.created_at + 1 FROM stamps s"},
	{"bulk_jobs", "00013_test_keys.sql", `'%"Test":true%'`, `'%"DryRun":true%'`},
	{"usage_months", "00015_test_usage.sql", "used FROM usage_months;", "used FROM usage_months WHERE kind <> 'lifecycle';"},
	{"stamps", "00016_rendering.sql", "", "\nUPDATE stamps SET payload = x'00' WHERE rowid = 7;\n"},
	{"mails", "00023_stamp_mail.sql", "SELECT tenant, id, document_id, state, reason,", "SELECT tenant, id, document_id, state, '',"},
	{"webhook_tries", "00027_retention.sql", "", "\nDELETE FROM webhook_tries WHERE delivery = (SELECT min(delivery) FROM webhook_tries);\n"},
	{"usage_days", "00029_management.sql", "'test_documents' ELSE 'documents'", "'documents' ELSE 'test_documents'"},
	{"tenant_devices", "00030_tenant_devices.sql", "FROM scans WHERE signed = 1 AND", "FROM scans WHERE"},
	{"users", "00032_sign_in.sql", "", "\nUPDATE users SET signed_in_at = 0 WHERE state = 'disabled';\n"},
	{"finding_days", "00038_finding_days.sql", "AND t.test = 0", ""},
	{"documents", "00039_device_lists.sql", "", "\nUPDATE documents SET original_sha256 = NULL WHERE tenant = 'U009A0' AND status = 'Suspended';\n"},
	{"status_entries", "00039_device_lists.sql", "", "\nINSERT INTO status_entries SELECT 0, 9, tenant, reference, value FROM status_entries LIMIT 1;\n"},
}

// checkHarms checks that each mistake of harms in a migration is found.
func (h *history) checkHarms(t *testing.T) {
	t.Parallel()
	harmful := *h
	h = &harmful
	h.edit = func(_, name, text string) string {
		for _, harm := range harms {
			switch {
			case harm.name != name:
			case harm.old == "":
				text += harm.harm
			case !strings.Contains(text, harm.old):
				t.Errorf("%s has no %q", name, harm.old)
			default:
				text = strings.ReplaceAll(text, harm.old, harm.harm)
			}
		}
		return text
	}
	c := emptyDatabase(t, storetest.SQLite)
	h.live(t, c, false)
	openLived(t, c, func(*store.DB) {})
	problems := h.compare(t, storetest.RawOf(t, c), false)
	for _, harm := range harms {
		if !slices.ContainsFunc(problems, func(p string) bool { return strings.HasPrefix(p, harm.table+":") }) {
			t.Errorf("%s: harm to %s was not noticed", harm.name, harm.table)
		}
	}
	harmed := func(p string) bool {
		table, _, _ := strings.Cut(p, ":")
		return slices.ContainsFunc(harms, func(h struct{ table, name, old, harm string }) bool { return h.table == table })
	}
	for _, p := range problems {
		if !harmed(p) {
			t.Errorf("not harmed: %s", p)
		}
	}
}

// TestUpgradeFromEverySchema: a database at any earlier schema, also at those that had a
// migration before one with a lower number, gets the schema of a new database.
func TestUpgradeFromEverySchema(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		want := storetest.RawOf(t, storetest.Begin(t, e, t.TempDir()))
		all, highest := allLanded(t), int64(0)
		for i, l := range all {
			highest = max(highest, l.version)
			// Where no lower number is missing, the rest are the migrations of TestUpgrade.
			missing := slices.ContainsFunc(all[i+1:], func(later landed) bool { return later.version < highest })
			if l.more || !missing || e == storetest.Postgres && l.version < 25 { // a migration costs ten times as much there
				continue
			}
			c := emptyDatabase(t, e)
			err := store.Evolve(t.Context(), c, nil, func(_ *sql.DB, run func(int64) error) error {
				for _, l := range all[:i+1] {
					if err := run(l.version); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			openLived(t, c, func(*store.DB) {})
			sameSchema(t, fmt.Sprint("the database with the first ", i+1, " migrations"), e, storetest.RawOf(t, c), want)
		}
	})
}

// equal compares values of a database with stored ones.
func equal(a, b any) bool {
	x, ok := a.([]byte)
	y, ok2 := b.([]byte)
	if ok && ok2 {
		return bytes.Equal(x, y)
	}
	return a == b
}
