//go:build linux

package opstest

import (
	"database/sql"
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tcode/server"
	"tcode/server/ballast"
	"tcode/server/httpapi/api"
	"tcode/server/internal/harness"
	"tcode/server/store/storetest"
	"tcode/sync/wire"
)

// outageCalls are requests that read and that write.
func outageCalls(st api.TCodeStamp) []harness.Request {
	return []harness.Request{
		{Method: "POST", Path: "/v1/tcode/stamps", Body: harness.StampBody("outage")},
		{Method: "POST", Path: "/v1/tcode/stamps/" + st.Id.String() + "/suspend", Body: map[string]any{}},
		{Method: "POST", Path: "/v1/tcode/verify/sync", Body: harness.ScanBody()},
		{Method: "GET", Path: "/v1/tcode/verify/reference/" + st.Reference},
	}
}

// comeBack sends calls. The first n need the service that is out: the gateway
// answers them with the time to retry.
func comeBack(r *harness.Rig, key string, calls []harness.Request, n int) {
	r.T.Helper()
	for i, q := range calls {
		q.Key = key
		a := r.Do(q)
		if i >= n {
			if a.StatusCode >= 300 {
				r.T.Errorf("%s %s: %d %s", q.Method, q.Path, a.StatusCode, a.Raw)
			}
		} else if a.StatusCode != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" {
			r.T.Errorf("%s %s: %d %s, want 503 with Retry-After", q.Method, q.Path, a.StatusCode, a.Raw)
		}
	}
}

// TestFullDisk: on a full disk a gateway does not confirm any change, and answers
// requests that need no room. With room again it does all its work, and no data
// is damaged.
//
//engine:sqlite the disk under the SQLite file is full
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
	r := harness.StartOn(t, storetest.SQLite, func(c *server.Config) { c.Data = filepath.Join(dir, "data") })
	key := r.Tenant("ACME01")
	record := r.Stamp(key, "before")
	calls := outageCalls(record)
	fillDisk(t, filepath.Join(dir, "fill"))
	comeBack(r, key, calls, 3)
	must(t, os.Remove(filepath.Join(dir, "fill")))
	comeBack(r, key, calls, 0)
	if report, kinds := fsck(t, r.Admin, server.FsckOptions{}); len(kinds) != 0 || report.Stamps != 2 {
		t.Errorf("fsck: %+v, %v", report, kinds)
	}
}

// TestBallast: on a full disk, a gateway with reserved space still revokes and publishes, and
// accepts scans of devices until they have used their part of it: any number of scans leaves the
// rest to revocations. It answers other changes with the time to retry. With room again it does
// all its work, without a restart.
//
//engine:sqlite its gateway runs on SQLite
func TestBallast(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=32m"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("mount a small disk: %v", err)
		}
		t.Skipf("mount a small disk: %v", err)
	}
	t.Cleanup(func() { must(t, syscall.Unmount(dir, 0)) })
	r := harness.StartOn(t, storetest.SQLite, func(c *server.Config) {
		c.Data, c.Reserve = filepath.Join(dir, "data"), 64<<20
	})
	key := r.Tenant("ACME01")
	var stamps []api.TCodeStamp
	for range 40 {
		stamps = append(stamps, r.Stamp(key, "before"))
	}
	held := filepath.Join(dir, "data", ballast.Name)
	ready := func(want int) {
		t.Helper()
		a := r.Get("", "/readyz")
		for end := time.Now().Add(time.Minute); a.StatusCode != want && time.Now().Before(end); a = r.Get("", "/readyz") {
			time.Sleep(50 * time.Millisecond)
		}
		r.Want(a, want)
	}
	ready(http.StatusOK)
	if _, err := os.Stat(held); err != nil {
		t.Fatal(err)
	}
	fillDisk(t, filepath.Join(dir, "fill"))
	version := timestamp(r)
	revoke := func(stamps []api.TCodeStamp) {
		t.Helper()
		for _, st := range stamps {
			for _, action := range []string{"suspend", "revoke"} {
				r.Want(r.Post(key, "/v1/tcode/stamps/"+st.Id.String()+"/"+action, map[string]any{}), 204)
			}
		}
	}
	revoke(stamps[:10])
	accepted := 0
	for i := range 40 {
		d := newTestDevice(t)
		reply, err := wire.DecodeReply(r.Want(r.Do(d.sync(stamps[i%10].Reference, 500)), 200).Raw)
		must(t, err)
		for _, res := range reply.Results {
			switch {
			case res.Result == wire.Accepted && res.Verdict == "revoked":
				accepted++
			case res.Result != wire.Retry:
				t.Fatalf("a scan of a device: %v", res)
			}
		}
	}
	if accepted == 0 || accepted == 40*500 {
		t.Errorf("%d scans were accepted", accepted)
	}
	revoke(stamps[10:])
	if _, err := os.Stat(held); !os.IsNotExist(err) {
		t.Errorf("the space is still reserved: %v", err)
	}
	for end := time.Now().Add(time.Minute); timestamp(r) == version; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nothing is published")
		}
	}
	ready(http.StatusServiceUnavailable)
	create := harness.Request{Method: "POST", Path: "/v1/tcode/stamps", Key: key, Body: harness.StampBody("waits")}
	a := r.Want(r.Do(create), http.StatusServiceUnavailable)
	if a.Header.Get("Retry-After") == "" {
		t.Errorf("a refused stamp without Retry-After: %v", a.Header)
	}
	if res := r.Want(r.Post("", "/v1/tcode/verify/sync", harness.ScanBody()), 200).Data()["results"].([]any)[0].(map[string]any); res["result"] != "retry" {
		t.Errorf("an unsigned scan: %v", res)
	}
	must(t, os.Remove(filepath.Join(dir, "fill")))
	ready(http.StatusOK)
	r.Want(r.Do(create), http.StatusCreated)
	if report, kinds := fsck(t, r.Admin, server.FsckOptions{}); len(kinds) != 0 || report.Stamps != 41 {
		t.Errorf("fsck: %+v, %v", report, kinds)
	}
}

