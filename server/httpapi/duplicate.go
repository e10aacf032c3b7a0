package httpapi

import (
	"context"

	"tcode/server/httpapi/api"
	"tcode/server/httpapi/gate"
	"tcode/server/issue/stamp"
	"tcode/server/tenant"
)

// CheckDuplicate reports whether a stamp exists already.
func (h *handlers) CheckDuplicate(ctx context.Context, r CheckDuplicateRequestObject) (CheckDuplicateResponseObject, error) {
	id := gate.CallOf(ctx).Identity
	matches, err := h.c.Stamps.Duplicates(ctx, id.Tenant.Reference, stampQuery(id, r.Body))
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

func stampQuery(id tenant.Identity, b *api.TCodeDuplicateCheckRequest) stamp.DuplicateQuery {
	return stamp.DuplicateQuery{
		Test:           id.Test,
		ExternalID:     deref(b.ExternalId),
		SHA256:         deref(b.Sha256),
		TdocTemplateID: uuidText(b.TdocTemplateId),
		Fields:         fieldValues(b.Fields),
	}
}
