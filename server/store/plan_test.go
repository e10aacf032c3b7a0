package store_test

import (
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tcode/offline/digest"
	"tcode/server/issue/bulk"
	"tcode/server/issue/trustdoc"
	"tcode/server/store"
	"tcode/server/store/storetest"
	"tcode/server/verify"
)

// wholly are the tables that are sometimes read completely: data published to every
// device, and lists for an operator.
var wholly = []string{"document_types", "tenants", "signing_keys", "shards", "packs", "status_delta", "trust_head", "trust_roots", "trust_objects", "secrets", "restores", "users", "goose_db_version"}

// TestNoFullScans: no statement reads a whole table, on either engine, however small or
// large the tables are. The test checks the plans of all statements of the store, and of
// every filter of a list.
func TestNoFullScans(t *testing.T) {
	t.Parallel()
	pg := storetest.NewOn(t, storetest.Postgres)
	statements := recorded(t, pg)
	if len(statements) < 80 {
		t.Errorf("only %d statements recorded", len(statements))
	}
	lite := storetest.NewOn(t, storetest.SQLite)
	furnish(t, lite, "ACME01", "acme")
	storetest.Seed(t, lite.Dir, lite.Stamp(t, lite.Tenant(t, "Seeded", "SEEDED"), "n").ID, 2000)
	none := func(t *testing.T, wrong []string) {
		t.Helper()
		for _, w := range wrong {
			t.Error(w)
		}
	}
	t.Run("sqlite", func(t *testing.T) {
		db := storetest.Raw(t, lite.Dir)
		statements := slices.Clone(statements)
		for i, s := range statements { // the one function that each engine calls its own way
			statements[i] = strings.ReplaceAll(s, "position($2::bytea IN ids)", "instr(ids, $2)")
		}
		for _, s := range statements {
			if isList(s) {
				none(t, checkLitePlan(t, db, s))
			}
		}
		// Statistics of tables that were small at that time would cause scans; the gateway gathers
		// none, and removes those that it finds.
		run(t, db, `DROP TABLE sqlite_stat1`, `DROP TABLE IF EXISTS sqlite_stat4`)
		fresh := storetest.Raw(t, lite.Dir) // has not read them
		for _, s := range statements {
			none(t, checkLitePlan(t, fresh, s))
		}
		var missed []string
		run(t, fresh, `DROP INDEX stamps_by_status`)
		for _, s := range statements {
			missed = append(missed, checkLitePlan(t, fresh, s)...)
		}
		if len(missed) == 0 {
			t.Error("a missing index is not noticed")
		}
	})
	t.Run("postgres", func(t *testing.T) {
		db := storetest.Raw(t, pg.Dir)
		db.SetMaxOpenConns(1)
		run(
			t, db, "SET ROLE tcode_app", "SET tcode.scope = 'ACME01'", "SET enable_seqscan = off", "SET enable_bitmapscan = off", "SET enable_hashjoin = off",
			"SET enable_mergejoin = off", "SET jit = off", "SET plan_cache_mode = force_generic_plan",
		)
		for i, s := range statements {
			none(t, checkPostgresPlan(t, db, fmt.Sprintf("s%d", i), s))
		}
		var missed []string
		run(t, db, "RESET ROLE", "DROP INDEX stamps_by_status", "SET ROLE tcode_app")
		for i, s := range statements {
			missed = append(missed, checkPostgresPlan(t, db, fmt.Sprintf("t%d", i), s)...)
		}
		if len(missed) == 0 {
			t.Error("a missing index is not noticed")
		}
	})
}

// isList reports whether a statement lists stamps.
func isList(statement string) bool { return strings.Contains(statement, " k WHERE k.tenant") }

