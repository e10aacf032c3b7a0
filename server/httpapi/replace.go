package httpapi

import "context"

// ReplaceStamp revokes a stamp and issues its successor.
func (h *handlers) ReplaceStamp(context.Context, ReplaceStampRequestObject) (ReplaceStampResponseObject, error) {
	return nil, errNotYet()
}
