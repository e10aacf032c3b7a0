package httpapi

import (
	"context"
	"strconv"

	"tcode/server/httpapi/api"
	"tcode/server/issue/trustdoc"
	"tcode/server/verify"
)

// DocumentVerifier answers whether Trust documents are genuine. Package verify
// implements it.
type DocumentVerifier interface {
	DocumentByReference(ctx context.Context, v verify.Viewer, reference string) (verify.DocumentResult, error)
	DocumentByHash(ctx context.Context, v verify.Viewer, hash string) (verify.DocumentResult, error)
}

// VerifyDocumentByReference looks a Trust document up.
func (h *handlers) VerifyDocumentByReference(ctx context.Context, r VerifyDocumentByReferenceRequestObject) (VerifyDocumentByReferenceResponseObject, error) {
	res, err := h.c.Verify.DocumentByReference(ctx, viewerOf(ctx), r.Body.Reference)
	if err != nil {
		return nil, err
	}
	return documentVerdict(res), nil
}

// VerifyDocumentByHash looks a Trust document up by its content.
func (h *handlers) VerifyDocumentByHash(ctx context.Context, r VerifyDocumentByHashRequestObject) (VerifyDocumentByHashResponseObject, error) {
	res, err := h.c.Verify.DocumentByHash(ctx, viewerOf(ctx), r.Body.Hash)
	if err != nil {
		return nil, err
	}
	return documentVerdict(res), nil
}

// documentVerdict returns a result as the contract shows it.
func documentVerdict(r verify.DocumentResult) verdict {
	if r.Verdict != verify.NotFound {
		return verdictOf(documentVerification(r))
	}
	if len(r.Checks) == 0 {
		return verdictOf(api.TrustNothingFound{Verdict: api.TrustNothingFoundVerdictNotFound})
	}
	return verdictOf(api.TrustNotGenuine{Verdict: api.TrustNotGenuineVerdictNotFound, Test: r.Test, Checks: checkList(r.Checks)})
}

func documentVerification(r verify.DocumentResult) api.TrustVerification {
	out := api.TrustVerification{
		Verdict:           api.TrustVerificationVerdict(r.Verdict),
		Status:            api.TrustDocumentStatus(r.Status),
		Reference:         r.Reference.String(),
		RecipientName:     r.RecipientName,
		DocumentTitle:     optional(r.Title),
		IssuerName:        r.IssuerName,
		IssuerReference:   r.IssuerReference,
		IssuedAt:          wholeMillis(r.IssuedAt),
		ExpiresAt:         optionalTime(r.ExpiresAt),
		ExpiresOn:         lastDay(r.ExpiresAt),
		DocumentType:      r.DocumentType.Code,
		DocumentTypeNames: names(r.DocumentType.Names),
		StatusAsOf:        wholeMillis(r.StatusAsOf),
		Replaces:          optional(r.Replaces),
		ReplacedBy:        optional(r.ReplacedBy),
		Test:              r.Test,
		KeyId:             r.KeyID,
		ContentSha256:     r.ContentSHA256,
		Stamp:             optional(r.Stamp),
		MatchedOn:         optional(api.TrustVerificationMatchedOn(r.MatchedOn)),
		MatchCount:        optional(int32(r.MatchCount)),
		Reason:            optional(r.Reason),
		ErasedAt:          optionalTime(r.ErasedAt),
		Checks:            checkList(r.Checks),
	}
	if r.OwnTenant {
		fields := fieldList(r.Fields)
		out.Fields = &fields
	}
	return out
}

// ListDocumentVerifications returns the verifications of the tenant's Trust
// documents.
func (h *handlers) ListDocumentVerifications(ctx context.Context, r ListDocumentVerificationsRequestObject) (ListDocumentVerificationsResponseObject, error) {
	f := verify.HistoryFilter{Kind: verify.OfDocument, From: deref(r.Params.From), To: deref(r.Params.To)}
	page, err := h.c.Verify.History(ctx, historianOf(ctx), f, verify.Page{Number: pageNumber(r.Params.Page), Size: pageSize(r.Params.PageSize)})
	if err != nil {
		return nil, err
	}
	out := ListDocumentVerifications200JSONResponse{Items: make([]api.TrustVerificationEntry, 0, len(page.Items))}
	paging(page.Number, page.Size, page.TotalCount, page.TotalIsLowerBound, len(page.Items)).
		fill(&out.Page, &out.PageSize, &out.TotalCount, &out.TotalPages, &out.TotalIsLowerBound, &out.HasNext)
	for _, e := range page.Items {
		out.Items = append(out.Items, api.TrustVerificationEntry{
			Id: strconv.FormatInt(e.ID, 10), Test: e.Test,
			Reference: trustdoc.Reference(e.Reference).String(), Verdict: api.TrustVerificationEntryVerdict(e.Verdict), VerifiedAt: wholeMillis(e.VerifiedAt),
			Method: api.TrustVerificationEntryMethod(e.Method), KeyPrefix: optional(e.ViewerKey),
		})
	}
	return out, nil
}
