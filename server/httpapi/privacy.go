package httpapi

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/labstack/echo/v4"

	"tcode/server/fault"
	"tcode/server/httpapi/api"
	"tcode/server/httpapi/gate"
	"tcode/server/privacy"
	"tcode/server/tenant"
)

// Privacy erases, exports and keeps data for its time. Package privacy implements it.
type Privacy interface {
	Erase(ctx context.Context, tenantRef string, by tenant.By, o privacy.Order) (privacy.Erasure, error)
	Retention(ctx context.Context, tenantRef string) (privacy.Settings, error)
	SetRetention(ctx context.Context, tenantRef string, by tenant.By, s privacy.Settings) error
	Export(ctx context.Context, tenantRef string, by tenant.By, w io.Writer) error
}

// managing refuses keys that may not manage the tenant's data.
func managing(tenant.Identity) error { return nil }

// whole refuses test keys for what concerns live records, too.
func whole(id tenant.Identity) error {
	if id.Test {
		return fault.New(fault.Forbidden, fault.CodeForbidden, "this concerns live records, too: a test key may not do it").WithReason(fault.ReasonTestKey)
	}
	return managing(id)
}

// EraseStamp erases the personal data of a stamp.
func (h *handlers) EraseStamp(ctx context.Context, r EraseStampRequestObject) (EraseStampResponseObject, error) {
	return EraseStamp204Response{}, h.erase(ctx, privacy.Stamp, r.Id.String(), r.Body)
}

// EraseDocument erases the personal data of a Trust document and of its stamp.
func (h *handlers) EraseDocument(ctx context.Context, r EraseDocumentRequestObject) (EraseDocumentResponseObject, error) {
	return EraseDocument204Response{}, h.erase(ctx, privacy.Document, r.Id.String(), r.Body)
}

func (h *handlers) erase(ctx context.Context, of privacy.Subject, id string, body *api.EraseRequest) error {
	who := gate.CallOf(ctx).Identity
	o := privacy.Order{Of: of, ID: id, TestOnly: who.Test}
	if body != nil {
		o.Why = privacy.Reason(deref(body.Reason))
	}
	_, err := h.c.Privacy.Erase(ctx, who.Tenant.Reference, who.By(), o)
	return err
}

// GetRetention returns how long each kind of data is kept.
func (h *handlers) GetRetention(ctx context.Context, _ GetRetentionRequestObject) (GetRetentionResponseObject, error) {
	set, err := h.c.Privacy.Retention(ctx, gate.CallOf(ctx).Identity.Tenant.Reference)
	return GetRetention200JSONResponse{Data: retentionRecord(set)}, err
}

// SetRetention replaces these times.
func (h *handlers) SetRetention(ctx context.Context, r SetRetentionRequestObject) (SetRetentionResponseObject, error) {
	who := gate.CallOf(ctx).Identity
	set, err := retention(r.Body)
	if err != nil {
		return nil, err
	}
	if err := h.c.Privacy.SetRetention(ctx, who.Tenant.Reference, who.By(), set); err != nil {
		return nil, err
	}
	return SetRetention200JSONResponse{Data: retentionRecord(set)}, nil
}

// retention reads the times of a body. The fault names all that are wrong.
func retention(b *api.RetentionRequest) (privacy.Settings, error) {
	set, bad := privacy.Settings{}, gate.Fields{}
	for i, t := range b.Kinds {
		kind, path := privacy.Kind(t.Kind), fmt.Sprintf("kinds[%d]", i)
		if _, twice := set[kind]; twice {
			bad.Add(path+".kind", "is there twice")
			continue
		}
		set[kind] = int(deref(t.Days))
		if err := (privacy.Settings{kind: set[kind]}).Check(); err != nil {
			for name, messages := range fault.As(err).Texts() {
				member := ".days"
				if name == "kinds" {
					member = ".kind"
				}
				bad.Add(path+member, "%s", messages[0])
			}
		}
	}
	if len(bad) > 0 {
		return nil, gate.Invalid(bad)
	}
	return set, nil
}

func retentionRecord(set privacy.Settings) (out api.Retention) {
	for _, r := range privacy.Rules() {
		out.Kinds = append(out.Kinds, api.RetentionKind{
			Kind: string(r.Kind), Days: optional(int32(set.Days(r.Kind))), DefaultDays: optional(int32(r.Default)),
			LeastDays: int32(r.Least), MostDays: int32(r.Longest()), Fixed: r.Fixed, Description: r.What,
		})
	}
	return out
}

// exportTenant sends an archive of everything that the tenant has while it is made.
func (a *app) exportTenant(c echo.Context) error {
	ctx := c.Request().Context()
	who := gate.CallOf(ctx).Identity
	tenantRef := who.Tenant.Reference
	return a.sendFile(ctx, c.Response(), tenantRef, "application/zip", tenantRef+".zip", func(ctx context.Context, w io.Writer) error {
		return a.c.Privacy.Export(ctx, tenantRef, who.By(), w)
	})
}

// sendFile sends a file while write makes it, which may take as long as the client takes
// parts of it.
func (a *app) sendFile(
	ctx context.Context, w http.ResponseWriter, tenantRef, contentType, name string,
	write func(context.Context, io.Writer) error,
) error {
	release, err := a.exports.Take(ctx, tenantRef, 0)
	if err != nil {
		return err
	}
	defer release()
	ctx, end := gate.Lasting(ctx)
	defer end()
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	h.Set("Cache-Control", "no-store")
	out := bufio.NewWriterSize(gate.Paced(w), exportBuffer)
	if err := write(ctx, out); err != nil {
		return err
	}
	return out.Flush()
}
