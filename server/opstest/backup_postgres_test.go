package opstest

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tcode/server"
	"tcode/server/backup"
	"tcode/server/internal/harness"
	"tcode/server/platform/blob/blobtest"
	"tcode/server/store"
	"tcode/server/store/pgdb"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// contents returns a hash of the rows of each table of a database, and what row-level security
// says of it.
func contents(t *testing.T, url string) map[string]string {
	t.Helper()
	db := storetest.RawPostgres(t, url)
	rows, err := db.Query(`SELECT relname, relrowsecurity, relforcerowsecurity FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' ORDER BY 1`)
	must(t, err)
	defer rows.Close()
	out := map[string]string{}
	for rows.Next() {
		var name string
		var on, forced bool
		must(t, rows.Scan(&name, &on, &forced))
		out[name] = fmt.Sprint(on, forced)
	}
	must(t, rows.Err())
	for name := range out {
		var sum string
		must(t, db.QueryRow(`SELECT count(*) || ' ' || coalesce(md5(string_agg(r::text, '' ORDER BY r::text)), '') FROM `+name+` r`).Scan(&sum))
		out[name] += " " + sum
	}
	return out
}

// TestBackupPostgres: a backup of a gateway on PostgreSQL restores every row and file into a new
// database and a new store, or nothing.
//
//engine:sqlite it is on PostgreSQL, whatever the engine of the run is
func TestBackupPostgres(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"folder", "S3"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			bucket := func() string {
				if kind == "folder" {
					return ""
				}
				return blobtest.S3(t).URL
			}
			first := bucket()
			r := harness.StartOn(t, storetest.Postgres, func(c *server.Config) { c.BlobURL = first })
			key := r.Tenant("ACME01")
			one := r.Stamp(key, "one")
			r.Stamp(key, "two\twith \\. and \n")
			file := filepath.Join(t.TempDir(), "backup.tar")
			m, e, before, err := backedUp(t, r, file)
			if err != nil || !m.Postgres || e.Files != 4 || len(e.Missing) != 0 || m.TrustVersion == 0 {
				t.Fatalf("backup %+v, %+v, %v", m, e, err)
			}
			stamped := r.Download(key, one.Id.String(), "stamped")

			empty := storetest.EmptyPostgres(t)
			cfg := server.Config{Data: filepath.Join(t.TempDir(), "data"), DatabaseURL: owned(t, empty), BlobURL: bucket(), Readback: storetest.Readback{}}
			without := cfg
			without.DatabaseURL = ""
			if _, _, err := server.Restore(t.Context(), without, file, nil, nil); !errors.Is(err, server.ErrWantsPostgres) {
				t.Errorf("without a database: %v, want ErrWantsPostgres", err)
			}
			used := cfg
			used.DatabaseURL = storetest.Database(t, r.Dir).DatabaseURL
			if _, _, err := server.Restore(t.Context(), used, file, nil, nil); !errors.Is(err, pgdb.ErrRows) {
				t.Errorf("into a database that is in use: %v, want ErrRows", err)
			}
			damage(t, cfg, file)
			if _, _, err := server.Restore(t.Context(), cfg, file, nil, nil); err != nil {
				t.Fatal(err)
			}
			compare(t, before, contents(t, empty))
			var known float64
			must(t, storetest.RawPostgres(t, empty).QueryRow(`SELECT reltuples FROM pg_class WHERE oid = 'stamps'::regclass`).Scan(&known))
			if known != 2 {
				t.Errorf("the planner knows of %v stamps, want 2", known)
			}
			if kind == "S3" {
				used := cfg
				used.Data, used.DatabaseURL = filepath.Join(t.TempDir(), "data"), storetest.EmptyPostgres(t)
				if _, _, err := server.Restore(t.Context(), used, file, nil, nil); !errors.Is(err, server.ErrFilesNotEmpty) {
					t.Errorf("into files of another gateway: %v, want ErrFilesNotEmpty", err)
				}
			}
			g, err := server.Open(t.Context(), cfg)
			must(t, err)
			if report, kinds := confirm(t, g); len(kinds) > 0 || !report.Agreed || report.Stamps != 2 || report.Files != 4 || report.Orphans != 0 {
				t.Errorf("fsck: %+v, %v", report, kinds)
			}
			must(t, g.Close())
			again := harness.StartOn(t, storetest.Postgres, func(c *server.Config) {
				c.Data, c.DatabaseURL, c.BlobURL = cfg.Data, cfg.DatabaseURL, cfg.BlobURL
			})
			again.Stamp(key, "three") // with ids after those of the backup
			if m, e, err := again.Admin.Backup(t.Context(), filepath.Join(t.TempDir(), "second.tar"), server.BackupOptions{}); err != nil || !m.Postgres || e.Files != 6 {
				t.Errorf("a backup of the restored gateway: %+v, %+v, %v", m, e, err)
			}
			if got := again.Download(key, one.Id.String(), "stamped"); string(got) != string(stamped) {
				t.Errorf("%d bytes after the restore, want %d", len(got), len(stamped))
			}
		})
	}
}

// backedUp makes a backup and returns the contents of its database, which did not change while
// it was made: the gateway notes the uses of API keys some time after them.
func backedUp(t *testing.T, r *harness.Rig, file string) (backup.Manifest, backup.End, map[string]string, error) {
	t.Helper()
	url := storetest.Database(t, r.Dir).DatabaseURL
	for range 20 {
		before := contents(t, url)
		m, e, err := r.Admin.Backup(t.Context(), file, server.BackupOptions{Keyset: true})
		if err != nil || len(differences(before, contents(t, url))) == 0 {
			return m, e, before, err
		}
		must(t, os.Remove(file))
	}
	t.Fatal("the database never rests")
	return backup.Manifest{}, backup.End{}, nil, nil
}

