package server_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"tcode/server"
	"tcode/server/httpapi"
)

func create(name string, more ...string) map[string]any {
	body := map[string]any{"name": name, "documentTypeCode": "DIP", "pdf": base64.StdEncoding.EncodeToString(minimalPDF(name))}
	for i := 0; i+1 < len(more); i += 2 {
		body[more[i]] = more[i+1]
	}
	return body
}

func TestStampLife(t *testing.T) {
	t.Parallel()
	r := start(t)
	key := r.tenant("ACME01")
	original := minimalPDF("Diploma")
	a := r.want(r.do(request{method: "POST", path: "/v1/tcode/stamps", key: key, body: create("Diploma", "externalId", "D-1")}), 201)
	st := a.data()
	id, ref := st["id"].(string), st["reference"].(string)
	if got, want := a.Header.Get("Location"), "/v1/tcode/stamps/"+id; got != want {
		t.Errorf("Location = %s, want %s", got, want)
	}
	sum := sha256.Sum256(original)
	if st["originalSha256"] != hex.EncodeToString(sum[:]) || st["status"] != "Active" || st["keyId"] != "ACME01-0" {
		t.Errorf("record = %v", st)
	}

	stamped := r.download(key, id, "stamped")
	if !bytes.HasPrefix(stamped, original) || len(stamped) == len(original) {
		t.Error("the stamped file does not begin with the original's bytes")
	}
	if got := r.download(key, id, "original"); !bytes.Equal(got, original) {
		t.Error("the original did not come back as it was")
	}
	if got := r.download(key, id, "barcode"); !bytes.HasPrefix(got, []byte("\x89PNG")) {
		t.Error("the barcode is no PNG")
	}
	text := string(r.download(key, id, "payload"))

	verdict := func() any {
		t.Helper()
		byRef := r.want(r.do(request{method: "GET", path: "/v1/tcode/verify/reference/" + strings.ToLower(ref)}), 200).data()["verdict"]
		byText := r.want(r.do(request{method: "POST", path: "/v1/tcode/verify", body: map[string]any{"payload": text}}), 200).data()["verdict"]
		byHash := r.want(r.do(request{method: "GET", path: "/v1/tcode/verify/hash/" + st["stampedSha256"].(string)}), 200).data()["verdict"]
		if byRef != byText || byRef != byHash {
			t.Errorf("verdicts differ: by reference %v, by payload %v, by hash %v", byRef, byText, byHash)
		}
		return byRef
	}
	steps := []struct {
		action, body string
		status       int
		want         string
	}{
		{"reactivate", "", 204, "valid"}, // it is active already
		{"suspend", `{"reason":"under review"}`, 204, "suspended"},
		{"suspend", "", 204, "suspended"},
		{"reactivate", `{"action":"reactivate"}`, 204, "valid"},
		{"suspend", "", 204, "suspended"},
		{"revoke", `{"reason":"wrong name"}`, 204, "revoked"},
		{"revoke", "", 204, "revoked"},
		{"suspend", "", 409, "revoked"},
		{"reactivate", "", 409, "revoked"},
	}
	if got := verdict(); got != "valid" {
		t.Fatalf("verdict %v, want valid", got)
	}
	for _, s := range steps {
		a := r.want(r.do(request{method: "POST", path: "/v1/tcode/stamps/" + id + "/" + s.action, key: key, body: orNil(s.body)}), s.status)
		if s.status == 204 && len(a.raw) > 0 {
			t.Errorf("%s: 204 with a body: %s", s.action, a.raw)
		}
		if s.status == 409 && a.body["code"] != "INVALID_TRANSITION" {
			t.Errorf("%s: %s", s.action, a.raw)
		}
		if got := verdict(); got != s.want {
			t.Errorf("after %s: verdict %v, want %s", s.action, got, s.want)
		}
	}
	end := r.want(r.do(request{method: "GET", path: "/v1/tcode/stamps/" + id, key: key}), 200).data()
	if end["status"] != "Revoked" || end["reason"] != "wrong name" {
		t.Errorf("record at the end: %v", end)
	}
}

func orNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func TestDuplicatesAndRepeats(t *testing.T) {
	t.Parallel()
	r := start(t)
	key := r.tenant("ACME01")
	post := func(body any, idempotency string) answer {
		q := request{method: "POST", path: "/v1/tcode/stamps", key: key, body: body}
		if idempotency != "" {
			q.header = http.Header{"Idempotency-Key": {idempotency}}
		}
		return r.do(q)
	}
	first := r.want(post(create("one", "externalId", "x"), "k"), 201)
	again := r.want(post(create("one", "externalId", "x"), "k"), 201)
	if again.Header.Get("Idempotent-Replayed") != "true" || !bytes.Equal(first.raw, again.raw) ||
		again.Header.Get("Location") != first.Header.Get("Location") {
		t.Errorf("repeat answers %v %s, first was %s", again.Header, again.raw, first.raw)
	}
	r.wantCode(post(create("two", "externalId", "x"), "k"), 422, "IDEMPOTENCY_KEY_REUSED")
	dup := r.wantCode(post(create("two", "externalId", "x"), ""), 409, "DUPLICATE")
	if dup.body["reference"] != first.data()["reference"] {
		t.Errorf("reference = %v, want that of the first", dup.body["reference"])
	}

	// Many at once with one key: one stamp, and everybody gets it.
	var wg sync.WaitGroup
	ids := make([]any, 6)
	for i := range ids {
		wg.Go(func() {
			a := post(create("many"), "many")
			if a.StatusCode == 201 {
				ids[i] = a.data()["id"]
			}
		})
	}
	wg.Wait()
	list := r.want(r.do(request{method: "GET", path: "/v1/tcode/stamps?search=many", key: key}), 200)
	if list.body["totalCount"] != 1.0 {
		t.Fatalf("stamps called many: %v, want 1", list.body["totalCount"])
	}
	want := list.body["items"].([]any)[0].(map[string]any)["id"]
	for i, id := range ids {
		if id != nil && id != want {
			t.Errorf("answer %d names stamp %v, want %v", i, id, want)
		}
	}
}

// TestIsolation: what belongs to another tenant answers exactly as what does
// not exist.
func TestIsolation(t *testing.T) {
	t.Parallel()
	r := start(t)
	mine, theirs := r.tenant("MINE01"), r.tenant("OTHER1")
	st := r.stamp(theirs, "secret")
	unknown := "01990000-0000-7000-8000-000000000000"
	for _, q := range []request{
		{method: "GET", path: "/v1/tcode/stamps/%s"},
		{method: "GET", path: "/v1/tcode/stamps/%s/download"},
		{method: "GET", path: "/v1/tcode/stamps/%s/download?type=payload"},
		{method: "POST", path: "/v1/tcode/stamps/%s/revoke"},
		{method: "POST", path: "/v1/tcode/stamps/%s/suspend"},
		{method: "POST", path: "/v1/tcode/stamps/%s/reactivate"},
	} {
		q.key = mine
		template := q.path
		ask := func(id any) string {
			q.path = fmt.Sprintf(template, id)
			a := r.wantCode(r.do(q), 404, "NOT_FOUND")
			return strings.ReplaceAll(string(a.raw), a.body["traceId"].(string), "")
		}
		if got, want := ask(st["id"]), ask(unknown); got != want {
			t.Errorf("%s %s: another tenant's stamp answers %s, an unknown one %s", q.method, template, got, want)
		}
	}
	if a := r.want(r.do(request{method: "GET", path: "/v1/tcode/stamps", key: mine}), 200); a.body["totalCount"] != 0.0 {
		t.Errorf("the list shows another tenant's stamps: %s", a.raw)
	}
	if a := r.do(request{method: "GET", path: "/v1/tcode/stamps/" + st["id"].(string), key: theirs}); a.data()["status"] != "Active" {
		t.Errorf("the stamp was changed: %s", a.raw)
	}
	// One externalId may be used by both.
	r.want(r.do(request{method: "POST", path: "/v1/tcode/stamps", key: mine, body: create("a", "externalId", "same")}), 201)
	r.want(r.do(request{method: "POST", path: "/v1/tcode/stamps", key: theirs, body: create("a", "externalId", "same")}), 201)
}

func TestList(t *testing.T) {
	t.Parallel()
	r := start(t)
	key := r.tenant("ACME01")
	var last map[string]any
	for i := range 5 {
		last = r.stamp(key, fmt.Sprintf("Diploma number %d", i))
	}
	r.want(r.do(request{method: "POST", path: "/v1/tcode/stamps/" + last["id"].(string) + "/revoke", key: key}), 204)
	tests := []struct {
		query string
		total float64
		first string // name
	}{
		{"", 5, "Diploma number 4"},
		{"?Page=2&PageSize=2", 5, "Diploma number 2"},
		{"?page=3&PAGESIZE=2", 5, "Diploma number 0"},
		{"?status=ACTIVE", 4, "Diploma number 3"},
		{"?Status=active,%20revoked", 5, "Diploma number 4"},
		{"?Status=Suspended", 0, ""},
		{"?search=number+2", 1, "Diploma number 2"},
		{"?Search=" + last["reference"].(string), 1, "Diploma number 4"},
		{"?DateRange=today", 5, "Diploma number 4"},
		{"?daterange=/2020-01-01", 0, ""},
		{"?Search=&Status=&TemplateId=", 5, "Diploma number 4"},
		{"?templateid=01990000-0000-7000-8000-000000000000", 0, ""},
	}
	for _, tt := range tests {
		a := r.want(r.do(request{method: "GET", path: "/v1/tcode/stamps" + tt.query, key: key}), 200)
		items := a.body["items"].([]any)
		if a.body["totalCount"] != tt.total {
			t.Errorf("%s: totalCount %v, want %v", tt.query, a.body["totalCount"], tt.total)
		}
		if tt.first != "" && (len(items) == 0 || items[0].(map[string]any)["name"] != tt.first) {
			t.Errorf("%s: items %v, want first %s", tt.query, items, tt.first)
		}
	}
	page := r.do(request{method: "GET", path: "/v1/tcode/stamps?PageSize=2", key: key})
	if page.body["hasNext"] != true || page.body["totalPages"] != 3.0 || page.body["totalIsLowerBound"] != false {
		t.Errorf("page = %s", page.raw)
	}
}

