package server_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"tcode/server"
	"tcode/server/tenant"
)

func TestMediaTypes(t *testing.T) {
	t.Parallel()
	r := start(t)
	const path = "/v1/reference-data/document-types"
	plain := r.want(r.do(request{method: "GET", path: path}), 200)
	for accept, want := range map[string]string{
		"application/json": "application/json", "text/json": "text/json; charset=utf-8", "text/plain": "text/plain; charset=utf-8", "*/*": "application/json",
	} {
		a := r.want(r.do(request{method: "GET", path: path, header: http.Header{"Accept": {accept}}}), 200)
		if got := a.Header.Get("Content-Type"); got != want || !bytes.Equal(a.raw, plain.raw) {
			t.Errorf("Accept %s: %s, want %s with the same bytes", accept, got, want)
		}
	}
	r.wantCode(r.do(request{method: "GET", path: path, header: http.Header{"Accept": {"text/html"}}}), 406, "NOT_ACCEPTABLE")
	// Errors come in the type that was asked for, too.
	a := r.do(request{method: "GET", path: "/v1/tcode/stamps", header: http.Header{"Accept": {"text/plain"}}})
	if r.wantCode(a, 401, "UNAUTHORIZED"); a.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("error type %s", a.Header.Get("Content-Type"))
	}

	body := `{"payload":"x"}`
	for contentType, status := range map[string]int{
		"application/json": 400, "text/json": 400, "application/vnd.acme+json": 400, "application/json; charset=utf-8": 400,
		"application/json; charset=utf-16": 415, "text/plain": 415, "application/x-www-form-urlencoded": 415, "": 415,
	} {
		a := r.do(request{method: "POST", path: "/v1/tcode/verify", body: body, header: http.Header{"Content-Type": {contentType}}})
		if a.StatusCode != status {
			t.Errorf("Content-Type %q: status %d, want %d", contentType, a.StatusCode, status)
		}
	}
}

func TestStrictJSON(t *testing.T) {
	t.Parallel()
	r := start(t)
	tests := []struct{ name, body, field string }{
		{"twice", `{"payload":"a","payload":"b"}`, "payload"},
		{"wrong case", `{"Payload":"a"}`, "Payload"},
		{"two documents", `{"payload":"a"}{"payload":"b"}`, "$body"},
		{"junk after", `{"payload":"a"} x`, "$body"},
		{"bad UTF-8", "{\"payload\":\"\xff\"}", "payload"},
		{"not an object", `"payload"`, "$body"},
		{"wrong type", `{"payload":["a"]}`, "payload"},
		{"missing", `{}`, "payload"},
		{"byte order mark", "\ufeff{}", "$body"},
		{"nothing", ``, "$body"},
	}
	for _, tt := range tests {
		a := r.wantCode(r.do(request{method: "POST", path: "/v1/tcode/verify", body: orNil(tt.body)}), 400, "VALIDATION_FAILED")
		if errors, _ := a.body["errors"].(map[string]any); errors[tt.field] == nil {
			t.Errorf("%s: errors %v, want one at %s", tt.name, errors, tt.field)
		}
	}
	a := r.do(request{method: "POST", path: "/v1/tcode/verify", body: "{\"payload\":\"x\",\"colour\":1,\"a b\\u000a\":{\"payload\":1,\"payLoad\":2}}"})
	if got := a.Header.Get("X-Ignored-Properties"); got != "colour, a%20b%3F" {
		t.Errorf("X-Ignored-Properties = %q", got)
	}
}

func TestIgnoredParameters(t *testing.T) {
	t.Parallel()
	r := start(t)
	a := r.want(r.do(request{method: "GET", path: "/v1/tcode/stamps?Statuss=active&page=1&%0a=x", key: r.tenant("ACME01")}), 200)
	if got := a.Header.Get("X-Ignored-Parameters"); got != "%3F, Statuss" {
		t.Errorf("X-Ignored-Parameters = %q", got)
	}
}

