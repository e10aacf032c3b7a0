package bulkdesk

import (
	"net/http"

	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/fault"
	"tcode/server/issue/bulk"
)

// proceed orders the documents of a dry run.
func (d *desk) proceed(w http.ResponseWriter, r *http.Request, v account.Visit) {
	j, err := d.c.Bulk.Proceed(r.Context(), frame.Identity(r, v), r.PathValue("id"))
	if err != nil {
		d.refused(w, r, v, err)
		return
	}
	http.Redirect(w, r, jobPath(j.ID)+"?done=ordered", http.StatusSeeOther)
}

// change makes the form that cancels or retries a job.
func (d *desk) change(a bulk.Action, done string) func(http.ResponseWriter, *http.Request, account.Visit) {
	return func(w http.ResponseWriter, r *http.Request, v account.Visit) {
		id := frame.Identity(r, v)
		j, err := d.c.Bulk.Find(r.Context(), id, r.PathValue("id"))
		if err == nil {
			j, err = d.c.Bulk.Change(r.Context(), id, j.Product, j.ID, a)
		}
		if err != nil {
			d.refused(w, r, v, err)
			return
		}
		http.Redirect(w, r, jobPath(j.ID)+"?done="+done, http.StatusSeeOther)
	}
}

// refused answers a form on a job that the service refused: with the job as it is now, and
// the reason.
func (d *desk) refused(w http.ResponseWriter, r *http.Request, v account.Visit, err error) {
	switch f := fault.As(err); f.Kind {
	case fault.Conflict, fault.Rejected, fault.Forbidden, fault.Invalid:
		d.drawJob(w, r, v, http.StatusConflict, f)
	default:
		d.Failed(w, r, err)
	}
}
