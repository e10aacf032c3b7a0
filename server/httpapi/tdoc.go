package httpapi

import (
	"context"
	"encoding/json"
	"net/http"

	"tcode/server/httpapi/api"
	"tcode/server/httpapi/gate"
	"tcode/server/issue/field"
	"tcode/server/issue/tdoc"
	"tcode/server/tenant"
)

// Templates keeps TDoc templates. Package tdoc implements it.
type Templates interface {
	Create(ctx context.Context, id tenant.Identity, spec tdoc.Spec, once *tenant.IdempotencyRecord, answer tdoc.Answer) (tdoc.Template, error)
	Check(ctx context.Context, who tenant.Identity, templateID string, spec tdoc.Spec) error
	Get(ctx context.Context, tenantRef, id string) (tdoc.Template, error)
	List(ctx context.Context, tenantRef string, archived bool) ([]tdoc.Template, error)
	Update(ctx context.Context, id tenant.Identity, templateID string, versions []int64, spec tdoc.Spec) (tdoc.Template, error)
	Delete(ctx context.Context, id tenant.Identity, templateID string, versions []int64) error
	Act(ctx context.Context, id tenant.Identity, templateID string, versions []int64, a tdoc.Action) error
}

// ListTdocTemplates returns the tenant's TDoc templates.
func (h *handlers) ListTdocTemplates(ctx context.Context, r ListTdocTemplatesRequestObject) (ListTdocTemplatesResponseObject, error) {
	list, err := h.c.Templates.List(ctx, gate.CallOf(ctx).Identity.Tenant.Reference, deref(r.Params.IncludeArchived))
	if err != nil {
		return nil, err
	}
	list, info := pageOf(list, r.Params.Page, r.Params.PageSize)
	out := ListTdocTemplates200JSONResponse{Items: make([]api.TCodeTdocTemplate, 0, len(list))}
	info.fill(&out.Page, &out.PageSize, &out.TotalCount, &out.TotalPages, &out.TotalIsLowerBound, &out.HasNext)
	for _, t := range list {
		out.Items = append(out.Items, tdocRecord(t))
	}
	return out, nil
}

// CreateTdocTemplate makes a TDoc template.
func (h *handlers) CreateTdocTemplate(ctx context.Context, r CreateTdocTemplateRequestObject) (CreateTdocTemplateResponseObject, error) {
	try, answered, end, err := h.attempt(ctx, r.Params.IdempotencyKey)
	if err != nil {
		return nil, err
	}
	defer end()
	if answered != nil {
		return answered, nil
	}
	t, err := h.c.Templates.Create(ctx, gate.CallOf(ctx).Identity, tdocSpec(r.Body), try.Record, tdocAnswer)
	if err != nil {
		return try.failed(ctx, err)
	}
	tag, location := etag(t.Version), tdocPath(t.ID)
	return CreateTdocTemplate201JSONResponse{TdocTemplateMadeJSONResponse{
		Body:    api.TCodeTdocTemplateEnvelope{Data: tdocRecord(t)},
		Headers: TdocTemplateMadeResponseHeaders{ETag: &tag, Location: &location},
	}}, nil
}

// GetTdocTemplate returns one TDoc template.
func (h *handlers) GetTdocTemplate(ctx context.Context, r GetTdocTemplateRequestObject) (GetTdocTemplateResponseObject, error) {
	t, err := h.c.Templates.Get(ctx, gate.CallOf(ctx).Identity.Tenant.Reference, r.Id.String())
	if err != nil {
		return nil, err
	}
	return GetTdocTemplate200JSONResponse{tdocFound(t)}, nil
}

// UpdateTdocTemplate replaces the contents of a TDoc template.
func (h *handlers) UpdateTdocTemplate(ctx context.Context, r UpdateTdocTemplateRequestObject) (UpdateTdocTemplateResponseObject, error) {
	t, err := h.c.Templates.Update(ctx, gate.CallOf(ctx).Identity, r.Id.String(), versions(r.Params.IfMatch), tdocSpec(r.Body))
	if err != nil {
		return nil, err
	}
	return UpdateTdocTemplate200JSONResponse{tdocFound(t)}, nil
}

// DeleteTdocTemplate removes a TDoc template.
func (h *handlers) DeleteTdocTemplate(ctx context.Context, r DeleteTdocTemplateRequestObject) (DeleteTdocTemplateResponseObject, error) {
	err := h.c.Templates.Delete(ctx, gate.CallOf(ctx).Identity, r.Id.String(), versions(r.Params.IfMatch))
	if err != nil {
		return nil, err
	}
	return DeleteTdocTemplate204Response{}, nil
}

// ArchiveTdocTemplate archives a TDoc template.
func (h *handlers) ArchiveTdocTemplate(ctx context.Context, r ArchiveTdocTemplateRequestObject) (ArchiveTdocTemplateResponseObject, error) {
	err := h.c.Templates.Act(ctx, gate.CallOf(ctx).Identity, r.Id.String(), versions(r.Params.IfMatch), tdoc.ActionArchive)
	if err != nil {
		return nil, err
	}
	return ArchiveTdocTemplate204Response{}, nil
}

// UnarchiveTdocTemplate makes an archived TDoc template active again.
func (h *handlers) UnarchiveTdocTemplate(ctx context.Context, r UnarchiveTdocTemplateRequestObject) (UnarchiveTdocTemplateResponseObject, error) {
	err := h.c.Templates.Act(ctx, gate.CallOf(ctx).Identity, r.Id.String(), versions(r.Params.IfMatch), tdoc.ActionUnarchive)
	if err != nil {
		return nil, err
	}
	return UnarchiveTdocTemplate204Response{}, nil
}

