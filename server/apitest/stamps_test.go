package apitest

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
	"tcode/server/httpapi/api"
	"tcode/server/internal/harness"
)

func TestStampLife(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	key := r.Tenant("ACME01")
	original := harness.PDF("Diploma")
	a := r.Want(r.Post(key, "/v1/tcode/stamps", harness.StampBody("Diploma", "externalId", "D-1")), 201)
	st := a.Data()
	id, ref := st["id"].(string), st["reference"].(string)
	if got, want := a.Header.Get("Location"), "/v1/tcode/stamps/"+id; got != want {
		t.Errorf("Location = %s, want %s", got, want)
	}
	sum := sha256.Sum256(original)
	if st["originalSha256"] != hex.EncodeToString(sum[:]) || st["status"] != "Active" || st["keyId"] != "ACME01-0" {
		t.Errorf("record = %v", st)
	}

	stamped := r.Download(key, id, "stamped")
	if !bytes.HasPrefix(stamped, original) || len(stamped) == len(original) {
		t.Error("the stamped file does not begin with the original's bytes")
	}
	if got := r.Download(key, id, "original"); !bytes.Equal(got, original) {
		t.Error("the original did not come back as it was")
	}
	if got := r.Download(key, id, "barcode"); !bytes.HasPrefix(got, []byte("\x89PNG")) {
		t.Error("the barcode is no PNG")
	}
	text := string(r.Download(key, id, "payload"))

	verdict := func() any {
		t.Helper()
		byRef := r.Want(r.Get("", "/v1/tcode/verify/reference/"+strings.ToLower(ref)), 200).Data()["verdict"]
		byText := r.Want(r.Post("", "/v1/tcode/verify", map[string]any{"payload": text}), 200).Data()["verdict"]
		byHash := r.Want(r.Get("", "/v1/tcode/verify/hash/"+st["stampedSha256"].(string)), 200).Data()["verdict"]
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
		a := r.Want(r.Post(key, "/v1/tcode/stamps/"+id+"/"+s.action, orNil(s.body)), s.status)
		if s.status == 204 && len(a.Raw) > 0 {
			t.Errorf("%s: 204 with a body: %s", s.action, a.Raw)
		}
		if s.status == 409 && a.Body["code"] != "INVALID_TRANSITION" {
			t.Errorf("%s: %s", s.action, a.Raw)
		}
		if got := verdict(); got != s.want {
			t.Errorf("after %s: verdict %v, want %s", s.action, got, s.want)
		}
	}
	end := r.Want(r.Get(key, "/v1/tcode/stamps/"+id), 200).Data()
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
	r := harness.Start(t)
	key := r.Tenant("ACME01")
	post := func(body any, idempotency string) harness.Answer {
		q := harness.Request{Method: "POST", Path: "/v1/tcode/stamps", Key: key, Body: body}
		if idempotency != "" {
			q.Header = http.Header{"Idempotency-Key": {idempotency}}
		}
		return r.Do(q)
	}
	first := r.Want(post(harness.StampBody("one", "externalId", "x"), "k"), 201)
	again := r.Want(post(harness.StampBody("one", "externalId", "x"), "k"), 201)
	if again.Header.Get("Idempotent-Replayed") != "true" || !bytes.Equal(first.Raw, again.Raw) ||
		again.Header.Get("Location") != first.Header.Get("Location") {
		t.Errorf("repeat answers %v %s, first was %s", again.Header, again.Raw, first.Raw)
	}
	r.WantCode(post(harness.StampBody("two", "externalId", "x"), "k"), 422, "IDEMPOTENCY_KEY_REUSED")
	dup := r.WantCode(post(harness.StampBody("two", "externalId", "x"), ""), 409, "DUPLICATE")
	if dup.Body["reference"] != first.Data()["reference"] {
		t.Errorf("reference = %v, want that of the first", dup.Body["reference"])
	}

	// Many concurrent requests with one key make one stamp, and each gets it.
	var wg sync.WaitGroup
	ids := make([]any, 6)
	for i := range ids {
		wg.Go(func() {
			a := post(harness.StampBody("many"), "many")
			if a.StatusCode == 201 {
				ids[i] = a.Data()["id"]
			}
		})
	}
	wg.Wait()
	list := harness.As[api.TCodeStampPage](r, r.Want(r.Get(key, "/v1/tcode/stamps?search=many"), 200))
	if list.TotalCount != 1 {
		t.Fatalf("stamps called many: %v, want 1", list.TotalCount)
	}
	want := list.Items[0].Id.String()
	for i, id := range ids {
		if id != nil && id != want {
			t.Errorf("answer %d names stamp %v, want %v", i, id, want)
		}
	}
}

