package opstest

import (
	"bytes"
	"database/sql"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"tcode/server"
	"tcode/server/internal/harness"
	"tcode/server/platform/blob"
	"tcode/server/platform/blob/blobtest"
	"tcode/server/publish"
	"tcode/server/store/storetest"
)

// folders are data folders of gateways that share a database and a bucket, but no folder.
// Each has the keyset.
func folders(t *testing.T, n int, bucket string) (rigs []*harness.Rig) {
	t.Helper()
	for i := range n {
		r := &harness.Rig{T: t, Dir: t.TempDir(), Engine: storetest.Postgres}
		if i == 0 {
			storetest.Begin(t, storetest.Postgres, r.Dir)
			g, err := server.Open(t.Context(), server.Config{Init: true, Data: r.Dir, DatabaseURL: storetest.Database(t, r.Dir).DatabaseURL, BlobURL: bucket})
			must(t, err)
			t.Cleanup(func() { must(t, g.Close()) })
			r.Admin = g
		} else {
			for _, name := range []string{"database-url", "master.keyset.json"} {
				raw, err := os.ReadFile(filepath.Join(rigs[0].Dir, name))
				must(t, err)
				must(t, os.WriteFile(filepath.Join(r.Dir, name), raw, 0o600))
			}
		}
		rigs = append(rigs, r)
	}
	return rigs
}

// TestBucket: gateways with one database and one bucket need no common folder. One with another
// store is refused, and the floor of publication is the bucket's.
//
//engine:sqlite it is on PostgreSQL, whatever the engine of the run is
func TestBucket(t *testing.T) {
	t.Parallel()
	bucket := blobtest.S3(t).URL
	rigs := folders(t, 2, bucket)
	cfg := func(i int) server.Config {
		return server.Config{Data: rigs[i].Dir, DatabaseURL: storetest.Database(t, rigs[i].Dir).DatabaseURL, BlobURL: bucket, Readback: storetest.Readback{}}
	}
	var at []*harness.Rig
	for i := range rigs {
		at = append(at, rigs[i].Beside(func(c *server.Config) { *c = cfg(i) }))
	}
	at[0].Admin, at[1].Admin = rigs[0].Admin, rigs[0].Admin
	key := at[0].Tenant("ACME01")
	for _, kind := range []string{"stamped", "original", "barcode", "payload"} {
		id := at[0].Stamp(key, "of "+kind).Id.String()
		first, second := at[0].Download(key, id, kind), at[1].Download(key, id, kind)
		if len(first) == 0 || !bytes.Equal(first, second) {
			t.Errorf("%s: %d and %d bytes", kind, len(first), len(second))
		}
	}
	for _, r := range rigs {
		if _, err := os.Stat(filepath.Join(r.Dir, "files")); err == nil {
			t.Errorf("%s has a folder of files", r.Dir)
		}
	}
	report, kinds := fsck(t, rigs[0].Admin, server.FsckOptions{})
	if len(kinds) > 0 || report.Stamps != 4 || report.Files != 8 {
		t.Errorf("fsck: %+v, %v", report, kinds)
	}

	// Another bucket, and none.
	for _, other := range []string{blobtest.S3(t).URL, ""} {
		c := cfg(1)
		if c.BlobURL = other; other == "" {
			must(t, os.MkdirAll(filepath.Join(c.Data, "files", "00"), 0o700))
		}
		if g, err := server.Open(t.Context(), c); !errors.Is(err, server.ErrOtherFiles) && !errors.Is(err, server.ErrFilesMissing) {
			t.Errorf("%q: %v, want ErrOtherFiles or ErrFilesMissing", other, err)
			if err == nil {
				g.Close()
			}
		}
	}
	// Files in another bucket: an operator who moved them says so, once.
	moved := blobtest.S3(t).URL
	copyBucket(t, bucket, moved)
	c := cfg(1)
	c.BlobURL = moved
	if _, err := server.Open(t.Context(), c); !errors.Is(err, server.ErrOtherFiles) {
		t.Errorf("moved: %v, want ErrOtherFiles", err)
	}
	c.AdoptFiles = true
	g, err := server.Open(t.Context(), c)
	must(t, err)
	must(t, g.Close())
	back := cfg(1)
	back.AdoptFiles = true
	if _, err := server.Open(t.Context(), back); !errors.Is(err, server.ErrFilesTaken) {
		t.Errorf("adopt the store of another: %v, want ErrFilesTaken", err)
	}
	if _, err := server.Init(t.Context(), server.Config{Data: filepath.Join(t.TempDir(), "data"), BlobURL: bucket}); !errors.Is(err, server.ErrFilesTaken) && !errors.Is(err, server.ErrRemains) {
		t.Errorf("a new gateway on the store of another: %v, want ErrFilesTaken or ErrRemains", err)
	}
	if _, err := server.Open(t.Context(), cfg(1)); !errors.Is(err, server.ErrOtherFiles) {
		t.Errorf("the old bucket: %v, want ErrOtherFiles", err)
	}
	c.AdoptFiles = false
	g, err = server.Open(t.Context(), c)
	must(t, err)
	if report, kinds := fsck(t, g, server.FsckOptions{}); len(kinds) > 0 || report.Files != 8 {
		t.Errorf("fsck after the move: %+v, %v", report, kinds)
	}
	must(t, g.Close())
}

