package store_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// A row is one that was stored at an earlier schema.
type oldRow struct {
	table string
	age   int64 // the migration that had run last
	n     int   // its number among the rows of its table and age
	cells cells
	// update says that the table has this row already.
	update bool
}

type cells map[string]any

// set changes columns that the table has, in pairs of name and value.
func (c cells) set(pairs ...any) {
	for i := 0; i < len(pairs); i += 2 {
		if name := pairs[i].(string); c.has(name) {
			c[name] = pairs[i+1]
		}
	}
}

func (c cells) has(name string) bool { _, ok := c[name]; return ok }

// family is the number of rows of a table and age. Row n of a table belongs to row n of the
// tables that it refers to, and to the tenant of its half.
const family = 4

// more are tables with several rows for each row of the table that they belong to.
var more = map[string]int{"stamp_files": 4, "document_files": 2, "stamp_words": 3, "document_words": 3, "scans": 2, "verifications": 2}

// tenantOf returns tenant k of an age.
func tenantOf(age int64, k int) string { return fmt.Sprintf("U%03d%c0", age, 'A'+k) }

// timeOf returns a time of row n: each age has a day of its own.
func timeOf(age int64, n int) int64 {
	return 1_767_225_600_000 + age*86_400_000 + int64(n)*1_000_000
}

// bytesOf returns bytes that no other row has there.
func bytesOf(what string, age int64, n, length int) []byte {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %d", what, age, n))
	return bytes.Repeat(sum[:], length/len(sum)+1)[:length]
}