// owned makes a database's owner a role without other rights, and returns its address for it.
func owned(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	must(t, err)
	q, name := u.Query(), strings.TrimPrefix(u.Path, "/")
	db := storetest.RawPostgres(t, address)
	for _, s := range []string{`CREATE ROLE owner_` + name + ` LOGIN`, `GRANT tcode_app TO owner_` + name, `ALTER DATABASE ` + name + ` OWNER TO owner_` + name} {
		_, err := db.Exec(s)
		must(t, err)
	}
	q.Set("user", "owner_"+name)
	u.RawQuery = q.Encode()
	return u.String()
}

// damage restores parts of a backup, which leave nothing.
func damage(t *testing.T, cfg server.Config, file string) {
	t.Helper()
	whole, err := os.ReadFile(file)
	must(t, err)
	cut := filepath.Join(t.TempDir(), "cut.tar")
	must(t, os.WriteFile(cut, whole[:len(whole)*2/3], 0o600))
	if _, _, err := server.Restore(t.Context(), cfg, cut, nil, nil); !errors.Is(err, backup.ErrDamaged) {
		t.Errorf("a part of the backup: %v, want ErrDamaged", err)
	}
	if _, err := os.Stat(cfg.Data); err == nil {
		t.Error("it left a folder")
	}
	if _, err := server.Open(t.Context(), cfg); !errors.Is(err, server.ErrNoGateway) {
		t.Errorf("it left a database: %v", err)
	}
	must(t, os.RemoveAll(cfg.Data))
}

// changed are the tables that the restore itself changes, and those that the gateway changed
// after the backup.
var changed = []string{
	"audit", "restores", "file_store", "trust_head", "trust_objects", "usage_months", "usage_days", "work_begun", "goose_db_version",
}

func compare(t *testing.T, before, after map[string]string) {
	t.Helper()
	if len(before) < 40 || len(after) != len(before) {
		t.Errorf("%d tables, want %d", len(after), len(before))
	}
	for _, name := range differences(before, after) {
		t.Errorf("%s: %s, want %s", name, after[name], before[name])
	}
}

// differences returns the tables, except those that are changed, that are not equal.
func differences(before, after map[string]string) (names []string) {
	for name, want := range before {
		if !slices.Contains(changed, name) && !strings.HasPrefix(name, "river_") && after[name] != want {
			names = append(names, name)
		}
	}
	return names
}

// TestLoadRefuses: what is no archive of rows leaves a database without any.
//
//engine:sqlite it is on PostgreSQL, whatever the engine of the run is
func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	url := storetest.EmptyPostgres(t)
	head := fmt.Sprintf("{\"applied\":[%s]}\n", strings.Join(schemaOf(t), ","))
	magic := head + "TCode rows 1\n"
	table := `{"name":"tenants","columns":["reference"]}`
	part := func(s string) string { return string([]byte{0, 0, 0, byte(len(s))}) + s }
	for _, archive := range []string{
		"", "x", head, head + "other magic\n", magic, magic + part("{}"), magic + part("{}") + part("no JSON"), magic + part("{}") + part(table),
		magic + part("{}") + part(table) + part("A"), magic + part("{}") + part(table) + part("A\n") + "\x00\x00\x00\x00",
		magic + part("{}") + part(`{"name":"nothing","columns":["x"]}`) + "\x00\x00\x00\x00\x00\x00\x00\x00",
		magic + part("{}") + part(`{"name":"goose_db_version","columns":["version_id"]}`) + "\x00\x00\x00\x00\x00\x00\x00\x00",
		magic + part("{}") + part(`{"name":"pg_authid","columns":["rolname"]}`) + "\x00\x00\x00\x00\x00\x00\x00\x00",
		magic + part("{}") + "\xff\xff\xff\xff", magic + part("{}") + "\x00\x00\x00\x00more", "{\"applied\":[1,99999]}\n",
	} {
		file := filepath.Join(t.TempDir(), "rows")
		must(t, os.WriteFile(file, []byte(archive), 0o600))
		err := store.Load(t.Context(), store.Config{DatabaseURL: url}, file, now(), now(), entry(t))
		if !errors.Is(err, pgdb.ErrArchive) && !errors.Is(err, store.ErrSchemaLine) {
			t.Errorf("%q: %v", archive, err)
		}
	}
	var n int
	must(t, storetest.RawPostgres(t, url).QueryRow(`SELECT (SELECT count(*) FROM tenants) + (SELECT count(*) FROM restores)`).Scan(&n))
	if n != 0 {
		t.Errorf("%d rows", n)
	}
}

// schemaOf returns the numbers of all migrations.
func schemaOf(t *testing.T) (versions []string) {
	t.Helper()
	names, err := filepath.Glob("../store/migrations/postgres/*.sql")
	must(t, err)
	slices.Sort(names)
	for _, name := range names {
		versions = append(versions, strings.TrimLeft(filepath.Base(name)[:5], "0"))
	}
	return versions
}

func now() time.Time { return time.Now() }

func entry(t *testing.T) *tenant.Entry {
	t.Helper()
	return tenant.NewEntry(t.Context(), "", "database.restore", "backup", now())
}
