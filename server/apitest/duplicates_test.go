package apitest

import (
	"fmt"
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
