//go:build linux

package server_test

import (
	"database/sql"
	"encoding/base64"
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

// TestBallast: on a full disk of a gateway with reserved space, revocations,
// scans of devices and publication go on, and what can wait is told to come back;
// with room again everything does, without a restart.
func TestBallast(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=32m"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("mount a small disk: %v", err)
		}
		t.Skipf("mount a small disk: %v", err)
	}
	t.Cleanup(func() { must(t, syscall.Unmount(dir, 0)) })
	r := startOn(t, storetest.SQLite, func(c *server.Config) {
		c.Data, c.Reserve = filepath.Join(dir, "data"), 64<<20
	})
	key := r.tenant("ACME01")
	var records []map[string]any
	for range 40 {
		records = append(records, r.stamp(key, "before"))
	}
	held := filepath.Join(dir, "data", ballast.Name)
	ready := func(want int) {
		t.Helper()
		a := r.do(request{method: "GET", path: "/readyz"})
		for end := time.Now().Add(time.Minute); a.StatusCode != want && time.Now().Before(end); a = r.do(request{method: "GET", path: "/readyz"}) {
			time.Sleep(50 * time.Millisecond)
		}
		r.want(a, want)
	}
	ready(http.StatusOK)
	if _, err := os.Stat(held); err != nil {
		t.Fatal(err)
	}
	fillDisk(t, filepath.Join(dir, "fill"))
	version := r.timestamp()
	for _, record := range records {
		for _, action := range []string{"suspend", "revoke"} {
			r.want(r.do(request{method: "POST", path: "/v1/tcode/stamps/" + record["id"].(string) + "/" + action, key: key, body: map[string]any{}}), 204)
		}
	}
	d := newTestDevice(t)
	for range 20 {
		reply := r.want(r.do(d.sync(records[0]["reference"].(string), 100)), 200).data()
		for _, res := range reply["results"].([]any) {
			if res := res.(map[string]any); res["result"] != "accepted" || res["verdict"] != "revoked" {
				t.Fatalf("a scan of a device: %v", res)
			}
		}
	}
	if _, err := os.Stat(held); !os.IsNotExist(err) {
		t.Errorf("the space is still reserved: %v", err)
	}
	for end := time.Now().Add(time.Minute); r.timestamp() == version; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nothing is published")
		}
	}
	ready(http.StatusServiceUnavailable)
	create := request{method: "POST", path: "/v1/tcode/stamps", key: key, body: create("waits")}
	a := r.want(r.do(create), http.StatusServiceUnavailable)
	if a.Header.Get("Retry-After") == "" {
		t.Errorf("a stamp is not told when to come back: %v", a.Header)
	}
	if res := r.want(r.do(request{method: "POST", path: "/v1/tcode/verify/sync", body: scanBody()}), 200).data()["results"].([]any)[0].(map[string]any); res["result"] != "retry" {
		t.Errorf("a scan that nobody signed: %v", res)
	}
	must(t, os.Remove(filepath.Join(dir, "fill")))
	ready(http.StatusOK)
	r.want(r.do(create), http.StatusCreated)
	if report, kinds := fsck(t, r.admin, server.FsckOptions{}); len(kinds) != 0 || report.Stamps != 41 {
		t.Errorf("fsck: %+v, %v", report, kinds)
	}
}

// TestOpenOnFullDisk: the reserved space is for a gateway that starts on a full
// disk, too, and for an operator's command that revokes there.
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
	r := startOn(t, storetest.SQLite, func(of *server.Config) { of.Data, of.Reserve, of.Init = c.Data, 64<<20, false })
	r.want(r.do(request{method: "GET", path: "/readyz"}), http.StatusServiceUnavailable)
	must(t, r.admin.Tenants.Activate(t.Context(), "ACME01"))
	must(t, os.Remove(fill))
	for end := time.Now().Add(time.Minute); r.do(request{method: "GET", path: "/readyz"}).StatusCode != http.StatusOK; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("with room again, the gateway is not ready")
		}
	}
}

// timestamp is what devices are given at present.
func (r *rig) timestamp() string {
	r.t.Helper()
	return string(r.want(r.do(request{method: "GET", path: "/v1/reference-data/trust-store/timestamp"}), 200).raw)
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
