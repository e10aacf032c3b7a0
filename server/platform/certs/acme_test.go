package certs_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"tcode/server/platform/certs"
)

// A logged is a log that a test reads while it is written.
type logged struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// run runs k until do returns.
func run(t *testing.T, k *certs.Keeper, do func()) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- k.Run(ctx) }()
	do()
	stop()
	must(t, <-done)
}

// until waits until ok.
func until(t *testing.T, what string, log *logged, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not after a minute\n%s", what, log)
		}
	}
}

// pebbleVersion is the ACME authority for tests of Let's Encrypt, built once for all runs.
const pebbleVersion = "v2.10.3"

// pebbleProgram builds Pebble outside of this module.
func pebbleProgram(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	must(t, err)
	dir := filepath.Join(cache, "tcode", "tools", "pebble-"+pebbleVersion)
	program := filepath.Join(dir, "pebble")
	if _, err := os.Stat(program); err == nil {
		return program
	}
	must(t, os.MkdirAll(dir, 0o700))
	cmd := exec.Command("go", "install", "github.com/letsencrypt/pebble/v2/cmd/pebble@"+pebbleVersion)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOBIN="+dir, "GOFLAGS=", "GOPROXY=https://proxy.golang.org,direct")
	if os.Getenv("GOPROXY") != "" {
		cmd.Env = append(cmd.Env, "GOPROXY="+os.Getenv("GOPROXY"))
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		if os.Getenv("CI") == "" {
			t.Skipf("Pebble cannot be built: %v\n%s", err, out)
		}
		t.Fatalf("build Pebble: %v\n%s", err, out)
	}
	return program
}

// An authority is Pebble, with a name server that leads all names to this machine.
type authority struct {
	directory, ca string         // address, PEM file
	roots         *x509.CertPool // of the certificates that it signs
}

// begin runs an authority that asks for challenges at the two ports.
func begin(t *testing.T, tlsPort, httpPort int) *authority {
	t.Helper()
	program, dir := pebbleProgram(t), t.TempDir()
	a := &authority{ca: filepath.Join(dir, "cert.pem")}
	certPEM, keyPEM := pair(t, "localhost", 1, time.Now().Add(time.Hour))
	must(t, os.WriteFile(a.ca, certPEM, 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "key.pem"), keyPEM, 0o600))
	api, manage := freePort(t), freePort(t)
	config, err := json.Marshal(map[string]any{"pebble": map[string]any{
		"listenAddress": fmt.Sprintf("127.0.0.1:%d", api), "managementListenAddress": fmt.Sprintf("127.0.0.1:%d", manage),
		"certificate": a.ca, "privateKey": filepath.Join(dir, "key.pem"), "httpPort": httpPort, "tlsPort": tlsPort, "keyAlgorithm": "ecdsa",
		"retryAfter": map[string]int{"authz": 1, "order": 1},
		// Its certificates are renewed after two thirds of six seconds.
		"profiles": map[string]any{"default": map[string]any{"description": "for tests", "validityPeriod": 6}},
	}})
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "pebble.json"), config, 0o600))
	cmd := exec.Command(program, "-config", filepath.Join(dir, "pebble.json"), "-dnsserver", nameServer(t))
	var out logged
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Env = append(os.Environ(), "PEBBLE_VA_NOSLEEP=1", "PEBBLE_WFE_NONCEREJECT=0")
	must(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill() //nolint:errcheck // it may have ended
		cmd.Wait()         //nolint:errcheck // it was killed
		if t.Failed() {
			t.Logf("Pebble:\n%s", out.String())
		}
	})
	a.directory = fmt.Sprintf("https://localhost:%d/dir", api)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(certPEM)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, ServerName: "localhost"}, DisableKeepAlives: true}}
	until(t, "Pebble answers", &out, func() bool {
		res, err := client.Get(fmt.Sprintf("https://127.0.0.1:%d/roots/0", manage))
		if err != nil {
			return false
		}
		defer res.Body.Close()
		var root bytes.Buffer
		root.ReadFrom(res.Body) //nolint:errcheck // no root: the pool is empty
		a.roots = x509.NewCertPool()
		return a.roots.AppendCertsFromPEM(root.Bytes())
	})
	return a
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// nameServer answers each question for an address with this machine's, over TCP, until the test ends.
func nameServer(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go nameAnswer(conn)
		}
	}()
	return l.Addr().String()
}

// nameAnswer answers one question.
func nameAnswer(conn net.Conn) {
	defer conn.Close()
	var size [2]byte
	if _, err := io.ReadFull(conn, size[:]); err != nil {
		return
	}
	raw := make([]byte, binary.BigEndian.Uint16(size[:]))
	var m dnsmessage.Message
	if _, err := io.ReadFull(conn, raw); err != nil || m.Unpack(raw) != nil || len(m.Questions) != 1 {
		return
	}
	m.Response, m.Additionals = true, nil
	if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
		m.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 1},
			Body:   &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}},
		}}
	}
	if raw, err := m.AppendPack(make([]byte, 2)); err == nil {
		binary.BigEndian.PutUint16(raw, uint16(len(raw)-2))
		conn.Write(raw) //nolint:errcheck // it asks again
	}
}

