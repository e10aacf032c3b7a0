package opstest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"tcode/server"
	"tcode/server/store/storetest"
)

// TestDrain: a gateway that is told to stop answers a request whose body is still
// on its way, and takes no new request.
//
//race:on requests and a stop meet
func TestDrain(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ready := make(chan net.Addr, 1)
	done := make(chan error, 1)
	go func() {
		done <- server.Run(ctx, server.Config{Init: true, Addr: "127.0.0.1:0", Data: t.TempDir(), Readback: storetest.Readback{}, Ready: func(a net.Addr) { ready <- a }})
	}()
	var addr net.Addr
	select {
	case addr = <-ready:
	case err := <-done:
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", addr.String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	body := `{"payload":"x"}`
	fmt.Fprintf(conn, "POST /v1/tcode/verify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", len(body))
	answer := bufio.NewReader(conn)
	// The gateway says "continue" once the handler waits for the body.
	if line, err := answer.ReadString('\n'); err != nil || !strings.Contains(line, "100") {
		t.Fatalf("first line %q: %v", line, err)
	}
	answer.ReadString('\n')
	cancel()
	for { // until the listener is closed
		c, err := net.Dial("tcp", addr.String())
		if err != nil {
			break
		}
		c.Close()
	}
	io.WriteString(conn, body)
	res, err := http.ReadResponse(answer, nil)
	if err != nil {
		t.Fatalf("the request in flight was dropped: %v", err)
	}
	res.Body.Close()
	if res.StatusCode != 400 { // INVALID_PAYLOAD
		t.Errorf("status %d, want 400", res.StatusCode)
	}
	if err := <-done; err != nil {
		t.Errorf("Run: %v", err)
	}
}

//engine:sqlite connections and processes decide, not rows
func TestAddressInUse(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	err = server.Run(t.Context(), server.Config{Init: true, Addr: l.Addr().String(), Data: t.TempDir(), Readback: storetest.Readback{}})
	if !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("err = %v, want %v", err, syscall.EADDRINUSE)
	}
}

// TestReopen: a gateway has the same records and the same root after a restart.
//
//engine:sqlite its gateway runs on SQLite
func TestReopen(t *testing.T) {
	t.Parallel()
	cfg := server.Config{Init: true, Data: t.TempDir()}
	first, err := server.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := first.Tenants.CreateTenant(t.Context(), "Acme", "ACME01"); err != nil {
		t.Fatal(err)
	}
	fp := first.Publisher.Fingerprint()
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if !server.Exists(cfg.Data) || server.Exists(t.TempDir()) {
		t.Error("Exists is wrong")
	}
	again, err := server.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if again.Publisher.Fingerprint() != fp {
		t.Error("the root changed")
	}
	if x, err := again.Tenants.Tenant(t.Context(), "ACME01"); err != nil || x.Name != "Acme" {
		t.Errorf("tenant = %+v, %v", x, err)
	}
}
