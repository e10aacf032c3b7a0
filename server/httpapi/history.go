package httpapi

import (
	"context"
	"strconv"

	"tcode/server/httpapi/api"
	"tcode/server/verify"
)

// ListVerifications returns the verifications of the tenant's documents.
func (h *handlers) ListVerifications(ctx context.Context, r ListVerificationsRequestObject) (ListVerificationsResponseObject, error) {
	f := verify.HistoryFilter{Kind: verify.OfStamp, From: deref(r.Params.From), To: deref(r.Params.To)}
	page, err := h.c.Verify.History(ctx, historianOf(ctx), f, verify.Page{Number: pageNumber(r.Params.Page), Size: pageSize(r.Params.PageSize)})
	if err != nil {
		return nil, err
	}
	out := ListVerifications200JSONResponse{Items: make([]api.TCodeVerificationEntry, 0, len(page.Items))}
	paging(page.Number, page.Size, page.TotalCount, page.TotalIsLowerBound, len(page.Items)).
		fill(&out.Page, &out.PageSize, &out.TotalCount, &out.TotalPages, &out.TotalIsLowerBound, &out.HasNext)
	for _, e := range page.Items {
		out.Items = append(out.Items, api.TCodeVerificationEntry{
			Id: strconv.FormatInt(e.ID, 10), Test: e.Test,
			Reference: e.Reference.String(), Verdict: api.TCodeVerificationEntryVerdict(e.Verdict), VerifiedAt: wholeMillis(e.VerifiedAt),
			Method: api.TCodeVerificationEntryMethod(e.Method), KeyPrefix: optional(e.ViewerKey), ScannerId: optional(e.ScannerID), Location: optional(e.Location),
		})
	}
	return out, nil
}
