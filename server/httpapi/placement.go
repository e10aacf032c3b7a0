package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"

	"tcode/server/httpapi/api"
	"tcode/server/httpapi/gate"
	"tcode/server/issue/placement"
	"tcode/server/tenant"
)

// Placements keeps placement templates. Package placement implements it.
type Placements interface {
	Create(ctx context.Context, id tenant.Identity, spec placement.Spec, once *tenant.IdempotencyRecord, answer placement.Answer) (placement.Template, error)
	Get(ctx context.Context, tenantRef, id string) (placement.Template, error)
	List(ctx context.Context, tenantRef string) ([]placement.Template, error)
	Update(ctx context.Context, id tenant.Identity, templateID string, versions []int64, spec placement.Spec) (placement.Template, error)
	Delete(ctx context.Context, id tenant.Identity, templateID string, versions []int64) error
	Duplicate(ctx context.Context, id tenant.Identity, templateID, name string, once *tenant.IdempotencyRecord, answer placement.Answer) (placement.Template, error)
}

// ListPlacementTemplates returns the tenant's placement templates.
func (h *handlers) ListPlacementTemplates(ctx context.Context, r ListPlacementTemplatesRequestObject) (ListPlacementTemplatesResponseObject, error) {
	list, err := h.c.Placements.List(ctx, gate.CallOf(ctx).Identity.Tenant.Reference)
	if err != nil {
		return nil, err
	}
	list, info := pageOf(list, r.Params.Page, r.Params.PageSize)
	out := ListPlacementTemplates200JSONResponse{Items: make([]api.TCodePlacementTemplate, 0, len(list))}
	info.fill(&out.Page, &out.PageSize, &out.TotalCount, &out.TotalPages, &out.TotalIsLowerBound, &out.HasNext)
	for _, t := range list {
		out.Items = append(out.Items, placementRecord(t))
	}
	return out, nil
}

// CreatePlacementTemplate makes a placement template.
func (h *handlers) CreatePlacementTemplate(ctx context.Context, r CreatePlacementTemplateRequestObject) (CreatePlacementTemplateResponseObject, error) {
	spec, err := placementSpec(r.Body)
	if err != nil {
		return nil, err
	}
	try, answered, end, err := h.attempt(ctx, r.Params.IdempotencyKey)
	if err != nil {
		return nil, err
	}
	defer end()
	if answered != nil {
		return answered, nil
	}
	t, err := h.c.Placements.Create(ctx, gate.CallOf(ctx).Identity, spec, try.Record, placementAnswer(http.StatusCreated))
	if err != nil {
		return try.failed(ctx, err)
	}
	return CreatePlacementTemplate201JSONResponse{placementMade(t)}, nil
}

// GetPlacementTemplate returns one placement template.
func (h *handlers) GetPlacementTemplate(ctx context.Context, r GetPlacementTemplateRequestObject) (GetPlacementTemplateResponseObject, error) {
	t, err := h.c.Placements.Get(ctx, gate.CallOf(ctx).Identity.Tenant.Reference, r.Id.String())
	if err != nil {
		return nil, err
	}
	return GetPlacementTemplate200JSONResponse{placementFound(t)}, nil
}

// UpdatePlacementTemplate replaces the contents of a placement template.
func (h *handlers) UpdatePlacementTemplate(ctx context.Context, r UpdatePlacementTemplateRequestObject) (UpdatePlacementTemplateResponseObject, error) {
	spec, err := placementSpec(r.Body)
	if err != nil {
		return nil, err
	}
	t, err := h.c.Placements.Update(ctx, gate.CallOf(ctx).Identity, r.Id.String(), versions(r.Params.IfMatch), spec)
	if err != nil {
		return nil, err
	}
	return UpdatePlacementTemplate200JSONResponse{placementFound(t)}, nil
}

// DeletePlacementTemplate removes a placement template.
func (h *handlers) DeletePlacementTemplate(ctx context.Context, r DeletePlacementTemplateRequestObject) (DeletePlacementTemplateResponseObject, error) {
	err := h.c.Placements.Delete(ctx, gate.CallOf(ctx).Identity, r.Id.String(), versions(r.Params.IfMatch))
	if err != nil {
		return nil, err
	}
	return DeletePlacementTemplate204Response{}, nil
}

