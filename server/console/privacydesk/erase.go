package privacydesk

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"tcode/offline/payload"
	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/fault"
	"tcode/server/issue/trustdoc"
	"tcode/server/privacy"
	"tcode/server/tenant"
)

// A target is a record that may be erased.
type target struct {
	Of                  privacy.Subject
	ID, Reference, Name string
	Status              string
	Files               int
	Stamp               string // reference of the stamp that a document owns
	Owner               string // reference of the document that owns a stamp
	Erased              bool
	Screen              string // path of the record's own screen
	Confirm             string // path of the screen that confirms
	Test                bool
}

// target finds a record by its id.
func (d *desk) target(ctx context.Context, tenantRef string, of privacy.Subject, id string) (t target, err error) {
	switch of {
	case privacy.Stamp:
		s, err := d.c.Stamps.Get(ctx, tenantRef, id)
		if err != nil {
			return t, err
		}
		t = target{
			ID: s.ID, Reference: s.Reference.String(), Name: s.Name, Status: string(s.Status), Files: len(d.c.Stamps.AllFiles(s)), Owner: s.Document, Erased: s.Erased(),
			Screen: "/console/stamps/" + s.ID, Test: s.Test,
		}
	case privacy.Document:
		s, err := d.c.Documents.Get(ctx, tenantRef, id)
		if err != nil {
			return t, err
		}
		t = target{
			ID: s.ID, Reference: s.Reference.String(), Name: s.RecipientName, Status: string(s.Status), Files: len(s.Files), Erased: s.Erased(),
			Screen: "/console/documents/" + s.ID, Test: s.Test,
		}
		if s.Title != "" {
			t.Name = s.Title + ", " + t.Name
		}
		if s.Stamp != nil {
			t.Stamp = s.Stamp.Reference.String()
		}
	default:
		return t, privacy.NoRecord(of)
	}
	t.Of, t.Confirm = of, home+"/erase/"+string(of)+"/"+t.ID
	return t, nil
}

// isReference reports whether a person typed that reference.
func isReference(typed, want string) bool {
	prefix, ref, err := payload.ReadReference(typed)
	return err == nil && ref.Shown(prefix) == want
}

// errNoReference means that a text has not the form of a reference.
var errNoReference = errors.New("not a reference")

// look finds a record by its reference.
func (d *desk) look(ctx context.Context, tenantRef, text string) (of privacy.Subject, id string, err error) {
	prefix, ref, err := payload.ReadReference(text)
	switch {
	case err != nil:
		return "", "", errNoReference
	case prefix == payload.DocumentPrefix:
		id, err := d.c.Documents.IDOf(ctx, tenantRef, trustdoc.Reference(ref))
		return privacy.Document, id, err
	}
	id, err = d.c.Stamps.IDOf(ctx, tenantRef, ref)
	return privacy.Stamp, id, err
}

// find leads from a reference to the screen that confirms.
func (d *desk) find(w http.ResponseWriter, r *http.Request, v account.Visit) {
	text := strings.TrimSpace(r.URL.Query().Get("reference"))
	of, id, err := d.look(r.Context(), v.Tenant.Reference, text)
	_, t := d.page(r, v, nil)
	switch {
	case err == nil:
		http.Redirect(w, r, home+"/erase/"+string(of)+"/"+id, http.StatusSeeOther)
	case errors.Is(err, errNoReference):
		d.draw(w, r, v, http.StatusBadRequest, view{Reference: text, NoRecord: t.NoReference}, nil)
	case fault.Is(err, fault.NotFound):
		d.draw(w, r, v, http.StatusNotFound, view{Reference: text, NoRecord: t.NoRecord}, nil)
	default:
		d.Failed(w, r, err)
	}
}

// eraseView is the data of the screen that confirms an erasure.
type eraseView struct {
	target
	Why        privacy.Reason
	Reasons    []privacy.Reason
	NeedReason bool
	Mistyped   bool
	Refused    frame.Sentences // why the service refused; nil: it did not
}

// toErase finds the record of a path. ok is false if the answer is given: that nothing can
// be done to it.
func (d *desk) toErase(w http.ResponseWriter, r *http.Request, v account.Visit) (t target, ok bool) {
	t, err := d.target(r.Context(), v.Tenant.Reference, privacy.Subject(r.PathValue("subject")), r.PathValue("id"))
	switch {
	case err != nil:
		d.Failed(w, r, err)
	case t.Owner != "":
		http.Redirect(w, r, home+"/erase?"+url.Values{"reference": {t.Owner}}.Encode(), http.StatusSeeOther)
	case t.Erased:
		frame.Back(w, r, t.Screen, "already")
	default:
		return t, true
	}
	return t, false
}

func (d *desk) erasePage(w http.ResponseWriter, r *http.Request, v account.Visit) {
	if t, ok := d.toErase(w, r, v); ok {
		d.drawErase(w, r, v, http.StatusOK, eraseView{target: t})
	}
}

func (d *desk) drawErase(w http.ResponseWriter, r *http.Request, v account.Visit, status int, x eraseView) {
	x.Reasons = privacy.Reasons()
	p, t := d.page(r, v, x)
	p.Title, p.Back = t.EraseAsk, x.Confirm
	d.Draw(w, r, status, "privacydesk/erase", p)
}

func (d *desk) erase(w http.ResponseWriter, r *http.Request, v account.Visit) {
	t, ok := d.toErase(w, r, v)
	if !ok {
		return
	}
	x := eraseView{target: t, Why: privacy.Reason(r.PostFormValue("reason"))}
	x.NeedReason, x.Mistyped = !slices.Contains(privacy.Reasons(), x.Why), !isReference(r.PostFormValue("typed"), t.Reference)
	if x.NeedReason || x.Mistyped {
		d.drawErase(w, r, v, http.StatusBadRequest, x)
		return
	}
	_, err := d.c.Privacy.Erase(r.Context(), v.Tenant.Reference, frame.Identity(r, v).By(), privacy.Order{Of: t.Of, ID: t.ID, Why: x.Why})
	if err == nil {
		frame.Back(w, r, t.Screen, "erased")
		return
	}
	problem, status, ok := d.Refused(r, err)
	if !ok {
		d.Failed(w, r, err)
		return
	}
	x.Refused = problem.General
	d.drawErase(w, r, v, status, x)
}

// erasureRow is an erasure for people.
type erasureRow struct {
	At, By, Reference, Screen string
	Document                  bool
	Why                       privacy.Reason
	Done                      string // "": it goes on
}

func (d *desk) erasureRow(ctx context.Context, tenantRef string, e tenant.Entry, names map[string]string) (row erasureRow, err error) {
	row = erasureRow{At: frame.Moment(e.At), By: named(names, e.By), Why: privacy.Reason(e.Detail[privacy.DetailReason]), Document: e.Action == privacy.ActionErase(privacy.Document)}
	of := privacy.Stamp
	if row.Document {
		of = privacy.Document
	}
	t, err := d.target(ctx, tenantRef, of, e.Subject)
	if err != nil {
		return row, err
	}
	row.Reference, row.Screen = t.Reference, t.Screen
	done, err := d.c.Privacy.Erasure(ctx, tenantRef, e.Subject)
	row.Done = frame.Moment(done.Done)
	return row, err
}
