package httpapi

import (
	"context"

	"github.com/labstack/echo/v4"

	"tcode/server/verify"
)

// GetDigitalTwin returns stamp, verification and document in one record.
func (h *handlers) GetDigitalTwin(ctx context.Context, r GetDigitalTwinRequestObject) (GetDigitalTwinResponseObject, error) {
	call := callOf(ctx)
	res, err := h.c.Verify.ByReference(ctx, call.viewer(), r.Reference)
	if err != nil {
		return nil, err
	}
	return GetDigitalTwin200JSONResponse{Data: h.twin(call, res)}, nil
}

// pagePath is where people look at a stamp, before its reference.
const pagePath = "/d/"

// twin is a look-up as the contract's digital twin.
func (a *api) twin(c *call, r verify.Result) TCodeDigitalTwin {
	if r.Verdict == verify.NotFound {
		return TCodeDigitalTwin{Verification: TCodeTwinVerification{
			Verdict: TCodeTwinVerificationVerdictNotFound, StatusAsOf: wholeMillis(a.c.Now()), Checks: checkList(nil),
		}}
	}
	ref := r.Reference.String()
	return TCodeDigitalTwin{
		Url: optional(c.baseURL + pagePath + ref), Reference: &ref,
		Stamp: &TCodeTwinStamp{
			Status: TCodeStampStatus(r.Status), IssuedAt: wholeMillis(r.IssuedAt), KeyId: r.KeyID, Test: r.Test,
			Replaces: optional(r.Replaces), ReplacedBy: optional(r.ReplacedBy),
		},
		Verification: TCodeTwinVerification{
			Verdict: TCodeTwinVerificationVerdict(r.Verdict), StatusAsOf: wholeMillis(r.StatusAsOf), Checks: checkList(r.Checks),
		},
		Document: &TCodeTwinDocument{
			IssuerName: r.IssuerName, IssuerReference: r.IssuerReference, DocumentType: r.DocumentType.Code,
			DocumentTypeNames: names(r.DocumentType.Names), Fields: fieldList(r.Fields),
		},
	}
}

// twinPage shows the digital twin to people.
func (a *api) twinPage(c echo.Context) error {
	r := c.Request()
	res, err := a.c.Verify.ByReference(r.Context(), callOf(r.Context()).viewer(), pathParam(c, "reference"))
	if err != nil {
		return err
	}
	return a.pages.Twin(c.Response(), r.Header.Get("Accept-Language"), res, a.c.Now())
}
