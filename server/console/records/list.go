package records

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"tcode/offline/cell"
	"tcode/offline/payload"
	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/issue/batch"
)

// listView is the data of the screen of a list.
type listView struct {
	Kind      about
	Query     query
	Rows      []row
	Total     string
	First     int
	Last      int
	Before    string // addresses of pages; "" for none
	Next      string
	Any       bool // the tenant has records at all
	May       bool // make changes
	Types     []option
	Templates []option
	Running   []batch.Batch
}

func (d *desk) list(w http.ResponseWriter, r *http.Request, v account.Visit, k kind) {
	q := parse(r.URL.Query(), k.about())
	ref := v.Tenant.Reference
	if other := d.other(k, q.Search); other != "" {
		http.Redirect(w, r, address(other, q.values()), http.StatusSeeOther)
		return
	}
	found, err := k.list(r.Context(), ref, q)
	if err != nil {
		d.Failed(w, r, err)
		return
	}
	prefix, one, err := payload.ReadReference(q.Search)
	if err == nil && len(found.Rows) == 1 && one.Shown(prefix) == found.Rows[0].Reference {
		http.Redirect(w, r, k.about().Path+"/"+found.Rows[0].ID, http.StatusSeeOther)
		return
	}
	p, t := d.page(r, v)
	view := listView{Kind: k.about(), Query: q, Rows: found.Rows, Total: number(found.Total, found.More), May: v.May(account.Issue), Any: len(found.Rows) > 0 || !q.Empty() || q.Page > 1}
	p.Title, p.D = t.title(k), &view
	if view.First = (q.Page-1)*pageSize + 1; len(found.Rows) > 0 {
		view.Last = view.First + len(found.Rows) - 1
	}
	if q.Page > 1 {
		view.Before = q.At(k.about().Path, q.Page-1)
	}
	if found.More && len(found.Rows) == pageSize || view.Last > 0 && view.Last < found.Total {
		view.Next = q.At(k.about().Path, q.Page+1)
	}
	if err := d.options(r, v, k, &view, p.T.Language); err != nil {
		d.Failed(w, r, err)
		return
	}
	p.Done = t.Done[r.URL.Query().Get("done")]
	status := http.StatusOK
	if len(q.Wrong) > 0 {
		status = http.StatusBadRequest
	}
	p.Scripts = d.Scripts("frame/console.js")
	d.Draw(w, r, status, "records/list", p)
}

// options fills in the choices of the filter, and the orders that run.
func (d *desk) options(r *http.Request, v account.Visit, k kind, view *listView, language string) error {
	types, err := d.c.Types.DocumentTypes(r.Context())
	if err != nil {
		return err
	}
	for _, one := range types {
		view.Types = append(view.Types, option{one.Code, one.Code + " – " + one.Name(language)})
	}
	if view.Templates, err = k.templates(r.Context(), v.Tenant.Reference); err != nil {
		return err
	}
	recent, err := d.c.Orders.Recent(r.Context(), v.Tenant.Reference, k.about().Subject, 3)
	for _, b := range recent {
		if b.State == batch.Running {
			view.Running = append(view.Running, b)
		}
	}
	return err
}

// other returns the list of another kind if the search is one of its references.
func (d *desk) other(k kind, search string) string {
	prefix, _, err := payload.ReadReference(search)
	if err != nil {
		return ""
	}
	for _, one := range d.kinds {
		a := one.about()
		if a.Path != k.about().Path && a.Prefix == prefix {
			return a.Path
		}
	}
	return ""
}

// number returns a count for people; more means that it is a lower bound.
func number(n int, more bool) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	if more {
		s += "+"
	}
	return s
}

// exportPage is the number of records that one read of an export returns.
const exportPage = 100

// export streams all records of a filter as a CSV file, in the list's order.
func (d *desk) export(w http.ResponseWriter, r *http.Request, v account.Visit, k kind) {
	q := parse(r.URL.Query(), k.about())
	if len(q.Wrong) > 0 {
		d.Message(w, r, http.StatusBadRequest, func(t *frame.Words) frame.Note { return texts.Of(t.Language).BadFilter }, false)
		return
	}
	q.Page, q.size, q.uncounted = 1, exportPage, true
	name := strings.TrimPrefix(k.about().Path, "/console/") + ".csv"
	d.File(w, r, "text/csv; charset=utf-8; header=present", name, func(w io.Writer) error {
		return writeRecords(r.Context(), w, k, v.Tenant.Reference, q)
	})
}

// writeRecords writes all records of a query as CSV.
func writeRecords(ctx context.Context, w io.Writer, k kind, tenantRef string, q query) error {
	out := cell.NewWriter(w, 0)
	_ = out.Write([]string{"reference", "status", "name", "documentTypeCode", "externalId", "createdAt", "updatedAt", "expiresAt", "expiresOn", "test"})
	for {
		found, err := k.list(ctx, tenantRef, q)
		if err != nil {
			return err
		}
		for _, one := range found.Rows {
			cells := []string{one.Reference, one.Status, one.Name, one.Type, one.Sub, moment(one.Created), moment(one.Updated), moment(one.Expires), one.expiresOn(), strconv.FormatBool(one.Test)}
			_ = out.Write(cells) // an error of it comes again with Flush
		}
		if err := out.Flush(); err != nil || len(found.Rows) < exportPage {
			return err
		}
		q.after = found.Rows[len(found.Rows)-1].place
	}
}

// moment returns a time for programs, "" for the zero time.
func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

// page returns a page with the words of this area.
func (d *desk) page(r *http.Request, v account.Visit) (*frame.Page, *words) {
	p := d.Page(r, &v)
	t := texts.In(p)
	p.W = t
	return p, t
}
