package httpapi

import (
	"context"

	"tcode/server/httpapi/api"
	"tcode/server/httpapi/gate"
	"tcode/server/issue/stamp"
)

// CheckDuplicate reports whether a stamp exists already.
func (h *handlers) CheckDuplicate(ctx context.Context, r CheckDuplicateRequestObject) (CheckDuplicateResponseObject, error) {
	matches, err := h.c.Stamps.Duplicates(ctx, gate.CallOf(ctx).Identity.Tenant.Reference, stamp.DuplicateQuery{
		Test:           gate.CallOf(ctx).Identity.Test,
		ExternalID:     deref(r.Body.ExternalId),
		SHA256:         deref(r.Body.Sha256),
		TdocTemplateID: uuidText(r.Body.TdocTemplateId),
		Fields:         fieldValues(r.Body.Fields),
	})
	if err != nil {
		return nil, err
	}
	out := api.TCodeDuplicateCheck{Duplicate: len(matches) > 0, Matches: make([]api.TCodeDuplicateMatch, 0, len(matches))}
	for _, m := range matches {
		out.Matches = append(out.Matches, api.TCodeDuplicateMatch{
			Id: mustUUID(m.ID), Reference: m.Reference.String(), MatchedBy: api.TCodeDuplicateMatchMatchedBy(m.By),
		})
	}
	return CheckDuplicate200JSONResponse{Data: out}, nil
}