// TestIsolation: a gateway answers a request for another tenant's record exactly
// as one for a record that does not exist.
func TestIsolation(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	mine, theirs := r.Tenant("MINE01"), r.Tenant("OTHER1")
	st := r.Stamp(theirs, "secret")
	unknown := "01990000-0000-7000-8000-000000000000"
	for _, q := range []harness.Request{
		{Method: "GET", Path: "/v1/tcode/stamps/%s"},
		{Method: "GET", Path: "/v1/tcode/stamps/%s/download"},
		{Method: "GET", Path: "/v1/tcode/stamps/%s/download?type=payload"},
		{Method: "POST", Path: "/v1/tcode/stamps/%s/revoke"},
		{Method: "POST", Path: "/v1/tcode/stamps/%s/suspend"},
		{Method: "POST", Path: "/v1/tcode/stamps/%s/reactivate"},
	} {
		q.Key = mine
		template := q.Path
		ask := func(id any) string {
			q.Path = fmt.Sprintf(template, id)
			a := r.WantCode(r.Do(q), 404, "NOT_FOUND")
			return strings.ReplaceAll(string(a.Raw), a.Body["traceId"].(string), "")
		}
		if got, want := ask(st.Id), ask(unknown); got != want {
			t.Errorf("%s %s: another tenant's stamp answers %s, an unknown one %s", q.Method, template, got, want)
		}
	}
	if a := r.Want(r.Get(mine, "/v1/tcode/stamps"), 200); a.Body["totalCount"] != 0.0 {
		t.Errorf("the list shows another tenant's stamps: %s", a.Raw)
	}
	if a := r.Get(theirs, "/v1/tcode/stamps/"+st.Id.String()); a.Data()["status"] != "Active" {
		t.Errorf("the stamp was changed: %s", a.Raw)
	}
	// One externalId may be used by both.
	r.Want(r.Post(mine, "/v1/tcode/stamps", harness.StampBody("a", "externalId", "same")), 201)
	r.Want(r.Post(theirs, "/v1/tcode/stamps", harness.StampBody("a", "externalId", "same")), 201)
}

func TestList(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	key := r.Tenant("ACME01")
	var last api.TCodeStamp
	for i := range 5 {
		last = r.Stamp(key, fmt.Sprintf("Diploma number %d", i))
	}
	r.Want(r.Post(key, "/v1/tcode/stamps/"+last.Id.String()+"/revoke", nil), 204)
	tests := []struct {
		query string
		total int
		first string // name
	}{
		{"", 5, "Diploma number 4"},
		{"?Page=2&PageSize=2", 5, "Diploma number 2"},
		{"?page=3&PAGESIZE=2", 5, "Diploma number 0"},
		{"?status=ACTIVE", 4, "Diploma number 3"},
		{"?Status=active,%20revoked", 5, "Diploma number 4"},
		{"?Status=Suspended", 0, ""},
		{"?search=number+2", 1, "Diploma number 2"},
		{"?Search=" + last.Reference, 1, "Diploma number 4"},
		{"?DateRange=today", 5, "Diploma number 4"},
		{"?daterange=/2020-01-01", 0, ""},
		{"?Search=&Status=&TemplateId=", 5, "Diploma number 4"},
		{"?templateid=01990000-0000-7000-8000-000000000000", 0, ""},
	}
	list := func(query string) api.TCodeStampPage {
		t.Helper()
		return harness.As[api.TCodeStampPage](r, r.Want(r.Get(key, "/v1/tcode/stamps"+query), 200))
	}
	for _, tt := range tests {
		page := list(tt.query)
		if int(page.TotalCount) != tt.total {
			t.Errorf("%s: totalCount %v, want %v", tt.query, page.TotalCount, tt.total)
		}
		if tt.first != "" && (len(page.Items) == 0 || page.Items[0].Name != tt.first) {
			t.Errorf("%s: items %v, want first %s", tt.query, page.Items, tt.first)
		}
	}
	if page := list("?PageSize=2"); !page.HasNext || page.TotalPages != 3 || page.TotalIsLowerBound {
		t.Errorf("page = %+v", page)
	}
}

