package httpapi

import "context"

// ListTdocTemplates returns the tenant's TDoc templates.
func (h *handlers) ListTdocTemplates(context.Context, ListTdocTemplatesRequestObject) (ListTdocTemplatesResponseObject, error) {
	return nil, errNotYet()
}

// CreateTdocTemplate makes a TDoc template.
func (h *handlers) CreateTdocTemplate(context.Context, CreateTdocTemplateRequestObject) (CreateTdocTemplateResponseObject, error) {
	return nil, errNotYet()
}

// GetTdocTemplate returns one TDoc template.
func (h *handlers) GetTdocTemplate(context.Context, GetTdocTemplateRequestObject) (GetTdocTemplateResponseObject, error) {
	return nil, errNotYet()
}

// UpdateTdocTemplate replaces what a TDoc template says.
func (h *handlers) UpdateTdocTemplate(context.Context, UpdateTdocTemplateRequestObject) (UpdateTdocTemplateResponseObject, error) {
	return nil, errNotYet()
}

// DeleteTdocTemplate removes a TDoc template.
func (h *handlers) DeleteTdocTemplate(context.Context, DeleteTdocTemplateRequestObject) (DeleteTdocTemplateResponseObject, error) {
	return nil, errNotYet()
}

// ArchiveTdocTemplate archives a TDoc template.
func (h *handlers) ArchiveTdocTemplate(context.Context, ArchiveTdocTemplateRequestObject) (ArchiveTdocTemplateResponseObject, error) {
	return nil, errNotYet()
}

// UnarchiveTdocTemplate makes an archived TDoc template active again.
func (h *handlers) UnarchiveTdocTemplate(context.Context, UnarchiveTdocTemplateRequestObject) (UnarchiveTdocTemplateResponseObject, error) {
	return nil, errNotYet()
}

// GetTdocCsvFields returns the columns of a CSV file.
func (h *handlers) GetTdocCsvFields(context.Context, GetTdocCsvFieldsRequestObject) (GetTdocCsvFieldsResponseObject, error) {
	return nil, errNotYet()
}
