package opstest

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tcode/server"
	"tcode/server/internal/harness"
	"tcode/server/publish"
	"tcode/server/store"
	"tcode/server/store/storetest"
)

// TestSetBackWhileServing: a running gateway ends if an older database replaces
// its own: its answers and trust documents would lack revocations.
func TestSetBackWhileServing(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		data := t.TempDir()
		cfg := server.Config{Init: true, Addr: "127.0.0.1:0", Data: data, Readback: storetest.Readback{}, DatabaseURL: storetest.Begin(t, e, data).DatabaseURL}
		ready, done := make(chan net.Addr, 1), make(chan error, 1)
		cfg.Ready = func(a net.Addr) { ready <- a }
		go func() { done <- server.Run(t.Context(), cfg) }()
		select {
		case <-ready:
		case err := <-done:
			t.Fatal(err)
		}
		if _, err := storetest.Raw(t, data).Exec(`UPDATE trust_head SET version = version - 1`); err != nil {
			t.Fatal(err)
		}
		if err := <-done; !errors.Is(err, publish.ErrRolledBack) {
			t.Errorf("Run = %v, want ErrRolledBack", err)
		}
		if err := server.Run(t.Context(), cfg); !errors.Is(err, publish.ErrRestored) {
			t.Errorf("the next Run = %v, want ErrRestored", err)
		}
	})
}

// TestYearsAhead: a gateway does not start if its documents are ten years ahead of
// its clock, or if its clock is years behind. It starts again with a new online
// key.
//
//engine:sqlite its gateway runs on SQLite
func TestYearsAhead(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	start := func(ahead time.Duration) error {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		cfg := server.Config{Init: true, Addr: "127.0.0.1:0", Data: data, Readback: storetest.Readback{}, Now: func() time.Time { return time.Now().Add(ahead) }}
		cfg.Ready = func(net.Addr) { stop() }
		return server.Run(ctx, cfg)
	}
	const year = 365 * 24 * time.Hour
	for _, tt := range []struct {
		name  string
		ahead time.Duration
		ok    bool
	}{
		{"a year ahead", year, true},
		{"the right time again", 0, true},
		{"ten years ahead", 10 * year, true},
		{"the right time after that", 0, false},
		{"a clock of 1970", -55 * year, false},
	} {
		err := start(tt.ahead)
		if errors.Is(err, publish.ErrAhead) == tt.ok || tt.ok && err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if err != nil && !strings.Contains(err.Error(), "online-key rotate") {
			t.Errorf("%s: %v does not name the command that helps", tt.name, err)
		}
	}
	g, err := server.Open(t.Context(), server.Config{Init: true, Data: data})
	if err != nil {
		t.Fatal(err)
	}
	rotateOnline(t, g, nil)
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	if err := start(0); err != nil {
		t.Errorf("with a new online key: %v", err)
	}
}

// TestDatabaseFileIsReplaced: a gateway ends if its database file is deleted or
// replaced. Until then it does not confirm any change.
//
//engine:sqlite its gateway runs on SQLite
func TestDatabaseFileIsReplaced(t *testing.T) {
	t.Parallel()
	for name, take := range map[string]func(path string) error{
		"deleted":           os.Remove,
		"its log deleted":   func(path string) error { return os.Remove(path + "-wal") },
		"its index deleted": func(path string) error { return os.Remove(path + "-shm") },
		"replaced":          func(path string) error { return os.Rename(path+".copy", path) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := t.TempDir()
			cfg := server.Config{Init: true, Addr: "127.0.0.1:0", Data: data, Readback: storetest.Readback{}}
			ready, done := make(chan net.Addr, 1), make(chan error, 1)
			cfg.Ready = func(a net.Addr) { ready <- a }
			go func() { done <- server.Run(t.Context(), cfg) }()
			r := &harness.Rig{T: t, Dir: data, Engine: storetest.SQLite}
			select {
			case a := <-ready:
				r.URL = "http://" + a.String()
				harness.Watch(a.String())
			case err := <-done:
				t.Fatal(err)
			}
			var err error
			r.Admin, err = server.Open(t.Context(), cfg)
			must(t, err)
			key := r.Tenant("ACME01")
			id := r.Stamp(key, "before").Id.String()
			path := filepath.Join(data, store.FileName)
			_, err = storetest.Raw(t, data).Exec(`VACUUM INTO '` + path + `.copy'`)
			must(t, err)
			must(t, take(path))
			a, err := r.Try(harness.Request{Method: "GET", Path: "/readyz"})
			if err == nil && a.StatusCode != http.StatusServiceUnavailable {
				t.Errorf("still ready: %d %s", a.StatusCode, a.Raw)
			}
			a, err = r.Try(harness.Request{Method: "POST", Path: "/v1/tcode/stamps/" + id + "/revoke", Key: key})
			if err == nil && a.StatusCode != http.StatusServiceUnavailable {
				t.Errorf("a change is answered %d %s", a.StatusCode, a.Raw)
			}
			if _, err := r.Admin.Tenants.CreateTenant(t.Context(), "Late", "LATE01"); !errors.Is(err, store.ErrReplaced) {
				t.Errorf("a command's change: %v, want ErrReplaced", err)
			}
			if err := <-done; !errors.Is(err, store.ErrReplaced) {
				t.Errorf("Run = %v, want ErrReplaced", err)
			}
			must(t, r.Admin.Close())
		})
	}
}

// TestSetBackBesideAnother: the version that another gateway of the folder has
// published counts as well, and the noted version never goes down.
//
//engine:sqlite its gateway runs on SQLite
func TestSetBackBesideAnother(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	g, err := server.Open(t.Context(), server.Config{Init: true, Data: data})
	must(t, err)
	defer g.Close()
	_, err = g.Publisher.Publish(t.Context())
	must(t, err)
	floor := filepath.Join(data, "published-version")
	must(t, os.WriteFile(floor, []byte("99999999999\n"), 0o600))
	_, err = g.Tenants.CreateTenant(t.Context(), "A", "AAAAAA")
	must(t, err)
	if _, err := g.Publisher.Publish(t.Context()); !errors.Is(err, publish.ErrRolledBack) {
		t.Errorf("Publish = %v, want ErrRolledBack", err)
	}
	if raw, err := os.ReadFile(floor); err != nil || string(raw) != "99999999999\n" {
		t.Errorf("the note is %q now, %v", raw, err)
	}
}
