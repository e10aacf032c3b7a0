package apitest

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/offline/payload"
	"tcode/server/internal/harness"
)

// TestPlacementAliases: the names of the usage example have the effect of those of
// the schema, and an error has the name of the request.
//
//engine:sqlite the form of the request decides, before a row is read
func TestPlacementAliases(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	key := r.Tenant("ACME01")
	post := func(body map[string]any) harness.Answer {
		return r.Post(key, placementPath, body)
	}
	shown := func(body map[string]any) map[string]any {
		t.Helper()
		d := r.Want(post(body), 201).Data()
		for _, own := range []string{"id", "createdAt", "updatedAt"} {
			delete(d, own)
		}
		return d
	}
	want := shown(map[string]any{"name": "n", "xNorm": 0.1, "yNorm": 0.2, "wNorm": 0.3, "hNorm": 0.4, "pageScope": "custom", "customPages": "1,-1"})
	got := shown(map[string]any{"name": "n", "positionX": 0.1, "positionY": 0.2, "width": 0.3, "height": 0.4, "page": "1,-1"})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("aliases (-schema +alias):\n%s", diff)
	}
	for _, scope := range []string{"first", "last", "all", "odd", "even"} {
		if d := shown(map[string]any{"name": "n", "page": scope}); d["pageScope"] != scope || d["customPages"] != nil {
			t.Errorf("page %s is %v, %v", scope, d["pageScope"], d["customPages"])
		}
	}
	for name, tt := range map[string]struct {
		body map[string]any
		bad  []string
	}{
		"both":               {map[string]any{"xNorm": 0.1, "positionX": 0.1, "yNorm": 0.1, "wNorm": 0.1, "width": 0.1, "page": "last", "pageScope": "last"}, []string{"page", "positionX", "width"}},
		"one of two":         {map[string]any{"positionX": 0.1}, []string{"positionX"}},
		"no page":            {map[string]any{"page": "0"}, []string{"page"}},
		"custom alone":       {map[string]any{"page": "custom"}, []string{"page"}},
		"half a page size":   {map[string]any{"pageSizeMmHeight": 297}, []string{"pageSizeMmHeight"}},
		"unknown names":      {map[string]any{"x": 1, "safeMargins": map[string]any{"middle": 1}}, []string{"safeMargins.middle", "x"}},
		"pages, not custom":  {map[string]any{"customPages": "1"}, []string{"customPages"}},
		"several at a time":  {map[string]any{"customPages": "x", "pageScope": "custom", "yNorm": 0.5, "pageSizeMmWidth": 100}, []string{"customPages", "pageSizeMmWidth", "yNorm"}},
		"outside the limits": {map[string]any{"positionX": 1.5, "positionY": 0.5, "height": 0}, []string{"height", "positionX"}},
	} {
		tt.body["name"] = "n"
		a := r.WantCode(post(tt.body), 400, "VALIDATION_FAILED")
		bad, _ := a.Body["errors"].(map[string]any)
		if len(bad) != len(tt.bad) {
			t.Errorf("%s: errors %v, want %v", name, bad, tt.bad)
		}
		for _, field := range tt.bad {
			if bad[field] == nil {
				t.Errorf("%s: errors %v, want %v", name, bad, tt.bad)
			}
		}
	}
}

// TestVersions: an ETag names a version of a template, and If-Match limits a change
// to it.
func TestVersions(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	key := r.Tenant("ACME01")
	for path, body := range map[string]map[string]any{placementPath: {"name": "n"}, tdocPath: {"name": "n"}} {
		made := r.Want(r.Post(key, path, body), 201)
		at := made.Header.Get("Location")
		if at != path+"/"+made.Data()["id"].(string) || made.Header.Get("ETag") != `"1"` {
			t.Errorf("Location %s, ETag %s", at, made.Header.Get("ETag"))
		}
		put := func(ifMatch string) harness.Answer {
			q := harness.Request{Method: "PUT", Path: at, Key: key, Body: body}
			if ifMatch != "" {
				q.Header = http.Header{"If-Match": {ifMatch}}
			}
			return r.Do(q)
		}
		version := 1
		for _, tt := range []struct {
			ifMatch string
			ok      bool
		}{
			{`"1"`, true},
			{`"1"`, false},
			{`W/"2"`, false},
			{`"9", "2"`, true},
			{"3", false},
			{`"x"`, false},
			{`"03"`, false},
			{"*", true},
			{"", true},
		} {
			if !tt.ok {
				r.WantCode(put(tt.ifMatch), 412, "PRECONDITION_FAILED")
				continue
			}
			version++
			a := r.Want(put(tt.ifMatch), 200)
			got := r.Want(r.Get(key, at), 200)
			if want := fmt.Sprintf(`"%d"`, version); a.Header.Get("ETag") != want || got.Header.Get("ETag") != want || string(a.Raw) != string(got.Raw) {
				t.Errorf("after %s: ETag %s and %s, want %s; bodies %s and %s", tt.ifMatch, a.Header.Get("ETag"), got.Header.Get("ETag"), want, a.Raw, got.Raw)
			}
		}
		r.WantCode(r.Do(harness.Request{Method: "DELETE", Path: at, Key: key, Header: http.Header{"If-Match": {`"1"`}}}), 412, "PRECONDITION_FAILED")
		r.Want(r.Do(harness.Request{Method: "DELETE", Path: at, Key: key, Header: http.Header{"If-Match": {fmt.Sprintf(`"%d"`, version)}}}), 204)
		r.WantCode(r.Get(key, at), 404, "NOT_FOUND")
	}
}

