package apitest

import (
	"encoding/base64"
	"testing"

	"tcode/server/internal/harness"
)

// TestProblemsBeyondSchemas: one answer names all problems of a body, also those that
// no schema can express.
//
//engine:sqlite the form of the request decides
func TestProblemsBeyondSchemas(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	want := func(what string, a harness.Answer, fields ...string) {
		t.Helper()
		w.WantCode(a, 400, "VALIDATION_FAILED")
		errors := a.Body["errors"].(map[string]any)
		for _, f := range fields {
			if errors[f] == nil {
				t.Errorf("%s: nothing about %s: %s", what, f, a.Raw)
			}
		}
		if len(errors) != len(fields) {
			t.Errorf("%s: %d problems, want %d: %s", what, len(errors), len(fields), a.Raw)
		}
	}
	noPDF := base64.StdEncoding.EncodeToString([]byte("no PDF"))
	want("form of a stamp", w.Post(w.Key, "/v1/tcode/stamps", map[string]any{"name": "", "documentTypeCode": "DIP", "pdf": noPDF, "modeType": "x"}), "name", "modeType", "pdf")
	want("code of a stamp", w.Post(w.Key, "/v1/tcode/stamps", map[string]any{"name": "n", "documentTypeCode": "NOPE", "pdf": noPDF}), "documentTypeCode", "pdf")
	w.WantCode(w.Post(w.Key, "/v1/tcode/stamps", map[string]any{"name": "n", "documentTypeCode": "DIP", "pdf": noPDF}), 400, "INVALID_PDF")
	body := w.IssuanceBody()
	body["recipientName"], body["recipientEmail"], body["pdf"] = "", "ada", noPDF
	want("form of a document", w.Post(w.Key, harness.DocumentsPath, body), "recipientName", "recipientEmail", "pdf")
	body["recipientName"], body["expiresAt"] = "Ada", "2001-01-01"
	want("values of a document", w.Post(w.Key, harness.DocumentsPath, body), "recipientEmail", "expiresAt", "pdf")

	batch := harness.ScanBody()
	batch["batchId"], batch["scannerId"], batch["sentAt"] = "a b", "c d", "now"
	item := batch["items"].([]any)[0].(map[string]any)
	item["scanId"], item["scannedAt"], item["payload"] = "x", "yesterday", "y"
	item["context"] = map[string]any{"latitudeE6": 1}
	batch["items"] = []any{item, map[string]any{"scanId": "z", "seq": -1}}
	want("batch", w.Post("", "/v1/tcode/verify/sync", batch),
		"batchId", "scannerId", "sentAt", "items[0].scanId", "items[0].scannedAt", "items[0].payload", "items[0].context.latitudeE6",
		"items[1].scanId", "items[1].seq", "items[1].payload", "items[1].scannedAt")
}
