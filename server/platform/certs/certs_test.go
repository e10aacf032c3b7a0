package certs_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tcode/server/platform/certs"
)

// pair makes a self-signed certificate for a name, as PEM.
func pair(t *testing.T, name string, serial int64, until time.Time) (certPEM, keyPEM []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name}, NotBefore: time.Now().AddDate(0, 0, -90), NotAfter: until,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	must(t, err)
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	must(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestFiles: what is wrong with changed files leaves the certificate before in use, is in
// the state and is logged once.
func TestFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	write := func(certPEM, keyPEM []byte) {
		must(t, os.WriteFile(certFile, certPEM, 0o600))
		must(t, os.WriteFile(keyFile, keyPEM, 0o600))
	}
	year := time.Now().AddDate(1, 0, 0)
	one, oneKey := pair(t, "gateway.example", 1, year)
	two, twoKey := pair(t, "gateway.example", 2, year)
	three, threeKey := pair(t, "gateway.example", 3, time.Now().Add(-time.Minute))
	write(one, twoKey)
	if _, err := certs.Open(certs.Config{Cert: certFile, Key: keyFile}); err == nil || !strings.Contains(err.Error(), "key.pem") {
		t.Fatalf("files that do not belong together: %v", err)
	}
	if _, err := certs.Open(certs.Config{Cert: certFile, Key: filepath.Join(dir, "none")}); !os.IsNotExist(err) {
		t.Fatalf("a missing key: %v", err)
	}
	write(one, oneKey)
	must(t, os.Chmod(keyFile, 0o644))
	var log bytes.Buffer
	k, err := certs.Open(certs.Config{Cert: certFile, Key: keyFile, Log: slog.New(slog.NewTextHandler(&log, nil))})
	must(t, err)
	if !strings.Contains(log.String(), "chmod 600") {
		t.Error("no warning of a key that every user may read")
	}
	serial := func() int64 {
		cert, err := k.TLS().GetCertificate(&tls.ClientHelloInfo{})
		must(t, err)
		return cert.Leaf.SerialNumber.Int64()
	}
	tests := []struct {
		name      string
		cert, key []byte
		want      int64
		log       string // what Reload logs; empty: nothing
	}{
		{"unchanged", one, oneKey, 1, ""},
		{"another pair", two, twoKey, 2, "was read again"},
		{"mismatched", one, twoKey, 2, "not read again"},
		{"no certificate", []byte("x"), twoKey, 2, "not read again"},
		{"too large", bytes.Repeat([]byte("x"), 2<<20), twoKey, 2, "larger than"},
		{"back", two, twoKey, 2, ""},
		{"ended", three, threeKey, 2, "has ended"},
		{"good again", one, oneKey, 1, "was read again"},
	}
	for _, tt := range tests {
		write(tt.cert, tt.key)
		log.Reset()
		k.Reload(t.Context())
		if got := serial(); got != tt.want {
			t.Errorf("%s: certificate %d, want %d", tt.name, got, tt.want)
		}
		if got := log.String(); !strings.Contains(got, tt.log) || tt.log == "" && got != "" {
			t.Errorf("%s: log %q, want %q", tt.name, got, tt.log)
		}
		st := k.States()[0]
		if failed := st.Err != nil; failed != (tt.log != "" && tt.log != "was read again") || st.Expires.IsZero() {
			t.Errorf("%s: state %+v", tt.name, st)
		}
		if strings.Contains(log.String(), "PRIVATE") {
			t.Errorf("%s: the log holds a key", tt.name)
		}
	}
	must(t, os.Remove(keyFile))
	k.Reload(t.Context())
	if got := serial(); got != 1 || k.States()[0].Err == nil {
		t.Errorf("without the file: certificate %d, %+v", got, k.States())
	}
}

// TestEnds: the log warns from 14 days before the end, and says when it has come.
func TestEnds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		left time.Duration
		want string // empty: silence
	}{{15 * 24 * time.Hour, ""}, {13 * 24 * time.Hour, "ends soon"}, {-time.Hour, "has ended"}} {
		dir := t.TempDir()
		certPEM, keyPEM := pair(t, "gateway.example", 1, time.Now().Add(tt.left))
		c := certs.Config{Cert: filepath.Join(dir, "c"), Key: filepath.Join(dir, "k"), Every: time.Millisecond}
		must(t, os.WriteFile(c.Cert, certPEM, 0o600))
		must(t, os.WriteFile(c.Key, keyPEM, 0o600))
		var log logged
		c.Log = slog.New(slog.NewTextHandler(&log, nil))
		k, err := certs.Open(c)
		must(t, err)
		run(t, k, func() { time.Sleep(20 * time.Millisecond) })
		got := log.String()
		if !strings.Contains(got, tt.want) || tt.want == "" && got != "" || strings.Count(got, "\n") > 1 {
			t.Errorf("%v before the end: log %q, want %q once", tt.left, got, tt.want)
		}
	}
}

func TestCheckHost(t *testing.T) {
	t.Parallel()
	for host, good := range map[string]bool{
		"tcode.example.org": true, "TCODE.example": true, "xn--mller-kva.example": true,
		"": false, "localhost": false, "*.example.org": false, "192.0.2.1": false, "::1": false, "a.example:443": false,
		"a..example": false, "a.example.": false, "https://a.example": false, "müller.example": false, strings.Repeat("a.", 150) + "example": false,
	} {
		if err := certs.CheckHost(host); (err == nil) != good {
			t.Errorf("%q: %v, want good = %v", host, err, good)
		}
	}
}