// DuplicatePlacementTemplate copies a placement template.
func (h *handlers) DuplicatePlacementTemplate(ctx context.Context, r DuplicatePlacementTemplateRequestObject) (DuplicatePlacementTemplateResponseObject, error) {
	try, answered, end, err := h.attempt(ctx, r.Params.IdempotencyKey)
	if err != nil {
		return nil, err
	}
	defer end()
	if answered != nil {
		return answered, nil
	}
	t, err := h.c.Placements.Duplicate(ctx, gate.CallOf(ctx).Identity, r.Id.String(), copyName(r.Body), try.Record, placementAnswer(http.StatusOK))
	if err != nil {
		return try.failed(ctx, err)
	}
	return DuplicatePlacementTemplate200JSONResponse{placementMade(t)}, nil
}

func placementPath(id string) string { return "/v1/tcode/templates/placement/" + id }

func placementFound(t placement.Template) PlacementTemplateJSONResponse {
	tag := etag(t.Version)
	return PlacementTemplateJSONResponse{
		Body:    api.TCodePlacementTemplateEnvelope{Data: placementRecord(t)},
		Headers: PlacementTemplateResponseHeaders{ETag: &tag},
	}
}

func placementMade(t placement.Template) PlacementTemplateMadeJSONResponse {
	tag, location := etag(t.Version), placementPath(t.ID)
	return PlacementTemplateMadeJSONResponse{
		Body:    api.TCodePlacementTemplateEnvelope{Data: placementRecord(t)},
		Headers: PlacementTemplateMadeResponseHeaders{ETag: &tag, Location: &location},
	}
}

// placementAnswer makes the stored answer for an Idempotency-Key.
func placementAnswer(status int) placement.Answer {
	return func(t placement.Template) (int, []byte, error) {
		body, err := json.Marshal(api.TCodePlacementTemplateEnvelope{Data: placementRecord(t)})
		return status, body, err
	}
}

// VisitCreatePlacementTemplateResponse writes the answer.
func (r *replay) VisitCreatePlacementTemplateResponse(w http.ResponseWriter) error {
	return r.template(w, placementPath)
}

// VisitDuplicatePlacementTemplateResponse writes the answer.
func (r *replay) VisitDuplicatePlacementTemplateResponse(w http.ResponseWriter) error {
	return r.template(w, placementPath)
}

// placementRecord returns a template as the contract shows it.
func placementRecord(t placement.Template) api.TCodePlacementTemplate {
	out := api.TCodePlacementTemplate{
		Id:          mustUUID(t.ID),
		Name:        t.Name,
		Description: optional(t.Description),
		XNorm:       t.XNorm,
		YNorm:       t.YNorm,
		WNorm:       t.WNorm,
		HNorm:       t.HNorm,
		Anchor:      optional(api.TCodePlacementTemplateAnchor(t.Anchor)),
		PageScope:   optional(api.TCodePlacementTemplatePageScope(t.PageScope)),
		CustomPages: optional(t.CustomPages),
		Link:        optional(api.TCodePlacementTemplateLink(t.Link)),
		CreatedAt:   t.CreatedAt.UTC(),
		UpdatedAt:   t.UpdatedAt.UTC(),
	}
	if t.Rotation != nil {
		degrees := float64(*t.Rotation)
		out.Rotation = &degrees
	}
	if z := t.PageSizeMM; z != nil {
		out.PageSizeMmWidth, out.PageSizeMmHeight = &z.Width, &z.Height
	}
	if m := t.SafeMargins; m != nil {
		out.SafeMargins = &api.TCodeSafeMargins{Top: m.Top, Right: m.Right, Bottom: m.Bottom, Left: m.Left}
	}
	if b := t.WhiteBox; b != nil {
		out.WhiteBox = &api.TCodeWhiteBox{Enabled: b.Enabled, PaddingMm: b.PaddingMM, Opacity: b.Opacity}
	}
	if c := t.Caption; c != nil {
		out.Caption = &api.TCodeCaption{
			Enabled: c.Enabled, Text: optional(c.Text), Position: api.TCodeCaptionPosition(c.Position),
			FontSizePt: c.FontSizePt, ShowReference: c.ShowReference,
		}
	}
	if s := t.ScanSafety; s != nil {
		out.ScanSafety = &api.TCodeScanSafety{
			MinModuleMm: s.MinModuleMM, QuietZoneModules: s.QuietZoneModules,
			Collision: api.TCodeScanSafetyCollision(s.Collision), TargetDpi: int32(s.TargetDPI),
			Rendering: api.TCodeScanSafetyRendering(cmp.Or(s.Rendering, placement.DefaultScanSafety.Rendering)),
		}
	}
	return out
}
