package litedb_test

import (
	"path/filepath"
	"strings"
	"testing"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"tcode/offline/host/litedb"
)

// A setting that is not in effect changes no answer, only the time, so no other
// test would notice.
func TestPageSlots(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "a.db"), litedb.Options{Migrations: scripts(base...)})
	before := usedSlots(t)
	for range 100 { // pages full of text
		if _, err := db.Writer().ExecContext(t.Context(), `INSERT INTO notes (text) VALUES (hex(randomblob(1500)) || ?)`, strings.Repeat("x", 900)); err != nil {
			t.Fatal(err)
		}
	}
	if after := usedSlots(t); after < 50 || after < before {
		t.Errorf("%d pages lie in slots, before %d; want at least 50: the slots are too small or were refused", after, before)
	}
}

// usedSlots returns the number of pages of this process in slots.
func usedSlots(t *testing.T) int32 {
	t.Helper()
	tls := libc.NewTLS()
	defer tls.Close()
	now, most := libc.Xcalloc(tls, 1, 8), libc.Xcalloc(tls, 1, 8)
	defer libc.Xfree(tls, now)
	defer libc.Xfree(tls, most)
	if rc := sqlite3.Xsqlite3_status(tls, sqlite3.SQLITE_STATUS_PAGECACHE_USED, now, most, 0); rc != sqlite3.SQLITE_OK {
		t.Fatalf("sqlite3_status: %d", rc)
	}
	return libc.AtomicLoadPInt32(now)
}