// TestOpenOnFullDisk: a gateway that starts on a full disk uses the reserved space,
// too, and so does an operator's command that revokes there.
//
//engine:sqlite its gateway runs on SQLite
func TestOpenOnFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=16m"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("mount a small disk: %v", err)
		}
		t.Skipf("mount a small disk: %v", err)
	}
	t.Cleanup(func() { must(t, syscall.Unmount(dir, 0)) })
	c := server.Config{Data: filepath.Join(dir, "data"), Init: true}
	held, fill := filepath.Join(c.Data, ballast.Name), filepath.Join(dir, "fill")
	open := func() *server.Gateway {
		t.Helper()
		g, err := server.Open(t.Context(), c)
		must(t, err)
		return g
	}
	full := func() {
		t.Helper()
		must(t, os.WriteFile(held, make([]byte, 4<<20), 0o600))
		fillDisk(t, fill)
	}
	g := open()
	_, err := g.Tenants.CreateTenant(t.Context(), "Acme", "ACME01")
	must(t, errors.Join(err, g.Close()))
	c.Init = false

	full()
	g = open()
	must(t, errors.Join(g.Tenants.Suspend(t.Context(), "ACME01"), g.Close()))

	must(t, os.Remove(fill))
	full()
	r := harness.StartOn(t, storetest.SQLite, func(of *server.Config) { of.Data, of.Reserve, of.Init = c.Data, 64<<20, false })
	r.Want(r.Get("", "/readyz"), http.StatusServiceUnavailable)
	must(t, r.Admin.Tenants.Activate(t.Context(), "ACME01"))
	must(t, os.Remove(fill))
	for end := time.Now().Add(time.Minute); r.Get("", "/readyz").StatusCode != http.StatusOK; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("with room again, the gateway is not ready")
		}
	}
}

// timestamp returns the timestamp document that devices get at present.
func timestamp(r *harness.Rig) string {
	r.T.Helper()
	return string(r.Want(r.Get("", "/v1/reference-data/trust-store/timestamp"), 200).Raw)
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

// TestKeyWhereNoneIsNeeded: while the database is away, a gateway answers requests
// that do not need it also if they carry a key.
//
//engine:sqlite its gateway runs on SQLite
func TestKeyWhereNoneIsNeeded(t *testing.T) {
	t.Parallel()
	r := harness.Broken(t)
	for _, path := range []string{"/healthz", "/v1/reference-data/trust-store/root/1"} {
		a := r.Get("tck_live_AAAAAAAA_"+strings.Repeat("A", 32), path)
		if a.StatusCode != http.StatusOK {
			t.Errorf("%s: %d %s", path, a.StatusCode, a.Raw)
		}
	}
	if a := r.Get("", "/healthz?a=%zz"); a.StatusCode != http.StatusOK {
		t.Errorf("a query that no handler reads: %d %s", a.StatusCode, a.Raw)
	}
}

// TestDatabaseServerOut: a PostgreSQL server that takes no changes, or no
// connections, is an outage and not an error of the gateway.
//
//engine:sqlite it starts PostgreSQL itself
func TestDatabaseServerOut(t *testing.T) {
	t.Parallel()
	r := harness.StartOn(t, storetest.Postgres)
	key := r.Tenant("ACME01")
	calls := outageCalls(r.Stamp(key, "before"))
	u, err := url.Parse(storetest.Database(t, r.Dir).DatabaseURL)
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
	comeBack(r, key, calls, 3)
	set("RESET default_transaction_read_only")
	set("ALLOW_CONNECTIONS false")
	comeBack(r, key, calls, 4)
	set("ALLOW_CONNECTIONS true")
	comeBack(r, key, calls, 0)
}
