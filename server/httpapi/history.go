package httpapi

import "context"

// ListVerifications returns the verifications of the tenant's documents.
func (h *handlers) ListVerifications(context.Context, ListVerificationsRequestObject) (ListVerificationsResponseObject, error) {
	return nil, errNotYet()
}
