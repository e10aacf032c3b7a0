package apitest

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"tcode/server"
	"tcode/server/internal/harness"
	"tcode/server/tenant"
)

//engine:sqlite the form of the request decides, before a row is read
func TestMediaTypes(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	const path = "/v1/reference-data/document-types"
	plain := r.Want(r.Get("", path), 200)
	for accept, want := range map[string]string{
		"application/json": "application/json", "text/json": "text/json; charset=utf-8", "text/plain": "text/plain; charset=utf-8", "*/*": "application/json",
	} {
		a := r.Want(r.Do(harness.Request{Method: "GET", Path: path, Header: http.Header{"Accept": {accept}}}), 200)
		if got := a.Header.Get("Content-Type"); got != want || !bytes.Equal(a.Raw, plain.Raw) {
			t.Errorf("Accept %s: %s, want %s with the same bytes", accept, got, want)
		}
	}
	r.WantCode(r.Do(harness.Request{Method: "GET", Path: path, Header: http.Header{"Accept": {"text/html"}}}), 406, "NOT_ACCEPTABLE")
	// Errors have the requested type, too.
	a := r.Do(harness.Request{Method: "GET", Path: "/v1/tcode/stamps", Header: http.Header{"Accept": {"text/plain"}}})
	if r.WantCode(a, 401, "UNAUTHORIZED"); a.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("error type %s", a.Header.Get("Content-Type"))
	}

	body := `{"payload":"x"}`
	for contentType, status := range map[string]int{
		"application/json": 400, "text/json": 400, "application/vnd.acme+json": 400, "application/json; charset=utf-8": 400,
		"application/json; charset=utf-16": 415, "text/plain": 415, "application/x-www-form-urlencoded": 415, "": 415,
	} {
		a := r.Do(harness.Request{Method: "POST", Path: "/v1/tcode/verify", Body: body, Header: http.Header{"Content-Type": {contentType}}})
		if a.StatusCode != status {
			t.Errorf("Content-Type %q: status %d, want %d", contentType, a.StatusCode, status)
		}
	}
}

//engine:sqlite the form of the request decides, before a row is read
func TestStrictJSON(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	tests := []struct{ name, body, field string }{
		{"twice", `{"payload":"a","payload":"b"}`, "payload"},
		{"wrong case", `{"Payload":"a"}`, "Payload"},
		{"two documents", `{"payload":"a"}{"payload":"b"}`, "$body"},
		{"junk after", `{"payload":"a"} x`, "$body"},
		{"bad UTF-8", "{\"payload\":\"\xff\"}", "payload"},
		{"not an object", `"payload"`, "$body"},
		{"wrong type", `{"payload":["a"]}`, "payload"},
		{"missing", `{}`, "payload"},
		{"nothing", ``, "$body"},
	}
	for _, tt := range tests {
		a := r.WantCode(r.Post("", "/v1/tcode/verify", orNil(tt.body)), 400, "VALIDATION_FAILED")
		if errors, _ := a.Body["errors"].(map[string]any); errors[tt.field] == nil {
			t.Errorf("%s: errors %v, want one at %s", tt.name, errors, tt.field)
		}
	}
	a := r.Post("", "/v1/tcode/verify", "{\"payload\":\"x\",\"colour\":1,\"a b\\u000a\":{\"payload\":1,\"payLoad\":2}}")
	if got := a.Header.Get("X-Ignored-Properties"); got != "colour, a b?" {
		t.Errorf("X-Ignored-Properties = %q", got)
	}
}

//engine:sqlite the form of the request decides, before a row is read
func TestIgnoredParameters(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	a := r.Want(r.Get(r.Tenant("ACME01"), "/v1/tcode/stamps?Statuss=active&page=1&%0a=x"), 200)
	if got := a.Header.Get("X-Ignored-Parameters"); got != "?, Statuss" {
		t.Errorf("X-Ignored-Parameters = %q", got)
	}
}

