package httpapi

import (
	"context"
	"net/http"
	"strconv"

	"tcode/offline/geometry"
	"tcode/server/fault"
	"tcode/server/httpapi/api"
	"tcode/server/httpapi/gate"
	"tcode/server/issue/stamp"
)

// PreviewPlacement draws a specimen and answers with JSON or only the picture.
func (h *handlers) PreviewPlacement(ctx context.Context, r PreviewPlacementRequestObject) (PreviewPlacementResponseObject, error) {
	call := gate.CallOf(ctx)
	req, err := previewRequest(call, r.Body)
	if err != nil {
		return nil, together(err, h.c.Stamps.CheckPreview(ctx, call.Identity, req))
	}
	p, err := h.c.Stamps.Preview(ctx, call.Identity, req)
	if err != nil {
		return nil, err
	}
	if call.MediaType == gate.TypePNG {
		return picture(p.Picture.PNG), nil
	}
	return PreviewPlacement200JSONResponse{Data: previewRecord(p)}, nil
}

func previewRequest(call *gate.Call, b *api.TCodePlacementPreviewRequest) (stamp.PreviewRequest, error) {
	req := stamp.PreviewRequest{
		PDF:                 call.PDF,
		PlacementTemplateID: uuidText(b.PlacementTemplateId),
		TdocTemplateID:      uuidText(b.TdocTemplateId),
		Fields:              fieldValues(b.Fields),
		Page:                int(deref(b.Page)),
	}
	if b.Placement == nil {
		return req, nil
	}
	spec, err := placementSpec(b.Placement)
	req.Placement = &spec
	return req, below("placement", err)
}

// below prefixes the fields that a fault names with a member of the body.
func below(member string, err error) error {
	f := fault.As(err)
	if f == nil || len(f.Fields) == 0 {
		return err
	}
	out := *f
	out.Fields = make(map[string][]fault.Text, len(f.Fields))
	for field, messages := range f.Fields {
		out.Fields[member+"."+field] = messages
	}
	return &out
}

// A picture is an answer in image/png.
type picture []byte

// VisitPreviewPlacementResponse writes the answer.
func (p picture) VisitPreviewPlacementResponse(w http.ResponseWriter) error {
	w.Header().Set("Content-Type", gate.TypePNG)
	w.Header().Set("Content-Length", strconv.Itoa(len(p)))
	w.WriteHeader(http.StatusOK)
	_, err := w.Write(p)
	return err
}

// previewRecord returns a preview as the contract shows it.
func previewRecord(p stamp.Preview) api.TCodePlacementPreview {
	out := api.TCodePlacementPreview{
		Page: int32(p.Page), Png: p.Picture.PNG, WidthPx: int32(p.Picture.Width), HeightPx: int32(p.Picture.Height), Dpi: p.Picture.DPI,
		Modules: int32(p.Modules), Places: make([]api.TCodePreviewPlace, 0, len(p.Places)),
		Collisions: make([]api.TCodePreviewCollision, 0, len(p.Collisions)),
		Grade:      gradeRecord(&p.Grade), Rendering: renderingRecord(p.Rendering), Warnings: append([]string{}, p.Warnings...),
	}
	for _, at := range p.Places {
		out.Places = append(out.Places, api.TCodePreviewPlace{
			Page: int32(at.Page), PageWidthMm: at.PageMM.Width, PageHeightMm: at.PageMM.Height, ModuleMm: at.ModuleMM,
			Box: rectRecord(at.Box), QuietZone: rectRecord(at.Quiet), Symbol: rectRecord(at.Symbol), Caption: rectRecord(at.Caption), Link: rectRecord(at.Link),
		})
	}
	for _, c := range p.Collisions {
		to := api.TCodePreviewCollision{
			Page: int32(c.Page), Kind: api.TCodePreviewCollisionKind(c.Kind), Name: optional(c.Name), Area: rectRecord(c.Area), Detail: c.String(),
		}
		if c.Kind == stamp.KindInk {
			to.InkPercent = &c.InkPercent
		}
		out.Collisions = append(out.Collisions, to)
	}
	if f := p.Refusal; f != nil {
		out.Refusal = &api.TCodePreviewRefusal{Code: api.TCodePreviewRefusalCode(f.Code), Message: f.Message}
	}
	return out
}

// rectRecord returns a part of a page, nil if there is none.
func rectRecord(r geometry.Rect) *api.TCodeRectMm {
	if r == (geometry.Rect{}) {
		return nil
	}
	return &api.TCodeRectMm{X: r.X, Y: r.Y, Width: r.Width, Height: r.Height}
}
