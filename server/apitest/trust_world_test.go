package apitest

import (
	"net/http"
	"strings"

	"tcode/server/internal/harness"
	"tcode/server/store/storetest"
)

// replacementBody returns the body of a replacement.
func (w *world) replacementBody() map[string]any {
	b := w.IssuanceBody()
	delete(b, "modeType")
	b["reason"] = "name corrected"
	return b
}

func (w *world) freshDocument() string {
	w.T.Helper()
	return w.Issued(w.IssuanceBody())["id"].(string)
}

// goodTrust are the good requests of the Trust routes.
var goodTrust = map[string]func(w *world) harness.Request{
	"issueDocument": func(w *world) harness.Request { return harness.Request{Body: w.IssuanceBody()} },
	"listDocuments": func(*world) harness.Request { return harness.Request{} },
	"getDocument":   func(w *world) harness.Request { return harness.Request{Path: w.Document.Id.String()} },
	"downloadDocument": func(w *world) harness.Request {
		return harness.Request{Path: w.Document.Id.String()}
	},
	"changeDocument": func(w *world) harness.Request {
		return harness.Request{Path: w.freshDocument(), Body: map[string]any{"action": "suspend", "reason": "lost"}}
	},
	"resendDocument": func(w *world) harness.Request {
		return harness.Request{Path: w.freshDocument(), Body: map[string]any{"recipientEmail": "ada@example.org"}}
	},
	"replaceDocument": func(w *world) harness.Request {
		return harness.Request{Path: w.freshDocument(), Body: w.replacementBody()}
	},
	"eraseDocument": func(w *world) harness.Request {
		return harness.Request{Path: w.freshDocument(), Body: map[string]any{"reason": "withdrawn"}}
	},
	"checkDocumentDuplicate": func(w *world) harness.Request {
		return harness.Request{Body: map[string]any{
			"externalId": "E-none", "templateId": w.Trust, "recipientName": "Nobody", "fields": []any{map[string]any{"key": "holder", "value": "Nobody"}},
		}}
	},
	"listTrustTemplates":  func(*world) harness.Request { return harness.Request{} },
	"createTrustTemplate": func(*world) harness.Request { return harness.Request{Body: harness.TrustTemplateBody()} },
	"getTrustTemplate":    func(w *world) harness.Request { return harness.Request{Path: w.FreshTrustTemplate()} },
	"updateTrustTemplate": func(w *world) harness.Request {
		return harness.Request{Path: w.FreshTrustTemplate(), Body: harness.TrustTemplateBody()}
	},
	"patchTrustTemplate": func(w *world) harness.Request {
		return harness.Request{Path: w.FreshTrustTemplate(), Body: map[string]any{"description": "patched"}}
	},
	"deleteTrustTemplate": func(w *world) harness.Request { return harness.Request{Path: w.FreshTrustTemplate()} },
	"archiveTrustTemplate": func(w *world) harness.Request {
		return harness.Request{Path: w.FreshTrustTemplate(), Body: map[string]any{"reason": "superseded"}}
	},
	"unarchiveTrustTemplate": func(w *world) harness.Request { return harness.Request{Path: w.FreshTrustTemplate()} },
	"duplicateTrustTemplate": func(w *world) harness.Request {
		return harness.Request{Path: w.FreshTrustTemplate(), Body: map[string]any{"name": "copy"}}
	},
	"placeTrustTemplate": func(w *world) harness.Request {
		return harness.Request{Path: w.FreshTrustTemplate(), Body: map[string]any{"placementTemplateId": w.Made(placementPath, placementBody())}}
	},
	"getTrustCsvFields": func(w *world) harness.Request { return harness.Request{Path: w.FreshTrustTemplate()} },
	"verifyDocumentByReference": func(w *world) harness.Request {
		return harness.Request{Body: map[string]any{"reference": w.Document.Reference}}
	},
	"verifyDocumentByHash": func(w *world) harness.Request {
		return harness.Request{Body: map[string]any{"hash": w.Document.ContentSha256}}
	},
	"listDocumentVerifications": func(w *world) harness.Request { return harness.Request{Key: w.Key} },
}