// TestTemplateRepeats: the answer to a repeated Idempotency-Key is the same
// template, byte for byte, and two addresses do not share a key.
func TestTemplateRepeats(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	key := r.Tenant("ACME01")
	post := func(path string, body any) harness.Answer {
		return r.Do(harness.Request{Method: "POST", Path: path, Key: key, Body: body, Header: http.Header{"Idempotency-Key": {"k"}}})
	}
	twice := func(path string, body any, status int) harness.Answer {
		t.Helper()
		first, again := r.Want(post(path, body), status), r.Want(post(path, body), status)
		if again.Header.Get("Idempotent-Replayed") != "true" || string(first.Raw) != string(again.Raw) {
			t.Errorf("%s: %s, then %v %s", path, first.Raw, again.Header, again.Raw)
		}
		for _, h := range []string{"Location", "ETag"} {
			if first.Header.Get(h) == "" || first.Header.Get(h) != again.Header.Get(h) {
				t.Errorf("%s: %s %q, then %q", path, h, first.Header.Get(h), again.Header.Get(h))
			}
		}
		return first
	}
	one := twice(placementPath, map[string]any{"name": "a"}, 201).Data()["id"]
	r.WantCode(post(placementPath, map[string]any{"name": "b"}), 422, "IDEMPOTENCY_KEY_REUSED")
	twice(tdocPath, map[string]any{"name": "a"}, 201)
	double := twice(fmt.Sprintf("%s/%s/duplicate", placementPath, one), nil, 200).Data()
	if double["name"] != "a (copy)" || double["id"] == one {
		t.Errorf("copy %v", double)
	}
	triple := twice(fmt.Sprintf("%s/%s/duplicate", placementPath, double["id"]), nil, 200).Data()
	if triple["name"] != "a (copy) (copy)" {
		t.Errorf("copy of the copy %v", triple)
	}
	if list := r.Want(r.Get(key, placementPath), 200); len(list.Body["items"].([]any)) != 3 {
		t.Errorf("list %s", list.Raw)
	}
}

// TestFieldsOfStamp: a stamp has the values of the fields of its template. Its
// tenant sees all of them, and everyone else only the signed ones.
func TestFieldsOfStamp(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	key := r.Tenant("ACME01")
	tpl := r.Want(r.Post(key, tdocPath, map[string]any{
		"name": "Diploma", "baseFields": []string{"place"},
		"customFields": []any{
			map[string]any{"key": "note", "label": "=1+1", "order": 2},
			map[string]any{"key": "holder", "required": true, "inPayload": true, "maxLength": 20, "order": 1},
		},
	}), 201).Data()
	fields := []any{map[string]any{"key": "note", "value": "<b>secret</b>"}, map[string]any{"key": "holder", "value": "Ada"}}
	body := harness.StampBody("Diploma of Ada")
	body["tdocTemplateId"], body["fields"] = tpl["id"], fields
	st := r.Want(r.Post(key, "/v1/tcode/stamps", body), 201).Data()
	if diff := cmp.Diff(fields, st["fields"].([]any)); diff != "" || st["tdocTemplateId"] != tpl["id"] {
		t.Errorf("record (-sent +got):\n%s", diff)
	}
	raw, err := payload.DecodeText(string(r.Download(key, st["id"].(string), "payload")))
	if err != nil {
		t.Fatal(err)
	}
	if p, err := payload.Parse(raw); err != nil || cmp.Diff([]payload.Field{{Key: "holder", Value: "Ada"}}, p.Fields) != "" {
		t.Errorf("signed %v, %v", p.Fields, err)
	}
	public := r.Want(r.Get("", "/v1/tcode/verify/reference/"+st["reference"].(string)), 200)
	if strings.Contains(string(public.Raw), "secret") || !strings.Contains(string(public.Raw), "Ada") {
		t.Errorf("verification shows %s", public.Raw)
	}

	table := r.Want(r.Do(harness.Request{
		Method: "GET", Path: tdocPath + "/" + tpl["id"].(string) + "/csv-fields", Key: key, Header: http.Header{"Accept": {"text/csv"}},
	}), 200)
	rows := tableOf(t, table.Raw)
	want := [][]string{
		{"fileName", "name", "documentTypeCode", "externalId", "place", "holder", "note"},
		{"document.pdf", "Diploma", "DIP", "2026-0001", "place", "holder", "'=1+1"},
	}
	if diff := cmp.Diff(want, rows); diff != "" || !strings.HasPrefix(table.Header.Get("Content-Type"), "text/csv") {
		t.Errorf("%s (-want +got):\n%s", table.Header.Get("Content-Type"), diff)
	}
}

