package httpapi

import (
	"context"
	"io"
	"net/http"
	"time"

	"tcode/offline/cell"
	"tcode/offline/jsontext"
	"tcode/server/httpapi/api"
	"tcode/server/httpapi/gate"
	"tcode/server/tenant"
)

// ListAudit returns a page of the tenant's audit log, or all of it as a table.
func (h *handlers) ListAudit(ctx context.Context, r ListAuditRequestObject) (ListAuditResponseObject, error) {
	_, ref := manager(ctx)
	f := tenant.AuditFilter{
		Tenant: ref, Action: deref(r.Params.Action), Actor: tenant.Actor(deref(r.Params.Actor)), By: deref(r.Params.By), Subject: deref(r.Params.Subject),
		From: deref(r.Params.From), To: deref(r.Params.To),
	}
	if gate.CallOf(ctx).MediaType == gate.TypeCSV {
		return auditTable{ctx, h.app, f}, nil
	}
	page, size := pageNumber(r.Params.Page), pageSize(r.Params.PageSize)
	rows, err := h.c.Management.AuditPage(ctx, f, page, size)
	if err != nil {
		return nil, err
	}
	out := ListAudit200JSONResponse{Items: make([]api.AuditEntry, 0, len(rows.Items))}
	paging(page, size, rows.TotalCount, rows.TotalIsLowerBound, len(rows.Items)).
		fill(&out.Page, &out.PageSize, &out.TotalCount, &out.TotalPages, &out.TotalIsLowerBound, &out.HasNext)
	for _, e := range rows.Items {
		details := e.Detail
		if details == nil {
			details = map[string]string{}
		}
		out.Items = append(out.Items, api.AuditEntry{
			Id: auditID(e.ID), At: wholeMillis(e.At), Actor: api.AuditEntryActor(e.By.Actor), By: optional(e.By.Name), Action: api.AuditAction(e.Action), Subject: e.Subject,
			Details: details, TraceId: optional(e.By.TraceID),
		})
	}
	return out, nil
}

// An auditTable is the audit log in text/csv, written as it is read.
type auditTable struct {
	ctx    context.Context
	app    *app
	filter tenant.AuditFilter
}

// VisitListAuditResponse writes the answer.
func (t auditTable) VisitListAuditResponse(w http.ResponseWriter) error {
	return t.app.sendFile(t.ctx, w, t.filter.Tenant, gate.TypeCSV+"; charset=utf-8; header=present", "audit.csv", t.write)
}

func (t auditTable) write(ctx context.Context, w io.Writer) error {
	out := cell.NewWriter(w, 0)
	write := func(cells ...string) error { return out.Write(cells) }
	if err := write("id", "at", "actor", "by", "action", "subject", "details", "traceId"); err != nil {
		return err
	}
	err := t.app.c.Management.EachAudit(ctx, t.filter, func(e tenant.Entry) error {
		details := ""
		if len(e.Detail) > 0 {
			raw, err := jsontext.Marshal(e.Detail)
			if err != nil {
				return err
			}
			details = string(raw)
		}
		return write(auditID(e.ID), e.At.UTC().Format(time.RFC3339Nano), string(e.By.Actor), e.By.Name, e.Action, e.Subject, details, e.By.TraceID)
	})
	if err != nil {
		return err
	}
	return out.Flush()
}
