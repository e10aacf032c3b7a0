package bulkdesk

import (
	"context"
	"io"
	"net/http"

	"tcode/offline/cell"
	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/fault"
	"tcode/server/issue/bulk"
)

// columns serves a CSV file with the columns of an order and a line of examples.
func (d *desk) columns(w http.ResponseWriter, r *http.Request, v account.Visit) {
	o, _, bad := orderOf(r.URL.Query())
	if err := bad.Err(); err != nil && o.Product == "" {
		d.NotFound(w, r)
		return
	}
	layout, err := d.c.Bulk.Template(r.Context(), v.Tenant.Reference, bulk.Order{Product: o.Product, TdocTemplateID: o.TdocTemplateID, TemplateID: o.TemplateID, Path: o.Path})
	if f := fault.As(err); err != nil && f.Kind != fault.Internal && f.Kind != fault.Unavailable {
		d.drawNew(w, r, v, http.StatusBadRequest, r.URL.Query(), err)
		return
	}
	if err != nil {
		d.Failed(w, r, err)
		return
	}
	var header, example []string
	for _, c := range layout.Columns() {
		header, example = append(header, c.Name), append(example, c.Example)
	}
	frame.Attach(w, "text/csv; charset=utf-8; header=present", "rows.csv")
	out := cell.NewWriter(w, 0)
	_, _ = out.Write(header), out.Write(example) // a client that is gone gets no part either
	_ = out.Flush()
}

func (d *desk) errorsFile(w http.ResponseWriter, r *http.Request, v account.Visit) {
	d.file(w, r, v, "text/csv; charset=utf-8; header=present", "errors.csv", d.c.Bulk.WriteErrors)
}

func (d *desk) resultsFile(w http.ResponseWriter, r *http.Request, v account.Visit) {
	d.file(w, r, v, "application/zip", "results.zip", d.c.Bulk.WriteResults)
}

// file serves a file of a job while write makes it.
func (d *desk) file(w http.ResponseWriter, r *http.Request, v account.Visit, kind, name string, write func(context.Context, bulk.Job, io.Writer) error) {
	ctx := r.Context()
	j, err := d.c.Bulk.Find(ctx, frame.Identity(r, v), r.PathValue("id"))
	if err != nil {
		d.Failed(w, r, err)
		return
	}
	release, err := d.exports.Take(ctx, v.Tenant.Reference, 0)
	if err != nil {
		d.Failed(w, r, err)
		return
	}
	defer release()
	d.File(w, r, kind, name, func(out io.Writer) error { return write(ctx, j, out) })
}
