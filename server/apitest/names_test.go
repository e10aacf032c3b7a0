package apitest

import (
	"fmt"
	"strings"
	"testing"

	"tcode/server/internal/harness"
)

// TestUnknownCodes: the error for a code that is not in use says so, and suggests the
// one that is meant.
//
//engine:sqlite the list of codes decides
func TestUnknownCodes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for code, want := range map[string]string{
		"ltr": "did you mean LTR?", " DIP": "did you mean DIP?", "Diplôme": "did you mean DIP?", "DIX": "did you mean DIP?",
		"NOPE": "is an unknown code, not one in use such as CON, CRT, DIP", "C": "is an unknown code",
	} {
		stamp := harness.StampBody("n")
		stamp["documentTypeCode"] = code
		trust := harness.TrustTemplateBody()
		trust["documentTypeCode"] = code
		tdoc := harness.TdocBody()
		tdoc["suggestedDocType"] = code
		for path, body := range map[string]map[string]any{"/v1/tcode/stamps": stamp, harness.TrustTemplatesPath: trust, harness.TdocPath: tdoc} {
			field := "documentTypeCode"
			if path == harness.TdocPath {
				field = "suggestedDocType"
			}
			a := w.WantCode(w.Post(w.Key, path, body), 400, "VALIDATION_FAILED")
			if got := fmt.Sprint(a.Body["errors"].(map[string]any)[field]); !strings.Contains(got, want) {
				t.Errorf("%s %q: %s, want %s", path, code, got, want)
			}
		}
	}
}

// TestNamedTemplates: a TDoc template names a Trust template of its own tenant or
// none, and keeps the name of one that was deleted since.
func TestNamedTemplates(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := w.Tenant("OTHER1")
	theirs := w.Want(w.Post(other, harness.TrustTemplatesPath, harness.TrustTemplateBody()), 201).Data()["id"]
	deleted, own := w.FreshTrustTemplate(), w.FreshTrustTemplate()
	drop := func(id string) {
		t.Helper()
		w.Want(w.Do(harness.Request{Method: "DELETE", Key: w.Key, Path: harness.TrustTemplatesPath + "/" + id}), 204)
	}
	drop(deleted)
	body := harness.TdocBody()
	for _, id := range []any{theirs, deleted, anonymous, w.Tdoc} {
		body["issuanceTemplateId"] = id
		a := w.WantCode(w.Post(w.Key, harness.TdocPath, body), 400, "VALIDATION_FAILED")
		b := w.WantCode(w.Do(harness.Request{Method: "PUT", Key: w.Key, Path: harness.TdocPath + "/" + w.Tdoc, Body: body}), 400, "VALIDATION_FAILED")
		for _, a := range []harness.Answer{a, b} {
			if got := fmt.Sprint(a.Body["errors"].(map[string]any)["issuanceTemplateId"]); !strings.Contains(got, "no Trust template of this tenant") {
				t.Errorf("%v: %s", id, a.Raw)
			}
		}
	}
	body["issuanceTemplateId"] = strings.ToUpper(own)
	made := w.Want(w.Post(w.Key, harness.TdocPath, body), 201).Data()
	if made["issuanceTemplateId"] != own {
		t.Errorf("made: %v", made)
	}
	drop(own)
	w.Want(w.Do(harness.Request{Method: "PUT", Key: w.Key, Path: harness.TdocPath + "/" + made["id"].(string), Body: body}), 200)
}

// TestNamesOfCopies: a copy of a template has the name that the request gives it.
//
//engine:sqlite the form of the request decides
func TestNamesOfCopies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for path, id := range map[string]string{placementPath: w.Made(placementPath, placementBody()), harness.TrustTemplatesPath: w.FreshTrustTemplate()} {
		copied := path + "/" + id + "/duplicate"
		if d := w.Want(w.Post(w.Key, copied, map[string]any{"name": "Diplomas of 2027"}), 200).Data(); d["name"] != "Diplomas of 2027" || d["id"] == id {
			t.Errorf("%s: %v", path, d)
		}
		for _, body := range []any{nil, map[string]any{}} {
			if d := w.Want(w.Post(w.Key, copied, body), 200).Data(); !strings.HasSuffix(d["name"].(string), " (copy)") {
				t.Errorf("%s %v: %v", path, body, d["name"])
			}
		}
		w.WantCode(w.Post(w.Key, copied, map[string]any{"name": ""}), 400, "VALIDATION_FAILED")
	}
}

// TestPlacementInMillimetres: the error for a number above 1 names the unit, and says
// which share the number is in mm.
//
//engine:sqlite the form of the request decides
func TestPlacementInMillimetres(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.WantCode(w.Post(w.Key, placementPath, map[string]any{
		"name": "n", "positionX": 21, "yNorm": 29.7, "wNorm": 300, "hNorm": 0,
	}), 400, "VALIDATION_FAILED")
	for field, want := range map[string]string{
		"positionX": "0 to 1, a share of the page's width, not mm: 21 mm are 0.1 of the 210 mm of an A4 page",
		"yNorm":     "a share of the page's height, not mm: 29.7 mm are 0.1 of the 297 mm of an A4 page",
		"wNorm":     "a share of the page's width, not mm or points", "hNorm": "above 0 and at most 1, a share of the page's height",
	} {
		if got := fmt.Sprint(a.Body["errors"].(map[string]any)[field]); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", field, got, want)
		}
	}
	a = w.Post(w.Key, placementPath, map[string]any{"name": "n", "xNorm": 10, "yNorm": 0, "pageSizeMmWidth": 100, "pageSizeMmHeight": 100})
	if got := fmt.Sprint(a.Body["errors"]); a.StatusCode != 400 || !strings.Contains(got, "10 mm are 0.1 of the 100 mm of the page of this template") {
		t.Errorf("a page of 100 mm: %s", a.Raw)
	}
}
