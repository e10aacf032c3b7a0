package httpapi

import (
	"context"
	"encoding/json"
	"net/http"

	"tcode/server/httpapi/api"
	"tcode/server/httpapi/gate"
	"tcode/server/issue/field"
	"tcode/server/issue/trustdoc"
	"tcode/server/tenant"
)

// TrustTemplates keeps the templates of Trust documents. Package trustdoc
// implements it.
type TrustTemplates interface {
	CreateTemplate(ctx context.Context, id tenant.Identity, spec trustdoc.Spec, once *tenant.IdempotencyRecord, answer trustdoc.TemplateAnswer) (trustdoc.Template, error)
	CheckTemplate(ctx context.Context, id tenant.Identity, templateID string, spec trustdoc.Spec) error
	Template(ctx context.Context, tenantRef, id string) (trustdoc.Template, error)
	Templates(ctx context.Context, tenantRef string, f trustdoc.TemplateFilter) (trustdoc.TemplatePage, error)
	UpdateTemplate(ctx context.Context, id tenant.Identity, templateID string, versions []int64, spec trustdoc.Spec) (trustdoc.Template, error)
	DeleteTemplate(ctx context.Context, id tenant.Identity, templateID string, versions []int64) error
	ActOnTemplate(ctx context.Context, id tenant.Identity, templateID string, versions []int64, a trustdoc.TemplateAction, reason string) error
	PlaceTemplate(ctx context.Context, id tenant.Identity, templateID string, versions []int64, placementID string) (trustdoc.Template, error)
	DuplicateTemplate(ctx context.Context, id tenant.Identity, templateID, name string, once *tenant.IdempotencyRecord, answer trustdoc.TemplateAnswer) (trustdoc.Template, error)
}

// ListTrustTemplates returns one page of the tenant's Trust templates.
func (h *handlers) ListTrustTemplates(ctx context.Context, r ListTrustTemplatesRequestObject) (ListTrustTemplatesResponseObject, error) {
	page, err := h.c.Documents.Templates(ctx, gate.CallOf(ctx).Identity.Tenant.Reference, trustdoc.TemplateFilter{
		Archived: deref(r.Params.IncludeArchived), Page: pageNumber(r.Params.Page), PageSize: pageSize(r.Params.PageSize),
	})
	if err != nil {
		return nil, err
	}
	out := ListTrustTemplates200JSONResponse{Items: make([]api.TrustTemplate, 0, len(page.Items))}
	paging(page.Page, page.PageSize, page.TotalCount, page.TotalIsLowerBound, len(page.Items)).
		fill(&out.Page, &out.PageSize, &out.TotalCount, &out.TotalPages, &out.TotalIsLowerBound, &out.HasNext)
	for _, t := range page.Items {
		out.Items = append(out.Items, trustTemplateRecord(t))
	}
	return out, nil
}

// CreateTrustTemplate makes a Trust template.
func (h *handlers) CreateTrustTemplate(ctx context.Context, r CreateTrustTemplateRequestObject) (CreateTrustTemplateResponseObject, error) {
	try, answered, end, err := h.attempt(ctx, r.Params.IdempotencyKey)
	if err != nil {
		return nil, err
	}
	defer end()
	if answered != nil {
		return answered, nil
	}
	t, err := h.c.Documents.CreateTemplate(ctx, gate.CallOf(ctx).Identity, trustSpec(r.Body), try.Record, trustTemplateAnswer(http.StatusCreated))
	if err != nil {
		return try.failed(ctx, err)
	}
	return CreateTrustTemplate201JSONResponse{trustTemplateMade(t)}, nil
}

// GetTrustTemplate returns one Trust template.
func (h *handlers) GetTrustTemplate(ctx context.Context, r GetTrustTemplateRequestObject) (GetTrustTemplateResponseObject, error) {
	t, err := h.c.Documents.Template(ctx, gate.CallOf(ctx).Identity.Tenant.Reference, r.Id.String())
	if err != nil {
		return nil, err
	}
	return GetTrustTemplate200JSONResponse{trustTemplateFound(t)}, nil
}

