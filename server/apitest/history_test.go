package apitest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tcode/server/internal/harness"
)

// TestHistoryOfBadKeys: the histories of verifications refuse a key that is no good,
// and need none.
//
//engine:sqlite the key decides
func TestHistoryOfBadKeys(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	key, stopped := r.Tenant("ACME01"), r.Tenant("STOP01")
	must(t, r.Admin.Tenants.Suspend(t.Context(), "STOP01"))
	for _, path := range []string{"/v1/tcode/verify/history", "/v1/trust/verify/history"} {
		for _, bad := range []string{"tck_live_bad", "x", key + "0"} {
			r.WantCode(r.Get(bad, path), 401, "UNAUTHORIZED")
		}
		r.WantCode(r.Get(stopped, path), 403, "FORBIDDEN")
		r.Want(r.Get(key, path), 200)
		if a := r.Want(r.Get("", path), 200); a.Body["totalCount"] != 0.0 {
			t.Errorf("without a key: %s", a.Raw)
		}
	}
	// A look-up ignores a bad key.
	r.Want(r.Get("tck_live_bad", "/v1/tcode/verify/reference/TCR-0000000000000000"), 200)
}

// TestContextOfVerification: the history of the issuer keeps the context that came
// with a payload.
func TestContextOfVerification(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	key := r.Tenant("ACME01")
	st := r.Stamp(key, "n")
	text := string(r.Download(key, st.Id.String(), "payload"))
	a := r.Want(r.Post("", "/v1/tcode/verify", map[string]any{
		"payload": text, "context": map[string]any{"scannerId": "gate-4", "location": "Main entrance"},
	}), 200)
	if a.Header.Get("X-Ignored-Properties") != "" {
		t.Errorf("ignored: %v", a.Header)
	}
	r.WantCode(r.Post("", "/v1/tcode/verify", map[string]any{"payload": text, "context": map[string]any{"scannerId": 4}}), 400, "VALIDATION_FAILED")
	r.Want(r.Post("", "/v1/tcode/verify", map[string]any{"payload": text}), 200)
	var items []any
	for len(items) < 2 {
		items = r.Want(r.Get(key, "/v1/tcode/verify/history"), 200).Body["items"].([]any)
		time.Sleep(10 * time.Millisecond) // the gateway writes the history in groups
	}
	if said := items[1].(map[string]any); said["scannerId"] != "gate-4" || said["location"] != "Main entrance" || said["method"] != "payload" {
		t.Errorf("with a context: %v", said)
	}
	if silent := items[0].(map[string]any); silent["scannerId"] != nil || silent["location"] != nil {
		t.Errorf("without: %v", silent)
	}
}

// TestReasonOfOriginal: the answer to the hash of a file that was stamped, and is not
// stamped itself, says so.
func TestReasonOfOriginal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one := w.Want(w.Post(w.Key, "/v1/tcode/stamps", harness.StampBody("same")), 201).Data()
	two := w.Want(w.Post(w.Key, "/v1/tcode/stamps", harness.StampBody("same")), 201).Data()
	look := func(hash any) map[string]any {
		t.Helper()
		return w.Want(w.Get("", fmt.Sprint("/v1/tcode/verify/hash/", hash)), 200).Data()
	}
	const want = "matchedOn: original. This file is an original of 2 stamped documents, and is itself not stamped."
	if d := look(one["originalSha256"]); d["verdict"] != "valid" || d["reason"] != want {
		t.Errorf("the original: %v", d)
	}
	if d := look(two["stampedSha256"]); d["verdict"] != "valid" || d["reason"] != nil {
		t.Errorf("the stamped file: %v", d)
	}
	ask := func(hash any) map[string]any {
		t.Helper()
		return w.Want(w.Post("", "/v1/trust/verify/by-hash", map[string]any{"hash": hash}), 200).Data()
	}
	body := w.IssuanceBody()
	body["issuancePath"] = "tcode"
	if d := ask(w.Issued(body)["pdfSha256"]); d["verdict"] != "valid" || !strings.Contains(fmt.Sprint(d["reason"]), "an original of a stamped document") {
		t.Errorf("the original of a document: %v", d)
	}
	if d := ask(*w.Document.PdfSha256); d["verdict"] != "valid" || d["reason"] != nil { // it has no TCode: the file is the document
		t.Errorf("a document's own file: %v", d)
	}
}
