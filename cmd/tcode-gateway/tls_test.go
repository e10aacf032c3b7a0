package main

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// lines is the log of a running program.
type lines struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// writePair makes a certificate for localhost with its key in dir, and returns it.
func writePair(t *testing.T, dir string, serial int64, days int) *x509.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().AddDate(0, 0, -80), NotAfter: time.Now().AddDate(0, 0, days),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	check(t, err)
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	check(t, err)
	check(t, os.WriteFile(filepath.Join(dir, "cert.pem"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	check(t, os.WriteFile(filepath.Join(dir, "key.pem"), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw}), 0o600))
	cert, err := x509.ParseCertificate(der)
	check(t, err)
	return cert
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// soon waits until ok.
func soon(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not after a minute", what)
		}
	}
}

// TestServeTLS serves HTTPS, reads a renewed certificate after SIGHUP, keeps it when the next
// one is not good, and leads plain HTTP to HTTPS.
func TestServeTLS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert := writePair(t, dir, 1, 13)
	cmd := exec.Command("tcode-gateway", "serve", "--init", "--json", "--addr", "127.0.0.1:0", "--data", filepath.Join(dir, "data"), "--log-level", "debug",
		"--tls-cert", filepath.Join(dir, "cert.pem"), "--tls-key", filepath.Join(dir, "key.pem"), "--http-redirect", "127.0.0.1:0", "--metrics-addr", "127.0.0.1:0")
	stdout, err := cmd.StdoutPipe()
	check(t, err)
	log := &lines{}
	cmd.Stderr = log
	check(t, cmd.Start())
	defer cmd.Process.Kill()
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	var ready struct{ URL string }
	if err != nil || json.Unmarshal(line, &ready) != nil || !strings.HasPrefix(ready.URL, "https://127.0.0.1:") {
		t.Fatalf("first line %q: %v\n%s", line, err, log)
	}
	addr := strings.TrimPrefix(ready.URL, "https://")
	address := func(message string) string { // of another listener, from the log
		found := regexp.MustCompile(`"msg":"` + message + `","addr":"([^"]*)"`).FindStringSubmatch(log.String())
		if found == nil {
			t.Fatalf("no %q in the log:\n%s", message, log)
		}
		return found[1]
	}
	client := func(cert *x509.Certificate) *http.Client {
		pool := x509.NewCertPool()
		pool.AddCert(cert)
		return &http.Client{
			Transport:     &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true, DisableKeepAlives: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	get := func(c *http.Client, url string, header ...string) (*http.Response, string) {
		t.Helper()
		req, err := http.NewRequest(http.MethodGet, url, nil)
		check(t, err)
		for i := 0; i+1 < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		res, err := c.Do(req)
		check(t, err)
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		check(t, err)
		return res, string(body)
	}
	res, _ := get(client(cert), ready.URL+"/healthz")
	if res.StatusCode != 200 || res.ProtoMajor != 2 || res.Header.Get("Strict-Transport-Security") == "" {
		t.Errorf("%s %s, %v", res.Proto, res.Status, res.Header)
	}
	if _, body := get(client(cert), ready.URL+"/v1/reference-data/trust-store", "Accept", "application/json"); strings.Contains(body, `"http://`) {
		t.Errorf("addresses in an answer are not https: %s", body)
	}
	if c, err := tls.Dial("tcp", addr, &tls.Config{MaxVersion: tls.VersionTLS11, InsecureSkipVerify: true}); err == nil { //nolint:gosec // it must fail
		c.Close()
		t.Error("TLS 1.1 is accepted")
	}

	plain := "http://" + address("plain HTTP is led to HTTPS")
	res, _ = get(client(cert), plain+"/d/TCR-1?lang=de")
	if want := ready.URL + "/d/TCR-1?lang=de"; res.StatusCode != http.StatusPermanentRedirect || res.Header.Get("Location") != want {
		t.Errorf("plain HTTP: %s to %s, want %s", res.Status, res.Header.Get("Location"), want)
	}
	if res, body := get(client(cert), plain+"/v1/tcode/stamps", "x-api-key", "tck_secret"); res.StatusCode != http.StatusForbidden || !strings.Contains(body, "plain text") {
		t.Errorf("a key over plain HTTP: %s %s", res.Status, body)
	}

	metrics := func() string {
		_, body := get(http.DefaultClient, "http://"+address("metrics are served")+"/metrics")
		return body
	}
	if m := metrics(); !strings.Contains(m, `tcode_tls_certificate_expiry_timestamp_seconds{source="file"} `) || !strings.Contains(m, `tcode_tls_certificate_failing{source="file"} 0`) {
		t.Errorf("no certificate in the metrics:\n%s", m)
	}
	soon(t, "a warning of the end", func() bool { return strings.Contains(log.String(), "ends soon") })

	key, err := os.ReadFile(filepath.Join(dir, "key.pem"))
	check(t, err)
	cert = writePair(t, dir, 2, 300)
	check(t, cmd.Process.Signal(syscall.SIGHUP))
	serial := func() int64 {
		c, err := tls.Dial("tcp", addr, &tls.Config{InsecureSkipVerify: true}) //nolint:gosec // any certificate
		check(t, err)
		defer c.Close()
		return c.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
	}
	soon(t, "the renewed certificate", func() bool { return serial() == 2 })
	get(client(cert), ready.URL+"/healthz")

	check(t, os.WriteFile(filepath.Join(dir, "key.pem"), key, 0o600)) // of the first certificate
	check(t, cmd.Process.Signal(syscall.SIGHUP))
	soon(t, "the refusal", func() bool { return strings.Contains(log.String(), "not read again") })
	if n := serial(); n != 2 {
		t.Errorf("after a key that does not belong to it the certificate is %d", n)
	}
	if m := metrics(); !strings.Contains(m, `tcode_tls_certificate_failing{source="file"} 1`) {
		t.Error("the metrics do not say that the certificate failed")
	}
	check(t, cmd.Process.Signal(syscall.SIGTERM))
	if err := cmd.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v\n%s", err, log)
	}
}