// UpdateTrustTemplate replaces the contents of a Trust template.
func (h *handlers) UpdateTrustTemplate(ctx context.Context, r UpdateTrustTemplateRequestObject) (UpdateTrustTemplateResponseObject, error) {
	t, err := h.c.Documents.UpdateTemplate(ctx, gate.CallOf(ctx).Identity, r.Id.String(), versions(r.Params.IfMatch), trustSpecUpdate(r.Body))
	if err != nil {
		return nil, err
	}
	return UpdateTrustTemplate200JSONResponse{trustTemplateFound(t)}, nil
}

// DeleteTrustTemplate removes a Trust template.
func (h *handlers) DeleteTrustTemplate(ctx context.Context, r DeleteTrustTemplateRequestObject) (DeleteTrustTemplateResponseObject, error) {
	err := h.c.Documents.DeleteTemplate(ctx, gate.CallOf(ctx).Identity, r.Id.String(), versions(r.Params.IfMatch))
	if err != nil {
		return nil, err
	}
	return DeleteTrustTemplate204Response{}, nil
}

// ArchiveTrustTemplate archives a Trust template.
func (h *handlers) ArchiveTrustTemplate(ctx context.Context, r ArchiveTrustTemplateRequestObject) (ArchiveTrustTemplateResponseObject, error) {
	err := h.c.Documents.ActOnTemplate(ctx, gate.CallOf(ctx).Identity, r.Id.String(), versions(r.Params.IfMatch), trustdoc.ActionArchive, r.Body.Reason)
	if err != nil {
		return nil, err
	}
	return ArchiveTrustTemplate204Response{}, nil
}

// UnarchiveTrustTemplate makes an archived Trust template active again.
func (h *handlers) UnarchiveTrustTemplate(ctx context.Context, r UnarchiveTrustTemplateRequestObject) (UnarchiveTrustTemplateResponseObject, error) {
	err := h.c.Documents.ActOnTemplate(ctx, gate.CallOf(ctx).Identity, r.Id.String(), versions(r.Params.IfMatch), trustdoc.ActionUnarchive, "")
	if err != nil {
		return nil, err
	}
	return UnarchiveTrustTemplate204Response{}, nil
}

// PlaceTrustTemplate sets the placement of the TCode on new documents.
func (h *handlers) PlaceTrustTemplate(ctx context.Context, r PlaceTrustTemplateRequestObject) (PlaceTrustTemplateResponseObject, error) {
	t, err := h.c.Documents.PlaceTemplate(ctx, gate.CallOf(ctx).Identity, r.Id.String(), versions(r.Params.IfMatch), uuidText(r.Body.PlacementTemplateId))
	if err != nil {
		return nil, err
	}
	return PlaceTrustTemplate200JSONResponse{trustTemplateFound(t)}, nil
}

// DuplicateTrustTemplate copies a Trust template.
func (h *handlers) DuplicateTrustTemplate(ctx context.Context, r DuplicateTrustTemplateRequestObject) (DuplicateTrustTemplateResponseObject, error) {
	try, answered, end, err := h.attempt(ctx, r.Params.IdempotencyKey)
	if err != nil {
		return nil, err
	}
	defer end()
	if answered != nil {
		return answered, nil
	}
	t, err := h.c.Documents.DuplicateTemplate(ctx, gate.CallOf(ctx).Identity, r.Id.String(), copyName(r.Body), try.Record, trustTemplateAnswer(http.StatusOK))
	if err != nil {
		return try.failed(ctx, err)
	}
	return DuplicateTrustTemplate200JSONResponse{trustTemplateMade(t)}, nil
}

// GetTrustCsvFields returns the columns of a CSV file; in CSV it returns a file to
// fill in.
func (h *handlers) GetTrustCsvFields(ctx context.Context, r GetTrustCsvFieldsRequestObject) (GetTrustCsvFieldsResponseObject, error) {
	call := gate.CallOf(ctx)
	t, err := h.c.Documents.Template(ctx, call.Identity.Tenant.Reference, r.Id.String())
	if err != nil {
		return nil, err
	}
	columns := t.Columns()
	if call.MediaType == gate.TypeCSV {
		table := columnsTable(columns)
		table.fileName = "documents.csv"
		return table, nil
	}
	return GetTrustCsvFields200JSONResponse{Data: csvFields(columns)}, nil
}

