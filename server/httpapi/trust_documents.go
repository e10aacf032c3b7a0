package httpapi

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"time"

	"tcode/offline/payload"
	"tcode/server/httpapi/api"
	"tcode/server/httpapi/gate"
	"tcode/server/issue/stamp"
	"tcode/server/issue/trustdoc"
	"tcode/server/tenant"
)

// Documents issues and keeps Trust documents. Package trustdoc implements it.
type Documents interface {
	TrustTemplates
	Issue(ctx context.Context, id tenant.Identity, r trustdoc.Issuance) (trustdoc.Document, error)
	Check(ctx context.Context, id tenant.Identity, r trustdoc.Issuance) error
	Reach(ctx context.Context, who tenant.Identity, id string) (trustdoc.Document, error)
	List(ctx context.Context, tenantRef string, f trustdoc.Filter) (trustdoc.Page, error)
	Act(ctx context.Context, who tenant.Identity, id string, a trustdoc.Action, reason string) error
	Resend(ctx context.Context, who tenant.Identity, id, email string) (trustdoc.Document, error)
	CheckResend(ctx context.Context, who tenant.Identity, id, email string) error
	FileFor(ctx context.Context, who tenant.Identity, id, kind string) (stamp.File, error)
	Replace(ctx context.Context, who tenant.Identity, id string, r trustdoc.Replacement) (trustdoc.Document, error)
	CheckReplacement(ctx context.Context, who tenant.Identity, id string, r trustdoc.Replacement) error
	Duplicates(ctx context.Context, tenantRef string, q trustdoc.DuplicateQuery) ([]trustdoc.Match, error)
}

// IssueDocument issues a Trust document. With an Idempotency-Key the transaction of
// the document stores the answer, and a repeat gets the same bytes.
func (h *handlers) IssueDocument(ctx context.Context, r IssueDocumentRequestObject) (IssueDocumentResponseObject, error) {
	call := gate.CallOf(ctx)
	req := issuance(call, r.Body)
	try, answered, end, err := h.attempt(ctx, r.Params.IdempotencyKey)
	if err != nil {
		return nil, err
	}
	defer end()
	if answered != nil {
		return answered, nil
	}
	if req.Idempotency = try.Record; req.Idempotency != nil {
		req.Answer = documentAnswer(http.StatusCreated)
	}
	d, err := h.c.Documents.Issue(ctx, call.Identity, req)
	if err != nil {
		return try.failed(ctx, err)
	}
	location := documentPath(d.ID)
	return IssueDocument201JSONResponse{
		Body: api.TrustDocumentEnvelope{Data: documentRecord(d)}, Headers: IssueDocument201ResponseHeaders{Location: &location},
	}, nil
}

// ReplaceDocument revokes a document and issues its successor.
func (h *handlers) ReplaceDocument(ctx context.Context, r ReplaceDocumentRequestObject) (ReplaceDocumentResponseObject, error) {
	call := gate.CallOf(ctx)
	req := documentReplacement(call, r.Body)
	try, answered, end, err := h.attempt(ctx, r.Params.IdempotencyKey)
	if err != nil {
		return nil, err
	}
	defer end()
	if answered != nil {
		return answered, nil
	}
	if req.Idempotency = try.Record; req.Idempotency != nil {
		req.Answer = documentAnswer(http.StatusOK)
	}
	d, err := h.c.Documents.Replace(ctx, call.Identity, r.Id.String(), req)
	if err != nil {
		return try.failed(ctx, err)
	}
	location := documentPath(d.ID)
	return ReplaceDocument200JSONResponse{
		Body: api.TrustDocumentEnvelope{Data: documentRecord(d)}, Headers: ReplaceDocument200ResponseHeaders{Location: &location},
	}, nil
}

func issuance(call *gate.Call, b *api.TrustIssuanceRequest) trustdoc.Issuance {
	return trustdoc.Issuance{
		TemplateID: b.TemplateId.String(), RecipientName: b.RecipientName, RecipientEmail: deref(b.RecipientEmail),
		Title: deref(b.DocumentTitle), ExternalID: deref(b.ExternalId), Fields: fieldValues(&b.Fields), PDF: call.PDF,
		ExpiresAt: deref(b.ExpiresAt), Path: trustdoc.Path(deref(b.IssuancePath)), ModeType: string(deref(b.ModeType)), GeneratePDF: deref(b.GeneratePdf),
	}
}