// TestAllProblemsAtOnce: one answer names the problems of parameters and body.
//
//engine:sqlite the form of the request decides, before a row is read
func TestAllProblemsAtOnce(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	key := r.Tenant("ACME01")
	fields := func(a harness.Answer) string {
		r.WantCode(a, 400, "VALIDATION_FAILED")
		var names []string
		for name := range a.Body["errors"].(map[string]any) {
			names = append(names, name)
		}
		return sorted(names)
	}
	if got, want := fields(r.Post(key, "/v1/tcode/stamps/7/revoke", `{"reason":"","action":"x","Reason":1}`)),
		"Reason action id reason"; got != want {
		t.Errorf("revoke: %s, want %s", got, want)
	}
	if got, want := fields(r.Get(key, "/v1/tcode/stamps?Page=0&pagesize=101&TemplateId=1&Status=lost&DateRange=soon&FieldValue=v&search=a&SEARCH=b")), "DateRange FieldValue Page PageSize Search Status TemplateId"; got != want {
		t.Errorf("list: %s, want %s", got, want)
	}
	if got, want := fields(r.Get("", "/v1/tcode/verify/document/x/scans?From=2026-02-01T00:00:00Z&To=2026-01-01T00:00:00%2B01:00&Page=x")),
		"Page To"; got != want {
		t.Errorf("scans: %s, want %s", got, want)
	}
	if got, want := fields(r.Post("", "/v1/tcode/verify/sync", `{"batchId":7,"scannerId":"a b","SentAt":"x","items":[{"scanId":"X","scannedAt":"now","seq":-1}]}`)),
		"SentAt batchId items[0].payload items[0].scanId items[0].scannedAt items[0].seq scannerId sentAt"; got != want {
		t.Errorf("sync: %s, want %s", got, want)
	}
	if got := fields(r.Get("", "/v1/tcode/verify/public-key?keyid=ACME01-0")); got != "keyId" {
		t.Errorf("public key: %s", got)
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	key := r.Tenant("ACME01")
	list := func(key string) harness.Answer {
		return r.Get(key, "/v1/tcode/stamps")
	}
	r.Want(list(key), 200)
	for _, bad := range []string{"", "x", key[:len(key)-1], key + "0", strings.ToUpper(key), "tck_live_00000000_" + strings.Repeat("0", 32)} {
		a := r.WantCode(list(bad), 401, "UNAUTHORIZED")
		if a.Header.Get("WWW-Authenticate") == "" {
			t.Error("401 without WWW-Authenticate")
		}
	}
	if a := r.Do(harness.Request{Method: "GET", Path: "/v1/tcode/stamps", Header: http.Header{"X-Api-Key": {key, key}}}); a.StatusCode != 401 {
		t.Errorf("two keys: status %d", a.StatusCode)
	}
	ctx := t.Context()
	second, err := r.Admin.Tenants.CreateKey(ctx, "ACME01", tenant.KeyOptions{Name: "second"})
	if err != nil {
		t.Fatal(err)
	}
	r.Want(list(second.Secret), 200)
	if err := r.Admin.Tenants.RevokeKey(ctx, "ACME01", second.Prefix); err != nil {
		t.Fatal(err)
	}
	r.WantCode(list(second.Secret), 401, "UNAUTHORIZED")
	r.Want(list(key), 200)

	ref := r.Stamp(key, "s").Reference
	if err := r.Admin.Tenants.Suspend(ctx, "ACME01"); err != nil {
		t.Fatal(err)
	}
	if a := r.WantCode(list(key), 403, "FORBIDDEN"); a.Body["reason"] != "tenant_suspended" {
		t.Errorf("reason = %v", a.Body["reason"])
	}
	// The gateway ignores an invalid key where it needs none.
	for _, k := range []string{"", "bad", key} {
		a := r.Want(r.Get(k, "/v1/tcode/verify/reference/"+ref), 200)
		if a.Data()["verdict"] != "suspended" {
			t.Errorf("verdict of a suspended issuer: %s", a.Raw)
		}
	}
}

//engine:sqlite the form of the request decides, before a row is read
func TestBodies(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	post := func(body any, encoding string) harness.Answer {
		return r.Do(harness.Request{Method: "POST", Path: "/v1/tcode/verify", Body: body, Header: http.Header{"Content-Encoding": {encoding}}})
	}
	r.WantCode(post(pack(`{"payload":"x"}`), "gzip"), 400, "INVALID_PAYLOAD")
	r.WantCode(post(pack(`{"payload":"`+strings.Repeat("x", 1<<20)+`"}`), "gzip"), 413, "PAYLOAD_TOO_LARGE")
	r.WantCode(post(strings.Repeat(" ", 1<<20), ""), 413, "PAYLOAD_TOO_LARGE")
	r.WantCode(post(`{"payload":"x"}`, "gzip"), 400, "VALIDATION_FAILED")
	r.WantCode(post(pack(`{"payload":"x"}`)[:20], "gzip"), 400, "VALIDATION_FAILED")
	r.WantCode(post(`{"payload":"x"}`, "br"), 415, "UNSUPPORTED_MEDIA_TYPE")
}

//engine:sqlite the form of the request decides, before a row is read
func TestRoutes(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	r.WantCode(r.Get("", "/v1/nothing"), 404, "NOT_FOUND")
	r.WantCode(r.Get("", "/v1/tcode/stampede"), 404, "NOT_FOUND")
	a := r.WantCode(r.Do(harness.Request{Method: "DELETE", Path: "/v1/tcode/stamps"}), 405, "METHOD_NOT_ALLOWED")
	if allow := a.Header.Get("Allow"); !strings.Contains(allow, "GET") || !strings.Contains(allow, "POST") {
		t.Errorf("Allow = %q", allow)
	}
	const id = "4bf92f3577b34da6a3ce929d0e0e4736"
	a = r.Do(harness.Request{Method: "GET", Path: "/v1/nothing", Header: http.Header{"Traceparent": {"00-" + id + "-00f067aa0ba902b7-01"}}})
	if a.Body["traceId"] != id {
		t.Errorf("traceId = %v, want that of traceparent", a.Body["traceId"])
	}
	if got := a.Header.Get("Traceresponse"); !strings.HasPrefix(got, "00-"+id+"-") || !strings.HasSuffix(got, "-01") || len(got) != 55 {
		t.Errorf("Traceresponse = %q", got)
	}
	head := r.Do(harness.Request{Method: "HEAD", Path: "/v1/reference-data/tenants"})
	if head.StatusCode != 200 || len(head.Raw) > 0 {
		t.Errorf("HEAD: %d with %d bytes", head.StatusCode, len(head.Raw))
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		r.Want(r.Get("", path), 200)
	}
}

// TestDocs: the page and all that it loads come from the gateway itself.
//
//engine:sqlite the texts and headers of the answer decide, not its rows
func TestDocs(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	page := r.Want(r.Get("", "/docs/reference/"), 200)
	for from, to := range map[string]string{"/docs": "/docs/", "/docs/reference": "/docs/reference/"} {
		if a := r.Get("", from); a.StatusCode != 301 || a.Header.Get("Location") != to {
			t.Errorf("%s: %d to %s", from, a.StatusCode, a.Header.Get("Location"))
		}
	}
	loaded := 0
	for _, attr := range []string{`src="`, `href="`} {
		for part := range strings.SplitSeq(string(page.Raw), attr) {
			address, _, _ := strings.Cut(part, `"`)
			if strings.Contains(address, "://") {
				t.Errorf("the page loads %s from elsewhere", address)
			}
			if strings.HasPrefix(address, "/docs/reference/") {
				loaded++
				r.Want(r.Get("", address), 200)
			}
		}
	}
	if loaded < 3 || !strings.Contains(string(page.Raw), "/openapi.json") {
		t.Errorf("the page loads %d files of ours", loaded)
	}
	r.WantCode(r.Get("", "/docs/reference/nothing.js"), 404, "NOT_FOUND")
	if !strings.Contains(page.Header.Get("Content-Security-Policy"), "default-src 'self'") {
		t.Error("the page has no policy")
	}
	doc := r.Want(r.Get("", "/openapi.json"), 200)
	if doc.Body["openapi"] != "3.1.0" {
		t.Errorf("openapi = %v", doc.Body["openapi"])
	}
	yaml := r.Want(r.Get("", "/openapi.yaml"), 200)
	if !bytes.HasPrefix(yaml.Raw, []byte("openapi: 3.1.0\n")) {
		t.Errorf("openapi.yaml begins %.40q", yaml.Raw)
	}
	again := r.Do(harness.Request{Method: "GET", Path: "/openapi.yaml", Header: http.Header{"If-None-Match": {yaml.Header.Get("ETag")}}})
	if again.StatusCode != http.StatusNotModified {
		t.Errorf("the same openapi.yaml again: %d", again.StatusCode)
	}
}

// TestLogHoldsNoSecrets: the log has one line for each request, with the route and
// the key's visible prefix, but without key, payload, name and reference.
//
//engine:sqlite the texts and headers of the answer decide, not its rows
func TestLogHoldsNoSecrets(t *testing.T) {
	t.Parallel()
	var log harness.LockedBuffer
	r := harness.Start(t, func(c *server.Config) {
		c.Log = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	key := r.Tenant("ACME01")
	st := r.Stamp(key, "Ada Lovelace")
	text := string(r.Download(key, st.Id.String(), "payload"))
	r.Post("", "/v1/tcode/verify", map[string]any{"payload": text})
	r.Get("", "/v1/tcode/verify/reference/"+st.Reference)
	r.Post(key, "/v1/tcode/stamps", `{"name":"Ada Lovelace"}`)
	lines := log.String()
	for what, secret := range map[string]string{
		"the key": key[len(key)-32:], "the payload": text, "a name": "Lovelace", "a reference": st.Reference, "a signature": "signature=",
	} {
		if strings.Contains(lines, secret) {
			t.Errorf("the log holds %s", what)
		}
	}
	prefix := strings.Split(key, "_")[2]
	if !strings.Contains(lines, `"key":"`+prefix+`"`) || !strings.Contains(lines, `"route":"/v1/tcode/stamps"`) || !strings.Contains(lines, `"code":"VALIDATION_FAILED"`) {
		t.Errorf("the log lacks lines that an operator needs:\n%s", lines)
	}
}

// TestBrokenGateway: the answer to an internal error is a 500 with the trace id
// only, and the gateway is not ready.
//
//engine:sqlite the texts and headers of the answer decide, not its rows
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
			t.Errorf("%s has too many or too few details: %s", path, raw)
		}
	}
}

func sorted(names []string) string { return strings.Join(slices.Sorted(slices.Values(names)), " ") }
