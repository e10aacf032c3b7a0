package blobtest

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// fakeGCSVersion is the server with the interface of Google Cloud Storage.
const fakeGCSVersion = "v1.56.1"

// Token is what requests to a bucket of [GS] carry.
const Token = "token-of-the-test"

// GS runs fake-gcs-server, with its files in memory, until the test ends. It answers only
// requests with the token that the test's credentials get.
func GS(t testing.TB) Bucket {
	t.Helper()
	GoogleAccount(t)
	program := install(t, "fake-gcs-server", "github.com/fsouza/fake-gcs-server", fakeGCSVersion)
	addr, host, port := freeAddress(t)
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: addr})
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+Token {
			http.Error(w, "no token", http.StatusUnauthorized)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	run(t, addr, exec.Command(program, "-backend", "memory", "-scheme", "http", "-host", host, "-port", port, "-external-url", front.URL, "-log-level", "error"))
	answer, err := http.Post("http://"+addr+"/storage/v1/b", "application/json", strings.NewReader(`{"name":"files"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("new bucket: %s", answer.Status)
	}
	return Bucket{URL: "gs://files?" + url.Values{"endpoint": {front.URL}}.Encode(), Stop: front.Close}
}

// accounts is the state of the file with the credentials for Google.
var accounts struct {
	sync.Mutex
	tests int // that use the file
	text  []byte
}

// GoogleAccount writes credentials of a service account, which get their token from a server of this
// process, to a file. The file lives as long as a test that needs it.
func GoogleAccount(t testing.TB) {
	t.Helper()
	a := &accounts
	a.Lock()
	defer a.Unlock()
	if a.text == nil {
		a.text = newAccount(t)
	}
	path := filepath.Join(os.TempDir(), fmt.Sprint("blobtest-account-", os.Getpid(), ".json"))
	if a.tests == 0 {
		if err := os.WriteFile(path, a.text, 0o600); err != nil {
			t.Fatal(err)
		}
		os.Setenv("GOOGLE_APPLICATION_CREDENTIALS", path)
	}
	a.tests++
	t.Cleanup(func() {
		a.Lock()
		defer a.Unlock()
		if a.tests--; a.tests == 0 {
			os.Remove(path)
		}
	})
}

// newAccount returns credentials with a new key. Their server runs as long as the process.
func newAccount(t testing.TB) []byte {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("assertion") == "" {
			http.Error(w, "no assertion", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"access_token":%q,"token_type":"Bearer","expires_in":3600}`, Token)
	}))
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]string{
		"type": "service_account", "client_email": "gateway@example.com", "private_key_id": "1", "token_uri": server.URL,
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw})),
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}
