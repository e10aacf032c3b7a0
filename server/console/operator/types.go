package operator

import (
	"net/http"
	"strings"
	"time"

	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/outbound/delivery"
	"tcode/server/refdata"
)

// typeLanguages are the languages for which the form asks the name of a document type.
var typeLanguages = []string{"en", "de", "fr", "es", "ar"}

// typesPage is the data of the list of document types.
type typesPage struct {
	Rows      []refdata.DocumentType
	Code      string
	Names     map[string]string
	Languages []string
	Problem   frame.Problems
}

func (a *operator) types(w http.ResponseWriter, r *http.Request, v account.Visit) {
	a.typesPage(w, r, v, typesPage{}, http.StatusOK)
}

func (a *operator) typesPage(w http.ResponseWriter, r *http.Request, v account.Visit, d typesPage, status int) {
	var err error
	if d.Rows, err = a.c.Types.DocumentTypes(r.Context()); err != nil {
		a.Failed(w, r, err)
		return
	}
	d.Languages = typeLanguages
	p, t := a.page(r, v, d)
	p.Title = t.Types
	a.Draw(w, r, status, "operator/types", p)
}

// addType adds a type, or changes the names of one, and keeps its labels.
func (a *operator) addType(w http.ResponseWriter, r *http.Request, v account.Visit) {
	d := typesPage{Code: strings.TrimSpace(r.PostFormValue("code")), Names: map[string]string{}}
	made := refdata.DocumentType{Code: d.Code, Names: map[string]string{}}
	have, err := a.c.Types.DocumentTypes(r.Context())
	if err != nil {
		a.Failed(w, r, err)
		return
	}
	for _, one := range have {
		if one.Code == d.Code {
			made.FieldLabels = one.FieldLabels
		}
	}
	for _, l := range typeLanguages {
		if d.Names[l] = strings.TrimSpace(r.PostFormValue("name-" + l)); d.Names[l] != "" {
			made.Names[l] = d.Names[l]
		}
	}
	if err := a.c.Types.AddDocumentType(by(r, v), made); err != nil {
		problem, status, ok := a.Refused(r, err)
		if !ok {
			a.Failed(w, r, err)
			return
		}
		d.Problem = problem
		a.typesPage(w, r, v, d, status)
		return
	}
	frame.Back(w, r, "/console/operator/document-types", "typed")
}

func (a *operator) retireType(w http.ResponseWriter, r *http.Request, v account.Visit) {
	if err := a.c.Types.RetireDocumentType(by(r, v), r.PathValue("code")); err != nil {
		a.Failed(w, r, err)
		return
	}
	frame.Back(w, r, "/console/operator/document-types", "untyped")
}

// mailPage is the data of the mails of a tenant. Addresses of recipients are not the
// operator's to see.
type mailPage struct {
	Tenants []string
	Tenant  string
	State   delivery.State
	States  []delivery.State
	Rows    []mailRow
	Sent    int
	Resent  bool
}

// mailRow is a mail for people.
type mailRow struct {
	delivery.Message
	Made, Next string
}

// mailsPage is the number of mails that the screen lists.
const mailsPage = 100

func (a *operator) mail(w http.ResponseWriter, r *http.Request, v account.Visit) {
	q := r.URL.Query()
	a.mailPage(w, r, v, mailPage{Tenant: q.Get("tenant"), State: delivery.State(q.Get("state"))})
}

func (a *operator) mailPage(w http.ResponseWriter, r *http.Request, v account.Visit, d mailPage) {
	all, err := a.c.Tenants.Tenants(r.Context())
	if err != nil {
		a.Failed(w, r, err)
		return
	}
	for _, t := range all {
		d.Tenants = append(d.Tenants, t.Reference)
	}
	if d.Tenant == "" && len(d.Tenants) > 0 {
		d.Tenant = d.Tenants[0]
	}
	d.States = delivery.States()
	if d.Tenant != "" {
		var states []delivery.State
		if d.State != "" {
			states = []delivery.State{d.State}
		}
		list, err := a.c.Mails.List(r.Context(), d.Tenant, states, mailsPage)
		if err != nil {
			if _, _, ok := a.Refused(r, err); ok { // a state that does not exist
				a.NotFound(w, r)
				return
			}
			a.Failed(w, r, err)
			return
		}
		for _, m := range list {
			row := mailRow{Message: m, Made: frame.Moment(m.CreatedAt)}
			if m.State == delivery.Waiting {
				row.Next = frame.Moment(m.NextAt)
			}
			d.Rows = append(d.Rows, row)
		}
	}
	p, t := a.page(r, v, d)
	p.Title = t.Mail
	a.Draw(w, r, http.StatusOK, "operator/mail", p)
}

// resendSince is how far back mails are sent again.
const resendSince = 30 * 24 * time.Hour

func (a *operator) resend(w http.ResponseWriter, r *http.Request, v account.Visit) {
	d := mailPage{Tenant: r.PostFormValue("tenant"), Resent: true}
	n, err := a.c.Mails.ResendFailed(by(r, v), d.Tenant, a.Now().Add(-resendSince))
	if err != nil {
		if _, _, ok := a.Refused(r, err); ok {
			a.NotFound(w, r)
			return
		}
		a.Failed(w, r, err)
		return
	}
	d.Sent = n
	a.mailPage(w, r, v, d)
}
