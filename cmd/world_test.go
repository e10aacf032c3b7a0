package cmd_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tcode/cmd/internal/device"
	"tcode/offline/host/sandbox"
	"tcode/offline/payload"
	"tcode/scanner/web"
	"tcode/server"
	"tcode/server/httpapi"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
	"tcode/testdata"
)

// These tests check the promises of the product on whole programs: a serving
// gateway, the built tcode-scan, the project's own documents.

func TestMain(m *testing.M) {
	sandbox.Main(server.Roles()...)
	code := m.Run()
	if built.dir != "" {
		os.RemoveAll(built.dir)
	}
	os.Exit(code)
}

// built holds the programs that scan and gateway build once for all tests.
var built struct {
	once sync.Once
	dir  string
	err  error
}

// program returns the path of one of our programs, built from this tree.
func program(t *testing.T, name string) string {
	t.Helper()
	built.once.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "tcode-programs-"); built.err != nil {
			return
		}
		out, err := exec.Command("go", "build", "-o", built.dir+string(filepath.Separator), "./tcode", "./tcode-scan", "./tcode-gateway", "./tcode-demo").CombinedOutput()
		if err != nil {
			built.err = fmt.Errorf("go build: %w\n%s", err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return filepath.Join(built.dir, name)
}

// count returns the amount of work of a test: usual in every run, more if the
// environment variable name asks for it, for published figures.
func count(t *testing.T, name string, usual int) int {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		return usual
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 {
		t.Fatalf("%s=%q is no count", name, value)
	}
	return n
}

// world is a gateway on loopback with issuers, and a folder for everything else.
type world struct {
	pageTime time.Duration // of the next gateway that starts; zero: the default
	t        testing.TB
	dir      string
	data     string
	addr     string
	issuers  []issuer
	stop     func()
	// ahead is the time by which the gateway's clock runs ahead of this
	// machine's, in nanoseconds. It may change while the gateway runs.
	ahead atomic.Int64
}

type issuer struct{ reference, apiKey string }

// newWorld serves a gateway with that many issuers until the test ends.
func newWorld(t testing.TB, issuers int) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), addr: apart}
	w.data = filepath.Join(w.dir, "gateway")
	if err := os.Mkdir(w.data, 0o700); err != nil {
		t.Fatal(err)
	}
	storetest.Begin(t, storetest.SQLite, w.data)
	opened, err := server.Open(t.Context(), server.Config{Init: true, Data: w.data})
	if err != nil {
		t.Fatal(err)
	}
	for i := range issuers {
		tn, err := opened.Tenants.CreateTenant(t.Context(), fmt.Sprintf("Issuer %d", i), fmt.Sprintf("ISS%03d", i))
		if err != nil {
			t.Fatal(err)
		}
		key, err := opened.Tenants.CreateKey(t.Context(), tn.Reference, tenant.KeyOptions{Name: "test", Scopes: tenant.Scopes()})
		if err != nil {
			t.Fatal(err)
		}
		w.issuers = append(w.issuers, issuer{tn.Reference, key.Secret})
	}
	if err := opened.Close(); err != nil {
		t.Fatal(err)
	}
	w.start()
	t.Cleanup(func() { w.down() })
	return w
}

// start starts the gateway, at the same address as before.
func (w *world) start() {
	w.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ready := make(chan net.Addr, 1)
	done := make(chan error, 1)
	limits := httpapi.DefaultLimits()
	limits.LookupsPerMinute, limits.ScansPerMinute = 0, 0
	go func() {
		done <- server.Run(ctx, server.Config{
			Init: true,
			Addr: w.addr, Data: w.data, Limits: &limits, Drain: 5 * time.Second, ScannerApp: web.New(), PageTime: w.pageTime,
			Ready: func(a net.Addr) { ready <- a },
			Now:   func() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) },
		})
	}()
	select {
	case a := <-ready:
		w.addr = a.String()
	case err := <-done:
		cancel()
		w.t.Fatalf("start gateway: %v", err)
	}
	w.stop = func() {
		cancel()
		if err := <-done; err != nil {
			w.t.Errorf("stop gateway: %v", err)
		}
	}
}

