package opstest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tcode/offline/statuslist"
	"tcode/offline/trustbook"
	"tcode/server"
	"tcode/server/backup"
	"tcode/server/httpapi/api"
	"tcode/server/internal/harness"
	"tcode/server/issue/stamp"
	"tcode/server/platform/durable"
	"tcode/server/platform/keyring"
	"tcode/server/publish"
	"tcode/server/store"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// restored restores a backup and opens it as an operator does.
func restored(t *testing.T, file string) (*server.Gateway, server.Config) {
	t.Helper()
	cfg := server.Config{Init: true, Addr: "127.0.0.1:0", Data: filepath.Join(t.TempDir(), "data"), Readback: storetest.Readback{}}
	if _, _, err := server.Restore(t.Context(), cfg, file, nil, nil); err != nil {
		t.Fatal(err)
	}
	g, err := server.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return g, cfg
}

func fsck(t *testing.T, g *server.Gateway, o server.FsckOptions) (server.FsckReport, []string) {
	t.Helper()
	var kinds []string
	r, err := g.Fsck(t.Context(), o, func(p store.Problem) { kinds = append(kinds, p.Kind) })
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(kinds)
	return r, kinds
}

// confirm is an fsck that repeats what the documents show and confirms the span that they
// do not cover.
func confirm(t *testing.T, g *server.Gateway, documents ...[]byte) (server.FsckReport, []string) {
	t.Helper()
	o := server.FsckOptions{Trust: readers(documents...)}
	if r, _ := fsck(t, g, o); r.Span != nil {
		o.UncoveredSince = r.Span.From
	}
	o.Trust, o.Apply = readers(documents...), len(documents) > 0
	return fsck(t, g, o)
}

func readers(documents ...[]byte) (all []io.Reader) {
	for _, d := range documents {
		all = append(all, bytes.NewReader(d))
	}
	return all
}

