package apitest

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"tcode/server/internal/harness"
)

// TestStampsOfEqualValues: without an external id the gateway does not make a second
// stamp with the same values of the same TDoc template while the first one stands.
func TestStampsOfEqualValues(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	key := r.Tenant("ACME01")
	tdoc := r.Want(r.Post(key, harness.TdocPath, harness.TdocBody()), 201).Data()["id"].(string)
	body := func(more map[string]any) map[string]any {
		b := harness.StampBody("n", "tdocTemplateId", tdoc)
		b["fields"] = []any{map[string]any{"key": "holder", "value": "Ada"}, map[string]any{"key": "city", "value": ""}}
		for k, v := range more {
			b[k] = v
		}
		return b
	}
	stamp := func(more map[string]any) harness.Answer { return r.Post(key, "/v1/tcode/stamps", body(more)) }
	first := r.Want(stamp(nil), 201).Data()
	a := r.WantCode(stamp(map[string]any{"name": "another name", "pdf": harness.PDFBase64("another file")}), 409, "DUPLICATE")
	if a.Body["reference"] != first["reference"] || a.Body["errors"].(map[string]any)["fields"] == nil {
		t.Errorf("duplicate: %s", a.Raw)
	}
	r.Want(stamp(map[string]any{"fields": []any{map[string]any{"key": "holder", "value": "Ada"}, map[string]any{"key": "city", "value": "Rome"}}}), 201)
	r.Want(stamp(map[string]any{"externalId": "E-1"}), 201)
	r.Want(stamp(map[string]any{"modeType": "test"}), 201)
	r.WantCode(stamp(map[string]any{"modeType": "test"}), 409, "DUPLICATE")

	// A replacement may keep the values; the values are free again after the revocation.
	next := r.Want(r.Post(key, fmt.Sprint("/v1/tcode/stamps/", first["id"], "/replace"), map[string]any{"pdf": harness.PDFBase64("next")}), 200).Data()
	r.WantCode(stamp(nil), 409, "DUPLICATE")
	r.Want(r.Post(key, fmt.Sprint("/v1/tcode/stamps/", next["id"], "/suspend"), nil), 204)
	r.WantCode(stamp(nil), 409, "DUPLICATE")
	r.Want(r.Post(key, fmt.Sprint("/v1/tcode/stamps/", next["id"], "/revoke"), nil), 204)
	r.Want(stamp(nil), 201)
}

// TestExternalIDsOfEndedRecords: the external id of a revoked stamp, and that of a
// Trust document that has ended, are free again.
func TestExternalIDsOfEndedRecords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	stamp := func() harness.Answer {
		return w.Post(w.Key, "/v1/tcode/stamps", harness.StampBody("n", "externalId", "D-1"))
	}
	check := func() harness.Answer {
		return w.Want(w.Post(w.Key, "/v1/tcode/stamps/duplicate-check", map[string]any{"externalId": "D-1"}), 200)
	}
	first := w.Want(stamp(), 201).Data()
	w.Want(w.Post(w.Key, fmt.Sprint("/v1/tcode/stamps/", first["id"], "/suspend"), nil), 204)
	w.WantCode(stamp(), 409, "DUPLICATE")
	w.Want(w.Post(w.Key, fmt.Sprint("/v1/tcode/stamps/", first["id"], "/revoke"), nil), 204)
	if d := check().Data(); d["duplicate"] != false {
		t.Errorf("after the revocation: %v", d)
	}
	second := w.Want(stamp(), 201).Data()
	if d := check().Data(); len(d["matches"].([]any)) != 1 || second["id"] == first["id"] {
		t.Errorf("after the second stamp: %v", d)
	}
	w.WantCode(stamp(), 409, "DUPLICATE")

	for _, end := range []string{"revoke", "expire"} {
		body := w.IssuanceBody()
		ask := map[string]any{"externalId": body["externalId"]}
		one := w.Issued(body)
		w.WantCode(w.Post(w.Key, harness.DocumentsPath, body), 409, "DUPLICATE")
		w.WantCode(w.Post(w.Key, harness.DocumentsPath+"/duplicate-check", ask), 409, "DUPLICATE")
		w.Want(w.Post(w.Key, fmt.Sprint(harness.DocumentsPath, "/", one["id"], "/lifecycle"), map[string]any{"action": end, "reason": "lost"}), 204)
		w.Want(w.Post(w.Key, harness.DocumentsPath+"/duplicate-check", ask), 200)
		if two := w.Issued(body); two["id"] == one["id"] {
			t.Errorf("after %s: %v", end, two["id"])
		}
		w.WantCode(w.Post(w.Key, harness.DocumentsPath, body), 409, "DUPLICATE")
	}
}

