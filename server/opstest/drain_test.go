package opstest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"tcode/server"
	"tcode/server/internal/harness"
	"tcode/server/store/storetest"
)

// status requests a page on a new connection and returns the status, or 0 if the
// server refuses the connection.
func status(t *testing.T, url string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Close = true
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return 0
	}
	defer res.Body.Close()
	io.Copy(io.Discard, res.Body) //nolint:errcheck // the status was read
	return res.StatusCode
}

// until requests url until the status is want.
func until(t *testing.T, url string, want int) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); ; {
		got := status(t, url)
		if got == want {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s still answers %d, want %d", url, got, want)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// TestSIGTERM: a gateway that gets the signal while a document comes in slowly
// takes no new connections, tells supervisors that it is not ready, still stamps
// the document, and exits with 0. Its stamp is kept.
//
//engine:sqlite the measured gateway runs on SQLite
func TestSIGTERM(t *testing.T) {
	t.Parallel()
	r, cmd, watch := harness.StartProcess(t)
	key := r.Tenant("ACME01")
	until(t, watch+"/readyz", 200)
	body, err := json.Marshal(harness.StampBody("slow"))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /v1/tcode/stamps HTTP/1.1\r\nHost: x\r\nx-api-key: %s\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", key, len(body))
	answer := bufio.NewReader(conn)
	if line, err := answer.ReadString('\n'); err != nil || !strings.Contains(line, "100") {
		t.Fatalf("first line %q: %v", line, err) // the handler waits for the body from here on
	}
	answer.ReadString('\n')
	conn.Write(body[:len(body)/2])
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	until(t, r.URL+"/healthz", 0)
	if got := status(t, watch+"/readyz"); got != 503 {
		t.Errorf("while draining /readyz answers %d, want 503", got)
	}
	if got := status(t, watch+"/healthz"); got != 200 {
		t.Errorf("while draining /healthz answers %d, want 200", got)
	}
	for piece := range slices.Chunk(body[len(body)/2:], 100) {
		if _, err := conn.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	res, err := http.ReadResponse(answer, nil)
	if err != nil {
		t.Fatalf("the upload was dropped: %v", err)
	}
	raw, _ := io.ReadAll(res.Body)
	var made struct{ Data struct{ ID string } }
	if json.Unmarshal(raw, &made); res.StatusCode != 201 {
		t.Fatalf("the upload is answered %d: %s", res.StatusCode, raw)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("exit: %v", err)
	}
	if st, err := r.Admin.Stamps.Get(t.Context(), "ACME01", made.Data.ID); err != nil || st.Name != "slow" {
		t.Errorf("the stamp after the end: %+v, %v", st.Name, err)
	}
}

// TestLinger: a gateway behind a load balancer still answers for a while after the
// signal to stop, and says that it is not ready.
//
//engine:sqlite connections and processes decide, not rows
func TestLinger(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ready, done := make(chan net.Addr, 1), make(chan error, 1)
	go func() {
		done <- server.Run(ctx, server.Config{
			Init: true,
			Addr: "127.0.0.1:0", Data: t.TempDir(), Linger: 500 * time.Millisecond, Readback: storetest.Readback{}, Ready: func(a net.Addr) { ready <- a },
		})
	}()
	var url string
	select {
	case a := <-ready:
		url = "http://" + a.String()
	case err := <-done:
		t.Fatal(err)
	}
	until(t, url+"/readyz", 200)
	cancel()
	until(t, url+"/readyz", 503)
	if got := status(t, url+"/healthz"); got != 200 {
		t.Errorf("/healthz answers %d", got)
	}
	if err := <-done; err != nil {
		t.Errorf("Run: %v", err)
	}
}

// TestSlowClients: a gateway closes the connection of a client that sends too
// slowly, or nothing, and still answers others.
//
//engine:sqlite connections and processes decide, not rows
func TestSlowClients(t *testing.T) {
	t.Parallel()
	r := harness.Start(t, func(c *server.Config) {
		c.Timeouts = server.Timeouts{Header: 200 * time.Millisecond, Read: 400 * time.Millisecond, Write: time.Second, Idle: 200 * time.Millisecond}
	})
	key := r.Tenant("ACME01")
	post := "POST /v1/tcode/stamps HTTP/1.1\r\nHost: x\r\nx-api-key: " + key + "\r\nContent-Type: application/json\r\n"
	tests := []struct{ name, sent string }{
		{"nothing", ""},
		{"half a header", "GET /healthz HTTP/1.1\r\nHost: x\r\n"},
		{"no body", post + "Content-Length: 100000\r\n\r\n"},
		{"half a body", post + "Content-Length: 100000\r\n\r\n{\"name\":"},
		{"endless chunks", post + "Transfer-Encoding: chunked\r\n\r\n5\r\n{\"nam\r\n"},
		{"a body that a look-up has no use for", "GET /v1/reference-data/tenants HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n"},
		{"idle after an answer", "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			conn, err := net.Dial("tcp", strings.TrimPrefix(r.URL, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			io.WriteString(conn, tt.sent)
			conn.SetReadDeadline(time.Now().Add(10 * time.Second))
			raw, err := io.ReadAll(conn) // until the gateway closes the connection
			if err != nil && !strings.Contains(err.Error(), "reset") {
				t.Errorf("still connected after 10 s: %v, %q", err, raw)
			}
			if strings.Contains(string(raw), " 201 ") {
				t.Errorf("half a request is answered: %q", raw)
			}
		})
	}
}

// TestSlowReader: a request of a client that does not read its answer ends after
// the time limit of a request. Files have a limit for each part that is read.
//
//engine:sqlite connections and processes decide, not rows
func TestSlowReader(t *testing.T) {
	t.Parallel()
	r := harness.Start(t, func(c *server.Config) { c.Timeouts = server.Timeouts{Write: 300 * time.Millisecond} })
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.(*net.TCPConn).SetReadBuffer(4 << 10)
	conn.SetWriteDeadline(time.Now().Add(20 * time.Second))
	// The answers exceed all buffers on the way, and the client reads no byte.
	for {
		if _, err = io.WriteString(conn, "GET /docs/ HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			break
		}
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("the gateway still waits for its answer to be taken after 20 s")
	}
	if got := status(t, r.URL+"/healthz"); got != 200 {
		t.Errorf("/healthz answers %d", got)
	}
}

// TestDrainEnds: a gateway that stops closes the connection of a client that never
// ends its request after the drain time, which is no failure. It publishes the
// last changes.
//
//engine:sqlite connections and processes decide, not rows
//race:on requests and a stop meet
func TestDrainEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	ready, done := make(chan net.Addr, 1), make(chan error, 1)
	go func() {
		done <- server.Run(ctx, server.Config{
			Init: true,
			Addr: "127.0.0.1:0", Data: t.TempDir(), Drain: 200 * time.Millisecond, Readback: storetest.Readback{}, Ready: func(a net.Addr) { ready <- a },
		})
	}()
	var addr net.Addr
	select {
	case addr = <-ready:
	case err := <-done:
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", addr.String())
	must(t, err)
	defer conn.Close()
	fmt.Fprintf(conn, "POST /v1/tcode/verify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n")
	if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.Contains(line, "100") {
		t.Fatalf("first line %q: %v", line, err)
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Run: %v", err)
	}
}