// down stops the gateway if it is up.
func (w *world) down() {
	if w.stop != nil {
		w.stop()
		w.stop = nil
	}
}

func (w *world) url() string { return "http://" + w.addr }

// A paper is a stamped document with the content of its symbol.
type paper struct {
	id, reference string
	original, pdf []byte
	payload       payload.Payload
	raw           []byte   // payload bytes
	warnings      []string // warnings for the issuer
}

// stamp stamps pdf over the API and downloads file and payload.
func (w *world) stamp(by issuer, name string, pdf []byte) paper {
	w.t.Helper()
	var created struct {
		Data struct {
			ID, Reference string
			Warnings      []string
		}
	}
	w.call(by, http.MethodPost, "/v1/tcode/stamps", map[string]any{
		"name": name, "documentTypeCode": "DIP", "pdf": base64.StdEncoding.EncodeToString(pdf),
	}, &created)
	p := paper{id: created.Data.ID, reference: created.Data.Reference, original: pdf, warnings: created.Data.Warnings}
	p.pdf = w.download(by, p.id, "stamped")
	raw, err := payload.DecodeText(string(w.download(by, p.id, "payload")))
	if err != nil {
		w.t.Fatal(err)
	}
	p.raw = raw
	if p.payload, err = payload.Parse(raw); err != nil {
		w.t.Fatal(err)
	}
	return p
}

func (w *world) download(by issuer, id, kind string) []byte {
	w.t.Helper()
	var link struct{ Data struct{ URL string } }
	w.call(by, http.MethodGet, "/v1/tcode/stamps/"+id+"/download?type="+kind, nil, &link)
	return w.fetch(by, http.MethodGet, link.Data.URL, nil)
}

// call sends JSON and decodes the answer; anything but success fails the test.
func (w *world) call(by issuer, method, path string, body, into any) {
	w.t.Helper()
	var raw []byte
	if body != nil {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			w.t.Fatal(err)
		}
	}
	answer := w.fetch(by, method, w.url()+path, raw)
	if into == nil {
		return
	}
	if err := json.Unmarshal(answer, into); err != nil {
		w.t.Fatalf("%s %s: %v in %s", method, path, err, answer)
	}
}

func (w *world) fetch(by issuer, method, url string, body []byte) []byte {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, url, bytes.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("x-api-key", by.apiKey)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode >= 300 {
		w.t.Fatalf("%s %s: %s %s (%v)", method, url, res.Status, answer, err)
	}
	return answer
}

// scanner opens an enrolled device in a home folder of that name.
func (w *world) scanner(name string) *device.Device {
	w.t.Helper()
	return w.scannerWith(name, device.Config{})
}

// scannerWith returns an enrolled device with a new home of this name and the
// other settings of c.
func (w *world) scannerWith(name string, c device.Config) *device.Device {
	w.t.Helper()
	c.Home = filepath.Join(w.dir, name)
	s, err := device.Open(w.t.Context(), c)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { s.Close() })
	if _, err := s.Enrol(w.t.Context(), w.url(), nil); err != nil {
		w.t.Fatal(err)
	}
	return s
}

// file writes data into the world's folder and returns its path.
func (w *world) file(name string, data []byte) string {
	w.t.Helper()
	path := filepath.Join(w.dir, name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		w.t.Fatal(err)
	}
	return path
}

// document returns one of the project's own PDFs.
func document(t testing.TB, name string) []byte {
	t.Helper()
	pdf, err := testdata.Documents.ReadFile("documents/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return pdf
}

// exitCode returns the exit code of a finished command, and fails the test if
// the command did not run.
func exitCode(t *testing.T, err error) int {
	t.Helper()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	t.Fatal(err)
	return -1
}

// need returns the path of a tool that a test needs. In CI a missing tool is a
// failure, not a skip.
func need(t *testing.T, tool string) string {
	t.Helper()
	path, err := exec.LookPath(tool)
	if err == nil {
		return path
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is missing: see .ci/test", tool)
	}
	t.Skipf("%s is missing: see .ci/test", tool)
	return ""
}

func writeFile(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