func documentReplacement(call *gate.Call, b *api.TrustReplaceRequest) trustdoc.Replacement {
	req := trustdoc.Replacement{
		TemplateID: uuidText(b.TemplateId), RecipientName: deref(b.RecipientName), RecipientEmail: deref(b.RecipientEmail),
		Title: deref(b.DocumentTitle), ExternalID: deref(b.ExternalId), PDF: call.PDF, ExpiresAt: deref(b.ExpiresAt),
		Path: trustdoc.Path(deref(b.IssuancePath)), Reason: deref(b.Reason), GeneratePDF: deref(b.GeneratePdf),
	}
	if b.Fields != nil { // an empty list copies no fields
		req.Fields = append([]payload.Field{}, fieldValues(b.Fields)...)
	}
	return req
}

func documentPath(id string) string { return "/v1/trust/issuances/" + id }

// documentAnswer makes the stored answer for an Idempotency-Key.
func documentAnswer(status int) func(trustdoc.Document) (int, []byte, error) {
	return func(d trustdoc.Document) (int, []byte, error) {
		body, err := json.Marshal(api.TrustDocumentEnvelope{Data: documentRecord(d)})
		return status, body, err
	}
}

// VisitIssueDocumentResponse writes the answer.
func (r *replay) VisitIssueDocumentResponse(w http.ResponseWriter) error { return r.document(w) }

// VisitReplaceDocumentResponse writes the answer.
func (r *replay) VisitReplaceDocumentResponse(w http.ResponseWriter) error { return r.document(w) }

func (r *replay) document(w http.ResponseWriter) error {
	return r.write(w, func(body []byte, h http.Header) {
		var d api.TrustDocumentEnvelope
		if json.Unmarshal(body, &d) == nil {
			h.Set("Location", documentPath(d.Data.Id.String()))
		}
	})
}

// ListDocuments returns one page of the tenant's documents.
func (h *handlers) ListDocuments(ctx context.Context, r ListDocumentsRequestObject) (ListDocumentsResponseObject, error) {
	p := r.Params
	f := trustdoc.Filter{
		Search: deref(p.Search), TemplateID: uuidText(p.TemplateId), FieldName: deref(p.FieldName), FieldValue: deref(p.FieldValue),
		Page: pageNumber(p.Page), PageSize: pageSize(p.PageSize), TestOnly: gate.CallOf(ctx).Identity.Test || deref(p.Test), LiveOnly: p.Test != nil && !*p.Test,
	}
	f.OldestFirst = deref(p.Sort) == api.ListDocumentsParamsSortCreatedAt
	// The gate has checked both with all other parameters.
	f.Statuses, _ = statusList(deref(p.Status), trustdoc.ParseStatus)
	f.From, f.To, _ = dateRange(deref(p.DateRange), h.c.Now())
	page, err := h.c.Documents.List(ctx, gate.CallOf(ctx).Identity.Tenant.Reference, f)
	if err != nil {
		return nil, err
	}
	out := ListDocuments200JSONResponse{Items: make([]api.TrustDocumentSummary, 0, len(page.Items))}
	paging(page.Page, page.PageSize, page.TotalCount, page.TotalIsLowerBound, len(page.Items)).
		fill(&out.Page, &out.PageSize, &out.TotalCount, &out.TotalPages, &out.TotalIsLowerBound, &out.HasNext)
	for _, s := range page.Items {
		out.Items = append(out.Items, api.TrustDocumentSummary{
			Id: mustUUID(s.ID), Reference: s.Reference.String(), Status: api.TrustDocumentStatus(s.Status),
			RecipientName: s.RecipientName, DocumentTitle: optional(s.Title), TemplateId: mustUUID(s.TemplateID), DocumentTypeCode: s.DocumentType,
			ExternalId: optional(s.ExternalID), ExpiresAt: optionalTime(s.ExpiresAt), ExpiresOn: lastDay(s.ExpiresAt), Test: s.Test, CreatedAt: s.CreatedAt.UTC(), UpdatedAt: s.UpdatedAt.UTC(), ErasedAt: optionalTime(s.ErasedAt),
		})
	}
	return out, nil
}

// GetDocument returns one document.
func (h *handlers) GetDocument(ctx context.Context, r GetDocumentRequestObject) (GetDocumentResponseObject, error) {
	d, err := h.c.Documents.Reach(ctx, gate.CallOf(ctx).Identity, r.Id.String())
	if err != nil {
		return nil, err
	}
	return GetDocument200JSONResponse{Data: documentRecord(d)}, nil
}

// DownloadDocument signs an address for a PDF of a document.
func (h *handlers) DownloadDocument(ctx context.Context, r DownloadDocumentRequestObject) (DownloadDocumentResponseObject, error) {
	call := gate.CallOf(ctx)
	file, err := h.c.Documents.FileFor(ctx, call.Identity, r.Id.String(), string(deref(r.Params.Type)))
	if err != nil {
		return nil, err
	}
	expires := h.c.Now().Add(h.c.DownloadFor).Truncate(time.Second)
	return DownloadDocument200JSONResponse{Data: api.TCodeDownload{
		Url:         h.fileURL(call, file, expires),
		ExpiresAt:   expires.UTC(),
		ContentType: file.ContentType,
		FileName:    file.FileName,
		SizeBytes:   file.SizeBytes,
		Sha256:      file.SHA256,
	}}, nil
}

