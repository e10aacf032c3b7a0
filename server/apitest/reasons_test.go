package apitest

import (
	"fmt"
	"strings"
	"testing"

	"tcode/server/internal/harness"
)

// TestReasonOfRepeatedAction: the reason that comes with a repeated action is kept,
// and the record stays in its state.
func TestReasonOfRepeatedAction(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	want := func(path, status string, reason any) map[string]any {
		t.Helper()
		d := w.Want(w.Get(w.Key, path), 200).Data()
		if d["status"] != status || d["reason"] != reason {
			t.Errorf("%s: %v, %v; want %s, %v", path, d["status"], d["reason"], status, reason)
		}
		return d
	}
	stamp := "/v1/tcode/stamps/" + w.Stamp(w.Key, "n").Id.String()
	act := func(action string, body any) {
		t.Helper()
		w.Want(w.Post(w.Key, stamp+"/"+action, body), 204)
	}
	act("suspend", nil)
	want(stamp, "Suspended", nil)
	act("suspend", map[string]any{"reason": "lost"})
	want(stamp, "Suspended", "lost")
	act("suspend", nil)
	want(stamp, "Suspended", "lost")
	next := w.Want(w.Post(w.Key, stamp+"/replace", map[string]any{"pdf": harness.PDFBase64("next")}), 200).Data()
	act("revoke", map[string]any{"reason": "forged"})
	if d := want(stamp, "Revoked", "forged"); d["replacedBy"] != next["reference"] {
		t.Errorf("a replaced stamp that is revoked again: %v", d)
	}

	body := w.IssuanceBody()
	body["issuancePath"] = "both"
	made := w.Issued(body)
	document := fmt.Sprint(harness.DocumentsPath, "/", made["id"])
	change := func(action, reason string) {
		t.Helper()
		w.Want(w.Post(w.Key, document+"/lifecycle", map[string]any{"action": action, "reason": reason}), 204)
	}
	change("suspend", "lost")
	change("suspend", "found in a train")
	want(document, "Suspended", "found in a train")
	owned := "/v1/tcode/stamps/" + made["stamp"].(map[string]any)["id"].(string)
	want(owned, "Suspended", "found in a train")
	successor := w.Want(w.Post(w.Key, document+"/replace", map[string]any{"pdf": harness.PDFBase64("next")}), 200).Data()
	change("revoke", "forged")
	want(document, "Revoked", "forged")
	if d := want(owned, "Revoked", "forged"); d["replacedBy"] != successor["stamp"].(map[string]any)["reference"] {
		t.Errorf("the stamp of a replaced document: %v", d)
	}
	if d := w.Want(w.Get("", "/v1/tcode/verify/reference/"+made["stamp"].(map[string]any)["reference"].(string)), 200).Data(); d["verdict"] != "revoked" || d["replacedBy"] == nil {
		t.Errorf("verification: %v", d)
	}
}

// TestReplacementWithoutPDF: a document that replaces one with a PDF, and has none,
// says so.
func TestReplacementWithoutPDF(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	replace := func(id any, body map[string]any) map[string]any {
		t.Helper()
		return w.Want(w.Post(w.Key, fmt.Sprint(harness.DocumentsPath, "/", id, "/replace"), body), 200).Data()
	}
	first := w.Issued(w.IssuanceBody())
	second := replace(first["id"], map[string]any{"recipientName": "Ada"})
	if said := fmt.Sprint(second["warnings"]); second["pdfSha256"] != nil || !strings.Contains(said, "the PDF of "+first["reference"].(string)+" was not taken over") {
		t.Errorf("without a PDF: %v", second)
	}
	if d := w.Want(w.Get(w.Key, fmt.Sprint(harness.DocumentsPath, "/", second["id"])), 200).Data(); fmt.Sprint(d["warnings"]) != fmt.Sprint(second["warnings"]) {
		t.Errorf("read again: %v", d["warnings"])
	}
	third := replace(second["id"], map[string]any{"pdf": harness.PDFBase64("third")})
	if fourth := replace(third["id"], map[string]any{"pdf": harness.PDFBase64("fourth")}); len(second["warnings"].([]any)) != 1 || len(third["warnings"].([]any))+len(fourth["warnings"].([]any)) != 0 {
		t.Errorf("with one: %v, %v", third["warnings"], fourth["warnings"])
	}
}
