package httpapi

import "context"

// GetDigitalTwin returns stamp, verification and document in one record.
func (h *handlers) GetDigitalTwin(context.Context, GetDigitalTwinRequestObject) (GetDigitalTwinResponseObject, error) {
	return nil, errNotYet()
}