// ChangeDocument changes the status of a document.
func (h *handlers) ChangeDocument(ctx context.Context, r ChangeDocumentRequestObject) (ChangeDocumentResponseObject, error) {
	action, _ := trustdoc.ParseAction(string(r.Body.Action)) // the contract has no others
	err := h.c.Documents.Act(ctx, gate.CallOf(ctx).Identity, r.Id.String(), action, deref(r.Body.Reason))
	if err != nil {
		return nil, err
	}
	return ChangeDocument204Response{}, nil
}

// ResendDocument sends the e-mail of a document again.
func (h *handlers) ResendDocument(ctx context.Context, r ResendDocumentRequestObject) (ResendDocumentResponseObject, error) {
	email := ""
	if r.Body != nil {
		email = deref(r.Body.RecipientEmail)
	}
	d, err := h.c.Documents.Resend(ctx, gate.CallOf(ctx).Identity, r.Id.String(), email)
	if err != nil {
		return nil, err
	}
	return ResendDocument200JSONResponse{Data: documentRecord(d)}, nil
}

// CheckDocumentDuplicate returns a DUPLICATE fault if there is such a document.
func (h *handlers) CheckDocumentDuplicate(ctx context.Context, r CheckDocumentDuplicateRequestObject) (CheckDocumentDuplicateResponseObject, error) {
	id := gate.CallOf(ctx).Identity
	matches, err := h.c.Documents.Duplicates(ctx, id.Tenant.Reference, documentQuery(id, r.Body))
	if err != nil {
		return nil, err
	}
	if len(matches) > 0 {
		return nil, trustdoc.Duplicate(matches[0].Reference, matches[0].By)
	}
	return CheckDocumentDuplicate200JSONResponse{Data: api.TrustDuplicateCheck{Duplicate: false}}, nil
}

func documentQuery(id tenant.Identity, b *api.TrustDuplicateCheckRequest) trustdoc.DuplicateQuery {
	return trustdoc.DuplicateQuery{
		Test: id.Test, TemplateID: uuidText(b.TemplateId), ExternalID: deref(b.ExternalId), RecipientName: deref(b.RecipientName),
		Fields: fieldValues(b.Fields),
	}
}

// documentRecord returns a document as the contract shows it.
func documentRecord(d trustdoc.Document) api.TrustDocument {
	out := api.TrustDocument{
		Id:               mustUUID(d.ID),
		Reference:        d.Reference.String(),
		Status:           api.TrustDocumentStatus(d.Status),
		RecipientName:    d.RecipientName,
		RecipientEmail:   optional(d.RecipientEmail),
		DocumentTitle:    optional(d.Title),
		TemplateId:       mustUUID(d.TemplateID),
		TemplateVersion:  d.TemplateVersion,
		DocumentTypeCode: d.DocumentType,
		Fields:           fieldList(d.Values),
		ExternalId:       optional(d.ExternalID),
		IssuancePath:     api.TrustDocumentIssuancePath(d.Path),
		Test:             d.Test,
		ExpiresAt:        optionalTime(d.ExpiresAt),
		ExpiresOn:        lastDay(d.ExpiresAt),
		PdfSha256:        optional(d.OriginalSHA256),
		Warnings:         append([]string{}, d.Warnings...),
		ContentSha256:    d.ContentSHA256(),
		Signature: api.TrustSignature{
			KeyId: tenant.KeyID(d.Tenant, d.KeySeq), Algorithm: api.TrustSignatureAlgorithm(d.Algorithm.String()),
			Value: base64.RawURLEncoding.EncodeToString(d.Signature[:]), Canonical: d.Canonical,
		},
		Replaces:   optional(d.Replaces),
		ReplacedBy: optional(d.ReplacedBy),
		Reason:     optional(d.Reason),
		IssuedAt:   d.IssuedAt.UTC(),
		CreatedAt:  d.CreatedAt.UTC(),
		UpdatedAt:  d.UpdatedAt.UTC(),
		ErasedAt:   optionalTime(d.ErasedAt),
	}
	out.Delivery = deliveryRecord(d.Delivery)
	if st := d.Stamp; st != nil {
		out.Stamp = &api.TrustStamp{Id: mustUUID(st.ID), Reference: st.Reference.String(), StampedSha256: st.SHA256}
	}
	return out
}
