package store_test

import (
	"database/sql"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tcode/server/store/storetest"
)

// A follow says what a migration does to the rows that are there, on purpose.
type follow struct {
	since  int64 // the migration
	table  string
	reason string
	do     func(r *oldRow) // changes the expected cells; nil: the rows are deleted
	first  bool            // only where migrations ran as the first gateways ran them
}

func foldedWord(r *oldRow) {
	if r.cells["word"] == "ärztin" {
		r.cells["word"] = "arztin"
	}
}

var follows = []follow{
	{4, "stamp_fields", "the list of fields is in the order of stamps", func(r *oldRow) { r.cells["created_at"] = createdAt(r.age, r.n) }, false},
	{13, "bulk_jobs", "the job of a test key is known by its settings", func(r *oldRow) { r.cells["test"] = int64(r.n % 2) }, false},
	{19, "shards", "all shards are published again, in another form", func(r *oldRow) {
		r.cells.set("changed", r.cells["published"].(int64)+1, "published", int64(0), "sha256", make([]byte, 32))
	}, false},
	{19, "trust_objects", "shards in the old form are not served any more", func(r *oldRow) {
		if r.cells["content_type"] == "application/zlib" {
			r.cells = nil
		}
	}, false},
	{21, "claim_budgets", "the counts of at most a day start again", nil, false},
	{32, "signin_tries", "the counts of at most a day start again", nil, false},
	{47, "users", "an address is that of one user of each tenant, and no user is blind", func(r *oldRow) { delete(r.cells, "blind") }, false},
	{48, "erasures", "scans of erased stamps that arrived later were stored whole", func(r *oldRow) {
		if r.cells["step"] != "answers" && r.cells["step"] != "events" {
			r.cells.set("step", "scans", "place", "", "done_at", int64(0))
		}
	}, false},
	{49, "claim_budgets", "the counts of at most a day start again", nil, false},
	{49, "devices", "those with scans of a tenant's stamps have a history", func(r *oldRow) {
		if r.n < 2 {
			r.cells["known_at"] = r.cells["first_at"]
		}
	}, false},
	{51, "stamp_words", "names are found without accents", foldedWord, false},
	{51, "document_words", "names are found without accents", foldedWord, false},
	{50, "bulk_jobs", "hashes of files are text; sizes were not stored", func(r *oldRow) {
		for _, file := range []string{"csv", "zip"} {
			if hash, ok := r.cells[file+"_sha256"].([]byte); ok {
				r.cells[file+"_sha256"] = fmt.Sprintf("%x", hash)
			}
			r.cells[file+"_bytes"] = int64(-1)
		}
	}, true},
	{50, "trust_head", "what the bundle must show is counted", func(r *oldRow) {
		r.cells["bundle_wanted"], r.cells["bundle_published"] = int64(1), int64(0)
	}, true},
}

// landedRank returns the places of migrations in the order in which they landed. What has
// not landed yet is later.
func landedRank(t *testing.T) func(version int64) int64 {
	ranks := map[int64]int64{}
	for i, l := range allLanded(t) {
		ranks[l.version] = int64(i)
	}
	return func(version int64) int64 {
		if rank, ok := ranks[version]; ok {
			return rank
		}
		return 1000 + version
	}
}

