//go:build linux

package server_test

import (
	"database/sql"
	"encoding/base64"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tcode/server"
	"tcode/server/store/storetest"
)

// outageCalls are requests that read and that write.
func outageCalls(record map[string]any) []request {
	id, reference := record["id"].(string), record["reference"].(string)
	return []request{
		{method: "POST", path: "/v1/tcode/stamps", body: map[string]any{
			"name": "x", "documentTypeCode": "DIP", "pdf": base64.StdEncoding.EncodeToString(minimalPDF("outage")),
		}},
		{method: "POST", path: "/v1/tcode/stamps/" + id + "/suspend", body: map[string]any{}},
		{method: "POST", path: "/v1/tcode/verify/sync", body: scanBody()},
		{method: "GET", path: "/v1/tcode/verify/reference/" + reference},
	}
}

// comeBack sends calls, of which the first n need what is out: they are told to
// come back.
func (r *rig) comeBack(key string, calls []request, n int) {
	r.t.Helper()
	for i, q := range calls {
		q.key = key
		a := r.do(q)
		if i >= n {
			if a.StatusCode >= 300 {
				r.t.Errorf("%s %s: %d %s", q.method, q.path, a.StatusCode, a.raw)
			}
		} else if a.StatusCode != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" {
			r.t.Errorf("%s %s: %d %s, want 503 with Retry-After", q.method, q.path, a.StatusCode, a.raw)
		}
	}
}

// TestFullDisk: on a full disk nothing is said to be stored, what can be answered
// is, and with room again everything goes on, whole.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=8m"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("mount a small disk: %v", err)
		}
		t.Skipf("mount a small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	r := startOn(t, storetest.SQLite, func(c *server.Config) { c.Data = filepath.Join(dir, "data") })
	key := r.tenant("ACME01")
	record := r.stamp(key, "before")
	calls := outageCalls(record)
	fillDisk(t, filepath.Join(dir, "fill"))
	r.comeBack(key, calls, 3)
	must(t, os.Remove(filepath.Join(dir, "fill")))
	r.comeBack(key, calls, 0)
	if report, kinds := fsck(t, r.admin, server.FsckOptions{}); len(kinds) != 0 || report.Stamps != 2 {
		t.Errorf("fsck: %+v, %v", report, kinds)
	}
}

// fillDisk writes a file until the disk has no room left.
func fillDisk(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	must(t, err)
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if errno, ok := err.(*os.PathError); !ok || errno.Err != syscall.ENOSPC {
		t.Fatal(err)
	}
}

// TestKeyWhereNoneIsNeeded: what is served without the database is served with a
// key, too, while the database is away.
func TestKeyWhereNoneIsNeeded(t *testing.T) {
	t.Parallel()
	r := brokenGateway(t)
	for _, path := range []string{"/healthz", "/v1/reference-data/trust-store/root/1"} {
		a := r.do(request{method: "GET", path: path, key: "tck_live_AAAAAAAA_" + strings.Repeat("A", 32)})
		if a.StatusCode != http.StatusOK {
			t.Errorf("%s: %d %s", path, a.StatusCode, a.raw)
		}
	}
	if a := r.do(request{method: "GET", path: "/healthz?a=%zz"}); a.StatusCode != http.StatusOK {
		t.Errorf("a query that nobody reads: %d %s", a.StatusCode, a.raw)
	}
}

// TestDatabaseServerOut: a PostgreSQL server that takes no changes, or nobody in,
// is an outage and no mistake of ours.
func TestDatabaseServerOut(t *testing.T) {
	t.Parallel()
	r := startOn(t, storetest.Postgres)
	key := r.tenant("ACME01")
	calls := outageCalls(r.stamp(key, "before"))
	u, err := url.Parse(storetest.Database(t, r.dir).DatabaseURL)
	must(t, err)
	name := strings.TrimPrefix(u.Path, "/")
	u.Path = "/postgres"
	admin, err := sql.Open("pgx", u.String())
	must(t, err)
	defer admin.Close()
	set := func(what string) {
		t.Helper()
		_, err := admin.Exec(`ALTER DATABASE ` + name + ` ` + what)
		must(t, err)
		_, err = admin.Exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1`, name)
		must(t, err)
	}
	set("SET default_transaction_read_only = on")
	r.comeBack(key, calls, 3)
	set("RESET default_transaction_read_only")
	set("ALLOW_CONNECTIONS false")
	r.comeBack(key, calls, 4)
	set("ALLOW_CONNECTIONS true")
	r.comeBack(key, calls, 0)
}
