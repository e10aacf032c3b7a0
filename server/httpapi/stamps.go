package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"tcode/server/httpapi/api"
	"tcode/server/httpapi/gate"
	"tcode/server/issue/stamp"
	"tcode/server/tenant"
)

// handlers implement the generated StrictServerInterface: they turn requests
// into calls of services and results into the contract's types. The gate has
// checked the form of the requests before.
type handlers struct{ *app }

var _ StrictServerInterface = (*handlers)(nil)

// CreateStamp stamps a PDF. With an Idempotency-Key the transaction of the stamp
// stores the answer, and a repeat gets the same bytes.
func (h *handlers) CreateStamp(ctx context.Context, r CreateStampRequestObject) (CreateStampResponseObject, error) {
	call := gate.CallOf(ctx)
	req := stampRequest(call, r.Body)
	try, answered, end, err := h.attempt(ctx, r.Params.IdempotencyKey)
	if err != nil {
		return nil, err
	}
	defer end()
	if answered != nil {
		return answered, nil
	}
	if req.Idempotency = try.Record; req.Idempotency != nil {
		req.Answer = stampAnswer(http.StatusCreated)
	}
	st, err := h.c.Stamps.Create(ctx, call.Identity, req)
	if err != nil {
		return try.failed(ctx, err)
	}
	location := stampPath(st.ID)
	return CreateStamp201JSONResponse{
		Body:    api.TCodeStampEnvelope{Data: stampRecord(st)},
		Headers: CreateStamp201ResponseHeaders{Location: &location},
	}, nil
}

func stampRequest(call *gate.Call, b *api.TCodeCreateStampRequest) stamp.Request {
	return stamp.Request{
		Name:                b.Name,
		DocumentTypeCode:    b.DocumentTypeCode,
		PDF:                 call.PDF,
		PlacementTemplateID: uuidText(b.PlacementTemplateId),
		TdocTemplateID:      uuidText(b.TdocTemplateId),
		ExternalID:          deref(b.ExternalId),
		ModeType:            string(deref(b.ModeType)),
		Fields:              fieldValues(b.Fields),
	}
}

func stampPath(id string) string { return "/v1/tcode/stamps/" + id }

// stampAnswer makes the stored answer for an Idempotency-Key.
func stampAnswer(status int) func(stamp.Stamp) (int, []byte, error) {
	return func(st stamp.Stamp) (int, []byte, error) {
		body, err := json.Marshal(api.TCodeStampEnvelope{Data: stampRecord(st)})
		return status, body, err
	}
}

// VisitCreateStampResponse writes the answer.
func (r *replay) VisitCreateStampResponse(w http.ResponseWriter) error { return r.stamp(w) }

// VisitReplaceStampResponse writes the answer.
func (r *replay) VisitReplaceStampResponse(w http.ResponseWriter) error { return r.stamp(w) }

func (r *replay) stamp(w http.ResponseWriter) error {
	return r.write(w, func(body []byte, h http.Header) {
		var st api.TCodeStampEnvelope
		if json.Unmarshal(body, &st) == nil {
			h.Set("Location", stampPath(st.Data.Id.String()))
		}
	})
}

// ListStamps returns one page of the tenant's stamps.
func (h *handlers) ListStamps(ctx context.Context, r ListStampsRequestObject) (ListStampsResponseObject, error) {
	p := r.Params
	f := stamp.Filter{
		Search:     deref(p.Search),
		TemplateID: uuidText(p.TemplateId),
		FieldName:  deref(p.FieldName),
		FieldValue: deref(p.FieldValue),
		Page:       pageNumber(p.Page),
		PageSize:   pageSize(p.PageSize),
		TestOnly:   gate.CallOf(ctx).Identity.Test || deref(p.Test),
		LiveOnly:   p.Test != nil && !*p.Test,
	}
	f.OldestFirst = deref(p.Sort) == api.ListStampsParamsSortCreatedAt
	// The gate has checked both with all other parameters.
	f.Statuses, _ = statuses(deref(p.Status))
	f.From, f.To, _ = dateRange(deref(p.DateRange), h.c.Now())
	page, err := h.c.Stamps.List(ctx, gate.CallOf(ctx).Identity.Tenant.Reference, f)
	if err != nil {
		return nil, err
	}
	out := ListStamps200JSONResponse{Items: make([]api.TCodeStampSummary, 0, len(page.Items))}
	paging(page.Page, page.PageSize, page.TotalCount, page.TotalIsLowerBound, len(page.Items)).
		fill(&out.Page, &out.PageSize, &out.TotalCount, &out.TotalPages, &out.TotalIsLowerBound, &out.HasNext)
	for _, s := range page.Items {
		out.Items = append(out.Items, api.TCodeStampSummary{
			Id: mustUUID(s.ID), Reference: s.Reference.String(), Status: api.TCodeStampStatus(s.Status),
			Name: s.Name, DocumentTypeCode: s.DocumentType, Test: s.Test, CreatedAt: s.CreatedAt.UTC(),
			ExternalId: optional(s.ExternalID), UpdatedAt: s.UpdatedAt.UTC(), ErasedAt: optionalTime(s.ErasedAt),
		})
	}
	return out, nil
}