// GetTdocCsvFields returns the columns of a CSV file; in CSV it returns a file to
// fill in.
func (h *handlers) GetTdocCsvFields(ctx context.Context, r GetTdocCsvFieldsRequestObject) (GetTdocCsvFieldsResponseObject, error) {
	call := gate.CallOf(ctx)
	t, err := h.c.Templates.Get(ctx, call.Identity.Tenant.Reference, r.Id.String())
	if err != nil {
		return nil, err
	}
	columns := t.Columns()
	if call.MediaType == gate.TypeCSV {
		return columnsTable(columns), nil
	}
	return GetTdocCsvFields200JSONResponse{Data: csvFields(columns)}, nil
}

// csvFields returns columns as the contract shows them.
func csvFields(columns []field.Column) []api.TCodeCsvField {
	out := make([]api.TCodeCsvField, 0, len(columns))
	for _, c := range columns {
		most := int32(c.MaxLength)
		out = append(out, api.TCodeCsvField{
			Column: c.Name, Required: c.Required, Type: api.TCodeFieldType(c.Type), MaxLength: &most, Example: c.Example,
		})
	}
	return out
}

// columnsTable returns a table with a header line and a line of examples.
func columnsTable(columns []field.Column) csvTable {
	t := csvTable{fileName: "stamps.csv", rows: [][]string{nil}}
	for _, c := range columns {
		t.header, t.rows[0] = append(t.header, c.Name), append(t.rows[0], c.Example)
	}
	return t
}

// VisitGetTdocCsvFieldsResponse writes the answer.
func (t csvTable) VisitGetTdocCsvFieldsResponse(w http.ResponseWriter) error { return t.write(w) }

func tdocPath(id string) string { return "/v1/tcode/templates/tdoc/" + id }

func tdocFound(t tdoc.Template) TdocTemplateJSONResponse {
	tag := etag(t.Version)
	return TdocTemplateJSONResponse{
		Body: api.TCodeTdocTemplateEnvelope{Data: tdocRecord(t)}, Headers: TdocTemplateResponseHeaders{ETag: &tag},
	}
}

// tdocAnswer makes the stored answer for an Idempotency-Key.
func tdocAnswer(t tdoc.Template) (int, []byte, error) {
	body, err := json.Marshal(api.TCodeTdocTemplateEnvelope{Data: tdocRecord(t)})
	return http.StatusCreated, body, err
}

// VisitCreateTdocTemplateResponse writes the answer.
func (r *replay) VisitCreateTdocTemplateResponse(w http.ResponseWriter) error {
	return r.template(w, tdocPath)
}

// tdocSpec turns the body of a creation or update into a template.
func tdocSpec(b *api.TCodeTdocTemplateRequest) tdoc.Spec {
	s := tdoc.Spec{
		Name:                 b.Name,
		Description:          deref(b.Description),
		IssuanceTemplateID:   uuidText(b.IssuanceTemplateId),
		IssuanceTemplateName: deref(b.IssuanceTemplateName),
		BaseFields:           deref(b.BaseFields),
		SuggestedDocType:     deref(b.SuggestedDocType),
		EnableEmailSending:   deref(b.EnableEmailSending),
		ProductMode:          tdoc.ProductMode(deref(b.ProductMode)),
	}
	for i, f := range deref(b.CustomFields) {
		s.CustomFields = append(s.CustomFields, tdoc.Field{
			Key: f.Key, Label: deref(f.Label), Type: tdoc.FieldType(deref(f.Type)), Required: deref(f.Required),
			MaxLength: int(deref(f.MaxLength)), InPayload: deref(f.InPayload), Order: int(or(f.Order, int32(i))),
		})
	}
	return s
}

// tdocRecord returns a template as the contract shows it.
func tdocRecord(t tdoc.Template) api.TCodeTdocTemplate {
	out := api.TCodeTdocTemplate{
		Id:                   mustUUID(t.ID),
		Name:                 t.Name,
		Description:          optional(t.Description),
		Status:               api.TCodeTdocTemplateStatus(t.Status),
		IssuanceTemplateId:   optionalUUID(t.IssuanceTemplateID),
		IssuanceTemplateName: optional(t.IssuanceTemplateName),
		BaseFields:           append([]string{}, t.BaseFields...),
		CustomFields:         make([]api.TCodeTdocCustomField, 0, len(t.CustomFields)),
		SuggestedDocType:     optional(t.SuggestedDocType),
		EnableEmailSending:   t.EnableEmailSending,
		ProductMode:          api.TCodeTdocTemplateProductMode(t.ProductMode),
		CreatedAt:            t.CreatedAt.UTC(),
		UpdatedAt:            t.UpdatedAt.UTC(),
		ArchivedAt:           optionalTime(t.ArchivedAt),
	}
	for _, f := range t.CustomFields {
		out.CustomFields = append(out.CustomFields, api.TCodeTdocCustomField{
			Key: f.Key, Label: f.Label, Type: api.TCodeFieldType(f.Type), Required: f.Required,
			MaxLength: optional(int32(f.MaxLength)), InPayload: f.InPayload, Order: int32(f.Order),
		})
	}
	return out
}
