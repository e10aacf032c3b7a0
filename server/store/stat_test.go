package store_test

import (
	"testing"

	"tcode/server/store/storetest"
)

// TestStatisticsAreForgotten: the statistics of an ANALYZE are gone when the gateway starts again.
func TestStatisticsAreForgotten(t *testing.T) {
	t.Parallel()
	b := storetest.NewOn(t, storetest.SQLite)
	b.Stamp(t, b.Tenant(t, "Acme", "ACME01"), "n")
	raw := storetest.Raw(t, b.Dir)
	run(t, raw, `ANALYZE`)
	storetest.Open(t, b.Dir, b.Clock)
	if left := column(t, raw, `SELECT name FROM sqlite_schema WHERE name LIKE 'sqlite_stat%'`); len(left) > 0 {
		t.Errorf("%s are left", left)
	}
}