// GetStamp returns one stamp.
func (h *handlers) GetStamp(ctx context.Context, r GetStampRequestObject) (GetStampResponseObject, error) {
	st, err := h.c.Stamps.Reach(ctx, gate.CallOf(ctx).Identity, r.Id.String())
	if err != nil {
		return nil, err
	}
	return GetStamp200JSONResponse{Data: stampRecord(st)}, nil
}

// DownloadStamp signs an address for one file of a stamp.
func (h *handlers) DownloadStamp(ctx context.Context, r DownloadStampRequestObject) (DownloadStampResponseObject, error) {
	kind := string(deref(r.Params.Type)) // empty: stamped
	call := gate.CallOf(ctx)
	file, err := h.c.Stamps.FileFor(ctx, call.Identity, r.Id.String(), kind)
	if err != nil {
		return nil, err
	}
	expires := h.c.Now().Add(h.c.DownloadFor).Truncate(time.Second)
	return DownloadStamp200JSONResponse{Data: api.TCodeDownload{
		Url:         h.fileURL(call, file, expires),
		ExpiresAt:   expires.UTC(),
		ContentType: file.ContentType,
		FileName:    file.FileName,
		SizeBytes:   file.SizeBytes,
		Sha256:      file.SHA256,
	}}, nil
}

// RevokeStamp ends a stamp permanently.
func (h *handlers) RevokeStamp(ctx context.Context, r RevokeStampRequestObject) (RevokeStampResponseObject, error) {
	return RevokeStamp204Response{}, h.act(ctx, r.Id.String(), stamp.ActionRevoke, r.Body)
}

// SuspendStamp suspends a stamp.
func (h *handlers) SuspendStamp(ctx context.Context, r SuspendStampRequestObject) (SuspendStampResponseObject, error) {
	return SuspendStamp204Response{}, h.act(ctx, r.Id.String(), stamp.ActionSuspend, r.Body)
}

// ReactivateStamp undoes a suspension.
func (h *handlers) ReactivateStamp(ctx context.Context, r ReactivateStampRequestObject) (ReactivateStampResponseObject, error) {
	return ReactivateStamp204Response{}, h.act(ctx, r.Id.String(), stamp.ActionReactivate, r.Body)
}

func (h *handlers) act(ctx context.Context, id string, action stamp.Action, body *api.TCodeLifecycleActionRequest) error {
	var reason string
	if body != nil {
		reason = deref(body.Reason)
		if err := checkAction(body, action); err != nil {
			return err
		}
	}
	return h.c.Stamps.Act(ctx, gate.CallOf(ctx).Identity, id, action, reason)
}

// checkAction returns the fault of a body that names another action than its address.
func checkAction(b *api.TCodeLifecycleActionRequest, action stamp.Action) error {
	if a := deref(b.Action); a != "" && string(a) != string(action) {
		return gate.Invalid(gate.Fields{"action": {"must be " + string(action) + " at this address"}})
	}
	return nil
}

// stampRecord returns a stamp as the contract shows it.
func stampRecord(st stamp.Stamp) api.TCodeStamp {
	return api.TCodeStamp{
		Id:                  mustUUID(st.ID),
		Reference:           st.Reference.String(),
		Status:              api.TCodeStampStatus(st.Status),
		Name:                st.Name,
		DocumentTypeCode:    st.DocumentType,
		Test:                st.Test,
		ExternalId:          optional(st.ExternalID),
		PlacementTemplateId: optionalUUID(st.PlacementTemplateID),
		TdocTemplateId:      optionalUUID(st.TdocTemplateID),
		Fields:              fieldList(st.Values),
		Page:                int32(st.Page),
		Pages:               pageList(st.Pages),
		Barcode: api.TCodeBarcode{
			Modules: int32(st.Barcode.Modules), ModuleMm: st.Barcode.ModuleMM, SizeMm: st.Barcode.SizeMM, BoxMm: st.Barcode.BoxMM,
		},
		Grade:          gradeRecord(st.Grade),
		Rendering:      renderingRecord(st.Rendering),
		Warnings:       append([]string{}, st.Warnings...),
		OriginalSha256: st.OriginalSHA256,
		StampedSha256:  st.StampedSHA256,
		KeyId:          tenant.KeyID(st.Tenant, st.KeySeq),
		Replaces:       optional(st.Replaces),
		ReplacedBy:     optional(st.ReplacedBy),
		TrustDocument:  optional(st.Document),
		Reason:         optional(st.Reason),
		Delivery:       deliveryRecord(st.Delivery),
		CreatedAt:      st.CreatedAt.UTC(),
		UpdatedAt:      st.UpdatedAt.UTC(),
		ErasedAt:       optionalTime(st.ErasedAt),
	}
}

func pageList(pages []int) []int32 {
	out := make([]int32, 0, len(pages))
	for _, n := range pages {
		out = append(out, int32(n))
	}
	return out
}