// serve answers handshakes with the certificates of k at a listener until the test ends.
func serve(t *testing.T, k *certs.Keeper, l net.Listener) {
	t.Helper()
	s := &http.Server{TLSConfig: k.TLS(), Handler: http.NotFoundHandler(), ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)}
	go s.ServeTLS(l, "", "") //nolint:errcheck // it ends with the test
	t.Cleanup(func() { s.Close() })
}

// leaf returns the certificate of a handshake, nil without one.
func leaf(addr, name string, roots *x509.CertPool) *x509.Certificate {
	c, err := tls.Dial("tcp", addr, &tls.Config{RootCAs: roots, ServerName: name, NextProtos: []string{"h2"}})
	if err != nil {
		return nil
	}
	defer c.Close()
	return c.ConnectionState().PeerCertificates[0]
}

// TestACME orders certificates at Pebble. The authority reaches one of two gateways, which
// share a cache, and the other orders.
//
//race:on orders, handshakes and challenges meet
func TestACME(t *testing.T) {
	t.Parallel()
	listen := func() net.Listener {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		must(t, err)
		t.Cleanup(func() { l.Close() })
		return l
	}
	reached, other, plain := listen(), listen(), listen()
	a := begin(t, reached.Addr().(*net.TCPAddr).Port, plain.Addr().(*net.TCPAddr).Port)
	cache := filepath.Join(t.TempDir(), "acme")
	var log logged
	open := func(l net.Listener, hosts ...string) *certs.Keeper {
		k, err := certs.Open(certs.Config{
			Hosts: hosts, Directory: a.directory, CA: a.ca, Email: "office@gateway.test", Cache: cache, Every: 50 * time.Millisecond, Log: slog.New(slog.NewTextHandler(&log, nil)),
		})
		must(t, err)
		if l != nil {
			serve(t, k, l)
		}
		return k
	}
	open(reached, "a.gateway.test", "b.gateway.test") // answers, and orders nothing
	k := open(other, "a.gateway.test", "B.gateway.test")
	run(t, k, func() {
		until(t, "both are ordered", &log, func() bool {
			return leaf(other.Addr().String(), "a.gateway.test", a.roots) != nil && leaf(other.Addr().String(), "b.gateway.test", a.roots) != nil
		})
		first := leaf(other.Addr().String(), "a.gateway.test", a.roots)
		until(t, "it is renewed", &log, func() bool {
			now := leaf(other.Addr().String(), "a.gateway.test", a.roots)
			return now != nil && now.SerialNumber.Cmp(first.SerialNumber) != 0
		})
	})
	for _, st := range k.States() {
		if st.Err != nil || st.Expires.IsZero() {
			t.Errorf("state %+v", st)
		}
	}
	if leaf(other.Addr().String(), "c.gateway.test", a.roots) != nil {
		t.Error("a handshake for another name has a certificate")
	}
	if c, err := tls.Dial("tcp", other.Addr().String(), &tls.Config{InsecureSkipVerify: true}); err != nil || c.ConnectionState().PeerCertificates[0].DNSNames[0] != "a.gateway.test" { //nolint:gosec // the client names no host
		t.Errorf("a client that names no host: %v", err)
	}
	err := filepath.WalkDir(cache, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if mode := info.Mode().Perm(); err == nil && mode&0o077 != 0 {
			t.Errorf("%s has mode %o", path, mode)
		}
		return err
	})
	must(t, err)

	t.Run("from the cache", func(t *testing.T) {
		l := listen()
		again := open(l, "b.gateway.test")
		run(t, again, func() {
			until(t, "it is read", &log, func() bool { return leaf(l.Addr().String(), "b.gateway.test", a.roots) != nil })
		})
	})
	t.Run("by plain HTTP", func(t *testing.T) { // TLS-ALPN fails: no gateway at that port has the name
		l := listen()
		k := open(l, "c.gateway.test")
		s := &http.Server{Handler: k.Challenges(http.NotFoundHandler())}
		go s.Serve(plain) //nolint:errcheck // it ends with the test
		t.Cleanup(func() { s.Close() })
		run(t, k, func() {
			until(t, "it is ordered", &log, func() bool { return leaf(l.Addr().String(), "c.gateway.test", a.roots) != nil })
		})
	})
	t.Run("an authority that is not trusted", func(t *testing.T) {
		k, err := certs.Open(certs.Config{Hosts: []string{"d.gateway.test"}, Directory: a.directory, Cache: cache, Every: time.Millisecond, Log: slog.New(slog.NewTextHandler(&log, nil))})
		must(t, err)
		run(t, k, func() {
			until(t, "the order fails", &log, func() bool { return k.States()[0].Err != nil })
			time.Sleep(50 * time.Millisecond) // many looks, and one order
		})
		if n := strings.Count(log.String(), "unknown authority"); n != 1 {
			t.Errorf("%d failures are logged, want 1\n%s", n, log.String())
		}
	})
	if strings.Contains(log.String(), "PRIVATE") {
		t.Error("the log holds a key")
	}
}
