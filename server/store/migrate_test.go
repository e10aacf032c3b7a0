package store_test

import (
	"bytes"
	"crypto/ed25519"
	"database/sql"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"tcode/offline/payload"
	"tcode/server/issue/bulk"
	"tcode/server/issue/stamp"
	"tcode/server/store"
	"tcode/server/store/storetest"
)

// oldStamps returns a number of stamps above the batch of a migration, but fewer under the
// race detector, where a word costs a hundred times as much.
func oldStamps() int {
	if testing.Short() {
		return 20
	}
	return 300
}

// longName returns a name with as many words as possible, all different, and one that
// other names have.
func longName(i int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "n%d common", i)
	for r := 'À'; b.Len() < 280; r++ { // two bytes each, so at most 200 characters
		fmt.Fprintf(&b, " %c", r)
	}
	return b.String()
}

// TestMigrateUp: a database of the first schema is updated with its contents: stamps are
// found by the words of their names and by their fields.
func TestMigrateUp(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		dir := t.TempDir()
		c := store.Config{Path: storetest.Database(t, dir).Path}
		if e == storetest.Postgres {
			c.DatabaseURL = storetest.EmptyPostgres(t)
		}
		if err := store.MigrateTo(t.Context(), c, 1); err != nil {
			t.Fatal(err)
		}
		all := oldStamps()
		fillOld(t, storetest.RawOf(t, c), all)
		db, err := store.Open(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		for _, tt := range []struct {
			filter stamp.Filter
			want   int
		}{
			{stamp.Filter{}, all},
			{stamp.Filter{Search: "common"}, all},
			{stamp.Filter{Search: fmt.Sprint("N", all-1)}, 1},
			{stamp.Filter{FieldName: "grade"}, all},
			{stamp.Filter{FieldName: "grade", FieldValue: "7"}, 1},
			{stamp.Filter{Statuses: []stamp.Status{stamp.Active}}, all},
		} {
			tt.filter.Page, tt.filter.PageSize = 1, 20
			p, err := db.Stamps(t.Context(), "AAAAAA", tt.filter)
			if err != nil || p.TotalCount != tt.want {
				t.Errorf("%+v: %d stamps, %v; want %d", tt.filter, p.TotalCount, err, tt.want)
			}
		}
		tenant, err := db.Tenant(t.Context(), "AAAAAA")
		if err != nil || !tenant.Plan.All {
			t.Errorf("an old tenant may do %+v, %v; want all", tenant.Plan, err)
		}
	})
}

// TestMigrateTests: stamps made with test keys before test keys had their own column still
// belong to test keys, and counts stay.
func TestMigrateTests(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		c := store.Config{Path: storetest.Database(t, t.TempDir()).Path}
		if e == storetest.Postgres {
			c.DatabaseURL = storetest.EmptyPostgres(t)
		}
		old := func(version int64) {
			t.Helper()
			if err := store.MigrateTo(t.Context(), c, version); err != nil {
				t.Fatal(err)
			}
		}
		old(1)
		fillOld(t, storetest.RawOf(t, c), 20)
		old(12)
		const job = `INSERT INTO bulk_jobs (tenant, id, product, status, settings, csv_sha256, csv_bytes, zip_sha256, zip_bytes, created_by, wake_at, created_at, updated_at)
			VALUES ('AAAAAA', '%036d', 'tcode', 'Failed', '{"Product":"tcode","DryRun":false,"Test":%v}', '%064d', 1, '%064d', 1, 'k', 1, 1, 1)`
		run(
			t, storetest.RawOf(t, c), `UPDATE stamps SET test = 1 WHERE shard = 0 AND entry < 7`, fmt.Sprintf(job, 1, true, 0, 0), fmt.Sprintf(job, 2, false, 0, 0),
			`INSERT INTO usage_months (tenant, month, kind, used) VALUES ('AAAAAA', 202611, 'stamps', 300), ('AAAAAA', 202611, 'lifecycle', 2)`,
		)
		db, err := store.Open(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		stamps, err := db.Stamps(t.Context(), "AAAAAA", stamp.Filter{TestOnly: true, Statuses: []stamp.Status{stamp.Active}, Page: 1, PageSize: 20})
		if err != nil || stamps.TotalCount != 7 || len(stamps.Items) != 7 {
			t.Errorf("%d test stamps, %v", stamps.TotalCount, err)
		}
		jobs, err := db.Bulks(t.Context(), "AAAAAA", bulk.Filter{Product: bulk.TCode, Test: true}, 1, 20)
		if err != nil || len(jobs.Items) != 1 || !jobs.Items[0].Test {
			t.Errorf("test jobs %+v, %v", jobs.Items, err)
		}
		used, err := db.Usage(t.Context(), "AAAAAA", 202611)
		if err != nil || len(used) != 2 || used[0].Used != 2 || used[1].Used != 300 {
			t.Errorf("usage %+v, %v", used, err)
		}
	})
}

