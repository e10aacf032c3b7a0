package server_test

import (
	"encoding/base64"
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/offline/payload"
)

// TestPlacementAliases: the names of the usage example do what those of the
// schema do, and are blamed by the name that was used.
func TestPlacementAliases(t *testing.T) {
	t.Parallel()
	r := start(t)
	key := r.tenant("ACME01")
	post := func(body map[string]any) answer {
		return r.do(request{method: "POST", path: placementPath, key: key, body: body})
	}
	shown := func(body map[string]any) map[string]any {
		t.Helper()
		d := r.want(post(body), 201).data()
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
		a := r.wantCode(post(tt.body), 400, "VALIDATION_FAILED")
		bad, _ := a.body["errors"].(map[string]any)
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

// TestVersions: an ETag names a version of a template, and If-Match holds a
// change to it.
func TestVersions(t *testing.T) {
	t.Parallel()
	r := start(t)
	key := r.tenant("ACME01")
	for path, body := range map[string]map[string]any{placementPath: {"name": "n"}, tdocPath: {"name": "n"}} {
		made := r.want(r.do(request{method: "POST", path: path, key: key, body: body}), 201)
		at := made.Header.Get("Location")
		if at != path+"/"+made.data()["id"].(string) || made.Header.Get("ETag") != `"1"` {
			t.Errorf("Location %s, ETag %s", at, made.Header.Get("ETag"))
		}
		put := func(ifMatch string) answer {
			q := request{method: "PUT", path: at, key: key, body: body}
			if ifMatch != "" {
				q.header = http.Header{"If-Match": {ifMatch}}
			}
			return r.do(q)
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
				r.wantCode(put(tt.ifMatch), 412, "PRECONDITION_FAILED")
				continue
			}
			version++
			a := r.want(put(tt.ifMatch), 200)
			got := r.want(r.do(request{method: "GET", path: at, key: key}), 200)
			if want := fmt.Sprintf(`"%d"`, version); a.Header.Get("ETag") != want || got.Header.Get("ETag") != want || string(a.raw) != string(got.raw) {
				t.Errorf("after %s: ETag %s and %s, want %s; bodies %s and %s", tt.ifMatch, a.Header.Get("ETag"), got.Header.Get("ETag"), want, a.raw, got.raw)
			}
		}
		r.wantCode(r.do(request{method: "DELETE", path: at, key: key, header: http.Header{"If-Match": {`"1"`}}}), 412, "PRECONDITION_FAILED")
		r.want(r.do(request{method: "DELETE", path: at, key: key, header: http.Header{"If-Match": {fmt.Sprintf(`"%d"`, version)}}}), 204)
		r.wantCode(r.do(request{method: "GET", path: at, key: key}), 404, "NOT_FOUND")
	}
}

// TestTemplateRepeats: the same key gives the same template, byte for byte, and
// two addresses do not share a key.
func TestTemplateRepeats(t *testing.T) {
	t.Parallel()
	r := start(t)
	key := r.tenant("ACME01")
	post := func(path string, body any) answer {
		return r.do(request{method: "POST", path: path, key: key, body: body, header: http.Header{"Idempotency-Key": {"k"}}})
	}
	twice := func(path string, body any, status int) answer {
		t.Helper()
		first, again := r.want(post(path, body), status), r.want(post(path, body), status)
		if again.Header.Get("Idempotent-Replayed") != "true" || string(first.raw) != string(again.raw) {
			t.Errorf("%s: %s, then %v %s", path, first.raw, again.Header, again.raw)
		}
		for _, h := range []string{"Location", "ETag"} {
			if first.Header.Get(h) == "" || first.Header.Get(h) != again.Header.Get(h) {
				t.Errorf("%s: %s %q, then %q", path, h, first.Header.Get(h), again.Header.Get(h))
			}
		}
		return first
	}
	one := twice(placementPath, map[string]any{"name": "a"}, 201).data()["id"]
	r.wantCode(post(placementPath, map[string]any{"name": "b"}), 422, "IDEMPOTENCY_KEY_REUSED")
	twice(tdocPath, map[string]any{"name": "a"}, 201)
	double := twice(fmt.Sprintf("%s/%s/duplicate", placementPath, one), nil, 200).data()
	if double["name"] != "a (copy)" || double["id"] == one {
		t.Errorf("copy %v", double)
	}
	triple := twice(fmt.Sprintf("%s/%s/duplicate", placementPath, double["id"]), nil, 200).data()
	if triple["name"] != "a (copy) (copy)" {
		t.Errorf("copy of the copy %v", triple)
	}
	if list := r.want(r.do(request{method: "GET", path: placementPath, key: key}), 200); len(list.body["items"].([]any)) != 3 {
		t.Errorf("list %s", list.raw)
	}
}

// TestFieldsOfStamp: values go in through a template, come back to their tenant,
// and only those that are signed are shown to everyone.
func TestFieldsOfStamp(t *testing.T) {
	t.Parallel()
	r := start(t)
	key := r.tenant("ACME01")
	tpl := r.want(r.do(request{method: "POST", path: tdocPath, key: key, body: map[string]any{
		"name": "Diploma", "baseFields": []string{"place"},
		"customFields": []any{
			map[string]any{"key": "note", "label": "=1+1", "order": 2},
			map[string]any{"key": "holder", "required": true, "inPayload": true, "maxLength": 20, "order": 1},
		},
	}}), 201).data()
	fields := []any{map[string]any{"key": "note", "value": "<b>secret</b>"}, map[string]any{"key": "holder", "value": "Ada"}}
	body := create("Diploma of Ada")
	body["tdocTemplateId"], body["fields"] = tpl["id"], fields
	st := r.want(r.do(request{method: "POST", path: "/v1/tcode/stamps", key: key, body: body}), 201).data()
	if diff := cmp.Diff(fields, st["fields"].([]any)); diff != "" || st["tdocTemplateId"] != tpl["id"] {
		t.Errorf("record (-sent +got):\n%s", diff)
	}
	raw, err := payload.DecodeText(string(r.download(key, st["id"].(string), "payload")))
	if err != nil {
		t.Fatal(err)
	}
	if p, err := payload.Parse(raw); err != nil || cmp.Diff([]payload.Field{{Key: "holder", Value: "Ada"}}, p.Fields) != "" {
		t.Errorf("signed %v, %v", p.Fields, err)
	}
	public := r.want(r.do(request{method: "GET", path: "/v1/tcode/verify/reference/" + st["reference"].(string)}), 200)
	if strings.Contains(string(public.raw), "secret") || !strings.Contains(string(public.raw), "Ada") {
		t.Errorf("verification shows %s", public.raw)
	}

	table := r.want(r.do(request{
		method: "GET", path: tdocPath + "/" + tpl["id"].(string) + "/csv-fields", key: key, header: http.Header{"Accept": {"text/csv"}},
	}), 200)
	rows, err := csv.NewReader(strings.NewReader(string(table.raw))).ReadAll()
	want := [][]string{
		{"fileName", "name", "documentTypeCode", "externalId", "place", "holder", "note"},
		{"document.pdf", "Diploma", "DIP", "2026-0001", "place", "holder", "'=1+1"},
	}
	if diff := cmp.Diff(want, rows); diff != "" || err != nil || !strings.HasPrefix(table.Header.Get("Content-Type"), "text/csv") {
		t.Errorf("%s, %v (-want +got):\n%s", table.Header.Get("Content-Type"), err, diff)
	}
}

// TestPagesOfStamp: a template takes effect, and the record says on which pages.
func TestPagesOfStamp(t *testing.T) {
	t.Parallel()
	r := start(t)
	key := r.tenant("ACME01")
	where := r.want(r.do(request{method: "POST", path: placementPath, key: key, body: map[string]any{
		"name": "small", "positionX": 0.5, "positionY": 0.5, "width": 0.1, "pageSizeMmWidth": 105, "pageSizeMmHeight": 148, "page": "1,-1", "rotation": 90,
	}}), 201).data()
	body := create("n")
	body["placementTemplateId"] = where["id"]
	st := r.want(r.do(request{method: "POST", path: "/v1/tcode/stamps", key: key, body: body}), 201).data()
	barcode := st["barcode"].(map[string]any)
	if barcode["boxMm"] != 10.5 || st["page"] != 1.0 || len(st["pages"].([]any)) != 1 || len(st["warnings"].([]any)) == 0 {
		t.Errorf("record %v", st)
	}
	if st["placementTemplateId"] != where["id"] {
		t.Errorf("names template %v", st["placementTemplateId"])
	}
	body["pdf"] = base64.StdEncoding.EncodeToString([]byte("%PDF-1.7\nnothing"))
	r.wantCode(r.do(request{method: "POST", path: "/v1/tcode/stamps", key: key, body: body}), 400, "INVALID_PDF")
	scope := r.want(r.do(request{method: "POST", path: placementPath, key: key, body: map[string]any{"name": "even", "pageScope": "even"}}), 201).data()
	body = create("n")
	body["placementTemplateId"] = scope["id"]
	r.wantCode(r.do(request{method: "POST", path: "/v1/tcode/stamps", key: key, body: body}), 422, "PDF_NOT_STAMPABLE")
}

// TestReplaceOverHTTP: the record of the successor, the pointers, the verdict of
// the old reference, and a repeat.
func TestReplaceOverHTTP(t *testing.T) {
	t.Parallel()
	r := start(t)
	key := r.tenant("ACME01")
	old := r.want(r.do(request{method: "POST", path: "/v1/tcode/stamps", key: key, body: create("Diploma", "externalId", "D-1")}), 201).data()
	at := "/v1/tcode/stamps/" + old["id"].(string)
	body := map[string]any{"pdf": base64.StdEncoding.EncodeToString(minimalPDF("corrected")), "reason": "typo"}
	replace := func() answer {
		return r.do(request{method: "POST", path: at + "/replace", key: key, body: body, header: http.Header{"Idempotency-Key": {"k"}}})
	}
	a := r.want(replace(), 200)
	made := a.data()
	if made["replaces"] != old["reference"] || made["name"] != "Diploma" || made["externalId"] != "D-1" || made["status"] != "Active" ||
		a.Header.Get("Location") != "/v1/tcode/stamps/"+made["id"].(string) {
		t.Errorf("successor %v, %v", a.Header, made)
	}
	if again := r.want(replace(), 200); again.Header.Get("Idempotent-Replayed") != "true" || string(again.raw) != string(a.raw) {
		t.Errorf("repeat %v %s", again.Header, again.raw)
	}
	delete(body, "reason")
	r.wantCode(r.do(request{method: "POST", path: at + "/replace", key: key, body: body}), 409, "INVALID_TRANSITION")
	now := r.want(r.do(request{method: "GET", path: at, key: key}), 200).data()
	if now["status"] != "Revoked" || now["replacedBy"] != made["reference"] || now["reason"] != "typo" {
		t.Errorf("replaced stamp %v", now)
	}
	verdict := func(reference any) map[string]any {
		return r.want(r.do(request{method: "GET", path: "/v1/tcode/verify/reference/" + reference.(string)}), 200).data()
	}
	if v := verdict(old["reference"]); v["verdict"] != "revoked" || v["replacedBy"] != made["reference"] {
		t.Errorf("verdict of the old one %v", v)
	}
	if v := verdict(made["reference"]); v["verdict"] != "valid" || v["replaces"] != old["reference"] {
		t.Errorf("verdict of the new one %v", v)
	}
	check := r.want(r.do(request{method: "POST", path: "/v1/tcode/stamps/duplicate-check", key: key, body: map[string]any{
		"externalId": "D-1", "sha256": old["originalSha256"],
	}}), 200).data()
	want := map[string]any{"duplicate": true, "matches": []any{
		map[string]any{"id": made["id"], "reference": made["reference"], "matchedBy": "externalId"},
	}}
	if diff := cmp.Diff(want, check); diff != "" {
		t.Errorf("duplicate check (-want +got):\n%s", diff)
	}
}