// TestAllProblemsAtOnce: parameters and body in one answer.
func TestAllProblemsAtOnce(t *testing.T) {
	t.Parallel()
	r := start(t)
	key := r.tenant("ACME01")
	fields := func(a answer) string {
		r.wantCode(a, 400, "VALIDATION_FAILED")
		var names []string
		for name := range a.body["errors"].(map[string]any) {
			names = append(names, name)
		}
		return sorted(names)
	}
	if got, want := fields(r.do(request{method: "POST", path: "/v1/tcode/stamps/7/revoke", key: key, body: `{"reason":"","action":"x","Reason":1}`})),
		"Reason action id reason"; got != want {
		t.Errorf("revoke: %s, want %s", got, want)
	}
	if got, want := fields(r.do(request{
		method: "GET", key: key,
		path: "/v1/tcode/stamps?Page=0&pagesize=101&TemplateId=1&Status=lost&DateRange=soon&FieldValue=v&search=a&SEARCH=b",
	})), "DateRange FieldValue Page PageSize Search Status TemplateId"; got != want {
		t.Errorf("list: %s, want %s", got, want)
	}
	if got, want := fields(r.do(request{method: "GET", path: "/v1/tcode/verify/document/x/scans?From=2026-02-01T00:00:00Z&To=2026-01-01T00:00:00%2B01:00&Page=x"})),
		"Page To"; got != want {
		t.Errorf("scans: %s, want %s", got, want)
	}
	if got, want := fields(r.do(request{method: "POST", path: "/v1/tcode/verify/sync", body: `{"batchId":7,"scannerId":"a b","SentAt":"x","items":[{"scanId":"X","scannedAt":"now","seq":-1}]}`})),
		"SentAt batchId items[0].scanId items[0].scannedAt items[0].seq"; got != want {
		t.Errorf("sync: %s, want %s", got, want)
	}
	if got := fields(r.do(request{method: "GET", path: "/v1/tcode/verify/public-key?keyid=ACME01-0"})); got != "keyId" {
		t.Errorf("public key: %s", got)
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	r := start(t)
	key := r.tenant("ACME01")
	list := func(key string) answer {
		return r.do(request{method: "GET", path: "/v1/tcode/stamps", key: key})
	}
	r.want(list(key), 200)
	for _, bad := range []string{"", "x", key[:len(key)-1], key + "0", strings.ToUpper(key), "tck_live_00000000_" + strings.Repeat("0", 32)} {
		a := r.wantCode(list(bad), 401, "UNAUTHORIZED")
		if a.Header.Get("WWW-Authenticate") == "" {
			t.Error("401 without WWW-Authenticate")
		}
	}
	if a := r.do(request{method: "GET", path: "/v1/tcode/stamps", header: http.Header{"X-Api-Key": {key, key}}}); a.StatusCode != 401 {
		t.Errorf("two keys: status %d", a.StatusCode)
	}
	ctx := t.Context()
	second, err := r.admin.Tenants.CreateKey(ctx, "ACME01", tenant.KeyOptions{Name: "second"})
	if err != nil {
		t.Fatal(err)
	}
	r.want(list(second.Secret), 200)
	if err := r.admin.Tenants.RevokeKey(ctx, "ACME01", second.Prefix); err != nil {
		t.Fatal(err)
	}
	r.wantCode(list(second.Secret), 401, "UNAUTHORIZED")
	r.want(list(key), 200)

	ref := r.stamp(key, "s")["reference"].(string)
	if err := r.admin.Tenants.Suspend(ctx, "ACME01"); err != nil {
		t.Fatal(err)
	}
	if a := r.wantCode(list(key), 403, "FORBIDDEN"); a.body["reason"] != "tenant_suspended" {
		t.Errorf("reason = %v", a.body["reason"])
	}
	// A key that is no good is ignored where none is needed.
	for _, k := range []string{"", "bad", key} {
		a := r.want(r.do(request{method: "GET", path: "/v1/tcode/verify/reference/" + ref, key: k}), 200)
		if a.data()["verdict"] != "suspended" {
			t.Errorf("verdict of a suspended issuer: %s", a.raw)
		}
	}
}

func TestBodies(t *testing.T) {
	t.Parallel()
	r := start(t)
	squeeze := func(s string) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		io.WriteString(w, s)
		w.Close()
		return b.Bytes()
	}
	post := func(body any, encoding string) answer {
		return r.do(request{method: "POST", path: "/v1/tcode/verify", body: body, header: http.Header{"Content-Encoding": {encoding}}})
	}
	r.wantCode(post(squeeze(`{"payload":"x"}`), "gzip"), 400, "INVALID_PAYLOAD")
	r.wantCode(post(squeeze(`{"payload":"`+strings.Repeat("x", 1<<20)+`"}`), "gzip"), 413, "PAYLOAD_TOO_LARGE")
	r.wantCode(post(strings.Repeat(" ", 1<<20), ""), 413, "PAYLOAD_TOO_LARGE")
	r.wantCode(post(`{"payload":"x"}`, "gzip"), 400, "VALIDATION_FAILED")
	r.wantCode(post(squeeze(`{"payload":"x"}`)[:20], "gzip"), 400, "VALIDATION_FAILED")
	r.wantCode(post(`{"payload":"x"}`, "br"), 415, "UNSUPPORTED_MEDIA_TYPE")
}