//engine:sqlite the files of the upload decide, not rows
func TestFileAddresses(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	key := r.Tenant("ACME01")
	id := r.Stamp(key, "file").Id.String()
	rec := r.Want(r.Get(key, "/v1/tcode/stamps/"+id+"/download"), 200).Data()
	address := rec["url"].(string)
	got := r.Want(r.Get("", address), 200)
	sum := sha256.Sum256(got.Raw)
	if hex.EncodeToString(sum[:]) != rec["sha256"] || float64(len(got.Raw)) != rec["sizeBytes"] || got.Header.Get("Content-Type") != rec["contentType"] {
		t.Errorf("file of %d bytes, type %s, does not fit its record %v", len(got.Raw), got.Header.Get("Content-Type"), rec)
	}
	if d := got.Header.Get("Content-Disposition"); !strings.HasPrefix(d, "attachment;") || got.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("a customer's file is shown in place: %v", got.Header)
	}
	if got.Header.Get("Content-Security-Policy") != "sandbox; default-src 'none'" || !strings.HasPrefix(got.Header.Get("Cache-Control"), "private") {
		t.Errorf("a customer's file may act on this origin, or be kept for others: %v", got.Header)
	}
	part := r.Do(harness.Request{Method: "GET", Path: address, Header: http.Header{"Range": {"bytes=0-3"}}})
	if r.Want(part, 206); string(part.Raw) != "%PDF" {
		t.Errorf("first bytes: %q", part.Raw)
	}
	r.Want(r.Do(harness.Request{Method: "GET", Path: address, Header: http.Header{"If-None-Match": {got.Header.Get("ETag")}}}), 304)
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
		if a := r.Get("", changed); a.StatusCode != 403 {
			t.Errorf("%s: status %d, want 403", name, a.StatusCode)
		}
	}
	if a := r.Do(harness.Request{Method: "PUT", Path: address}); a.StatusCode != 405 {
		t.Errorf("PUT: status %d, want 405", a.StatusCode)
	}
}

func TestPublicURL(t *testing.T) {
	t.Parallel()
	for _, public := range []string{"https://tcode.example/base", "https://tcode.example/base/v1", "https://tcode.example/base/v1/"} {
		r := harness.Start(t, func(c *server.Config) { c.PublicURL = public })
		key := r.Tenant("ACME01")
		id := r.Stamp(key, "a").Id.String()
		rec := r.Want(r.Get(key, "/v1/tcode/stamps/"+id+"/download"), 200).Data()
		if url := rec["url"].(string); !strings.HasPrefix(url, "https://tcode.example/base/v1/files/") {
			t.Errorf("with %s: %s", public, url)
		}
	}
}

//engine:sqlite the files of the upload decide, not rows
func TestPDFLimits(t *testing.T) {
	t.Parallel()
	r := harness.Start(t, func(c *server.Config) {
		l := httpapi.Limits{MaxPDF: 20_000}
		c.Limits = &l
	})
	key := r.Tenant("ACME01")
	post := func(pdf []byte) harness.Answer {
		return r.Post(key, "/v1/tcode/stamps", map[string]any{
			"name": "n", "documentTypeCode": "DIP", "pdf": base64.StdEncoding.EncodeToString(pdf),
		})
	}
	r.Want(post(harness.PDF("small")), 201)
	r.WantCode(post(append(harness.PDF("padded"), bytes.Repeat([]byte("%\n"), 11_000)...)), 413, "PAYLOAD_TOO_LARGE")
	r.WantCode(post(bytes.Repeat([]byte("x"), 1_000_000)), 413, "PAYLOAD_TOO_LARGE")
	r.WantCode(post([]byte("this is no PDF")), 400, "INVALID_PDF")
}
