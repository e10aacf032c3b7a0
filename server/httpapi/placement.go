package httpapi

import (
	"context"

	"tcode/server/fault"
)

// errNotYet answers for what the contract has and this gateway does not do.
func errNotYet() error {
	return fault.New(fault.Unavailable, fault.CodeServiceUnavailable, "this gateway does not do that yet")
}

// ListPlacementTemplates returns the tenant's placement templates.
func (h *handlers) ListPlacementTemplates(context.Context, ListPlacementTemplatesRequestObject) (ListPlacementTemplatesResponseObject, error) {
	return nil, errNotYet()
}

// CreatePlacementTemplate makes a placement template.
func (h *handlers) CreatePlacementTemplate(context.Context, CreatePlacementTemplateRequestObject) (CreatePlacementTemplateResponseObject, error) {
	return nil, errNotYet()
}

// GetPlacementTemplate returns one placement template.
func (h *handlers) GetPlacementTemplate(context.Context, GetPlacementTemplateRequestObject) (GetPlacementTemplateResponseObject, error) {
	return nil, errNotYet()
}

// UpdatePlacementTemplate replaces what a placement template says.
func (h *handlers) UpdatePlacementTemplate(context.Context, UpdatePlacementTemplateRequestObject) (UpdatePlacementTemplateResponseObject, error) {
	return nil, errNotYet()
}

// DeletePlacementTemplate removes a placement template.
func (h *handlers) DeletePlacementTemplate(context.Context, DeletePlacementTemplateRequestObject) (DeletePlacementTemplateResponseObject, error) {
	return nil, errNotYet()
}

// DuplicatePlacementTemplate copies a placement template.
func (h *handlers) DuplicatePlacementTemplate(context.Context, DuplicatePlacementTemplateRequestObject) (DuplicatePlacementTemplateResponseObject, error) {
	return nil, errNotYet()
}
