package httpapi

import (
	"context"
	"strconv"

	"tcode/server/httpapi/api"
	"tcode/server/httpapi/gate"
	"tcode/server/tenant"
)

// Management manages the keys of a tenant, and tells its usage. Package tenant implements
// it.
type Management interface {
	CreateKey(ctx context.Context, tenantRef string, opt tenant.KeyOptions) (tenant.NewKey, error)
	CheckKey(opt tenant.KeyOptions) ([]tenant.Scope, error)
	RotateKey(ctx context.Context, tenantRef, prefix string, opt tenant.RenewOptions) (tenant.NewKey, error)
	RevokeKey(ctx context.Context, tenantRef, prefix string) error
	Left(ctx context.Context, tenantRef, author string) ([]tenant.Left, error)
	Key(ctx context.Context, tenantRef, prefix string) (tenant.APIKey, error)
	Keys(ctx context.Context, tenantRef string) ([]tenant.APIKey, error)
	SigningKeys(ctx context.Context, tenantRef string) ([]tenant.SigningKey, error)
	Report(ctx context.Context, tenantRef string, m tenant.Month) ([]tenant.KindUsage, error)
	Days(ctx context.Context, tenantRef string, first, last tenant.Day) ([]tenant.DayUsage, error)
	AuditPage(ctx context.Context, f tenant.AuditFilter, page, size int) (tenant.AuditPage, error)
	EachAudit(ctx context.Context, f tenant.AuditFilter, do func(tenant.Entry) error) error
}

// manager returns the tenant of a request, and a context in which its key is the author of
// changes.
func manager(ctx context.Context) (context.Context, string) {
	id := gate.CallOf(ctx).Identity
	return tenant.WithBy(ctx, id.By()), id.Tenant.Reference
}

// GetUsage returns use and quotas of a month, and the counts of days.
func (h *handlers) GetUsage(ctx context.Context, r GetUsageRequestObject) (GetUsageResponseObject, error) {
	_, ref := manager(ctx)
	now := h.c.Now()
	month := tenant.MonthOf(now)
	if r.Params.Month != nil {
		var err error
		if month, err = tenant.ParseMonth(*r.Params.Month); err != nil {
			return nil, err // the gate has checked the form
		}
	}
	first, last := tenant.DayOf(month.Start()), tenant.DayOf(month.Next().Start()).Add(-1)
	if n := deref(r.Params.Days); n > 0 {
		if r.Params.Month == nil {
			last = tenant.DayOf(now)
		}
		first = last.Add(1 - int(n))
	}
	kinds, err := h.c.Management.Report(ctx, ref, month)
	if err != nil {
		return nil, err
	}
	days, err := h.c.Management.Days(ctx, ref, first, last)
	if err != nil {
		return nil, err
	}
	out := api.Usage{Month: month.String(), Items: make([]api.UsageKind, 0, len(kinds)), Days: make([]api.UsageDay, 0, len(days))}
	for _, k := range kinds {
		u := api.UsageKind{Kind: api.UsageKindKind(k.Kind), Used: k.Used, UsedTest: k.UsedTest}
		if k.Limited {
			u.Quota = &k.Quota
		}
		out.Items = append(out.Items, u)
	}
	for _, d := range days {
		u := api.UsageDay{Stamps: d.Stamps, Documents: d.Documents, Verifications: d.Verifications, Scans: d.Scans}
		u.Day.Time = d.Day.Start()
		out.Days = append(out.Days, u)
	}
	return GetUsage200JSONResponse{Data: out}, nil
}

// ListSigningKeys returns the tenant's signing keys.
func (h *handlers) ListSigningKeys(ctx context.Context, _ ListSigningKeysRequestObject) (ListSigningKeysResponseObject, error) {
	_, ref := manager(ctx)
	keys, err := h.c.Management.SigningKeys(ctx, ref)
	if err != nil {
		return nil, err
	}
	out := ListSigningKeys200JSONResponse{Items: make([]api.SigningKey, 0, len(keys))}
	for _, k := range keys {
		out.Items = append(out.Items, api.SigningKey{
			KeyId: k.ID(), Sequence: int32(k.Seq), Algorithm: k.Public.Algorithm().String(), State: api.SigningKeyState(k.State),
			ValidFrom: wholeMillis(k.ValidFrom), ValidUntil: optionalTime(k.ValidUntil), CompromisedSince: optionalTime(k.CompromisedSince), CreatedAt: wholeMillis(k.CreatedAt),
		})
	}
	return out, nil
}

func auditID(id int64) string { return strconv.FormatInt(id, 10) }