// TestNamesakes: names are the same in any normal form of Unicode, and the message on the
// second of two people of one name says what makes them two.
func TestNamesakes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const composed, decomposed = "M\u00fcller", "Mu\u0308ller"
	fields := func(name string) []any { return []any{map[string]any{"key": "holder", "value": name}} }
	document := func(name string) map[string]any {
		return map[string]any{"templateId": w.Trust, "recipientName": name, "fields": fields(name)}
	}
	stamp := func(name string) map[string]any {
		b := harness.StampBody("n", "tdocTemplateId", w.Tdoc)
		b["fields"] = fields(name)
		return b
	}
	for path, body := range map[string]func(string) map[string]any{harness.DocumentsPath: document, "/v1/tcode/stamps": stamp} {
		w.Want(w.Post(w.Key, path, body(decomposed)), 201)
		a := w.WantCode(w.Post(w.Key, path, body(composed)), 409, "DUPLICATE")
		if said := a.Body["message"].(string); !strings.Contains(said, "another person of this name, give it an externalId of its own") {
			t.Errorf("%s: %s", path, said)
		}
		second := body(composed)
		second["externalId"] = "another Müller"
		w.Want(w.Post(w.Key, path, second), 201)
		a = w.WantCode(w.Post(w.Key, path, second), 409, "DUPLICATE")
		if said := a.Body["message"].(string); !strings.Contains(said, "another document needs another externalId") {
			t.Errorf("%s: %s", path, said)
		}
	}
	a := w.Post(w.Key, "/v1/tcode/stamps/duplicate-check", map[string]any{"tdocTemplateId": w.Tdoc, "fields": fields(composed)})
	if found := w.Want(a, 200).Data()["matches"].([]any); len(found) != 2 {
		t.Errorf("matches %v", found)
	}
	a = w.Post(w.Key, harness.DocumentsPath+"/duplicate-check", map[string]any{"templateId": w.Trust, "recipientName": composed, "fields": fields(composed)})
	w.WantCode(a, 409, "DUPLICATE")
}

// TestSearchFolds: a search finds names in any case, with or without accents.
func TestSearchFolds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	names := []string{"Jos\u00e9 Garc\u00eda", "Jose\u0301 Stra\u00dfe", "S\u00f8ren \u0141\u00f3d\u017a", "\u0130lker I\u015f\u0131k", "\u0623\u064e\u062d\u0645\u062f", "\u041a\u043e\u0440\u043e\u043b\u0451\u0432"}
	for i, name := range names {
		w.Want(w.Post(w.Key, "/v1/tcode/stamps", harness.StampBody(name, "externalId", fmt.Sprint("S", i))), 201)
		body := w.IssuanceBody()
		body["recipientName"], body["externalId"] = name, fmt.Sprint("D", i)
		w.Issued(body)
	}
	for search, want := range map[string]int{
		"jose": 2, "JOS\u00c9": 2, "jose\u0301": 2, "garcia": 1, "strasse": 1, "STRA\u1e9eE": 1, "soren lodz": 1, "S\u00d8REN": 1,
		"ilker isik": 1, "\u0130LKER": 1, "ISIK": 1, "\u0131\u015f\u0131k": 1, "\u0627\u062d\u0645\u062f": 1, "\u043a\u043e\u0440\u043e\u043b\u0435\u0432": 1, "josef": 0,
	} {
		for _, path := range []string{"/v1/tcode/stamps", harness.DocumentsPath} {
			found := w.Want(w.Get(w.Key, path+"?Search="+url.QueryEscape(search)), 200).Body["totalCount"]
			if found != float64(want) {
				t.Errorf("%s: %q finds %v, want %d", path, search, found, want)
			}
		}
	}
}

// TestRowsOfEqualValues: a bulk job is refused as a whole if the gateway would make
// only the first of two rows.
func TestRowsOfEqualValues(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	body := w.stampJobBody()
	body["csvFileBase64"] = base64Of("fileName,name,documentTypeCode,holder\na.pdf,A,DIP,Eve\na.pdf,B,DIP,Eve\n")
	j := w.ended(stampJobsPath, body)
	if got := fmt.Sprint(j["status"], j["problems"]); j["status"] != "Failed" || !strings.Contains(got, "line 2 has the same values") {
		t.Errorf("stamps: %s", got)
	}
	body = w.documentJobBody()
	body["csvFileBase64"] = base64Of("recipientName,holder\nEve,E\nAda,E\nEve,E\n")
	j = w.ended(documentJobsPath, body)
	if got := fmt.Sprint(j["status"], j["problems"]); j["status"] != "Failed" || !strings.Contains(got, "line 2 has the same values") {
		t.Errorf("documents: %s", got)
	}
}