// TestMigrateFolds: names from before are found without accents, and a stamp with values that
// are not composed is that of composed ones.
func TestMigrateFolds(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		c := store.Config{Path: storetest.Database(t, t.TempDir()).Path}
		if e == storetest.Postgres {
			c.DatabaseURL = storetest.EmptyPostgres(t)
		}
		old := func(version int64) *sql.DB {
			t.Helper()
			if err := store.MigrateTo(t.Context(), c, version); err != nil {
				t.Fatal(err)
			}
			return storetest.RawOf(t, c)
		}
		fillOld(t, old(1), 4)
		raw := old(50)
		twin := func(value string) []byte {
			return stamp.Stamp{TdocTemplateID: storetest.Template, Values: []payload.Field{{Key: "grade", Value: value}}}.Twin()
		}
		run(t, raw, `DELETE FROM stamp_words`,
			`INSERT INTO stamp_words (tenant, word, created_at, stamp_id) SELECT tenant, 'ærø', created_at, id FROM stamps WHERE entry = 0`,
			`INSERT INTO stamp_words (tenant, word, created_at, stamp_id) SELECT tenant, 'straße', created_at, id FROM stamps WHERE entry = 0`,
			`INSERT INTO stamp_words (tenant, word, created_at, stamp_id) SELECT tenant, 'lłódź', created_at, id FROM stamps WHERE entry < 2`,
			`INSERT INTO stamp_words (tenant, word, created_at, stamp_id) SELECT tenant, 'llodz', created_at, id FROM stamps WHERE entry = 1`,
			`UPDATE stamp_fields SET value = 'Müller' WHERE stamp_id IN (SELECT id FROM stamps WHERE entry < 2)`,
			`UPDATE stamps SET tdoc_template_id = '`+storetest.Template+`' WHERE entry < 2`)
		for entry, key := range [][]byte{make([]byte, 32), bytes.Repeat([]byte{1}, 32)} {
			if _, err := raw.Exec(`UPDATE stamps SET twin = $1 WHERE entry = $2`, key, entry); err != nil {
				t.Fatal(err)
			}
		}
		db, err := store.Open(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		for search, want := range map[string]int{"LŁÓDŹ": 2, "llodz": 2, "aero": 1, "strasse": 1, "straße": 1, "ærøstr": 0} {
			p, err := db.Stamps(t.Context(), "AAAAAA", stamp.Filter{Search: search, Page: 1, PageSize: 20})
			if err != nil || p.TotalCount != want {
				t.Errorf("%s: %d stamps, %v; want %d", search, p.TotalCount, err, want)
			}
		}
		found, err := db.Duplicates(t.Context(), "AAAAAA", stamp.DuplicateQuery{Twin: twin("Müller")}, 20)
		if err != nil || len(found) != 1 {
			t.Errorf("stamps of the same values: %v, %v; want one: the key is that of one", found, err)
		}
	})
}

// fillOld inserts the given number of stamps into the first schema.
func fillOld(t *testing.T, db *sql.DB, stamps int) {
	t.Helper()
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	insert := func(table string, values ...any) {
		t.Helper()
		marks := make([]string, len(values))
		for i := range marks {
			marks[i] = fmt.Sprintf("$%d", i+1)
		}
		if _, err := tx.Exec(`INSERT INTO `+table+` VALUES (`+strings.Join(marks, ", ")+`)`, values...); err != nil {
			t.Fatalf("%s: %v", table, err)
		}
	}
	hash := make([]byte, 32)
	insert("tenants", "AAAAAA", "A", "active", 1, 1)
	insert("signing_keys", "AAAAAA", 0, "Ed25519", []byte(ed25519.NewKeyFromSeed(hash).Public().(ed25519.PublicKey)), "signing", 1, 0, 0, "", 1, []byte("sealed"))
	insert("document_types", "DIP", `{"en":"Diploma"}`, `{}`, 0)
	for i := range stamps {
		id := fmt.Sprintf("%036d", i)
		reference := binary.BigEndian.AppendUint64([]byte("re"), uint64(i))
		insert("status_entries", 0, i, "AAAAAA", reference, 0)
		insert("stamps", "AAAAAA", id, reference, "Active", longName(i), strings.ToLower(longName(i)), "DIP", "", 0, "", "", 1, 40, 0.5, 20, 22, "[]",
			hash, bytes.Clone(hash), 0, 0, i, []byte("payload"), "", "", "", 1, 1000+i, 1000+i)
		insert("stamp_fields", "AAAAAA", id, "grade", fmt.Sprint(i))
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}
