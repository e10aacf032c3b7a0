package harness

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"tcode/server"
	"tcode/server/httpapi/api"
	"tcode/server/store/storetest"
)

// A World is a gateway with a tenant, templates and documents.
type World struct {
	*Rig
	Key      string // of ACME01
	Standing api.TCodeStamp
	Text     string            // the payload of Standing
	Tdoc     string            // a TDoc template with the field holder; "" for none
	Trust    string            // a Trust template with the field holder
	Document api.TrustDocument // a Trust document that stands
}

// NewWorld is [Start] with all that a World holds.
func NewWorld(t *testing.T, change ...func(*server.Config)) *World {
	t.Helper()
	return NewWorldOn(t, storetest.DefaultEngine(), change...)
}

// NewWorldOn is [NewWorld] on engine e.
func NewWorldOn(t *testing.T, e storetest.Engine, change ...func(*server.Config)) *World {
	t.Helper()
	w := &World{Rig: StartOn(t, e, change...)}
	w.Key = w.Tenant("ACME01")
	w.Standing = w.Stamp(w.Key, "standing")
	w.Text = string(w.Download(w.Key, w.Standing.Id.String(), "payload"))
	w.Tdoc = w.Made(TdocPath, TdocBody())
	w.FurnishTrust()
	return w
}

// FurnishTrust makes a Trust template and a document that stands.
func (w *World) FurnishTrust() {
	w.T.Helper()
	w.Trust = w.FreshTrustTemplate()
	var made api.TrustDocumentEnvelope
	a := w.Want(w.Post(w.Key, DocumentsPath, w.IssuanceBody()), http.StatusCreated)
	Must(w.T, json.Unmarshal(a.Raw, &made))
	w.Document = made.Data
}

// Made creates a record and returns its id.
func (w *World) Made(collection string, body map[string]any) string {
	w.T.Helper()
	return w.Want(w.Post(w.Key, collection, body), http.StatusCreated).Data()["id"].(string)
}

// FreshStamp creates a stamp and returns its id.
func (w *World) FreshStamp() string {
	w.T.Helper()
	return w.Made("/v1/tcode/stamps", w.StampBody())
}

// FreshTrustTemplate creates a Trust template and returns its id.
func (w *World) FreshTrustTemplate() string {
	w.T.Helper()
	return w.Made(TrustTemplatesPath, TrustTemplateBody())
}

// Issued issues a Trust document and returns its record.
func (w *World) Issued(body map[string]any) map[string]any {
	w.T.Helper()
	return w.Want(w.Post(w.Key, DocumentsPath, body), http.StatusCreated).Data()
}

// StampBody has all members that a creation can have.
func (w *World) StampBody() map[string]any {
	n := serial.Add(1)
	b := StampBody(fmt.Sprint("stamp ", n), "externalId", fmt.Sprint("E-", n), "modeType", "standard")
	if w.Tdoc != "" {
		b["tdocTemplateId"] = w.Tdoc
		b["fields"] = []any{map[string]any{"key": "holder", "value": "Ada"}}
	}
	return b
}

// ReplaceBody has all members that a replacement can have.
func (w *World) ReplaceBody() map[string]any {
	b := w.StampBody()
	delete(b, "modeType")
	b["reason"] = "name corrected"
	return b
}

// IssuanceBody has all members that an issuance can have; the PDF gets no TCode.
func (w *World) IssuanceBody() map[string]any {
	n := serial.Add(1)
	return map[string]any{
		"templateId": w.Trust, "recipientName": fmt.Sprint("recipient ", n), "recipientEmail": "ada@example.org", "documentTitle": fmt.Sprint("document ", n),
		"externalId": fmt.Sprint("E-", n), "pdf": PDFBase64(fmt.Sprint("document ", n)), "expiresAt": time.Now().Add(24 * time.Hour).UTC().Format(time.RFC3339),
		"issuancePath": "digital", "modeType": "standard",
		"fields": []any{map[string]any{"key": "holder", "value": fmt.Sprint("holder ", n)}},
	}
}
