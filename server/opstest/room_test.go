//go:build linux

package opstest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tcode/server"
	"tcode/server/internal/harness"
	"tcode/server/publish"
	"tcode/server/store/storetest"
)

// TestNearlyFull: a gateway whose disk has no room for a document is not ready,
// although it can still write a small file, and refused stamps leave no file. The
// rows are in PostgreSQL, so that no ballast has an effect.
//
//engine:sqlite it starts PostgreSQL itself
func TestNearlyFull(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64m"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("mount a small disk: %v", err)
		}
		t.Skipf("mount a small disk: %v", err)
	}
	t.Cleanup(func() { must(t, syscall.Unmount(dir, 0)) })
	r := harness.StartOn(t, storetest.Postgres, func(c *server.Config) { c.Data = filepath.Join(dir, "data") })
	key := r.Tenant("ACME01")
	r.Stamp(key, "before")
	r.Want(r.Get("", "/readyz"), http.StatusOK)
	files := filepath.Join(dir, "data", "files")
	before := len(partsOf(t, files))

	// All but 200 KiB, which is enough for a small file, but not for the file of a stamp.
	fill := filepath.Join(dir, "fill")
	fillDisk(t, fill)
	info, err := os.Stat(fill)
	must(t, err)
	must(t, os.Truncate(fill, info.Size()-200<<10))
	a := r.Get("", "/readyz")
	for end := time.Now().Add(20 * time.Second); a.StatusCode == http.StatusOK && time.Now().Before(end); a = r.Get("", "/readyz") {
		time.Sleep(100 * time.Millisecond)
	}
	if r.Want(a, http.StatusServiceUnavailable); !strings.Contains(string(a.Raw), "cannot store documents") {
		t.Errorf("/readyz: %s", a.Raw)
	}
	for i := range 37 {
		body := map[string]any{"name": fmt.Sprint("n", i), "documentTypeCode": "DIP", "pdf": harness.PDFBase64(fmt.Sprint("document ", i))}
		r.WantCode(r.Post(key, "/v1/tcode/stamps", body), http.StatusServiceUnavailable, "SERVICE_UNAVAILABLE")
	}
	if n := len(partsOf(t, files)); n != before {
		t.Errorf("%d files, %d before 37 refused stamps", n, before)
	}
	must(t, os.Remove(fill))
	r.Stamp(key, "after")
	r.Want(r.Get("", "/readyz"), http.StatusOK)
}

// TestSecretDoesNotOpen: a gateway whose keyset does not open the keys in the
// database is not ready, and answers 503 where it needs a key.
//
//engine:sqlite its gateway runs on SQLite
func TestSecretDoesNotOpen(t *testing.T) {
	t.Parallel()
	w := harness.NewWorldOn(t, storetest.SQLite)
	w.Want(w.Get("", "/readyz"), http.StatusOK)
	other := w.Tenant("OTHER9") // whose signing key was not used yet
	db := storetest.Raw(t, w.Dir)
	for _, table := range []string{"secrets", "signing_keys"} {
		if _, err := db.Exec(`UPDATE ` + table + ` SET sealed = zeroblob(length(sealed))`); err != nil {
			t.Fatal(err)
		}
	}
	if a := w.Want(w.Get("", "/readyz"), http.StatusServiceUnavailable); !strings.Contains(string(a.Raw), "cannot open its keys") {
		t.Errorf("/readyz: %s", a.Raw)
	}
	w.WantCode(w.Post(other, "/v1/tcode/stamps", map[string]any{"name": "n", "documentTypeCode": "DIP", "pdf": harness.PDFBase64("one")}), http.StatusServiceUnavailable, "SERVICE_UNAVAILABLE")
}

// TestOnlineKeyIsMissing: a gateway without its online key answers supervisors and
// devices that request a receipt with 503. It logs that once, not at each try.
//
//engine:sqlite its gateway runs on SQLite
func TestOnlineKeyIsMissing(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	harness.DropOnlineKey(t, data)
	var log harness.LockedBuffer
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	cfg := server.Config{Init: true, Addr: "127.0.0.1:0", Data: data, Readback: storetest.Readback{}, Log: slog.New(slog.NewTextHandler(&log, nil))}
	ready, done := make(chan net.Addr, 1), make(chan error, 1)
	cfg.Ready = func(a net.Addr) { ready <- a }
	go func() { done <- server.Run(ctx, cfg) }()
	address := "http://" + (<-ready).String()
	for path, want := range map[string]string{
		"/readyz": "cannot sign", "/v1/reference-data/trust-store/time?nonce=" + strings.Repeat("0", 64): "SERVICE_UNAVAILABLE",
	} {
		res, err := http.Get(address + path)
		must(t, err)
		raw, err := io.ReadAll(res.Body)
		must(t, errors.Join(err, res.Body.Close()))
		if res.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(raw), want) {
			t.Errorf("%s: %d %s", path, res.StatusCode, raw)
		}
	}
	g, err := server.Open(t.Context(), cfg)
	must(t, err)
	_, err = g.Tenants.CreateTenant(t.Context(), "Acme", "ACME01") // something to be published
	must(t, errors.Join(err, g.Close()))
	time.Sleep(2 * time.Second) // the publisher tries twice a second
	if n := strings.Count(log.String(), "publish trust documents"); n != 1 {
		t.Errorf("logged %d times:\n%s", n, log.String())
	}
	stop()
	if err := <-done; !errors.Is(err, publish.ErrOnlineKey) {
		t.Errorf("Run = %v, want ErrOnlineKey: changes are not published", err)
	}
}