// TestPagesOfStamp: a template selects the pages of a stamp, and the record names them.
//
//engine:sqlite the drawn page decides, not rows
func TestPagesOfStamp(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	key := r.Tenant("ACME01")
	where := r.Want(r.Post(key, placementPath, map[string]any{
		"name": "small", "positionX": 0.5, "positionY": 0.5, "width": 0.1, "pageSizeMmWidth": 105, "pageSizeMmHeight": 148, "page": "1,-1", "rotation": 90,
	}), 201).Data()
	body := harness.StampBody("n")
	body["placementTemplateId"] = where["id"]
	st := r.Want(r.Post(key, "/v1/tcode/stamps", body), 201).Data()
	barcode := st["barcode"].(map[string]any)
	if barcode["boxMm"] != 10.5 || st["page"] != 1.0 || len(st["pages"].([]any)) != 1 || len(st["warnings"].([]any)) == 0 {
		t.Errorf("record %v", st)
	}
	if st["placementTemplateId"] != where["id"] {
		t.Errorf("names template %v", st["placementTemplateId"])
	}
	body["pdf"] = base64.StdEncoding.EncodeToString([]byte("%PDF-1.7\nnothing"))
	r.WantCode(r.Post(key, "/v1/tcode/stamps", body), 400, "INVALID_PDF")
	scope := r.Want(r.Post(key, placementPath, map[string]any{"name": "even", "pageScope": "even"}), 201).Data()
	body = harness.StampBody("n")
	body["placementTemplateId"] = scope["id"]
	r.WantCode(r.Post(key, "/v1/tcode/stamps", body), 422, "PDF_NOT_STAMPABLE")
}

// TestReplaceOverHTTP checks the record of a successor, the references of the two
// stamps, the verdict on the old one, and a repeated request.
func TestReplaceOverHTTP(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	key := r.Tenant("ACME01")
	old := r.Want(r.Post(key, "/v1/tcode/stamps", harness.StampBody("Diploma", "externalId", "D-1")), 201).Data()
	at := "/v1/tcode/stamps/" + old["id"].(string)
	body := map[string]any{"pdf": base64.StdEncoding.EncodeToString(harness.PDF("corrected")), "reason": "typo"}
	replace := func() harness.Answer {
		return r.Do(harness.Request{Method: "POST", Path: at + "/replace", Key: key, Body: body, Header: http.Header{"Idempotency-Key": {"k"}}})
	}
	a := r.Want(replace(), 200)
	made := a.Data()
	if made["replaces"] != old["reference"] || made["name"] != "Diploma" || made["externalId"] != "D-1" || made["status"] != "Active" ||
		a.Header.Get("Location") != "/v1/tcode/stamps/"+made["id"].(string) {
		t.Errorf("successor %v, %v", a.Header, made)
	}
	if again := r.Want(replace(), 200); again.Header.Get("Idempotent-Replayed") != "true" || string(again.Raw) != string(a.Raw) {
		t.Errorf("repeat %v %s", again.Header, again.Raw)
	}
	delete(body, "reason")
	r.WantCode(r.Post(key, at+"/replace", body), 409, "INVALID_TRANSITION")
	now := r.Want(r.Get(key, at), 200).Data()
	if now["status"] != "Revoked" || now["replacedBy"] != made["reference"] || now["reason"] != "typo" {
		t.Errorf("replaced stamp %v", now)
	}
	verdict := func(reference any) map[string]any {
		return r.Want(r.Get("", "/v1/tcode/verify/reference/"+reference.(string)), 200).Data()
	}
	if v := verdict(old["reference"]); v["verdict"] != "revoked" || v["replacedBy"] != made["reference"] {
		t.Errorf("verdict of the old one %v", v)
	}
	if v := verdict(made["reference"]); v["verdict"] != "valid" || v["replaces"] != old["reference"] {
		t.Errorf("verdict of the new one %v", v)
	}
	check := r.Want(r.Post(key, "/v1/tcode/stamps/duplicate-check", map[string]any{
		"externalId": "D-1", "sha256": old["originalSha256"],
	}), 200).Data()
	want := map[string]any{"duplicate": true, "matches": []any{
		map[string]any{"id": made["id"], "reference": made["reference"], "matchedBy": "externalId"},
	}}
	if diff := cmp.Diff(want, check); diff != "" {
		t.Errorf("duplicate check (-want +got):\n%s", diff)
	}
}
