package operator

import (
	"context"
	"net/http"
	"time"

	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/fault"
)

// A SetAside is an item of background work that stopped the gateway twice, or failed too often.
type SetAside struct {
	ID     string
	Kind   string // as jobs.Kinds has it
	Tenant string
	Input  string // what it works on
	Reason string // how the process ended
	Since  time.Time
	Own    bool // the gateway's own work, which is not given up
}

// Work has background work.
type Work interface {
	ListSetAside(ctx context.Context, limit int) ([]SetAside, error)
	// RetryTask and CancelTask return a NotFound or a Conflict fault for what cannot be tried
	// again or cancelled now.
	RetryTask(ctx context.Context, id string) error
	CancelTask(ctx context.Context, id string) error
}

// workRow is an item for people.
type workRow struct {
	SetAside
	When string
}

// workPage is the data of the screen.
type workPage struct {
	Rows    []workRow
	Refused string
}

// workShown is the number of items of each kind on the screen.
const workShown = 200

func (a *operator) work(w http.ResponseWriter, r *http.Request, v account.Visit) {
	a.workPage(w, r, v, http.StatusOK, workPage{})
}

func (a *operator) workPage(w http.ResponseWriter, r *http.Request, v account.Visit, status int, d workPage) {
	list, err := a.c.Work.ListSetAside(r.Context(), workShown)
	if err != nil {
		a.Failed(w, r, err)
		return
	}
	for _, s := range list {
		d.Rows = append(d.Rows, workRow{s, frame.Moment(s.Since)})
	}
	p, t := a.page(r, v, d)
	p.Title = t.Work
	a.Draw(w, r, status, "operator/work", p)
}

// changeWork tries an item again, or gives it up.
func (a *operator) changeWork(change func(context.Context, string) error, done string) func(http.ResponseWriter, *http.Request, account.Visit) {
	return func(w http.ResponseWriter, r *http.Request, v account.Visit) {
		err := change(by(r, v), r.PostFormValue("id"))
		if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Conflict) {
			a.workPage(w, r, v, http.StatusConflict, workPage{Refused: fault.As(err).Message})
			return
		}
		if err != nil {
			a.Failed(w, r, err)
			return
		}
		frame.Back(w, r, "/console/operator/work", done)
	}
}
