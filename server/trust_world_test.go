package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

const (
	documentsPath      = "/v1/trust/issuances"
	trustTemplatesPath = "/v1/trust/templates"
)

// furnishTrust makes a template and a document that stands.
func (w *world) furnishTrust() {
	w.t.Helper()
	w.trust = w.made(trustTemplatesPath, trustTemplateBody())
	w.document = w.issued(w.issuanceBody())
}

// trustTemplateBody says all that a creation can say.
func trustTemplateBody() map[string]any {
	return map[string]any{
		"name": fmt.Sprint("trust ", serial.Add(1)), "documentTypeCode": "DIP", "description": "diplomas",
		"fields": []any{map[string]any{"key": "holder", "label": "Holder", "type": "text", "required": false}},
	}
}

// issuanceBody says all that an issuance can say; the PDF gets no TCode.
func (w *world) issuanceBody() map[string]any {
	n := serial.Add(1)
	return map[string]any{
		"templateId": w.trust, "recipientName": fmt.Sprint("recipient ", n), "recipientEmail": "ada@example.org", "documentTitle": fmt.Sprint("document ", n),
		"externalId": fmt.Sprint("E-", n), "pdf": pdfOf(fmt.Sprint("document ", n)), "expiresAt": time.Now().Add(24 * time.Hour).UTC().Format(time.RFC3339),
		"issuancePath": "digital", "modeType": "standard",
		"fields": []any{map[string]any{"key": "holder", "value": fmt.Sprint("holder ", n)}},
	}
}

// replacementBody is the body of a replacement.
func (w *world) replacementBody() map[string]any {
	b := w.issuanceBody()
	delete(b, "modeType")
	b["reason"] = "name corrected"
	return b
}

// issued issues a document and returns its record.
func (w *world) issued(body map[string]any) map[string]any {
	w.t.Helper()
	return w.want(w.do(request{method: "POST", path: documentsPath, key: w.key, body: body}), http.StatusCreated).data()
}

func (w *world) freshDocument() string {
	w.t.Helper()
	return w.issued(w.issuanceBody())["id"].(string)
}

func (w *world) freshTrustTemplate() string {
	w.t.Helper()
	return w.made(trustTemplatesPath, trustTemplateBody())
}

// goodTrust are the good requests of the Trust routes.
var goodTrust = map[string]func(w *world) request{
	"issueDocument": func(w *world) request { return request{body: w.issuanceBody()} },
	"listDocuments": func(*world) request { return request{} },
	"getDocument":   func(w *world) request { return request{path: w.document["id"].(string)} },
	"downloadDocument": func(w *world) request {
		return request{path: w.document["id"].(string)}
	},
	"changeDocument": func(w *world) request {
		return request{path: w.freshDocument(), body: map[string]any{"action": "suspend", "reason": "lost"}}
	},
	"replaceDocument": func(w *world) request { return request{path: w.freshDocument(), body: w.replacementBody()} },
	"checkDocumentDuplicate": func(w *world) request {
		return request{body: map[string]any{
			"externalId": "E-none", "templateId": w.trust, "recipientName": "Nobody", "fields": []any{map[string]any{"key": "holder", "value": "Nobody"}},
		}}
	},
	"listTrustTemplates":  func(*world) request { return request{} },
	"createTrustTemplate": func(*world) request { return request{body: trustTemplateBody()} },
	"getTrustTemplate":    func(w *world) request { return request{path: w.freshTrustTemplate()} },
	"updateTrustTemplate": func(w *world) request {
		return request{path: w.freshTrustTemplate(), body: trustTemplateBody()}
	},
	"deleteTrustTemplate": func(w *world) request { return request{path: w.freshTrustTemplate()} },
	"archiveTrustTemplate": func(w *world) request {
		return request{path: w.freshTrustTemplate(), body: map[string]any{"reason": "superseded"}}
	},
	"unarchiveTrustTemplate": func(w *world) request { return request{path: w.freshTrustTemplate()} },
	"duplicateTrustTemplate": func(w *world) request { return request{path: w.freshTrustTemplate()} },
	"placeTrustTemplate": func(w *world) request {
		return request{path: w.freshTrustTemplate(), body: map[string]any{"placementTemplateId": w.made(placementPath, placementBody())}}
	},
	"getTrustCsvFields": func(w *world) request { return request{path: w.freshTrustTemplate()} },
	"verifyDocumentByReference": func(w *world) request {
		return request{body: map[string]any{"reference": w.document["reference"]}}
	},
	"verifyDocumentByHash": func(w *world) request {
		return request{body: map[string]any{"hash": w.document["contentSha256"]}}
	},
	"listDocumentVerifications": func(w *world) request { return request{key: w.key} },
}

// endedDocument asks about a document that has ended.
func endedDocument(p *provoker, q *request) {
	id := p.freshDocument()
	p.want(p.do(request{method: "POST", path: documentsPath + "/" + id + "/lifecycle", key: p.key, body: map[string]any{"action": "revoke"}}), http.StatusNoContent)
	parts := strings.Split(q.path, "/")
	parts[4] = id
	q.path = strings.Join(parts, "/")
}

// specialTrust are the requests of the Trust routes for statuses that have
// reasons of their own.
var specialTrust = map[string]func(p *provoker) answer{
	"issueDocument 400": with("issueDocument", body(`{}`)),
	"issueDocument 404": with("issueDocument", func(p *provoker, q *request) { q.body.(map[string]any)["templateId"] = nobody }),
	"issueDocument 409": func(p *provoker) answer {
		q := p.ask("issueDocument")
		p.do(q)
		return p.do(q)
	},
	"issueDocument 413": with("issueDocument", tooLarge),
	"issueDocument 422": with("issueDocument", func(_ *provoker, q *request) {
		q.body.(map[string]any)["fields"] = []any{map[string]any{"key": "unknown", "value": "v"}}
	}),
	"listDocuments 400":    with("listDocuments", query("Status=lost")),
	"downloadDocument 400": with("downloadDocument", query("type=barcode")),
	"changeDocument 409":   with("changeDocument", endedDocument),
	"replaceDocument 409":  with("replaceDocument", endedDocument),
	"replaceDocument 413":  with("replaceDocument", tooLarge),
	"replaceDocument 422": with("replaceDocument", func(_ *provoker, q *request) {
		q.body = map[string]any{"fields": []any{map[string]any{"key": "unknown", "value": "v"}}}
	}),
	"checkDocumentDuplicate 400": with("checkDocumentDuplicate", body(`{}`)),
	"checkDocumentDuplicate 409": with("checkDocumentDuplicate", func(p *provoker, q *request) {
		q.body = map[string]any{"externalId": p.document["externalId"]}
	}),
	"listTrustTemplates 400":        with("listTrustTemplates", query("page=0")),
	"createTrustTemplate 400":       with("createTrustTemplate", body(`{}`)),
	"createTrustTemplate 422":       twice("createTrustTemplate", func() any { return trustTemplateBody() }),
	"verifyDocumentByReference 400": with("verifyDocumentByReference", body(`{}`)),
	"verifyDocumentByHash 400":      with("verifyDocumentByHash", body(`{}`)),
	"listDocumentVerifications 400": with("listDocumentVerifications", query("page=0")),
	"revokeStamp 409": with("revokeStamp", func(p *provoker, q *request) {
		b := p.issuanceBody()
		b["issuancePath"] = "tcode"
		stamp := p.issued(b)["stamp"].(map[string]any)
		parts := strings.Split(q.path, "/")
		parts[4] = stamp["id"].(string)
		q.path = strings.Join(parts, "/")
	}),
}
