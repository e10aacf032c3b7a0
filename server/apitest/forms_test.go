package apitest

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"tcode/server/internal/harness"
)

// TestFormsOfTimes: a request may name a day, or a time without a zone.
//
//engine:sqlite the form of the request decides
func TestFormsOfTimes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for given, want := range map[string]string{
		"2127-01-01": "2127-01-02T00:00:00Z", "2127-01-01T10:30": "2127-01-01T10:30:00Z", "2127-01-01 10:30:15": "2127-01-01T10:30:15Z",
		"2127-01-01T10:30:00.5": "2127-01-01T10:30:00Z", "2127-01-01t10:30:00z": "2127-01-01T10:30:00Z", "2127-01-01T10:30:00+02:00": "2127-01-01T08:30:00Z",
	} {
		body := w.IssuanceBody()
		body["expiresAt"] = given
		issued := w.Issued(body)
		if got := issued["expiresAt"]; got != want || issued["expiresOn"] != "2127-01-01" {
			t.Errorf("%s ends at %v, last on %v, want %s", given, got, issued["expiresOn"], want)
		}
		found := w.Want(w.Post("", "/v1/trust/verify/by-reference", map[string]any{"reference": issued["reference"]}), http.StatusOK).Data()
		if found["expiresAt"] != want || found["expiresOn"] != "2127-01-01" {
			t.Errorf("%s: a verification says %v, last on %v", given, found["expiresAt"], found["expiresOn"])
		}
	}
	for _, bad := range []string{"2127-02-30", "2127-13-01", "2127-01", "01.01.2127", "2127-01-01T25:00", "tomorrow", "2127-W01-1", ""} {
		body := w.IssuanceBody()
		body["expiresAt"] = bad
		w.WantCode(w.Post(w.Key, harness.DocumentsPath, body), http.StatusBadRequest, "VALIDATION_FAILED")
	}

	w.Want(w.Post("", "/v1/tcode/verify/sync", map[string]any{
		"payload": w.Text, "context": map[string]any{"scannerId": "gate-4", "location": "door"},
	}), 200)
	now := time.Now().UTC()
	today, tomorrow := now.Format(time.DateOnly), now.AddDate(0, 0, 1).Format(time.DateOnly)
	for query, want := range map[string]int{
		"From=" + today: 1, "To=" + today: 1, "From=" + today + "&To=" + today: 1, "From=" + tomorrow: 0, "To=2026-01-01": 0,
		"From=" + url.QueryEscape(today+" 00:00"): 1, "From=" + today + "T00:00:00": 1, "From=" + today + "T00:00:00+00:00": 1,
	} {
		a := w.Want(w.Get(w.Key, "/v1/tcode/verify/document/"+w.Standing.Reference+"/scans?"+query), 200)
		if a.Body["totalCount"] != float64(want) {
			t.Errorf("%s: %v scans, want %d", query, a.Body["totalCount"], want)
		}
	}
}

// TestFormsOfEnums: values of enums are understood in any case, in bodies and in
// queries, and records have them in the contract's.
//
//engine:sqlite the form of the request decides
func TestFormsOfEnums(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tdoc := harness.TdocBody()
	tdoc["productMode"] = "TRUST_TCode"
	tdoc["customFields"] = []any{map[string]any{"key": "holder", "type": "Text"}}
	if d := w.Want(w.Post(w.Key, harness.TdocPath, tdoc), 201).Data(); d["productMode"] != "trust_tcode" || d["customFields"].([]any)[0].(map[string]any)["type"] != "text" {
		t.Errorf("TDoc template: %v", d)
	}
	place := map[string]any{"name": "n", "anchor": "Bottom-Left", "page": "LAST", "scanSafety": map[string]any{"collision": "Reject"}}
	if d := w.Want(w.Post(w.Key, placementPath, place), 201).Data(); d["anchor"] != "bottom-left" || d["pageScope"] != "last" || d["scanSafety"].(map[string]any)["collision"] != "reject" {
		t.Errorf("placement template: %v", d)
	}
	body := w.IssuanceBody()
	body["issuancePath"], body["modeType"] = "Digital", "TEST"
	made := w.Issued(body)
	if made["issuancePath"] != "digital" || made["test"] != true {
		t.Errorf("document: %v", made)
	}
	w.Want(w.Post(w.Key, fmt.Sprint(harness.DocumentsPath, "/", made["id"], "/lifecycle"), map[string]any{"action": "Suspend"}), 204)
	stamp := harness.StampBody("n", "modeType", "Test")
	id := w.Want(w.Post(w.Key, "/v1/tcode/stamps", stamp), 201).Data()["id"]
	w.Want(w.Get(w.Key, fmt.Sprint("/v1/tcode/stamps/", id, "/download?type=ORIGINAL")), 200)
	w.Want(w.Post(w.Key, fmt.Sprint("/v1/tcode/stamps/", id, "/revoke"), map[string]any{"action": "Revoke"}), 204)
	w.WantCode(w.Get(w.Key, fmt.Sprint("/v1/tcode/stamps/", id, "/download?type=origin")), 400, "VALIDATION_FAILED")
}
