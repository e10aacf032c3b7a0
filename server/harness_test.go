package server_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"tcode/server"
	"tcode/server/httpapi"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// A rig is a running gateway on a fresh data folder, reached over HTTP, and the
// same folder opened a second time as the operator's commands do.
type rig struct {
	t      *testing.T
	url    string
	admin  *server.Gateway
	dir    string // data folder
	engine storetest.Engine
}

// start runs a gateway until the test ends, on the engine that the environment
// chooses. Look-ups are not limited unless change says so.
func start(t *testing.T, change ...func(*server.Config)) *rig {
	t.Helper()
	return startOn(t, storetest.DefaultEngine(), change...)
}

// startOn is start on an engine.
func startOn(t *testing.T, e storetest.Engine, change ...func(*server.Config)) *rig {
	t.Helper()
	limits := httpapi.DefaultLimits()
	limits.LookupsPerMinute, limits.KeyLookupsPerMinute, limits.RequestsPerMinute = 0, 0, 0
	cfg := server.Config{Init: true, Addr: "127.0.0.1:0", Data: t.TempDir(), Limits: &limits, Readback: storetest.Readback{}, Log: slog.New(slog.DiscardHandler)}
	cfg.DatabaseURL = storetest.Begin(t, e, cfg.Data).DatabaseURL
	for _, c := range change {
		c(&cfg)
	}
	ready := make(chan net.Addr, 1)
	cfg.Ready = func(addr net.Addr) { ready <- addr }
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Run(ctx, cfg) }()
	r := &rig{t: t, dir: cfg.Data, engine: e}
	select {
	case addr := <-ready:
		r.url = "http://" + addr.String()
		record.watch(addr.String())
	case err := <-done:
		cancel()
		t.Fatalf("Run: %v", err)
	}
	var err error
	if r.admin, err = server.Open(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.admin.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	return r
}

// tenant makes a tenant with a key.
func (r *rig) tenant(reference string) (key string) {
	r.t.Helper()
	if _, err := r.admin.Tenants.CreateTenant(r.t.Context(), "Tenant "+reference, reference); err != nil {
		r.t.Fatal(err)
	}
	made, err := r.admin.Tenants.CreateKey(r.t.Context(), reference, tenant.KeyOptions{Name: "test"})
	if err != nil {
		r.t.Fatal(err)
	}
	return made.Secret
}

// request is one HTTP request; zero members are left out.
type request struct {
	method, path, key string
	body              any // string: as it is; else marshalled
	header            http.Header
}

// An answer is what came back, held against openapi.yaml by the recorder.
type answer struct {
	*http.Response
	raw  []byte
	body map[string]any
}

// do sends q and checks the answer against the contract.
func (r *rig) do(q request) answer {
	r.t.Helper()
	a, err := r.try(q)
	if err != nil {
		r.t.Fatal(err)
	}
	return a
}

// try is do for a gateway that may be gone.
func (r *rig) try(q request) (answer, error) {
	r.t.Helper()
	var body []byte
	switch b := q.body.(type) {
	case nil:
	case string:
		body = []byte(b)
	case []byte:
		body = b
	default:
		var err error
		if body, err = json.Marshal(b); err != nil {
			r.t.Fatal(err)
		}
	}
	url := q.path
	if strings.HasPrefix(url, "/") {
		url = r.url + url
	}
	req, err := http.NewRequestWithContext(r.t.Context(), q.method, url, bytes.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	if len(body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	if q.key != "" {
		req.Header.Set("x-api-key", q.key)
	}
	for name, values := range q.header {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	a := answer{Response: res}
	if a.raw, err = io.ReadAll(res.Body); err != nil {
		return a, err
	}
	json.Unmarshal(a.raw, &a.body) // left nil where it is no JSON
	if b, ok := res.Body.(*checkedBody); ok && b.wrong != nil {
		r.t.Error(b.wrong)
	}
	return a, nil
}

// data returns the record in data.
func (a answer) data() map[string]any {
	d, _ := a.body["data"].(map[string]any)
	return d
}

// want fails the test unless the answer has that status.
func (r *rig) want(a answer, status int) answer {
	r.t.Helper()
	if a.StatusCode != status {
		r.t.Fatalf("status %d, want %d: %s", a.StatusCode, status, a.raw)
	}
	return a
}

// wantCode is want with an error code.
func (r *rig) wantCode(a answer, status int, code string) answer {
	r.t.Helper()
	if r.want(a, status); a.body["code"] != code {
		r.t.Fatalf("code %v, want %s: %s", a.body["code"], code, a.raw)
	}
	return a
}

// stamp makes a stamp and returns its record.
func (r *rig) stamp(key, name string) map[string]any {
	r.t.Helper()
	a := r.do(request{method: "POST", path: "/v1/tcode/stamps", key: key, body: map[string]any{
		"name": name, "documentTypeCode": "DIP", "pdf": base64.StdEncoding.EncodeToString(minimalPDF(name)),
	}})
	return r.want(a, http.StatusCreated).data()
}

// download returns a file of a stamp by way of its signed address.
func (r *rig) download(key, id, kind string) []byte {
	r.t.Helper()
	a := r.want(r.do(request{method: "GET", path: "/v1/tcode/stamps/" + id + "/download?type=" + kind, key: key}), http.StatusOK)
	file := r.want(r.do(request{method: "GET", path: a.data()["url"].(string)}), http.StatusOK)
	return file.raw
}

// minimalPDF is a one-page A4 file with a line of text.
func minimalPDF(text string) []byte {
	var b bytes.Buffer
	var offsets []int
	object := func(body string) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(offsets), body)
	}
	content := fmt.Sprintf("BT /F1 18 Tf 72 720 Td (%s) Tj ET", strings.NewReplacer("(", "", ")", "", `\`, "").Replace(text))
	b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	object("<< /Type /Catalog /Pages 2 0 R >>")
	object("<< /Type /Pages /Kids [3 0 R] /Count 1 >>")
	object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>")
	object(fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content))
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, start)
	return b.Bytes()
}

// said counts the members of a record that are not null.
func said(record any) (n int) {
	for _, v := range record.(map[string]any) {
		if v != nil {
			n++
		}
	}
	return n
}