func uuidOf(what string, age int64, n int) string {
	b := bytesOf(what, age, n, 16)
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// wordsOfName are those of the name that every stamp and document has.
func wordsOfName(age int64, n int) []string {
	return []string{"common", fmt.Sprintf("u%dn%d", age, n), "ärztin"}
}

func nameOf(age int64, n int) string { return fmt.Sprintf("Ärztin, U%dN%d common", age, n) }

// A table is one of an SQLite database.
type oldTable struct {
	name    string
	text    string // its statement
	columns []oldColumn
	parents []reference
}

type oldColumn struct {
	name, kind string
	null       bool
	standard   sql.NullString // the default, an expression
	key        int            // its place in the primary key, from 1; 0: none
}

// A reference is a foreign key.
type reference struct {
	id               int
	table, from, col string
}

// key returns the columns of the primary key.
func (t oldTable) key() (names []string) {
	columns := slices.Clone(t.columns)
	slices.SortFunc(columns, func(a, b oldColumn) int { return a.key - b.key })
	for _, c := range columns {
		if c.key > 0 {
			names = append(names, c.name)
		}
	}
	return names
}

// oldTables returns the tables of an SQLite database, each after those that it refers to.
func oldTables(t *testing.T, db *sql.DB) (tables []oldTable) {
	t.Helper()
	known := map[string]oldTable{}
	var names []string
	each(t, db, func(scan func(...any)) {
		var table oldTable
		scan(&table.name, &table.text)
		known[table.name] = table
		names = append(names, table.name)
	}, `SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'goose%' AND name NOT LIKE 'river%' ORDER BY name`)
	each(t, db, func(scan func(...any)) {
		var name string
		var c oldColumn
		scan(&name, &c.name, &c.kind, &c.null, &c.standard, &c.key)
		if table, ok := known[name]; ok {
			table.columns = append(table.columns, c)
			known[name] = table
		}
	}, `SELECT m.name, c.name, c.type, c."notnull" = 0, c.dflt_value, c.pk FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY m.name, c.cid`)
	each(t, db, func(scan func(...any)) {
		var name string
		var r reference
		scan(&name, &r.id, &r.table, &r.from, &r.col)
		if table, ok := known[name]; ok {
			table.parents = append(table.parents, r)
			known[name] = table
		}
	}, `SELECT m.name, f.id, f."table", f."from", f."to" FROM sqlite_schema m, pragma_foreign_key_list(m.name) f WHERE m.type = 'table' ORDER BY m.name, f.id DESC, f.seq`)
	done := map[string]bool{}
	var add func(string)
	add = func(name string) {
		if done[name] {
			return
		}
		done[name] = true
		for _, p := range known[name].parents {
			add(p.table)
		}
		tables = append(tables, known[name])
	}
	for _, name := range names {
		add(name)
	}
	return tables
}

// each calls do for every row of a query.
func each(t *testing.T, db interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
}, do func(scan func(...any)), query string, args ...any,
) {
	t.Helper()
	rows, err := db.QueryContext(context.Background(), query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	for rows.Next() {
		do(func(into ...any) {
			if err := rows.Scan(into...); err != nil {
				t.Fatalf("%s: %v", query, err)
			}
		})
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// makeRows returns valid rows for every table of a schema.
func makeRows(tables []oldTable, age int64) (all []oldRow) {
	made := map[string][]oldRow{}
	for _, table := range tables {
		if isCount(table.name) {
			continue // below
		}
		for n := range family * max(1, more[table.name]) {
			r := oldRow{table: table.name, age: age, n: n, cells: cells{}}
			for _, c := range table.columns {
				r.cells[c.name] = c.value(table, age, n)
			}
			if k := table.key(); len(k) == 1 && k[0] == "tenant" {
				r.cells.set("tenant", tenantOf(age, n))
			} else {
				r.cells.set("tenant", tenantOf(age, n%family/2))
			}
			for _, p := range table.parents {
				if of := made[p.table]; r.cells[p.from] != nil && len(of) > 0 && !(p.from == "tenant" && p.table == "tenants") {
					r.cells[p.from] = of[n%family].cells[p.col]
				}
			}
			if fit, ok := fits[table.name]; ok {
				fit(&r)
			}
			if r.cells != nil {
				made[table.name] = append(made[table.name], r)
			}
		}
		all = append(all, made[table.name]...)
	}
	for _, table := range tables {
		for n, counted := range countsOf(table.name, all) {
			r := oldRow{table: table.name, age: age, n: n, cells: cells{}}
			for _, c := range table.columns {
				r.cells[c.name] = c.value(table, age, n)
			}
			for name, v := range counted {
				r.cells[name] = v
			}
			if fit, ok := fits[table.name]; ok {
				fit(&r)
			}
			all = append(all, r)
		}
	}
	return all
}

// value returns a value for a column that fits its own conditions, and says which row it is
// of.
func (c oldColumn) value(table oldTable, age int64, n int) any {
	serial := age*100 + int64(n)
	if c.null && n%2 == 1 {
		return nil
	}
	if words := match(`\b`+c.name+` IN \(([^()]*)\)`, table.text); words != nil {
		list := strings.Split(words[0], ",")
		v := strings.TrimSpace(list[int(serial)%len(list)])
		if c.kind == "INTEGER" {
			number, _ := strconv.ParseInt(v, 10, 64)
			return number
		}
		return strings.Trim(v, "'")
	}
	length := 0
	for _, pattern := range []string{`length\(` + c.name + `\) = (\d+)`, `length\(` + c.name + `\) IN \(0, (\d+)\)`} {
		if m := match(pattern, table.text); m != nil {
			length, _ = strconv.Atoi(m[0])
		}
	}
	switch c.kind {
	case "BLOB":
		return bytesOf(table.name+c.name, age, n, max(length, 32))
	case "REAL":
		return float64(serial) + 0.25
	case "INTEGER":
		if m := match(`\b`+c.name+` BETWEEN (\d+) AND (\d+)`, table.text); m != nil {
			low, _ := strconv.ParseInt(m[0], 10, 64)
			high, _ := strconv.ParseInt(m[1], 10, 64)
			return low + (age*family+int64(n))%(high-low+1)
		}
		if c.name == "at" || strings.HasSuffix(c.name, "_at") || strings.HasSuffix(c.name, "_until") || strings.HasSuffix(c.name, "_from") {
			return timeOf(age, n%family) + int64(len(c.name))
		}
		return serial
	}
	switch {
	case length == 36:
		return uuidOf(table.name, age, n)
	case length == 64:
		return fmt.Sprintf("%x", bytesOf(table.name+c.name, age, n, 32))
	case length > 0:
		return fmt.Sprintf("%0*d", length, serial)
	}
	text := fmt.Sprintf("é \"%s' %d.%d\n", c.name, age, n)
	if m := match(`length\(`+c.name+`\) BETWEEN \d+ AND (\d+)`, table.text); m != nil {
		if most, _ := strconv.Atoi(m[0]); len(text) > most {
			return text[:most]
		}
	}
	return text
}

var matches sync.Map // of a pattern and a text

// match returns what the groups of a pattern match, or nil.
func match(pattern, text string) (groups []string) {
	if m, ok := matches.Load(pattern + text); ok {
		return m.([]string)
	}
	if m := regexp.MustCompile(pattern).FindStringSubmatch(text); m != nil {
		groups = m[1:]
	}
	matches.Store(pattern+text, groups)
	return groups
}

// insertRows stores rows in their order, all of a table in one statement.
func insertRows(t *testing.T, db *sql.DB, postgres bool, rows []oldRow) {
	t.Helper()
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	for len(rows) > 0 {
		table, same := rows[0].table, 1
		for same < len(rows) && rows[same].table == table {
			same++
		}
		var names, marks []string
		for name := range rows[0].cells {
			names = append(names, name)
		}
		slices.Sort(names)
		var args []any
		for _, r := range rows[:same] {
			var one []string
			for _, name := range names {
				args = append(args, r.cells[name])
				one = append(one, fmt.Sprintf("$%d", len(args)))
			}
			marks = append(marks, "("+strings.Join(one, ", ")+")")
		}
		statement := `INSERT INTO ` + table + ` (` + strings.Join(names, ", ") + `) `
		if postgres {
			statement += `OVERRIDING SYSTEM VALUE `
		}
		statement += `VALUES ` + strings.Join(marks, ", ")
		if rows[0].update {
			statement = `UPDATE ` + table + ` SET (` + strings.Join(names, ", ") + `) = ` + marks[0]
		}
		if _, err := tx.Exec(statement, args...); err != nil {
			t.Fatalf("rows of schema %d: %s: %v", rows[0].age, table, err)
		}
		rows = rows[same:]
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}
