package bulkdesk

import (
	"net/http"
	"net/url"
	"strconv"

	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/issue/bulk"
)

// The numbers of lines on a page.
const (
	jobsOnPage     = 20
	rowsOnPage     = 50
	problemsOnPage = 100
	lastPage       = 100_000
)

// A pager leads to the pages beside the present one; "" if there is none.
type pager struct {
	Page           int
	Previous, Next string
}

// pageOf returns the number of the page that a request asks for.
func pageOf(r *http.Request) int {
	n, err := strconv.Atoi(r.URL.Query().Get("page"))
	if err != nil || n < 1 || n > lastPage {
		return 1
	}
	return n
}

// newPager returns the pager of a page; the links keep the other parameters.
func newPager(r *http.Request, page int, more bool) pager {
	at := func(n int) string {
		q := r.URL.Query()
		q.Del("done")
		q.Set("page", strconv.Itoa(n))
		return (&url.URL{Path: r.URL.Path, RawQuery: q.Encode()}).String()
	}
	p := pager{Page: page}
	if page > 1 {
		p.Previous = at(page - 1)
	}
	if more {
		p.Next = at(page + 1)
	}
	return p
}

// A jobLine is a line of the list.
type jobLine struct {
	Job     bulk.Job
	W       *words
	Ordered string // when
}

// listView is the data of the list.
type listView struct {
	Product  bulk.Product
	Status   bulk.Status
	Statuses []bulk.Status
	Jobs     []jobLine
	Pager    pager
	May      bool // make new ones
}

// list shows the jobs, newest first.
func (d *desk) list(w http.ResponseWriter, r *http.Request, v account.Visit) {
	q, page := r.URL.Query(), pageOf(r)
	view := listView{Statuses: bulk.Statuses(), May: v.May(account.Issue)}
	if p := bulk.Product(q.Get("product")); p == bulk.TCode || p == bulk.Trust {
		view.Product = p
	}
	view.Status, _ = bulk.ParseStatus(q.Get("state"))
	found, err := d.c.Bulk.Browse(r.Context(), frame.Identity(r, v), bulk.Filter{Product: view.Product, Status: view.Status}, page, jobsOnPage)
	if err != nil {
		d.Failed(w, r, err)
		return
	}
	p := d.Page(r, &v)
	t := lexicon.In(p)
	for _, j := range found.Items {
		view.Jobs = append(view.Jobs, jobLine{j, t, frame.Moment(j.CreatedAt)})
	}
	view.Pager = newPager(r, page, found.TotalIsLowerBound || found.TotalCount > page*jobsOnPage)
	p.Title, p.W, p.D = t.Bulk, t, view
	d.Draw(w, r, http.StatusOK, "bulkdesk/list", p)
}