// recorded runs everything on a database and returns the statements, each once.
func recorded(t *testing.T, b *storetest.Bundle) (out []string) {
	t.Helper()
	victim := furnish(t, b, "SPY001", "spy")
	storetest.Seed(t, b.Dir, victim.stamp, 2000)
	var mu sync.Mutex
	seen := map[string]bool{}
	db, err := store.OpenRewriting(t.Context(), storetest.Database(t, b.Dir).DatabaseURL, func(q string) string {
		mu.Lock()
		defer mu.Unlock()
		ofRiver := strings.Contains(q, "river_") || strings.HasPrefix(q, "-- name: ")
		if !seen[q] && !strings.Contains(q, "pg_") && !strings.Contains(q, "clock_timestamp") && !strings.Contains(q, "FOR UPDATE") && !ofRiver {
			out = append(out, q)
		}
		seen[q] = true
		return q
	})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	b2 := storetest.Over(t, db, b.Dir, b.Clock)
	mine := furnish(t, b2, "ACME01", "acme")
	for name, call := range tenantCalls {
		if _, err := call(t.Context(), db, "ACME01", mine); err != nil {
			t.Logf("%s: %v", name, err) // an earlier call has done it already
		}
	}
	lookUpUsers(t, b2)
	for _, f := range listFilters(b.Clock.Now()) {
		if _, err := db.Stamps(t.Context(), "SPY001", f); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []trustdoc.Filter{{}, {Statuses: []trustdoc.Status{trustdoc.Active}}} {
		f.TestOnly, f.Page, f.PageSize = true, 1, 20
		if _, err := db.Documents(t.Context(), "SPY001", f); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []bulk.Filter{{Product: bulk.TCode, Test: true}, {}, {Test: true}, {Status: bulk.Failed}, {Product: bulk.Trust, Status: bulk.Failed}} {
		if _, err := db.Bulks(t.Context(), "SPY001", f, 1, 20); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.Verifications(t.Context(), "SPY001", verify.HistoryFilter{Kind: verify.OfStamp, Test: true}, verify.Page{Number: 1, Size: 20}); err != nil {
		t.Fatal(err)
	}
	if _, err := b2.Publish.Publish(t.Context()); err != nil {
		t.Fatal(err)
	}
	lookUpFiles(t, db, b.Clock.Now())
	mu.Lock()
	defer mu.Unlock()
	return slices.Clone(out)
}

// lookUpFiles looks up files of every kind, and one that no tenant has.
func lookUpFiles(t *testing.T, db *store.DB, now time.Time) {
	t.Helper()
	if _, on, n, err := db.RecordByHash(t.Context(), sha256.Sum256([]byte("%PDF-1.7\n% spy paper\n%%EOF\n"))); err != nil || on != verify.OnOriginal || n < 2000 {
		t.Errorf("the original of all seeded stamps: %d on %s, %v", n, on, err)
	}
	if _, on, _, err := db.DocumentByHash(t.Context(), sha256.Sum256([]byte("%PDF-1.7\n% spy\n")), now); err != nil || on != verify.OnOriginal {
		t.Errorf("the original of a document: on %s, %v", on, err)
	}
	if _, _, _, err := db.RecordByHash(t.Context(), digest.SHA256{}); err == nil {
		t.Error("an unknown file is found")
	}
	if _, _, _, err := db.DocumentByHash(t.Context(), digest.SHA256{}, now); err == nil {
		t.Error("an unknown document is found")
	}
}

var (
	liteScan = regexp.MustCompile(`^SCAN (\w+)`)
	aliases  = regexp.MustCompile(`(?i)\b(?:FROM|JOIN|INTO|UPDATE|,)\s+(\w+)(?:\s+(?:AS\s+)?(\w+))?`)
)

// tableOf resolves an alias of a statement.
func tableOf(statement, alias string) string {
	for _, m := range aliases.FindAllStringSubmatch(statement, -1) {
		if m[2] == alias || m[1] == alias {
			return m[1]
		}
	}
	return alias
}

// driven finds the column that drives a list, after the tenant.
var driven = regexp.MustCompile(` k WHERE k\.tenant = \$1 AND k\.(\w+) = `)

// checkLitePlan returns what is wrong with SQLite's plan of a statement.
func checkLitePlan(t *testing.T, db *sql.DB, statement string) (wrong []string) {
	t.Helper()
	if s := strings.TrimSpace(statement); !strings.Contains(s, "SELECT") && !strings.HasPrefix(s, "UPDATE") && !strings.HasPrefix(s, "DELETE") {
		return nil
	}
	if strings.Contains(statement, "AS (UPDATE") {
		return nil // SQLite has no such statement; that of addUsage looks for the same row
	}
	for _, lock := range []string{" FOR SHARE OF k FOR KEY SHARE OF s", " FOR SHARE", " FOR KEY SHARE", " FOR NO KEY UPDATE SKIP LOCKED", " FOR NO KEY UPDATE"} {
		statement = strings.Replace(statement, lock, "", 1)
	}
	rows, err := db.Query("EXPLAIN QUERY PLAN "+statement, make([]any, placeholders(statement))...)
	if err != nil {
		return []string{fmt.Sprintf("%v: %s", err, statement)}
	}
	defer rows.Close()
	searched, sorted, details := map[int]string{}, map[int]bool{}, []string{}
	for rows.Next() {
		var id, parent, x int
		var detail string
		if err := rows.Scan(&id, &parent, &x, &detail); err != nil {
			t.Fatal(err)
		}
		if m := liteScan.FindStringSubmatch(detail); m != nil {
			table := tableOf(statement, m[1])
			if isTable(table) && !slices.Contains(wholly, table) {
				wrong = append(wrong, detail+"\nin "+statement)
			}
		}
		details = append(details, detail)
		if strings.Contains(detail, "AUTOMATIC") {
			wrong = append(wrong, detail+"\nin "+statement)
		}
		if strings.HasPrefix(detail, "SEARCH k") {
			searched[parent] = detail
		}
		sorted[parent] = sorted[parent] || strings.HasPrefix(detail, "USE TEMP B-TREE FOR ORDER BY")
	}
	all := strings.Join(details, "\n")
	for _, m := range driven.FindAllStringSubmatch(statement, -1) {
		if !strings.Contains(all, m[1]+"=?") {
			wrong = append(wrong, "no index is searched by "+m[1]+"\nin "+statement)
		}
	}
	if strings.Contains(statement, "test = 1") && !strings.Contains(all, "_tests") {
		wrong = append(wrong, "the index of tests is not used\nin "+statement)
	}
	for parent, detail := range searched {
		if sorted[parent] {
			wrong = append(wrong, detail+" is sorted\nin "+statement)
		}
	}
	return wrong
}

// isTable reports whether name is a table of the schema and not of a subquery.
func isTable(name string) bool { return len(name) > 3 && name != "CONSTANT" }

var placeholder = regexp.MustCompile(`\$(\d+)`)

func placeholders(statement string) (n int) {
	for _, m := range placeholder.FindAllStringSubmatch(statement, -1) {
		var i int
		fmt.Sscan(m[1], &i) //nolint:errcheck // digits
		n = max(n, i)
	}
	return n
}

// checkPostgresPlan returns what is wrong with PostgreSQL's plan of a statement.
func checkPostgresPlan(t *testing.T, db *sql.DB, name, statement string) (wrong []string) {
	t.Helper()
	if _, err := db.Exec("PREPARE " + name + " AS " + statement); err != nil {
		t.Logf("%v: %s", err, statement)
		return nil
	}
	nulls := strings.TrimSuffix(strings.Repeat("NULL, ", placeholders(statement)), ", ")
	if nulls != "" {
		nulls = "(" + nulls + ")"
	}
	var raw []byte
	if err := db.QueryRow("EXPLAIN (FORMAT JSON) EXECUTE " + name + nulls).Scan(&raw); err != nil {
		return []string{fmt.Sprintf("%v: %s", err, statement)}
	}
	var plans []struct{ Plan node }
	if err := json.Unmarshal(raw, &plans); err != nil {
		t.Fatal(err)
	}
	for _, p := range plans {
		wrong = append(wrong, p.Plan.check(statement)...)
	}
	return wrong
}

// node is a node of a plan (PostgreSQL manual, EXPLAIN).
type node struct {
	Type     string `json:"Node Type"`
	Index    string `json:"Index Name"`
	Relation string `json:"Relation Name"`
	Cond     string `json:"Index Cond"`
	Filter   string
	Plans    []node
}

// large are the seeded tables: the server may read the one page of other tables by any
// index.
var large = []string{"stamps", "stamp_fields", "stamp_words"}

// single are indexes that find so few rows that they may be sorted.
var single = []string{
	"stamps_reference", "stamps_external_id", "stamps_by_external_id",
	"documents_reference", "documents_external_id", "documents_by_external_id",
}

func (n node) check(statement string) (wrong []string) {
	scan := strings.HasSuffix(n.Type, "Scan") && n.Relation != ""
	if scan && n.Cond == "" && (n.Type == "Seq Scan" || slices.Contains(large, n.Relation)) && !slices.Contains(wholly, n.Relation) {
		wrong = append(wrong, n.Type+" of "+n.Relation+" without a condition on its index\nin "+statement)
	}
	if n.Type == "Sort" && len(n.Plans) == 1 && strings.Contains(n.Plans[0].Type, "Index") && !slices.Contains(single, n.Plans[0].Index) && isList(statement) {
		wrong = append(wrong, n.Plans[0].Relation+" is sorted\nin "+statement)
	}
	// The newest row of a file in each status is at an index's end.
	if scan && strings.Contains(n.Filter, "status = '") && strings.Contains(statement, "AS rank FROM "+n.Relation) {
		wrong = append(wrong, n.Index+" is read through for a status\nin "+statement)
	}
	for _, p := range n.Plans {
		wrong = append(wrong, p.check(statement)...)
	}
	return wrong
}