func TestRoutes(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.wantCode(r.do(request{method: "GET", path: "/v1/nothing"}), 404, "NOT_FOUND")
	r.wantCode(r.do(request{method: "GET", path: "/v1/tcode/stampede"}), 404, "NOT_FOUND")
	a := r.wantCode(r.do(request{method: "DELETE", path: "/v1/tcode/stamps"}), 405, "METHOD_NOT_ALLOWED")
	if allow := a.Header.Get("Allow"); !strings.Contains(allow, "GET") || !strings.Contains(allow, "POST") {
		t.Errorf("Allow = %q", allow)
	}
	const id = "4bf92f3577b34da6a3ce929d0e0e4736"
	a = r.do(request{method: "GET", path: "/v1/nothing", header: http.Header{"Traceparent": {"00-" + id + "-00f067aa0ba902b7-01"}}})
	if a.body["traceId"] != id {
		t.Errorf("traceId = %v, want that of traceparent", a.body["traceId"])
	}
	if got := a.Header.Get("Traceresponse"); !strings.HasPrefix(got, "00-"+id+"-") || !strings.HasSuffix(got, "-01") || len(got) != 55 {
		t.Errorf("Traceresponse = %q", got)
	}
	head := r.do(request{method: "HEAD", path: "/v1/reference-data/tenants"})
	if head.StatusCode != 200 || len(head.raw) > 0 {
		t.Errorf("HEAD: %d with %d bytes", head.StatusCode, len(head.raw))
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		r.want(r.do(request{method: "GET", path: path}), 200)
	}
}