// endedDocument sends a request about a document that has ended.
func endedDocument(p *provoker, q *harness.Request) {
	id := p.freshDocument()
	p.Want(p.Post(p.Key, harness.DocumentsPath+"/"+id+"/lifecycle", map[string]any{"action": "revoke"}), http.StatusNoContent)
	parts := strings.Split(q.Path, "/")
	parts[4] = id
	q.Path = strings.Join(parts, "/")
}

// specialTrust are the requests of the Trust routes for statuses with special
// reasons.
var specialTrust = map[string]func(p *provoker) harness.Answer{
	"issueDocument 400": with("issueDocument", body(`{}`)),
	"issueDocument 404": with("issueDocument", func(p *provoker, q *harness.Request) { q.Body.(map[string]any)["templateId"] = anonymous }),
	"issueDocument 409": func(p *provoker) harness.Answer {
		q := p.ask("issueDocument")
		p.Do(q)
		return p.Do(q)
	},
	"issueDocument 413": with("issueDocument", tooLarge),
	"issueDocument 422": with("issueDocument", func(_ *provoker, q *harness.Request) {
		q.Body.(map[string]any)["fields"] = []any{map[string]any{"key": "unknown", "value": "v"}}
	}),
	"listDocuments 400":    with("listDocuments", query("Status=lost")),
	"downloadDocument 400": with("downloadDocument", query("type=barcode")),
	"changeDocument 409":   with("changeDocument", endedDocument),
	"resendDocument 400":   with("resendDocument", body(`{"recipientEmail":"ada"}`)),
	"resendDocument 409":   with("resendDocument", endedDocument),
	"setRetention 400":     with("setRetention", body(`{"kinds":[{"kind":"history","days":1}]}`)),
	"eraseDocument 409": with("eraseDocument", func(p *provoker, q *harness.Request) {
		id := p.freshDocument() // whose row was changed
		if _, err := storetest.Raw(p.T, p.Dir).Exec(`UPDATE documents SET title = 'another' WHERE id = $1`, id); err != nil {
			p.T.Fatal(err)
		}
		q.Path = harness.DocumentsPath + "/" + id + "/erase"
	}),
	"replaceDocument 409": with("replaceDocument", endedDocument),
	"replaceDocument 413": with("replaceDocument", tooLarge),
	"replaceDocument 422": with("replaceDocument", func(_ *provoker, q *harness.Request) {
		q.Body = map[string]any{"fields": []any{map[string]any{"key": "unknown", "value": "v"}}}
	}),
	"checkDocumentDuplicate 400": with("checkDocumentDuplicate", body(`{}`)),
	"checkDocumentDuplicate 409": with("checkDocumentDuplicate", func(p *provoker, q *harness.Request) {
		q.Body = map[string]any{"externalId": p.Document.ExternalId}
	}),
	"listTrustTemplates 400":        with("listTrustTemplates", query("page=0")),
	"createTrustTemplate 400":       with("createTrustTemplate", body(`{}`)),
	"createTrustTemplate 422":       twice("createTrustTemplate", func() any { return harness.TrustTemplateBody() }),
	"verifyDocumentByReference 400": with("verifyDocumentByReference", body(`{}`)),
	"verifyDocumentByHash 400":      with("verifyDocumentByHash", body(`{}`)),
	"listDocumentVerifications 400": with("listDocumentVerifications", query("page=0")),
	"revokeStamp 409": with("revokeStamp", func(p *provoker, q *harness.Request) {
		b := p.IssuanceBody()
		b["issuancePath"] = "tcode"
		stamp := p.Issued(b)["stamp"].(map[string]any)
		parts := strings.Split(q.Path, "/")
		parts[4] = stamp["id"].(string)
		q.Path = strings.Join(parts, "/")
	}),
	"eraseStamp 409": with("eraseStamp", func(p *provoker, q *harness.Request) {
		b := p.IssuanceBody()
		b["issuancePath"] = "tcode"
		stamp := p.Issued(b)["stamp"].(map[string]any)
		parts := strings.Split(q.Path, "/")
		parts[4] = stamp["id"].(string)
		q.Path = strings.Join(parts, "/")
	}),
}
