package harness

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"tcode/server"
	"tcode/server/client"
	"tcode/server/httpapi"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// A Rig is a running gateway on a fresh data folder, reached over HTTP, and the
// same folder opened a second time as the operator's commands do.
type Rig struct {
	T      *testing.T
	URL    string          // scheme, host and port
	Admin  *server.Gateway // nil where there are no operator's commands
	Dir    string          // data folder
	Engine storetest.Engine
}

// Start runs a gateway until the test ends, on the engine that the environment
// chooses. Look-ups are not limited unless change says so.
func Start(t *testing.T, change ...func(*server.Config)) *Rig {
	t.Helper()
	return StartOn(t, storetest.DefaultEngine(), change...)
}

// StartOn is [Start] on engine e.
func StartOn(t *testing.T, e storetest.Engine, change ...func(*server.Config)) *Rig {
	t.Helper()
	cfg := server.Config{Init: true, Addr: "127.0.0.1:0", Data: t.TempDir(), Limits: unlimited(), Readback: storetest.Readback{}, Log: slog.New(slog.DiscardHandler)}
	cfg.DatabaseURL = storetest.Begin(t, e, cfg.Data).DatabaseURL
	for _, c := range change {
		c(&cfg)
	}
	ready := make(chan net.Addr, 1)
	cfg.Ready = func(addr net.Addr) { ready <- addr }
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Run(ctx, cfg) }()
	r := &Rig{T: t, Dir: cfg.Data, Engine: e}
	select {
	case addr := <-ready:
		r.URL = "http://" + addr.String()
		Watch(addr.String())
	case err := <-done:
		cancel()
		t.Fatalf("Run: %v", err)
	}
	var err error
	r.Admin, err = server.Open(t.Context(), cfg)
	Must(t, err)
	t.Cleanup(func() {
		if err := r.Admin.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		cancel()
		switch err := <-done; {
		case errors.Is(err, context.DeadlineExceeded):
			t.Logf("Run: %v", err) // a step of the end took too long on a busy machine
		case err != nil:
			t.Errorf("Run: %v", err)
		}
	})
	return r
}

// unlimited are the default limits without those on how often.
func unlimited() *httpapi.Limits {
	limits := httpapi.DefaultLimits()
	limits.LookupsPerMinute, limits.KeyLookupsPerMinute, limits.RequestsPerMinute = 0, 0, 0
	return &limits
}

// Beside starts another gateway on the same data folder.
func (r *Rig) Beside(change func(*server.Config)) *Rig {
	r.T.Helper()
	limits := httpapi.DefaultLimits()
	cfg := server.Config{Init: true, Data: r.Dir, Readback: storetest.Readback{}, Limits: &limits, DatabaseURL: storetest.Database(r.T, r.Dir).DatabaseURL}
	change(&cfg)
	g, err := server.Open(r.T.Context(), cfg)
	Must(r.T, err)
	r.T.Cleanup(func() { Must(r.T, g.Close()) })
	other := serve(r.T, g)
	other.Dir, other.Engine = r.Dir, r.Engine
	return other
}

// Broken starts a gateway whose database is closed.
func Broken(t *testing.T) *Rig {
	t.Helper()
	g, err := server.Open(t.Context(), server.Config{Init: true, Data: t.TempDir()})
	Must(t, err)
	r := serve(t, g)
	Must(t, g.Close())
	return r
}

// serve answers requests with the handler of g until the test ends.
func serve(t *testing.T, g *server.Gateway) *Rig {
	t.Helper()
	h, err := g.Handler()
	Must(t, err)
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	Watch(strings.TrimPrefix(srv.URL, "http://"))
	return &Rig{T: t, URL: srv.URL}
}

// Tenant creates a tenant with a key that has every scope.
func (r *Rig) Tenant(reference string) (key string) {
	r.T.Helper()
	_, err := r.Admin.Tenants.CreateTenant(r.T.Context(), "Tenant "+reference, reference)
	Must(r.T, err)
	made, err := r.Admin.Tenants.CreateKey(r.T.Context(), reference, tenant.KeyOptions{Name: "test", Scopes: tenant.Scopes()})
	Must(r.T, err)
	return made.Secret
}

// Identity is a tenant's first key as the services behind the routes know it.
func (r *Rig) Identity(reference string) tenant.Identity {
	r.T.Helper()
	t, err := r.Admin.Tenants.Tenant(r.T.Context(), reference)
	Must(r.T, err)
	keys, err := r.Admin.Tenants.Keys(r.T.Context(), reference)
	Must(r.T, err)
	if len(keys) == 0 {
		made, err := r.Admin.Tenants.CreateKey(r.T.Context(), reference, tenant.KeyOptions{Name: "test", Scopes: tenant.Scopes()})
		Must(r.T, err)
		keys = append(keys, made.APIKey)
	}
	return tenant.Identity{Tenant: t, KeyPrefix: keys[len(keys)-1].Prefix}
}

// Client is the generated client, with a key.
func (r *Rig) Client(key string) *client.ClientWithResponses {
	r.T.Helper()
	c, err := client.New(r.URL, client.WithKey(key))
	Must(r.T, err)
	return c
}

// DropOnlineKey has a gateway on data publish once, and drops the key that signed.
func DropOnlineKey(t *testing.T, data string) {
	t.Helper()
	g, err := server.Open(t.Context(), server.Config{Init: true, Data: data})
	Must(t, err)
	_, err = g.Publisher.Publish(t.Context())
	Must(t, errors.Join(err, g.Close()))
	res, err := storetest.Raw(t, data).Exec(`DELETE FROM secrets WHERE name LIKE 'tcode/online%'`)
	Must(t, err)
	if n, err := res.RowsAffected(); n != 1 || err != nil {
		t.Fatalf("%d online keys were dropped, %v", n, err)
	}
}

// Must ends the test if err is not nil.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A LockedBuffer is a log that several goroutines write while a test reads it.
type LockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write appends p.
func (l *LockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// String is all that was written.
func (l *LockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