// TestRestore: a gateway restored from a backup does not serve or publish until
// fsck has applied the newer trust documents of a scanner. Then no revocation is
// lost, not even one of a stamp that is not in the backup.
//
//engine:sqlite its gateway runs on SQLite
func TestRestore(t *testing.T) {
	t.Parallel()
	r := harness.StartOn(t, storetest.SQLite)
	key := r.Tenant("ACME01")
	act := func(id, action string) {
		t.Helper()
		r.Want(r.Post(key, "/v1/tcode/stamps/"+id+"/"+action, map[string]any{}), http.StatusNoContent)
	}
	id := func(st api.TCodeStamp) string { return st.Id.String() }
	untouched, revoked, suspended, reactivated := r.Stamp(key, "a"), r.Stamp(key, "b"), r.Stamp(key, "c"), r.Stamp(key, "d")
	act(id(reactivated), "suspend")
	scanner := enrol(t, r, nil)
	old := scanner.export()

	file := filepath.Join(t.TempDir(), "backup.tar")
	m, e, err := r.Admin.Backup(t.Context(), file, server.BackupOptions{Keyset: true})
	if err != nil || e.Files == 0 || len(e.Missing) != 0 || m.TrustVersion == 0 {
		t.Fatalf("backup %+v, %+v, %v", m, e, err)
	}
	act(id(revoked), "revoke")
	act(id(suspended), "suspend")
	act(id(reactivated), "reactivate")
	lost := r.Stamp(key, "never in the backup")
	act(id(lost), "revoke")
	if _, err := r.Admin.Tenants.CreateTenant(t.Context(), "Late", "LATE01"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.Admin.Tenants.RetireSigningKey(t.Context(), "ACME01", 0); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Admin.Tenants.CompromiseSigningKey(t.Context(), "LATE01", 0, time.Now()); err != nil {
		t.Fatal(err)
	}
	newest := scanner.export()

	g, cfg := restored(t, file)
	if err := server.Run(t.Context(), cfg); !errors.Is(err, publish.ErrRestored) {
		t.Errorf("serve right after: %v, want ErrRestored", err)
	}
	if report, kinds := fsck(t, g, server.FsckOptions{}); !report.Restored || report.Agreed || len(kinds) != 0 || report.Stamps != 4 {
		t.Errorf("fsck without evidence: %+v, %v", report, kinds)
	}
	if _, err := g.Fsck(t.Context(), server.FsckOptions{Trust: readers(newest, old)}, func(store.Problem) {}); !errors.Is(err, server.ErrOldTrust) {
		t.Errorf("trust documents of before: %v, want ErrOldTrust", err)
	}
	want := []string{"lost_entry", "lost_key", "lost_key", "lost_key", "lost_revocation", "lost_rotation", "lost_suspension", "lost_tenant"}
	if report, kinds := fsck(t, g, server.FsckOptions{Trust: readers(newest)}); report.Agreed || !slices.Equal(kinds, want) {
		t.Errorf("fsck: %+v, %v, want %v", report, kinds, want)
	}
	if _, err := g.Publisher.Publish(t.Context()); !errors.Is(err, publish.ErrRestored) {
		t.Errorf("publish: %v, want ErrRestored", err)
	}
	if report, kinds := fsck(t, g, server.FsckOptions{Trust: readers(newest), Apply: true}); report.Agreed || report.Fixed != len(kinds) ||
		report.Span == nil || report.Span.From.Before(m.CreatedAt.Truncate(time.Second)) {
		t.Errorf("fsck --apply without the span: %+v, %+v, %v", report, report.Span, kinds)
	}
	if report, kinds := confirm(t, g, newest); !report.Agreed || len(kinds) != 0 {
		t.Errorf("fsck with the span: %+v, %v", report, kinds)
	}
	if report, kinds := fsck(t, g, server.FsckOptions{}); report.Restored || len(kinds) != 0 {
		t.Errorf("fsck after: %+v, %v", report, kinds)
	}
	for record, status := range map[string]stamp.Status{id(untouched): stamp.Active, id(revoked): stamp.Revoked, id(suspended): stamp.Suspended, id(reactivated): stamp.Suspended} {
		if st, err := g.Stamps.Get(t.Context(), "ACME01", record); err != nil || st.Status != status {
			t.Errorf("stamp %s is %s, %v; want %s", record, st.Status, err, status)
		}
	}
	// The scanner with the newest documents accepts those of the restored gateway,
	// and the lost stamp stays revoked for it.
	r2 := harness.StartOn(t, storetest.SQLite, func(c *server.Config) { c.Data = cfg.Data })
	after := enrol(t, r2, newest).export()
	was, _, err := trustbook.ReadExport(bytes.NewReader(newest))
	if err != nil {
		t.Fatal(err)
	}
	is, _, err := trustbook.ReadExport(bytes.NewReader(after))
	if err != nil {
		t.Fatal(err)
	}
	revocations := 0
	for number, raw := range was.Shards {
		before, now := inflated(t, raw), inflated(t, is.Shards[number])
		for i := range statuslist.Entries {
			if before.Get(uint16(i)) != statuslist.Revoked {
				continue
			}
			if revocations++; now.Get(uint16(i)) != statuslist.Revoked {
				t.Errorf("entry %d/%d is not revoked any more", number, i)
			}
		}
	}
	if revocations != 2 {
		t.Errorf("%d revocations were published, want 2", revocations)
	}
	// Its key was lost with the rows; after the next rotation it stamps again, in
	// a shard that no lost stamp can be in.
	if _, err := g.Tenants.RotateSigningKey(t.Context(), "ACME01", tenant.RotateOptions{Announce: -1}); err != nil {
		t.Fatal(err)
	}
	fresh, err := g.Stamps.Get(t.Context(), "ACME01", id(r2.Stamp(key, "after")))
	if err != nil || fresh.StatusIndex.Shard() < 3 || fresh.KeySeq != 2 {
		t.Errorf("a new stamp in shard %d by key %d, %v", fresh.StatusIndex.Shard(), fresh.KeySeq, err)
	}
}

func inflated(t *testing.T, raw []byte) *statuslist.Shard {
	t.Helper()
	s, err := statuslist.Inflate(raw)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestRestoreRefuses: a restore fails if the folder is not empty, if no keyset
// opens the backup, and if the backup is damaged. It leaves no files then.
//
//engine:sqlite its gateway runs on SQLite
func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	r := harness.StartOn(t, storetest.SQLite)
	key := r.Tenant("ACME01")
	r.Stamp(key, "a")
	file := filepath.Join(t.TempDir(), "backup.tar")
	if _, _, err := r.Admin.Backup(t.Context(), file, server.BackupOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.Admin.Backup(t.Context(), file, server.BackupOptions{}); !errors.Is(err, backup.ErrExists) {
		t.Errorf("over an existing backup: %v, want ErrExists", err)
	}
	if left, _ := filepath.Glob(file + "?*"); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	data := filepath.Join(t.TempDir(), "data")
	restore := func(path string, keyset []byte) error {
		_, _, err := server.Restore(t.Context(), server.Config{Init: true, Data: data}, path, keyset, nil)
		return err
	}
	if err := restore(file, nil); !errors.Is(err, server.ErrNoKeyset) {
		t.Errorf("no keyset: %v, want ErrNoKeyset", err)
	}
	other := harness.StartOn(t, storetest.SQLite)
	foreign := filepath.Join(t.TempDir(), "foreign.tar")
	if _, _, err := other.Admin.Backup(t.Context(), foreign, server.BackupOptions{Keyset: true}); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(t.TempDir(), "cut.tar")
	if err := os.WriteFile(cut, whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if err := restore(cut, nil); !errors.Is(err, backup.ErrDamaged) {
		t.Errorf("half a backup: %v, want ErrDamaged", err)
	}
	otherKeyset, err := os.ReadFile(filepath.Join(other.Dir, keyring.FileName))
	must(t, err)
	if err := restore(file, otherKeyset); !errors.Is(err, keyring.ErrSealed) {
		t.Errorf("another gateway's keyset: %v, want ErrSealed", err)
	}
	if left, _ := filepath.Glob(data + "*"); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	must(t, os.Mkdir(data+".restoring", 0o700))
	unlock, err := durable.LockDir(data + ".restoring")
	must(t, err)
	if err := restore(foreign, nil); !errors.Is(err, server.ErrRestoring) {
		t.Errorf("during another restore: %v, want ErrRestoring", err)
	}
	must(t, unlock())
	// A restore that is killed leaves the folder with a part of the files.
	must(t, os.WriteFile(filepath.Join(data+".restoring", store.FileName), []byte("half"), 0o600))
	if err := restore(foreign, nil); err != nil {
		t.Errorf("after a killed restore: %v", err)
	}
	if left, _ := filepath.Glob(data + "?*"); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := restore(foreign, nil); !errors.Is(err, server.ErrNotEmpty) {
		t.Errorf("into a full folder: %v, want ErrNotEmpty", err)
	}
}

// TestBackupWhileServing: a backup is complete and consistent while clients make
// and revoke stamps concurrently.
//
//engine:sqlite its gateway runs on SQLite
func TestBackupWhileServing(t *testing.T) {
	t.Parallel()
	r := harness.StartOn(t, storetest.SQLite)
	key := r.Tenant("ACME01")
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		for ctx.Err() == nil {
			r.Post(key, "/v1/tcode/stamps/"+r.Stamp(key, "busy").Id.String()+"/revoke", map[string]any{})
		}
	})
	var files []string
	for range 3 {
		file := filepath.Join(t.TempDir(), "backup.tar")
		if _, e, err := r.Admin.Backup(t.Context(), file, server.BackupOptions{Keyset: true}); err != nil || len(e.Missing) != 0 {
			t.Errorf("backup: %+v, %v", e, err)
		}
		files = append(files, file)
	}
	stop()
	wg.Wait()
	for _, file := range files {
		g, _ := restored(t, file)
		if report, kinds := confirm(t, g); !report.Agreed || len(kinds) != 0 || report.Orphans != 0 {
			t.Errorf("fsck: %+v, %v", report, kinds)
		}
	}
}

// TestSetBackIsNoticed: a gateway notices also a database file that an operator
// replaces with an older copy: it is older than the documents published from the
// folder.
//
//engine:sqlite its gateway runs on SQLite
func TestSetBackIsNoticed(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	cfg := server.Config{Init: true, Addr: "127.0.0.1:0", Data: data, Readback: storetest.Readback{}}
	session := func(do func(g *server.Gateway)) {
		t.Helper()
		g, err := server.Open(t.Context(), cfg)
		must(t, err)
		do(g)
		_, err = g.Publisher.Publish(t.Context())
		must(t, err)
		must(t, g.Close())
	}
	session(func(g *server.Gateway) {
		_, err := g.Tenants.CreateTenant(t.Context(), "A", "AAAAAA")
		must(t, err)
	})
	path := filepath.Join(data, store.FileName)
	older, err := os.ReadFile(path)
	must(t, err)
	session(func(g *server.Gateway) { must(t, g.Tenants.Suspend(t.Context(), "AAAAAA")) })
	must(t, os.WriteFile(path, older, 0o600))

	if err := server.Run(t.Context(), cfg); !errors.Is(err, publish.ErrRestored) {
		t.Fatalf("Run = %v, want ErrRestored", err)
	}
	g, err := server.Open(t.Context(), cfg)
	must(t, err)
	defer g.Close()
	if report, kinds := fsck(t, g, server.FsckOptions{}); !report.Restored || report.Agreed || len(kinds) != 0 {
		t.Errorf("fsck: %+v, %v", report, kinds)
	}
	if report, _ := confirm(t, g); !report.Agreed {
		t.Errorf("fsck: %+v", report)
	}
	again, err := server.Open(t.Context(), cfg)
	must(t, err)
	defer again.Close()
	if report, _ := fsck(t, again, server.FsckOptions{}); report.Restored {
		t.Error("fsck reports the restore again after it was agreed to")
	}
	if _, err := again.Publisher.Publish(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestKilledBackup: the next backup in the folder removes the files of a killed
// one, above all its copy of the database, and leaves no work files of its own.
//
//engine:sqlite its gateway runs on SQLite
func TestKilledBackup(t *testing.T) {
	t.Parallel()
	g, err := server.Open(t.Context(), server.Config{Init: true, Data: filepath.Join(t.TempDir(), "data")})
	must(t, err)
	defer g.Close()
	dir := t.TempDir()
	file := filepath.Join(dir, "nightly.tar")
	left := filepath.Join(dir, "monday.tar.1.tcode-work")
	must(t, os.Mkdir(left, 0o700))
	must(t, os.WriteFile(filepath.Join(left, "database"), []byte("rows"), 0o600))
	old := time.Now().Add(-time.Hour)
	must(t, os.Chtimes(left, old, old))
	_, _, err = g.Backup(t.Context(), file, server.BackupOptions{Keyset: true, Progress: func(done, total int64) {
		// A kill at this point leaves only files that the next backup finds.
		entries, err := os.ReadDir(dir)
		must(t, err)
		if len(entries) != 1 || !strings.HasSuffix(entries[0].Name(), ".tcode-work") {
			t.Errorf("a running backup has the files %v", entries)
		}
	}})
	must(t, err)
	entries, err := os.ReadDir(dir)
	must(t, err)
	if len(entries) != 1 || entries[0].Name() != "nightly.tar" {
		t.Errorf("left: %v", entries)
	}
}