// copyBucket copies the files of a bucket, as an operator's tool does without the notes.
func copyBucket(t *testing.T, from, to string) {
	t.Helper()
	a, err := blob.OpenURL(t.Context(), from)
	must(t, err)
	b, err := blob.OpenURL(t.Context(), to)
	must(t, err)
	for item, err := range a.All(t.Context()) {
		must(t, err)
		data, err := a.Get(t.Context(), item.Name)
		must(t, err)
		_, err = b.Put(t.Context(), data)
		must(t, err)
	}
}

// TestBucketFloor: a database that was put back is noticed by a gateway whose folder never saw
// a publication, because the bucket did; and the floor never goes down.
//
//engine:sqlite it is on PostgreSQL, whatever the engine of the run is
func TestBucketFloor(t *testing.T) {
	t.Parallel()
	bucket := blobtest.S3(t).URL
	rigs := folders(t, 3, bucket)
	files, err := blob.OpenURL(t.Context(), bucket)
	must(t, err)
	for i := range rigs {
		g, err := server.Open(t.Context(), server.Config{Data: rigs[i].Dir, DatabaseURL: storetest.Database(t, rigs[i].Dir).DatabaseURL, BlobURL: bucket})
		must(t, err)
		_, err = g.Tenants.CreateTenant(t.Context(), "T", []string{"AAAAAA", "BBBBBB", "CCCCCC"}[i])
		must(t, err)
		before, _, err := files.Note(t.Context(), "published-version")
		must(t, err)
		_, err = g.Publisher.Publish(t.Context())
		must(t, err)
		if after, _, err := files.Note(t.Context(), "published-version"); err != nil || bytes.Equal(before, after) {
			t.Errorf("the note is %q, %v after %q", after, err, before)
		}
		must(t, g.Close())
		if _, err := os.Stat(filepath.Join(rigs[i].Dir, "published-version")); err == nil {
			t.Error("the floor is in a folder")
		}
	}
	if _, err := storetest.Raw(t, rigs[0].Dir).Exec(`UPDATE trust_head SET version = version - 1`); err != nil {
		t.Fatal(err)
	}
	err = server.Run(t.Context(), server.Config{Addr: "127.0.0.1:0", Data: rigs[2].Dir, DatabaseURL: storetest.Database(t, rigs[2].Dir).DatabaseURL, BlobURL: bucket, Readback: storetest.Readback{}})
	if !errors.Is(err, publish.ErrRestored) {
		t.Errorf("Run over an older database = %v, want ErrRestored", err)
	}
	empty := filepath.Join(t.TempDir(), "data")
	_, err = server.Init(t.Context(), server.Config{Data: empty, BlobURL: bucket})
	if !errors.Is(err, server.ErrRemains) {
		t.Errorf("a new gateway on the bucket of another = %v, want ErrRemains", err)
	}
}

// TestBucketAway: without its bucket a gateway is not ready, and answers what needs no file.
//
//engine:sqlite its gateway runs on SQLite
func TestBucketAway(t *testing.T) {
	t.Parallel()
	bucket := blobtest.S3(t)
	r := harness.StartOn(t, storetest.SQLite, func(c *server.Config) { c.BlobURL = bucket.URL })
	key := r.Tenant("ACME01")
	st := r.Stamp(key, "n")
	bucket.Stop()
	for _, tt := range []struct {
		path string
		want int
	}{{"/v1/tcode/stamps/" + st.Id.String(), http.StatusOK}, {"/readyz", http.StatusServiceUnavailable}} {
		if a, err := r.Try(harness.Request{Method: "GET", Path: tt.path, Key: key}); err != nil || a.StatusCode != tt.want {
			t.Errorf("%s: %d, %v, want %d", tt.path, a.StatusCode, err, tt.want)
		}
	}
}

// rawOf is the database of a folder, in addition to the gateways.
func rawOf(t *testing.T, r *harness.Rig) *sql.DB {
	t.Helper()
	return storetest.Raw(t, r.Dir)
}

// TestBackupBetweenStores: a backup of a gateway on SQLite is restored into a folder or a
// bucket, wherever its files were.
//
//engine:sqlite its gateway runs on SQLite
func TestBackupBetweenStores(t *testing.T) {
	t.Parallel()
	for _, from := range []string{"", blobtest.S3(t).URL} {
		r := harness.StartOn(t, storetest.SQLite, func(c *server.Config) { c.BlobURL = from })
		r.Stamp(r.Tenant("ACME01"), "n")
		file := filepath.Join(t.TempDir(), "backup.tar")
		_, e, err := r.Admin.Backup(t.Context(), file, server.BackupOptions{Keyset: true})
		if err != nil || e.Files != 2 {
			t.Fatalf("backup: %+v, %v", e, err)
		}
		for _, to := range []string{"", blobtest.S3(t).URL} {
			cfg := server.Config{Data: filepath.Join(t.TempDir(), "data"), BlobURL: to}
			_, _, err := server.Restore(t.Context(), cfg, file, nil, nil)
			must(t, err)
			g, err := server.Open(t.Context(), cfg)
			must(t, err)
			if report, kinds := fsck(t, g, server.FsckOptions{}); len(kinds) > 0 || report.Files != 2 || report.Orphans != 0 {
				t.Errorf("from %q to %q: fsck: %+v, %v", from, to, report, kinds)
			}
			must(t, g.Close())
			wrong := cfg
			if wrong.BlobURL = ""; to == "" {
				wrong.BlobURL = from
			}
			g, err = server.Open(t.Context(), wrong)
			if err == nil {
				must(t, g.Close())
			}
			if wrong.BlobURL != to && err == nil {
				t.Errorf("from %q to %q: the other store is accepted", from, to)
			}
		}
	}
}
