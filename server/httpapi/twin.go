package httpapi

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"tcode/offline/payload"
	"tcode/server/httpapi/api"
	"tcode/server/httpapi/gate"
	"tcode/server/pages"
	"tcode/server/verify"
)

// GetDigitalTwin returns stamp, verification and document in one record.
func (h *handlers) GetDigitalTwin(ctx context.Context, r GetDigitalTwinRequestObject) (GetDigitalTwinResponseObject, error) {
	call := gate.CallOf(ctx)
	res, err := h.c.Verify.ByReference(ctx, viewerOf(ctx), r.Reference)
	if err != nil {
		return nil, err
	}
	return GetDigitalTwin200JSONResponse{Data: h.twin(call, res)}, nil
}

// pagePath is the path of a stamp's page for people, before its reference.
const pagePath = "/d/"

// twin returns the result of a look-up as the contract's digital twin.
func (a *app) twin(c *gate.Call, r verify.Result) api.TCodeDigitalTwin {
	if r.Verdict == verify.NotFound {
		return api.TCodeDigitalTwin{Verification: api.TCodeTwinVerification{
			Verdict: api.TCodeTwinVerificationVerdictNotFound, StatusAsOf: wholeMillis(a.c.Now()), Checks: checkList(r.Checks),
		}}
	}
	ref := r.Reference.String()
	return api.TCodeDigitalTwin{
		Url: optional(c.BaseURL + pagePath + ref), Reference: &ref,
		Stamp: &api.TCodeTwinStamp{
			Status: api.TCodeStampStatus(r.Status), IssuedAt: wholeMillis(r.IssuedAt), KeyId: r.KeyID, Test: r.Test,
			Replaces: optional(r.Replaces), ReplacedBy: optional(r.ReplacedBy),
		},
		Verification: api.TCodeTwinVerification{
			Verdict: api.TCodeTwinVerificationVerdict(r.Verdict), StatusAsOf: wholeMillis(r.StatusAsOf), Checks: checkList(r.Checks),
		},
		Document: &api.TCodeTwinDocument{
			IssuerName: r.IssuerName, IssuerReference: r.IssuerReference, DocumentType: r.DocumentType.Code,
			DocumentTypeNames: names(r.DocumentType.Names), Fields: fieldList(r.Fields),
		},
	}
}

// twinPage shows the digital twin to people.
func (a *app) twinPage(c echo.Context) error {
	r := c.Request()
	viewer, reference := viewerOf(r.Context()), gate.PathParam(c, "reference")
	if prefix, ref, err := payload.ReadReference(reference); err == nil {
		// Programs that make links of text add punctuation after it, such as a full stop.
		if shown := ref.Shown(prefix); shown != reference {
			return lead(c, pages.ReaderOf(r), shown)
		}
		if prefix == payload.DocumentPrefix {
			return a.documentPage(c, viewer, reference, "")
		}
	}
	res, err := a.c.Verify.ByReference(r.Context(), viewer, reference)
	if err != nil {
		return err
	}
	if res.Document != "" { // its page shows more than a stamp's: that it has expired, for example
		return a.documentPage(c, viewer, res.Document, res.Reference.String())
	}
	if res.Verdict == verify.NotFound && !res.Test {
		return gate.NotFound("document") // also a page, see problemPage
	}
	drawn, err := a.about(r.Context(), res.IssuerReference, res.PageName, res.Template)
	if err != nil {
		return err
	}
	return drawn.Twin(c.Response(), pages.ReaderOf(r), res, a.c.Now())
}

// documentPage shows a Trust document to people, under the reference of its stamp
// if they requested that.
func (a *app) documentPage(c echo.Context, v verify.Viewer, reference, shown string) error {
	r := c.Request()
	res, err := a.c.Verify.DocumentByReference(r.Context(), v, reference)
	if err != nil {
		return err
	}
	if res.Verdict == verify.NotFound && !res.Test {
		return gate.NotFound("document")
	}
	drawn, err := a.about(r.Context(), res.IssuerReference, "", "")
	if err != nil {
		return err
	}
	return drawn.Document(c.Response(), pages.ReaderOf(r), cmp.Or(shown, res.Reference.String()), res, a.c.Now())
}

// problemPage answers a failed request of a browser for a page with a page, and
// reports whether it did. A client that asks for JSON there gets the error in JSON.
func (a *app) problemPage(c echo.Context, status int) (answered bool) {
	r := c.Request()
	if path := r.URL.Path; path != strings.TrimSuffix(pagePath, "/") && !strings.HasPrefix(path, pagePath) {
		return false
	}
	c.Response().Header().Set("Vary", pages.Vary)
	if !gate.PrefersPage(r) {
		return false
	}
	var err error
	switch {
	case status == http.StatusNotFound:
		err = a.pages.Twin(c.Response(), pages.ReaderOf(r), verify.Result{Verdict: verify.NotFound}, a.c.Now())
	case status == http.StatusTooManyRequests, status >= http.StatusInternalServerError:
		err = a.pages.Problem(c.Response(), pages.ReaderOf(r), status)
	default:
		return false
	}
	return err == nil || c.Response().Committed // without a page the error is in JSON
}
