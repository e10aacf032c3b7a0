package httpapi

import "context"

// CheckDuplicate tells whether a stamp is there already.
func (h *handlers) CheckDuplicate(context.Context, CheckDuplicateRequestObject) (CheckDuplicateResponseObject, error) {
	return nil, errNotYet()
}
