package store_test

import (
	"bufio"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"tcode/server/privacy"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// columnRules returns the rule of each column, "table.column", in testdata/columns.txt.
func columnRules(t *testing.T) map[string]string {
	t.Helper()
	file, err := os.Open("testdata/columns.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rules := map[string]string{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		for _, column := range words[2:] {
			name := words[1] + "." + column
			if rules[name] != "" {
				t.Errorf("%s has two rules", name)
			}
			rules[name] = words[0]
		}
	}
	return rules
}

// columnsOf returns all columns of a database, "table.column", without those of libraries, which
// hold versions of the schema, and jobs with ids.
func columnsOf(t *testing.T, b *storetest.Bundle, e storetest.Engine) (names []string) {
	t.Helper()
	query := `SELECT m.name || '.' || c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' AND m.name NOT LIKE 'goose%' AND m.name NOT LIKE 'river%'`
	if e == storetest.Postgres {
		query = `SELECT table_name || '.' || column_name FROM information_schema.columns
			WHERE table_schema = current_schema() AND table_name NOT LIKE 'goose%' AND table_name NOT LIKE 'river%'`
	}
	rows, err := storetest.Raw(t, b.Dir).Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return names
}

// TestColumnRules: every column of the schema has a rule that removes it, or says why it stays,
// and where the rule is the sweep of a kind, nothing is left after its time.
func TestColumnRules(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		b := storetest.NewOn(t, e)
		furnish(t, b, "ACME01", "acme")
		for _, end := range []string{
			`UPDATE bulk_jobs SET status = 'Cancelled', owner = '', finished_at = created_at, problems = '[{"Line":2}]'`,
			`UPDATE mails SET state = 'Failed', owner = ''`, `UPDATE batches SET state = 'Done', problems = '["p"]'`,
			`UPDATE user_sessions SET expires_at = created_at + 1`,
		} {
			if _, err := storetest.Raw(t, b.Dir).Exec(end); err != nil {
				t.Fatal(err)
			}
		}
		rules, set := columnRules(t), privacy.Settings{}
		columns := columnsOf(t, b, e)
		swept := map[string]bool{"session": true}
		for _, r := range privacy.Rules() {
			if !r.Fixed {
				set[r.Kind] = r.Least
			}
			swept[string(r.Kind)] = r.Kind != privacy.Deliveries // the business of package webhook
		}
		for _, c := range columns {
			if rules[c] == "" {
				t.Errorf("testdata/columns.txt has no rule for %s: what removes it?", c)
			}
		}
		for c := range rules {
			if !slices.Contains(columns, c) {
				t.Errorf("testdata/columns.txt has %s, which is no column", c)
			}
		}
		s := privacyOf(b, b.DB)
		if err := s.SetRetention(t.Context(), "ACME01", tenant.By{Actor: tenant.ActorOperator}, set); err != nil {
			t.Fatal(err)
		}
		b.Clock.Add(2000 * 24 * time.Hour)
		had := map[string]bool{}
		filled := func(c string) bool {
			table, column, _ := strings.Cut(c, ".")
			return counted(t, b, table+` WHERE CAST(`+column+` AS TEXT) NOT IN ('', '[]', '{}')`) > 0
		}
		for c, rule := range rules {
			had[rule] = had[rule] || swept[rule] && filled(c)
		}
		if err := s.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		for c, rule := range rules {
			if swept[rule] && filled(c) {
				t.Errorf("%s is kept after the time of %s", c, rule)
			}
		}
		for rule, filled := range had {
			if swept[rule] && !filled {
				t.Errorf("there was nothing that %s removes", rule)
			}
		}
	})
}
