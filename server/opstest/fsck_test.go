package opstest

import (
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tcode/server"
	"tcode/server/internal/harness"
	"tcode/server/platform/blob"
	"tcode/server/store/storetest"
)

// TestFsckFinds: fsck finds and names each kind of damage, and reports no other
// problem.
func TestFsckFinds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		kind   string
		damage func(t *testing.T, dir string, db *sql.DB)
	}{
		{"missing_file", func(t *testing.T, dir string, _ *sql.DB) { must(t, os.Remove(someFile(t, dir))) }},
		{"damaged_file", func(t *testing.T, dir string, _ *sql.DB) {
			path := someFile(t, dir)
			raw, err := os.ReadFile(path)
			must(t, err)
			raw[len(raw)/2] ^= 1
			must(t, os.WriteFile(path, raw, 0o600))
		}},
		{"damaged_file", func(t *testing.T, dir string, _ *sql.DB) { must(t, os.Truncate(someFile(t, dir), 1)) }},
		{"status_entry", func(t *testing.T, _ string, db *sql.DB) { change(t, db, `UPDATE status_entries SET value = 1`) }},
		{"history", func(t *testing.T, _ string, db *sql.DB) {
			change(t, db, `UPDATE stamp_events SET to_status = 'Suspended'`)
		}},
		{"files", func(t *testing.T, _ string, db *sql.DB) {
			change(t, db, `DELETE FROM stamp_files WHERE kind = 'original'`)
		}},
		{"signature", func(t *testing.T, _ string, db *sql.DB) {
			change(t, db, `UPDATE stamps SET payload = CAST(substr(payload, 1, length(payload) - 1) || x'FF' AS BLOB)`)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.kind, func(t *testing.T) {
			t.Parallel()
			r := harness.StartOn(t, storetest.SQLite)
			r.Stamp(r.Tenant("ACME01"), "a")
			if report, kinds := fsck(t, r.Admin, server.FsckOptions{}); len(kinds) != 0 || report.Stamps != 1 || report.Files != 2 || report.Orphans != 0 {
				t.Fatalf("before: %+v, %v", report, kinds)
			}
			tt.damage(t, r.Dir, storetest.Raw(t, r.Dir))
			if report, kinds := fsck(t, r.Admin, server.FsckOptions{}); !slices.Equal(kinds, []string{tt.kind}) || report.Problems != 1 {
				t.Errorf("%+v, %v, want %s", report, kinds, tt.kind)
			}
		})
	}
}

// TestFsckOrphans: fsck counts files that no row names, and does not report them
// as problems.
//
//engine:sqlite the file decides
func TestFsckOrphans(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	files, err := blob.Open(filepath.Join(r.Dir, "files"))
	must(t, err)
	defer files.Close()
	if _, err := files.Put(t.Context(), []byte("of a request that did not end")); err != nil {
		t.Fatal(err)
	}
	if report, kinds := fsck(t, r.Admin, server.FsckOptions{}); report.Orphans != 1 || len(kinds) != 0 {
		t.Errorf("%+v, %v", report, kinds)
	}
}

func change(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	_, err := db.Exec(statement)
	must(t, err)
}

// someFile is one of the files in a data folder.
func someFile(t *testing.T, dir string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "files", "??", "*"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no files: %v", err)
	}
	return names[0]
}