func TestFileAddresses(t *testing.T) {
	t.Parallel()
	r := start(t)
	key := r.tenant("ACME01")
	id := r.stamp(key, "file")["id"].(string)
	rec := r.want(r.do(request{method: "GET", path: "/v1/tcode/stamps/" + id + "/download", key: key}), 200).data()
	address := rec["url"].(string)
	got := r.want(r.do(request{method: "GET", path: address}), 200)
	sum := sha256.Sum256(got.raw)
	if hex.EncodeToString(sum[:]) != rec["sha256"] || float64(len(got.raw)) != rec["sizeBytes"] || got.Header.Get("Content-Type") != rec["contentType"] {
		t.Errorf("file of %d bytes, type %s, does not fit its record %v", len(got.raw), got.Header.Get("Content-Type"), rec)
	}
	if d := got.Header.Get("Content-Disposition"); !strings.HasPrefix(d, "attachment;") || got.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("a customer's file is shown in place: %v", got.Header)
	}
	if got.Header.Get("Content-Security-Policy") != "sandbox; default-src 'none'" || !strings.HasPrefix(got.Header.Get("Cache-Control"), "private") {
		t.Errorf("a customer's file may act on this origin, or be kept for others: %v", got.Header)
	}
	part := r.do(request{method: "GET", path: address, header: http.Header{"Range": {"bytes=0-3"}}})
	if r.want(part, 206); string(part.raw) != "%PDF" {
		t.Errorf("first bytes: %q", part.raw)
	}
	r.want(r.do(request{method: "GET", path: address, header: http.Header{"If-None-Match": {got.Header.Get("ETag")}}}), 304)
	for name, changed := range map[string]string{
		"another type":    strings.Replace(address, "application%2Fpdf", "text%2Fhtml", 1),
		"another name":    strings.Replace(address, "name=", "name=x", 1),
		"later expiry":    strings.Replace(address, "expires=1", "expires=2", 1),
		"one more":        address + "&a=b",
		"another file":    strings.Replace(address, rec["sha256"].(string), strings.Repeat("0", 64), 1),
		"no signature":    strings.Split(address, "?")[0],
		"parameter twice": address + "&type=text%2Fhtml",
	} {
		if changed == address {
			t.Fatalf("%s: nothing changed", name)
		}
		if a := r.do(request{method: "GET", path: changed}); a.StatusCode != 403 {
			t.Errorf("%s: status %d, want 403", name, a.StatusCode)
		}
	}
	if a := r.do(request{method: "PUT", path: address}); a.StatusCode != 405 {
		t.Errorf("PUT: status %d, want 405", a.StatusCode)
	}
}

func TestPublicURL(t *testing.T) {
	t.Parallel()
	for _, public := range []string{"https://tcode.example/base", "https://tcode.example/base/v1", "https://tcode.example/base/v1/"} {
		r := start(t, func(c *server.Config) { c.PublicURL = public })
		key := r.tenant("ACME01")
		id := r.stamp(key, "a")["id"].(string)
		rec := r.want(r.do(request{method: "GET", path: "/v1/tcode/stamps/" + id + "/download", key: key}), 200).data()
		if url := rec["url"].(string); !strings.HasPrefix(url, "https://tcode.example/base/v1/files/") {
			t.Errorf("with %s: %s", public, url)
		}
	}
}

func TestPDFLimits(t *testing.T) {
	t.Parallel()
	r := start(t, func(c *server.Config) {
		l := httpapi.Limits{MaxPDF: 20_000}
		c.Limits = &l
	})
	key := r.tenant("ACME01")
	post := func(pdf []byte) answer {
		return r.do(request{method: "POST", path: "/v1/tcode/stamps", key: key, body: map[string]any{
			"name": "n", "documentTypeCode": "DIP", "pdf": base64.StdEncoding.EncodeToString(pdf),
		}})
	}
	r.want(post(minimalPDF("small")), 201)
	r.wantCode(post(append(minimalPDF("padded"), bytes.Repeat([]byte("%\n"), 11_000)...)), 413, "PAYLOAD_TOO_LARGE")
	r.wantCode(post(bytes.Repeat([]byte("x"), 1_000_000)), 413, "PAYLOAD_TOO_LARGE")
	r.wantCode(post([]byte("this is no PDF")), 400, "INVALID_PDF")
}
