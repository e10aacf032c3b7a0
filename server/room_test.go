//go:build linux

package server_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tcode/server"
	"tcode/server/store/storetest"
)

// TestNearlyFull: a gateway whose disk has no room for a document is not ready,
// although a small file can still be written, and refused stamps leave no file.
// Rows are in PostgreSQL: there no ballast tells.
func TestNearlyFull(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64m"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("mount a small disk: %v", err)
		}
		t.Skipf("mount a small disk: %v", err)
	}
	t.Cleanup(func() { must(t, syscall.Unmount(dir, 0)) })
	r := startOn(t, storetest.Postgres, func(c *server.Config) { c.Data = filepath.Join(dir, "data") })
	key := r.tenant("ACME01")
	r.stamp(key, "before")
	r.want(r.do(request{method: "GET", path: "/readyz"}), http.StatusOK)
	files := filepath.Join(dir, "data", "files")
	before := len(partsOf(t, files))

	// All but 200 KiB, which is enough for a small file, and not for a stamp's.
	fill := filepath.Join(dir, "fill")
	fillDisk(t, fill)
	info, err := os.Stat(fill)
	must(t, err)
	must(t, os.Truncate(fill, info.Size()-200<<10))
	a := r.do(request{method: "GET", path: "/readyz"})
	for end := time.Now().Add(20 * time.Second); a.StatusCode == http.StatusOK && time.Now().Before(end); a = r.do(request{method: "GET", path: "/readyz"}) {
		time.Sleep(100 * time.Millisecond)
	}
	if r.want(a, http.StatusServiceUnavailable); !strings.Contains(string(a.raw), "cannot store documents") {
		t.Errorf("/readyz: %s", a.raw)
	}
	for i := range 37 {
		body := map[string]any{"name": fmt.Sprint("n", i), "documentTypeCode": "DIP", "pdf": pdfOf(fmt.Sprint("document ", i))}
		r.wantCode(r.do(request{method: "POST", path: "/v1/tcode/stamps", key: key, body: body}), http.StatusServiceUnavailable, "SERVICE_UNAVAILABLE")
	}
	if n := len(partsOf(t, files)); n != before {
		t.Errorf("%d files, %d before 37 refused stamps", n, before)
	}
	must(t, os.Remove(fill))
	r.stamp(key, "after")
	r.want(r.do(request{method: "GET", path: "/readyz"}), http.StatusOK)
}

// TestSecretDoesNotOpen: a gateway whose keyset does not open what the database
// holds is not ready, and says 503 where it needs a key.
func TestSecretDoesNotOpen(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t, storetest.SQLite)
	w.want(w.do(request{method: "GET", path: "/readyz"}), http.StatusOK)
	other := w.tenant("OTHER9") // whose signing key was not used yet
	db := storetest.Raw(t, w.dir)
	for _, table := range []string{"secrets", "signing_keys"} {
		if _, err := db.Exec(`UPDATE ` + table + ` SET sealed = zeroblob(length(sealed))`); err != nil {
			t.Fatal(err)
		}
	}
	if a := w.want(w.do(request{method: "GET", path: "/readyz"}), http.StatusServiceUnavailable); !strings.Contains(string(a.raw), "cannot open its keys") {
		t.Errorf("/readyz: %s", a.raw)
	}
	w.wantCode(w.do(request{method: "POST", path: "/v1/tcode/stamps", key: other, body: map[string]any{"name": "n", "documentTypeCode": "DIP", "pdf": pdfOf("one")}}), http.StatusServiceUnavailable, "SERVICE_UNAVAILABLE")
}