// VisitGetTrustCsvFieldsResponse writes the answer.
func (t csvTable) VisitGetTrustCsvFieldsResponse(w http.ResponseWriter) error { return t.write(w) }

func trustTemplatePath(id string) string { return "/v1/trust/templates/" + id }

func trustTemplateFound(t trustdoc.Template) TrustTemplateFoundJSONResponse {
	tag := etag(t.Version)
	return TrustTemplateFoundJSONResponse{
		Body: api.TrustTemplateEnvelope{Data: trustTemplateRecord(t)}, Headers: TrustTemplateFoundResponseHeaders{ETag: &tag},
	}
}

func trustTemplateMade(t trustdoc.Template) TrustTemplateMadeJSONResponse {
	tag, location := etag(t.Version), trustTemplatePath(t.ID)
	return TrustTemplateMadeJSONResponse{
		Body:    api.TrustTemplateEnvelope{Data: trustTemplateRecord(t)},
		Headers: TrustTemplateMadeResponseHeaders{ETag: &tag, Location: &location},
	}
}

// trustTemplateAnswer makes the stored answer for an Idempotency-Key.
func trustTemplateAnswer(status int) trustdoc.TemplateAnswer {
	return func(t trustdoc.Template) (int, []byte, error) {
		body, err := json.Marshal(api.TrustTemplateEnvelope{Data: trustTemplateRecord(t)})
		return status, body, err
	}
}

// VisitCreateTrustTemplateResponse writes the answer.
func (r *replay) VisitCreateTrustTemplateResponse(w http.ResponseWriter) error {
	return r.template(w, trustTemplatePath)
}

// VisitDuplicateTrustTemplateResponse writes the answer.
func (r *replay) VisitDuplicateTrustTemplateResponse(w http.ResponseWriter) error {
	return r.template(w, trustTemplatePath)
}

func trustSpec(b *api.TrustTemplateRequest) trustdoc.Spec {
	return trustdoc.Spec{
		Name: b.Name, DocumentTypeCode: b.DocumentTypeCode, Description: deref(b.Description), Fields: definitions(b.Fields),
	}
}

func trustSpecUpdate(b *api.TrustTemplateUpdateRequest) trustdoc.Spec {
	return trustdoc.Spec{
		Name: b.Name, DocumentTypeCode: deref(b.DocumentTypeCode), Description: deref(b.Description), Fields: definitions(b.Fields),
	}
}

func definitions(in []api.TrustFieldDefinitionRequest) []field.Definition {
	out := make([]field.Definition, 0, len(in))
	for _, f := range in {
		out = append(out, field.Definition{Key: f.Key, Label: deref(f.Label), Type: field.Type(deref(f.Type)), Required: deref(f.Required)})
	}
	return out
}

// trustTemplateRecord returns a template as the contract shows it.
func trustTemplateRecord(t trustdoc.Template) api.TrustTemplate {
	out := api.TrustTemplate{
		Id:                  mustUUID(t.ID),
		Name:                t.Name,
		DocumentTypeCode:    t.DocumentTypeCode,
		Fields:              make([]api.TrustFieldDefinition, 0, len(t.Fields)),
		Description:         optional(t.Description),
		Status:              api.TrustTemplateStatus(t.Status),
		Version:             t.Version,
		PlacementTemplateId: optionalUUID(t.PlacementTemplateID),
		ArchiveReason:       optional(t.ArchiveReason),
		CreatedAt:           t.CreatedAt.UTC(),
		UpdatedAt:           t.UpdatedAt.UTC(),
		ArchivedAt:          optionalTime(t.ArchivedAt),
	}
	for _, f := range t.Fields {
		out.Fields = append(out.Fields, api.TrustFieldDefinition{Key: f.Key, Label: f.Label, Type: api.TCodeFieldType(f.Type), Required: f.Required})
	}
	return out
}
