package httpapi

import (
	"context"
	"net/http"

	"tcode/offline/payload"
	"tcode/server/httpapi/api"
	"tcode/server/httpapi/gate"
	"tcode/server/issue/stamp"
)

// ReplaceStamp revokes a stamp and issues its successor.
func (h *handlers) ReplaceStamp(ctx context.Context, r ReplaceStampRequestObject) (ReplaceStampResponseObject, error) {
	call := gate.CallOf(ctx)
	req := stampReplacement(call, r.Body)
	try, answered, end, err := h.attempt(ctx, r.Params.IdempotencyKey)
	if err != nil {
		return nil, err
	}
	defer end()
	if answered != nil {
		return answered, nil
	}
	if req.Idempotency = try.Record; req.Idempotency != nil {
		req.Answer = stampAnswer(http.StatusOK)
	}
	st, err := h.c.Stamps.Replace(ctx, call.Identity, r.Id.String(), req)
	if err != nil {
		return try.failed(ctx, err)
	}
	location := stampPath(st.ID)
	return ReplaceStamp200JSONResponse{
		Body:    api.TCodeStampEnvelope{Data: stampRecord(st)},
		Headers: ReplaceStamp200ResponseHeaders{Location: &location},
	}, nil
}

func stampReplacement(call *gate.Call, b *api.TCodeReplaceStampRequest) stamp.Replacement {
	req := stamp.Replacement{
		PDF:                 call.PDF,
		Name:                deref(b.Name),
		DocumentTypeCode:    deref(b.DocumentTypeCode),
		PlacementTemplateID: uuidText(b.PlacementTemplateId),
		TdocTemplateID:      uuidText(b.TdocTemplateId),
		ExternalID:          deref(b.ExternalId),
		Reason:              deref(b.Reason),
	}
	if b.Fields != nil { // an empty list copies no fields
		req.Fields = append([]payload.Field{}, fieldValues(b.Fields)...)
	}
	return req
}
