// Package world has the gateway, the programs and the documents of the tests of whole programs
// (cmd/README.md, "Tests of whole programs"). Only tests import it.
package world

//race:off whole programs

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"tcode/scanner/web"
	"tcode/server"
	"tcode/server/httpapi"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// apart is where a program listens whose port must stay free while it does not run, and
// after a test has found the port. All other listeners of tests are on 127.0.0.1, so
// they take none of these ports.
const apart = "127.0.0.2:0"

// Day is a day without a change of daylight saving time.
const Day = 24 * time.Hour

// A World is a gateway on loopback with issuers, and a folder for everything else.
type World struct {
	T        testing.TB
	Dir      string // for everything else
	Data     string // folder of the gateway
	Addr     string // of the gateway, host and port, also while it is down
	Issuers  []Issuer
	PageTime time.Duration // of the next gateway that starts; zero: the default
	// Ahead is the time by which the gateway's clock runs ahead of this
	// machine's, in nanoseconds. It may change while the gateway runs.
	Ahead atomic.Int64

	stop func()
}

// An Issuer is a tenant of the gateway, with an API key that may do everything.
type Issuer struct{ Reference, APIKey string }

// New serves a gateway with that many issuers until the test ends.
func New(t testing.TB, issuers int) *World {
	t.Helper()
	w := &World{T: t, Dir: t.TempDir(), Addr: apart}
	w.Data = filepath.Join(w.Dir, "gateway")
	if err := os.Mkdir(w.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	storetest.Begin(t, storetest.SQLite, w.Data)
	opened, err := server.Open(t.Context(), server.Config{Init: true, Data: w.Data})
	if err != nil {
		t.Fatal(err)
	}
	for i := range issuers {
		name, reference := fmt.Sprintf("Issuer %d", i), fmt.Sprintf("ISS%03d", i)
		tn, err := opened.Tenants.CreateTenant(t.Context(), name, reference)
		if err != nil {
			t.Fatal(err)
		}
		options := tenant.KeyOptions{Name: "test", Scopes: tenant.Scopes()}
		key, err := opened.Tenants.CreateKey(t.Context(), tn.Reference, options)
		if err != nil {
			t.Fatal(err)
		}
		w.Issuers = append(w.Issuers, Issuer{tn.Reference, key.Secret})
	}
	if err := opened.Close(); err != nil {
		t.Fatal(err)
	}
	w.Start()
	t.Cleanup(func() { w.Down() })
	return w
}

// Start starts the gateway, at the same address as before.
func (w *World) Start() {
	w.T.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ready := make(chan net.Addr, 1)
	done := make(chan error, 1)
	limits := httpapi.DefaultLimits()
	limits.LookupsPerMinute, limits.ScansPerMinute = 0, 0
	go func() {
		done <- server.Run(ctx, server.Config{
			Init: true,
			Addr: w.Addr, Data: w.Data, Limits: &limits, Drain: 5 * time.Second,
			ScannerApp: web.New(), PageTime: w.PageTime,
			Ready: func(a net.Addr) { ready <- a },
			Now:   func() time.Time { return time.Now().Add(time.Duration(w.Ahead.Load())) },
		})
	}()
	select {
	case a := <-ready:
		w.Addr = a.String()
	case err := <-done:
		cancel()
		w.T.Fatalf("start gateway: %v", err)
	}
	w.stop = func() {
		cancel()
		if err := <-done; err != nil {
			w.T.Errorf("stop gateway: %v", err)
		}
	}
}

// Down stops the gateway if it is up.
func (w *World) Down() {
	if w.stop != nil {
		w.stop()
		w.stop = nil
	}
}

// URL returns the gateway's address, without a slash at the end.
func (w *World) URL() string { return "http://" + w.Addr }

// File writes data into the world's folder and returns its path.
func (w *World) File(name string, data []byte) string {
	w.T.Helper()
	path := filepath.Join(w.Dir, name)
	WriteFile(w.T, path, data)
	return path
}

// FreeAddress returns an address on this machine on which nothing listens.
func FreeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", apart)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