// TestDocs: the page and all it loads come from this very gateway.
func TestDocs(t *testing.T) {
	t.Parallel()
	r := start(t)
	page := r.want(r.do(request{method: "GET", path: "/docs/"}), 200)
	if a := r.do(request{method: "GET", path: "/docs"}); a.StatusCode != 301 || a.Header.Get("Location") != "/docs/" {
		t.Errorf("/docs: %d to %s", a.StatusCode, a.Header.Get("Location"))
	}
	loaded := 0
	for _, attr := range []string{`src="`, `href="`} {
		for part := range strings.SplitSeq(string(page.raw), attr) {
			address, _, _ := strings.Cut(part, `"`)
			if strings.Contains(address, "://") {
				t.Errorf("the page loads %s from elsewhere", address)
			}
			if strings.HasPrefix(address, "/docs/") {
				loaded++
				r.want(r.do(request{method: "GET", path: address}), 200)
			}
		}
	}
	if loaded < 3 || !strings.Contains(string(page.raw), "/openapi.json") {
		t.Errorf("the page loads %d files of ours", loaded)
	}
	r.wantCode(r.do(request{method: "GET", path: "/docs/nothing.js"}), 404, "NOT_FOUND")
	if !strings.Contains(page.Header.Get("Content-Security-Policy"), "default-src 'self'") {
		t.Error("the page has no policy")
	}
	doc := r.want(r.do(request{method: "GET", path: "/openapi.json"}), 200)
	if doc.body["openapi"] != "3.0.3" {
		t.Errorf("openapi = %v", doc.body["openapi"])
	}
	yaml := r.want(r.do(request{method: "GET", path: "/openapi.yaml"}), 200)
	if !bytes.HasPrefix(yaml.raw, []byte("openapi: 3.0.3\n")) {
		t.Errorf("openapi.yaml begins %.40q", yaml.raw)
	}
	again := r.do(request{method: "GET", path: "/openapi.yaml", header: http.Header{"If-None-Match": {yaml.Header.Get("ETag")}}})
	if again.StatusCode != http.StatusNotModified {
		t.Errorf("the same openapi.yaml again: %d", again.StatusCode)
	}
}

// TestLogHoldsNoSecrets: one line a request, with the route and the key's
// visible prefix, and neither key, payload, name nor reference.
func TestLogHoldsNoSecrets(t *testing.T) {
	t.Parallel()
	var log lockedBuffer
	r := start(t, func(c *server.Config) {
		c.Log = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	key := r.tenant("ACME01")
	st := r.stamp(key, "Ada Lovelace")
	text := string(r.download(key, st["id"].(string), "payload"))
	r.do(request{method: "POST", path: "/v1/tcode/verify", body: map[string]any{"payload": text}})
	r.do(request{method: "GET", path: "/v1/tcode/verify/reference/" + st["reference"].(string)})
	r.do(request{method: "POST", path: "/v1/tcode/stamps", key: key, body: `{"name":"Ada Lovelace"}`})
	lines := log.String()
	for what, secret := range map[string]string{
		"the key": key[len(key)-32:], "the payload": text, "a name": "Lovelace", "a reference": st["reference"].(string), "a signature": "signature=",
	} {
		if strings.Contains(lines, secret) {
			t.Errorf("the log holds %s", what)
		}
	}
	prefix := strings.Split(key, "_")[2]
	if !strings.Contains(lines, `"key":"`+prefix+`"`) || !strings.Contains(lines, `"route":"/v1/tcode/stamps"`) || !strings.Contains(lines, `"code":"VALIDATION_FAILED"`) {
		t.Errorf("the log lacks what an operator needs:\n%s", lines)
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestBrokenGateway: a fault of ours is a 500 that says nothing but the trace
// id, and readiness says no.
func TestBrokenGateway(t *testing.T) {
	t.Parallel()
	g, err := server.Open(t.Context(), server.Config{Init: true, Data: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	h, err := g.Handler()
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Close(); err != nil { // the database is gone
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: h}
	go srv.Serve(l)
	defer srv.Close()
	for path, status := range map[string]int{"/v1/reference-data/tenants": 500, "/readyz": 503, "/healthz": 200} {
		res, err := http.Get("http://" + l.Addr().String() + path)
		if err != nil {
			t.Fatal(err)
		}
		raw, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != status {
			t.Errorf("%s: %d %s, want %d", path, res.StatusCode, raw, status)
		}
		var body map[string]any
		if json.Unmarshal(raw, &body); status >= 500 && (strings.Contains(string(raw), "sql") || body["traceId"] == "") {
			t.Errorf("%s tells too much or too little: %s", path, raw)
		}
	}
}
