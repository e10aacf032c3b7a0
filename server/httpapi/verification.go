package httpapi

import (
	"context"

	"tcode/offline"
	"tcode/server/verify"
)

// VerifyByReference looks a stamp up.
func (h *handlers) VerifyByReference(ctx context.Context, r VerifyByReferenceRequestObject) (VerifyByReferenceResponseObject, error) {
	res, err := h.c.Verify.ByReference(ctx, callOf(ctx).viewer(), r.Reference)
	if err != nil {
		return nil, err
	}
	return answer(res), nil
}

// VerifyByHash looks a document up by its content.
func (h *handlers) VerifyByHash(ctx context.Context, r VerifyByHashRequestObject) (VerifyByHashResponseObject, error) {
	res, err := h.c.Verify.ByHash(ctx, callOf(ctx).viewer(), r.Hash)
	if err != nil {
		return nil, err
	}
	return VerifyByHash200JSONResponse{verification(res)}, nil
}

// VerifyPayload checks what a barcode holds.
func (h *handlers) VerifyPayload(ctx context.Context, r VerifyPayloadRequestObject) (VerifyPayloadResponseObject, error) {
	res, err := h.c.Verify.ByPayload(ctx, callOf(ctx).viewer(), r.Body.Payload)
	if err != nil {
		return nil, err
	}
	return answer(res), nil
}

// A verdict is one of the alternatives of the contract's verification: what
// nothing was found of has no other members, so that it cannot be taken for
// more.
type verdict interface{ isVerdict() }

func (TCodeVerification) isVerdict() {}
func (TCodeNothingFound) isVerdict() {}
func (TCodeNotGenuine) isVerdict()   {}

// verification is a result as the contract shows it.
func verification(r verify.Result) VerificationJSONResponse {
	return VerificationJSONResponse{Data: verdictOf(r)}
}

func verdictOf(r verify.Result) verdict {
	if r.Verdict == verify.NotFound {
		if len(r.Checks) == 0 {
			return TCodeNothingFound{Verdict: TCodeNothingFoundVerdictNotFound}
		}
		return TCodeNotGenuine{
			Verdict: TCodeNotGenuineVerdictNotFound, Assurance: TCodeNotGenuineAssurance(r.Assurance), Test: r.Test, Checks: checkList(r.Checks),
		}
	}
	return TCodeVerification{
		Verdict:           TCodeVerificationVerdict(r.Verdict),
		Assurance:         optional(TCodeVerificationAssurance(r.Assurance)),
		Status:            TCodeStampStatus(r.Status),
		Reference:         r.Reference.String(),
		IssuerName:        r.IssuerName,
		IssuerReference:   r.IssuerReference,
		IssuedAt:          wholeMillis(r.IssuedAt),
		DocumentType:      r.DocumentType.Code,
		DocumentTypeNames: names(r.DocumentType.Names),
		StatusAsOf:        wholeMillis(r.StatusAsOf),
		Replaces:          optional(r.Replaces),
		ReplacedBy:        optional(r.ReplacedBy),
		TrustDocument:     optional(r.Document),
		Test:              r.Test,
		Name:              optional(r.Name),
		Fields:            fieldList(r.Fields),
		MatchedOn:         optional(TCodeVerificationMatchedOn(r.MatchedOn)),
		MatchCount:        optional(int32(r.MatchCount)),
		Checks:            checkList(r.Checks),
	}
}

func checkList(in []offline.Check) []VerificationCheck {
	out := make([]VerificationCheck, 0, len(in))
	for _, c := range in {
		out = append(out, VerificationCheck{
			Name: c.Name, Status: VerificationCheckStatus(c.Status), Code: c.Code, Detail: optional(c.Detail),
		})
	}
	return out
}

// ListScans returns the scans of a document; what only its tenant may see is
// left out by the service.
func (h *handlers) ListScans(ctx context.Context, r ListScansRequestObject) (ListScansResponseObject, error) {
	f := verify.ScanFilter{
		From: deref(r.Params.From), To: deref(r.Params.To), Page: pageNumber(r.Params.Page), PageSize: pageSize(r.Params.PageSize),
		Finding: string(deref(r.Params.Finding)),
	}
	page, err := h.c.Verify.Scans(ctx, callOf(ctx).historian(), r.Reference, f)
	if err != nil {
		return nil, err
	}
	out := ListScans200JSONResponse{Items: make([]TCodeScan, 0, len(page.Items))}
	paging(page.Page, page.PageSize, page.TotalCount, page.TotalIsLowerBound, len(page.Items)).
		fill(&out.Page, &out.PageSize, &out.TotalCount, &out.TotalPages, &out.TotalIsLowerBound, &out.HasNext)
	for _, s := range page.Items {
		scan := TCodeScan{
			Verdict: TCodeScanVerdict(s.Verdict), GatewayVerdict: TCodeScanGatewayVerdict(s.GatewayVerdict), VerifiedAt: s.VerifiedAt.UTC(),
		}
		if page.OwnTenant {
			signed := s.Signed
			scan.Signed = &signed
			scan.ScannerId = optional(s.ScannerID)
			scan.ScanId = optional(s.ScanID)
			scan.ScannedAt = optionalTime(s.ScannedAt)
			scan.Location = optional(s.Location)
			scan.OfflineVerdict = optional(s.OfflineVerdict)
			scan.Assurance = optional(s.Assurance)
			scan.Binding = optional(TCodeScanBinding(s.Binding))
			scan.VerdictAtScan = optional(string(s.VerdictAtScan))
			scan.Finding = optional(TCodeScanFinding(s.Finding))
		}
		out.Items = append(out.Items, scan)
	}
	return out, nil
}

// VerifyPublicKey returns the gateway's online key, or a tenant's key.
func (h *handlers) VerifyPublicKey(ctx context.Context, r VerifyPublicKeyRequestObject) (VerifyPublicKeyResponseObject, error) {
	ref, id := deref(r.Params.TenantReference), deref(r.Params.KeyId)
	if ref == "" {
		key, err := h.onlineKey()
		if err != nil {
			return nil, err
		}
		return VerifyPublicKey200JSONResponse{Data: key}, nil
	}
	if id != "" {
		key, err := h.c.Reference.Key(ctx, ref, id)
		if err != nil {
			return nil, noKey(err)
		}
		return VerifyPublicKey200JSONResponse{Data: publicKey(key)}, nil
	}
	keys, err := h.c.Reference.PublicKey(ctx, ref)
	if err != nil {
		return nil, noKey(err)
	}
	return VerifyPublicKey200JSONResponse{Data: tenantKeys(keys)}, nil
}
