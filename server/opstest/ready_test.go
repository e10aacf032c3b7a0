package opstest

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tcode/scanner/readback"
	"tcode/server"
	"tcode/server/internal/harness"
	"tcode/server/store/storetest"
)

// TestReadyNamesDatabase: a gateway whose database takes no changes, because another process holds
// it, says so, and is ready again when it can write.
//
//engine:sqlite the lock is that of SQLite
func TestReadyNamesDatabase(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	until(t, r.URL+"/readyz", http.StatusOK)
	tx, err := storetest.Raw(t, r.Dir).Begin()
	must(t, err)
	_, err = tx.Exec(`UPDATE secrets SET name = name`)
	must(t, err)
	until(t, r.URL+"/readyz", http.StatusServiceUnavailable)
	a := r.Want(r.Get("", "/readyz"), http.StatusServiceUnavailable)
	if parts, _ := a.Body["errors"].(map[string]any); len(parts) != 1 || parts["database"] == nil {
		t.Errorf("/readyz: %s", a.Raw)
	}
	must(t, tx.Rollback())
	until(t, r.URL+"/readyz", http.StatusOK)
}

// hanging reads stamps back, unless it hangs and ignores the end of its context.
type hanging struct {
	storetest.Readback
	on   *atomic.Bool
	free chan struct{}
}

// Read hangs if it should.
func (h hanging) Read(ctx context.Context, pdf *io.SectionReader, q readback.Request) ([]readback.Reading, error) {
	if h.on.Load() {
		<-h.free
	}
	return h.Readback.Read(ctx, pdf, q)
}

// TestUploadsThatHang: requests that hang are answered, and the next document of their tenant has
// their place.
//
//engine:sqlite places of requests, not rows
func TestUploadsThatHang(t *testing.T) {
	t.Parallel()
	h := hanging{on: new(atomic.Bool), free: make(chan struct{})}
	r := harness.Start(t, func(c *server.Config) {
		limits := *c.Limits
		limits.MaxUploads, limits.Request = 2, time.Second
		c.Limits, c.Readback, c.Drain = &limits, h, time.Second
	})
	t.Cleanup(func() { close(h.free) }) // before the gateway of the rig ends
	key := r.Tenant("ACME01")
	h.on.Store(true)
	a := r.WantCode(r.Post(key, "/v1/tcode/stamps", harness.StampBody("hangs")), http.StatusServiceUnavailable, "SERVICE_UNAVAILABLE")
	if a.Header.Get("Retry-After") == "" || !strings.Contains(string(a.Raw), "in time") {
		t.Errorf("%v %s", a.Header, a.Raw)
	}
	h.on.Store(false)
	r.Want(r.Post(key, "/v1/tcode/stamps", harness.StampBody("next")), http.StatusCreated)
}
