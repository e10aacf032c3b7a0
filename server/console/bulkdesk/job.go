package bulkdesk

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/fault"
	"tcode/server/issue/bulk"
	"tcode/server/issue/bulk/intake"
	"tcode/server/tenant"
)

// jobView is the data of the screen of a job.
type jobView struct {
	Job     bulk.Job
	W       *words
	State   state
	Path    string
	By      string // the user, or the visible part of the key
	ByKey   bool
	Refused frame.Sentences // why the last form was refused

	Live    bool // its state changes by itself, and soon
	Took    string
	Ordered *bulk.Job // made of this dry run
	Again   string    // address of a new order like this one
	Times   map[string]string

	MayAct, MayCancel, MayRetry, MayProceed bool
	Errors, Results                         bool // files to download

	Problems []problemRow
	Rows     []bulk.Row
	RowState bulk.RowState
	States   []bulk.RowState
	Pager    pager
}

// problemRow is a problem of the files as the page says it.
type problemRow struct {
	intake.Problem
	Says frame.Sentences
}

// rowStates are the states by which rows are listed.
var rowStates = []bulk.RowState{bulk.RowFailed, bulk.RowSucceeded, bulk.RowPending, bulk.RowSkipped}

// job shows a job.
func (d *desk) job(w http.ResponseWriter, r *http.Request, v account.Visit) {
	d.drawJob(w, r, v, http.StatusOK, nil)
}

// drawJob draws a job, and why a form on it was refused.
func (d *desk) drawJob(w http.ResponseWriter, r *http.Request, v account.Visit, status int, wrong *fault.Fault) {
	j, err := d.c.Bulk.Find(r.Context(), frame.Identity(r, v), r.PathValue("id"))
	if err != nil {
		d.Failed(w, r, err)
		return
	}
	p := d.Page(r, &v)
	t := lexicon.In(p)
	view := jobView{Job: j, W: t, Path: jobPath(j.ID), State: stateOf(j, d.Now(), t), Live: !j.Status.Over() && j.Status != bulk.Scheduled}
	if wrong != nil {
		view.Refused = p.T.Said(wrong.Said())
	}
	for _, fill := range []func(*http.Request, account.Visit, *words, *jobView) error{d.fillOrder, d.fillRights, d.fillRows} {
		if err := fill(r, v, t, &view); err != nil {
			d.Failed(w, r, err)
			return
		}
	}
	if p.Title = j.Name; p.Title == "" {
		p.Title = fmt.Sprintf(t.Untitled, frame.Moment(j.CreatedAt))
	}
	p.W, p.D, p.Done = t, view, t.Done[r.URL.Query().Get("done")]
	if view.Live {
		p.Scripts = d.Scripts("bulkdesk/live.js")
	}
	d.Draw(w, r, status, "bulkdesk/job", p)
}

// fillOrder fills in the order of a job: its author, times, and a new one like it.
func (d *desk) fillOrder(r *http.Request, v account.Visit, t *words, view *jobView) (err error) {
	j := view.Job
	view.Times = map[string]string{"created": frame.Moment(j.CreatedAt), "scheduled": frame.Moment(j.ScheduledFor), "started": frame.Moment(j.StartedAt), "finished": frame.Moment(j.FinishedAt)}
	if !j.FinishedAt.IsZero() && !j.StartedAt.IsZero() {
		view.Took = t.lasting(j.FinishedAt.Sub(j.StartedAt))
	}
	if view.By, view.ByKey, err = d.author(r.Context(), v, j.By); err != nil {
		return err
	}
	q := "product=" + string(j.Product)
	for name, value := range map[string]string{"tdocTemplateId": j.TdocTemplateID, "placementTemplateId": j.PlacementTemplateID, "templateId": j.TemplateID, "issuancePath": string(j.Order.Path)} {
		if value != "" {
			q += "&" + name + "=" + value
		}
	}
	view.Again = "/console/bulk/new?" + q
	if j.DryRun && j.Status == bulk.Completed {
		next, err := d.c.Bulk.Ordered(r.Context(), j)
		if err == nil {
			view.Ordered = &next
		} else if !fault.Is(err, fault.NotFound) {
			return err
		}
	}
	return nil
}

// author returns the person or the key that ordered a job.
func (d *desk) author(ctx context.Context, v account.Visit, by string) (name string, key bool, err error) {
	id := tenant.Identity{}.WithAuthor(by)
	if id.User == "" {
		return id.KeyPrefix, true, nil
	}
	users, err := d.c.People.Users(ctx, v.Tenant.Reference)
	if i := slices.IndexFunc(users, func(u account.User) bool { return u.ID == id.User }); i >= 0 {
		return users[i].Label(), false, nil
	}
	return "–", false, err
}

// fillRights fills in what the user may do with the job now.
func (d *desk) fillRights(_ *http.Request, v account.Visit, _ *words, view *jobView) error {
	j := view.Job
	may := v.May(account.Issue)
	can := func(a bulk.Action) bool { _, err := j.Status.Next(a); return may && err == nil }
	view.MayCancel = can(bulk.Cancel) && !j.Status.Over() && j.Status != bulk.Cancelling
	view.MayRetry = can(bulk.Retry)
	view.MayProceed = may && j.DryRun && j.Status == bulk.Completed && view.Ordered == nil
	view.MayAct = may
	view.Errors, view.Results = j.Counts.Failed > 0 || len(j.Problems) > 0, j.Counts.Succeeded > 0
	return nil
}

// fillRows fills in a page of the problems of the files, or of the rows.
func (d *desk) fillRows(r *http.Request, v account.Visit, _ *words, view *jobView) error {
	j, page := view.Job, pageOf(r)
	if !j.Accepted {
		from := min(len(j.Problems), (page-1)*problemsOnPage)
		to := min(len(j.Problems), from+problemsOnPage)
		words := d.Page(r, nil).T
		for _, one := range j.Problems[from:to] {
			view.Problems = append(view.Problems, problemRow{one, words.Said(one.Text())})
		}
		view.Pager = newPager(r, page, to < len(j.Problems))
		return nil
	}
	view.States, view.RowState = rowStates, bulk.RowSucceeded
	if j.Counts.Failed > 0 {
		view.RowState = bulk.RowFailed
	}
	for _, s := range rowStates {
		if strings.EqualFold(string(s), r.URL.Query().Get("rows")) {
			view.RowState = s
		}
	}
	rows, err := d.c.Bulk.RowPage(r.Context(), frame.Identity(r, v), j.Product, j.ID, view.RowState, page, rowsOnPage)
	view.Rows, view.Pager = rows.Items, newPager(r, page, rows.TotalCount > page*rowsOnPage)
	return err
}

// Retries returns the number of rows that a retry makes again.
func (v jobView) Retries() int { return v.Job.Counts.Failed + v.Job.Counts.Skipped }
