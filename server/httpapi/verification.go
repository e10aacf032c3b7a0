package httpapi

import (
	"context"
	"encoding/json"
	"net/http"

	"tcode/offline"
	"tcode/server/httpapi/api"
	"tcode/server/tenant"
	"tcode/server/verify"
)

// VerifyByReference looks a stamp up.
func (h *handlers) VerifyByReference(ctx context.Context, r VerifyByReferenceRequestObject) (VerifyByReferenceResponseObject, error) {
	res, err := h.c.Verify.ByReference(ctx, viewerOf(ctx), r.Reference)
	if err != nil {
		return nil, err
	}
	return answer(res), nil
}

// VerifyByHash looks a document up by its content.
func (h *handlers) VerifyByHash(ctx context.Context, r VerifyByHashRequestObject) (VerifyByHashResponseObject, error) {
	res, err := h.c.Verify.ByHash(ctx, viewerOf(ctx), r.Hash)
	if err != nil {
		return nil, err
	}
	return verification(res), nil
}

// VerifyPayload checks the contents of a symbol.
func (h *handlers) VerifyPayload(ctx context.Context, r VerifyPayloadRequestObject) (VerifyPayloadResponseObject, error) {
	v := viewerOf(ctx)
	if c := r.Body.Context; c != nil {
		v.ScannerID, v.Location = deref(c.ScannerId), deref(c.Location)
	}
	res, err := h.c.Verify.ByPayload(ctx, v, r.Body.Payload)
	if err != nil {
		return nil, err
	}
	if res.Verdict != verify.NotFound {
		h.app.recordScan(ctx)
	}
	return answer(res), nil
}

// An alternative is one form of the contract's verifications. The form for a stamp
// or document that was not found has no members of a record.
type alternative interface {
	api.TCodeVerification | api.TCodeNothingFound | api.TCodeNotGenuine |
		api.TrustVerification | api.TrustNothingFound | api.TrustNotGenuine
}

// A verdict is the answer to a verification. Function verdictOf makes it.
type verdict struct {
	Data any `json:"data"`
}

func verdictOf[A alternative](data A) verdict { return verdict{data} }

// VisitVerifyByHashResponse writes the answer.
func (v verdict) VisitVerifyByHashResponse(w http.ResponseWriter) error { return v.write(w) }

// VisitVerifyDocumentByReferenceResponse writes the answer.
func (v verdict) VisitVerifyDocumentByReferenceResponse(w http.ResponseWriter) error {
	return v.write(w)
}

// VisitVerifyDocumentByHashResponse writes the answer.
func (v verdict) VisitVerifyDocumentByHashResponse(w http.ResponseWriter) error { return v.write(w) }

func (v verdict) write(w http.ResponseWriter) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header()["Content-Type"] = typeJSON
	w.WriteHeader(http.StatusOK)
	_, err = w.Write(append(body, '\n'))
	return err
}

// verification returns a result as the contract shows it.
func verification(r verify.Result) verdict {
	if r.Verdict != verify.NotFound {
		return verdictOf(found(r))
	}
	if len(r.Checks) == 0 {
		return verdictOf(api.TCodeNothingFound{Verdict: api.TCodeNothingFoundVerdictNotFound})
	}
	return verdictOf(api.TCodeNotGenuine{
		Verdict: api.TCodeNotGenuineVerdictNotFound, Assurance: api.TCodeNotGenuineAssurance(r.Assurance), Test: r.Test, Checks: checkList(r.Checks),
	})
}

func found(r verify.Result) api.TCodeVerification {
	return api.TCodeVerification{
		Verdict:           api.TCodeVerificationVerdict(r.Verdict),
		Assurance:         optional(api.TCodeVerificationAssurance(r.Assurance)),
		Status:            api.TCodeStampStatus(r.Status),
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
		MatchedOn:         optional(api.TCodeVerificationMatchedOn(r.MatchedOn)),
		MatchCount:        optional(int32(r.MatchCount)),
		Reason:            optional(r.Reason),
		ErasedAt:          optionalTime(r.ErasedAt),
		Checks:            checkList(r.Checks),
	}
}

func checkList(in []offline.Check) []api.VerificationCheck {
	out := make([]api.VerificationCheck, 0, len(in))
	for _, c := range in {
		out = append(out, api.VerificationCheck{
			Name: c.Name, Status: api.VerificationCheckStatus(c.Status), Code: c.Code, Detail: optional(c.Detail),
		})
	}
	return out
}

// ListScans returns the scans of a document. The service omits the members that
// only the document's tenant may see.
func (h *handlers) ListScans(ctx context.Context, r ListScansRequestObject) (ListScansResponseObject, error) {
	f := verify.ScanFilter{
		From: deref(r.Params.From), To: deref(r.Params.To), Page: pageNumber(r.Params.Page), PageSize: pageSize(r.Params.PageSize),
		Finding: string(deref(r.Params.Finding)),
	}
	page, err := h.c.Verify.Scans(ctx, historianOf(ctx), r.Reference, f)
	if err != nil {
		return nil, err
	}
	out := ListScans200JSONResponse{Items: make([]api.TCodeScan, 0, len(page.Items))}
	paging(page.Page, page.PageSize, page.TotalCount, page.TotalIsLowerBound, len(page.Items)).
		fill(&out.Page, &out.PageSize, &out.TotalCount, &out.TotalPages, &out.TotalIsLowerBound, &out.HasNext)
	for _, s := range page.Items {
		scan := api.TCodeScan{
			Verdict: api.TCodeScanVerdict(s.Verdict), GatewayVerdict: api.TCodeScanGatewayVerdict(s.GatewayVerdict), VerifiedAt: s.VerifiedAt.UTC(),
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
			scan.Binding = optional(api.TCodeScanBinding(s.Binding))
			scan.VerdictAtScan = optional(string(s.VerdictAtScan))
			scan.DeviceRefused = &s.DeviceRefused
			scan.Finding = optional(api.TCodeScanFinding(s.Finding))
		}
		out.Items = append(out.Items, scan)
	}
	return out, nil
}

// VerifyPublicKey returns the key that a payload names, a tenant's key or the gateway's online key.
func (h *handlers) VerifyPublicKey(ctx context.Context, r VerifyPublicKeyRequestObject) (VerifyPublicKeyResponseObject, error) {
	ref, id := deref(r.Params.TenantReference), deref(r.Params.KeyId)
	if text := deref(r.Params.Payload); text != "" {
		p, _, err := verify.ParsePayload(text)
		if err != nil {
			return nil, err
		}
		ref, id = p.Issuer, tenant.KeyID(p.Issuer, p.KeySeq)
	}
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