// stored returns all rows of a table.
func stored(t *testing.T, db *sql.DB, table string) (all []cells) {
	t.Helper()
	rows, err := db.Query(`SELECT * FROM ` + table)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values := make([]any, len(names))
		into := make([]any, len(names))
		for i := range into {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		c := cells{}
		for i, name := range names {
			c[name] = values[i]
		}
		all = append(all, c)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// compare returns how the rows of a database differ from those that were stored over its
// life.
func (h *history) compare(t *testing.T, db *sql.DB, first bool) (problems []string) {
	t.Helper()
	rank := landedRank(t)
	want := map[string][]oldRow{}
	for _, l := range allLanded(t) {
		for _, r := range h.rows[l.version] {
			if r = r.followed(rank, first); r.cells != nil {
				want[r.table] = append(want[r.table], r)
			}
		}
	}
	var now []oldRow
	for _, table := range h.tables {
		have := stored(t, db, table.name)
		for _, c := range have {
			now = append(now, oldRow{table: table.name, cells: c})
		}
		problems = append(problems, compareTable(table, want[table.name], have)...)
		delete(want, table.name)
	}
	for table := range want {
		problems = append(problems, table+": the table is gone; say in follows where its rows are")
	}
	return append(problems, compareCounts(h.tables, now)...)
}

// followed returns the row as later migrations should have left it.
func (r oldRow) followed(rank func(int64) int64, first bool) oldRow {
	r.cells = maps.Clone(r.cells)
	for _, f := range follows {
		if f.table != r.table || rank(r.age) >= rank(f.since) || f.first && !first {
			continue
		}
		if f.do == nil {
			r.cells = nil
		} else {
			f.do(&r)
		}
		if r.cells == nil {
			break
		}
	}
	return r
}

// keyOf identifies a row of a table.
func keyOf(table oldTable, c cells) string {
	var b strings.Builder
	for _, name := range table.key() {
		v := c[name]
		if raw, ok := v.([]byte); ok {
			v = fmt.Sprintf("%x", raw)
		}
		fmt.Fprintf(&b, "%v|", v)
	}
	return b.String()
}

// complete sets the columns that came after the row to their defaults.
func (t oldTable) complete(c cells) {
	for _, column := range t.columns {
		if !c.has(column.name) {
			c[column.name] = standardOf(column)
		}
	}
}

// counts reports whether a value has grown that a migration counts up to have all trust
// documents published again.
func counts(table, column string, now, was any) bool {
	return table == "trust_head" && column == "wanted" && now.(int64) > was.(int64)
}

// derived are tables that migrations fill from others: compareCounts and compareTable check
// them together.
func derived(table string) bool { return isCount(table) || strings.HasSuffix(table, "_words") }

func compareTable(table oldTable, want []oldRow, have []cells) (problems []string) {
	say := func(format string, args ...any) {
		problems = append(problems, table.name+": "+fmt.Sprintf(format, args...))
	}
	byKey := map[string]cells{}
	for _, c := range have {
		byKey[keyOf(table, c)] = c
	}
	for _, r := range want {
		table.complete(r.cells)
		key := keyOf(table, r.cells)
		c, ok := byKey[key]
		if !ok {
			say("row %s of schema %d is lost", key, r.age)
			continue
		}
		delete(byKey, key)
		for _, column := range table.columns {
			expected := r.cells[column.name]
			if v := c[column.name]; !equal(v, expected) && !counts(table.name, column.name, v, expected) {
				say("row %s of schema %d: %s is %.60q, want %.60q", key, r.age, column.name, fmt.Sprint(v), fmt.Sprint(expected))
			}
		}
	}
	for key, c := range byKey {
		if !derived(table.name) && !(table.name == "shards" && isNewShard(c)) {
			say("row %s was never stored", key)
		}
	}
	return problems
}

// isNewShard reports whether a shard is one of the first schema, or fills a gap.
func isNewShard(c cells) bool {
	return c["number"].(int64) <= 1 || c["state"] == "closed" && c["used"] == int64(0)
}

// compareCounts compares tables that are derived from others.
func compareCounts(tables []oldTable, rows []oldRow) (problems []string) {
	have := map[string][]cells{}
	words := map[string][]string{}
	for _, r := range rows {
		have[r.table] = append(have[r.table], r.cells)
		for of, id := range map[string]string{"stamp_words": "stamp_id", "document_words": "document_id"} {
			if r.table == of {
				k := fmt.Sprint(of, r.cells["tenant"], r.cells[id], r.cells["created_at"])
				words[k] = append(words[k], r.cells["word"].(string))
			}
		}
	}
	for of, names := range map[string]string{"stamp_words": "stamps", "document_words": "documents"} {
		for _, c := range have[names] {
			name, ok := c["name"].(string)
			if !ok {
				name = c["recipient_name"].(string)
			}
			want := strings.Fields(strings.ToLower(strings.NewReplacer(",", "", "Ä", "A").Replace(name)))
			k := fmt.Sprint(of, c["tenant"], c["id"], c["created_at"])
			got := words[k]
			delete(words, k)
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				problems = append(problems, fmt.Sprintf("%s: words of %q are %q", of, name, got))
			}
		}
	}
	for k := range words {
		problems = append(problems, "words: of nothing: "+k)
	}
	for _, table := range tables {
		wanted := countsOf(table.name, rows)
		if isCount(table.name) && len(wanted) != len(have[table.name]) {
			problems = append(problems, fmt.Sprintf("%s: %d rows, want %d", table.name, len(have[table.name]), len(wanted)))
		}
		byKey := map[string]cells{}
		for _, c := range have[table.name] {
			byKey[keyOf(table, c)] = c
		}
		for _, want := range wanted {
			whole := maps.Clone(want)
			table.complete(whole)
			for name, v := range want {
				if got := byKey[keyOf(table, whole)][name]; !equal(got, v) {
					problems = append(problems, fmt.Sprintf("%s: %s of %v is %v", table.name, name, want, got))
				}
			}
		}
	}
	return problems
}

// checkSeparation checks that row-level security shows the app role the rows of one tenant,
// and none without a tenant.
func checkSeparation(t *testing.T, raw *sql.DB, tables []oldTable) {
	t.Helper()
	mine := tenantOf(1, 0)
	for _, table := range tables {
		column := "tenant"
		if table.name == "tenants" {
			column = "reference"
		}
		if !slices.ContainsFunc(table.columns, func(c oldColumn) bool { return c.name == column }) {
			continue
		}
		var all, seen, foreign, without int
		tx, err := raw.Begin()
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range []struct {
			before, query string
			into          *int
		}{
			{`SET LOCAL tcode.scope = '*'`, `SELECT count(*) FROM ` + table.name + ` WHERE ` + column + ` = $1`, &all},
			{`SET LOCAL ROLE tcode_app; SET LOCAL tcode.scope = '` + mine + `'`, `SELECT count(*) FROM ` + table.name + ` WHERE ` + column + ` = $1`, &seen},
			{`SET LOCAL tcode.scope = '` + mine + `'`, `SELECT count(*) FROM ` + table.name + ` WHERE ` + column + ` <> $1`, &foreign},
			{`SET LOCAL tcode.scope = ''`, `SELECT count(*) FROM ` + table.name + ` WHERE ` + column + ` <> $1 OR true`, &without},
		} {
			if _, err := tx.Exec(q.before); err != nil {
				t.Fatal(err)
			}
			if err := tx.QueryRow(q.query, mine).Scan(q.into); err != nil {
				t.Fatalf("%s: %v", table.name, err)
			}
		}
		tx.Rollback()
		if seen != all || foreign != 0 || without != 0 {
			t.Errorf("%s: the tenant sees %d of its %d rows and %d of others; without a tenant: %d", table.name, seen, all, foreign, without)
		}
	}
}

// repaired are columns that a database from before the first release has with a default.
var repaired = regexp.MustCompile(`^(bundle_wanted|bundle_published|csv_sha256|zip_sha256|csv_bytes|zip_bytes) `)

var (
	spaces   = regexp.MustCompile(`\s+`)
	standard = regexp.MustCompile(` DEFAULT ('[^']*'(::\w+)?|-?[0-9]+)`)
	comment  = regexp.MustCompile(`--[^\n]*`)
)

// sameSchema compares the schemas of two databases, but for the order of columns.
func sameSchema(t *testing.T, name string, e storetest.Engine, a, b *sql.DB) {
	t.Helper()
	read := liteSchema
	if e == storetest.Postgres {
		read = postgresSchema
	}
	had, want := read(t, a), read(t, b)
	for _, line := range had {
		if !slices.Contains(want, line) {
			t.Errorf("%s: a new database has no %s", name, line)
		}
	}
	for _, line := range want {
		if !slices.Contains(had, line) {
			t.Errorf("%s: lacks %s", name, line)
		}
	}
}

// liteSchema returns the parts of an SQLite schema, as text.
func liteSchema(t *testing.T, db *sql.DB) (lines []string) {
	t.Helper()
	each(t, db, func(scan func(...any)) {
		var kind, name, text string
		scan(&kind, &name, &text)
		if text = spaces.ReplaceAllString(comment.ReplaceAllString(text, ""), " "); kind != "table" {
			lines = append(lines, text)
			return
		}
		depth, part := 0, ""
		body := text[strings.Index(text, "(")+1:]
		for _, r := range body {
			switch {
			case r == '(':
				depth++
			case r == ')':
				depth--
			}
			if r == ',' && depth == 0 || depth < 0 {
				if part = strings.TrimSpace(part); repaired.MatchString(part) {
					part = standard.ReplaceAllString(part, "")
				}
				lines = append(lines, name+": "+part)
				part = ""
				continue
			}
			part += string(r)
		}
		lines = append(lines, name+": "+strings.TrimSpace(part))
	}, `SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%' ORDER BY name`)
	return lines
}
