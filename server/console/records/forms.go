package records

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"tcode/offline/dates"
	"tcode/offline/payload"
	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/fault"
	"tcode/server/issue/field"
	"tcode/server/issue/stamp"
	"tcode/server/issue/trustdoc"
)

// formView is the data of the forms that issue and replace.
type formView struct {
	Kind      about
	R         *record // that is replaced; nil: a new one is issued
	Template  string  // id
	Templates []option
	Types     []option
	Paths     []trustdoc.Path
	In        map[string]string // what was typed, by the name of the field
	Fields    []field.Definition
	Typed     string // what is to be typed; "" if nothing is
	Problems  []frame.Sentences
	Wrong     map[string]frame.Sentences // by the name of the field
}

// fieldName is the name of the form's field for the value of a key.
func fieldName(key string) string { return "f:" + key }

// Name returns the name of the form's field for a definition.
func (f *formView) Name(d field.Definition) string { return fieldName(d.Key) }

// Input returns the type of the form's field for a definition.
func (f *formView) Input(d field.Definition) string {
	switch d.Type {
	case field.Date, field.Email, field.URL:
		return string(d.Type)
	}
	return "text"
}

// Max returns the most characters of a value.
func (f *formView) Max(d field.Definition) int {
	if d.MaxLength > 0 {
		return d.MaxLength
	}
	return field.MaxValue
}

// plainNames are the form's fields other than those of the template, with their names in
// faults.
var plainNames = map[string]string{
	"name": "name", "type": "documentTypeCode", "external": "externalId", "recipient": "recipientName", "email": "recipientEmail", "title": "documentTitle",
	"expires": "expiresAt", "path": "issuancePath", "reason": "reason", "pdf": "pdf", "generate": "generatePdf",
}

// values returns the values of the template's fields, as faults number them.
func (f *formView) values() []payload.Field {
	out := []payload.Field{}
	for _, d := range f.Fields {
		if v := f.In[fieldName(d.Key)]; v != "" || d.Required {
			out = append(out, payload.Field{Key: d.Key, Value: v})
		}
	}
	return out
}

// typed takes what a person typed.
func (f *formView) typed(u *upload) {
	for name := range plainNames {
		f.In[name] = strings.TrimSpace(u.Get(name))
	}
	for _, d := range f.Fields {
		f.In[fieldName(d.Key)] = strings.TrimSpace(u.Get(fieldName(d.Key)))
	}
	f.In["typed"] = u.Get("typed")
}

// refuse puts the problems of a fault at their fields. It reports whether the fault is
// about the form.
func (f *formView) refuse(t *frame.Words, err error) bool {
	why := fault.As(err)
	switch why.Kind {
	case fault.Invalid, fault.Rejected, fault.Conflict, fault.TooLarge, fault.Forbidden:
	default:
		return false
	}
	left := map[string][]fault.Text{}
	for name, said := range why.Fields {
		left[name] = said
	}
	for name, path := range plainNames {
		if said, ok := left[path]; ok {
			f.Wrong[name] = t.Said(said...)
			delete(left, path)
		}
	}
	for i, v := range f.values() {
		path := fmt.Sprintf("fields[%d]", i)
		said := append(left[path+".value"], left[path+".key"]...)
		if len(said) > 0 {
			f.Wrong[fieldName(v.Key)] = t.Said(said...)
			delete(left, path+".value")
			delete(left, path+".key")
		}
	}
	f.Problems = append(f.Problems, t.Said(why.Said()))
	for name, said := range left {
		f.Problems = append(f.Problems, append(frame.Own(name), t.Said(said...)...))
	}
	return true
}

// replaceForm returns the form of a record that can be replaced. ok is false if the answer
// is given.
func (d *desk) replaceForm(w http.ResponseWriter, r *http.Request, v account.Visit, k kind) (view *formView, ok bool) {
	ctx, ref := r.Context(), v.Tenant.Reference
	rec, err := k.get(ctx, ref, r.PathValue("id"))
	if err != nil {
		d.Failed(w, r, err)
		return nil, false
	}
	if _, err := k.next(stored(rec.Status), string(stamp.ActionReplace)); err != nil || rec.Document != "" {
		http.Redirect(w, r, k.about().Path+"/"+rec.ID+"?done=already", http.StatusSeeOther)
		return nil, false
	}
	view = &formView{Kind: k.about(), R: &rec, In: map[string]string{}, Wrong: map[string]frame.Sentences{}, Typed: last(rec.Reference), Paths: trustdoc.Paths()}
	for _, f := range rec.Fields {
		view.In[fieldName(f.Key)] = f.Value
	}
	view.In["external"] = rec.Sub
	if view.Types, err = d.types(ctx, frameLanguage(d, r, v)); err != nil {
		d.Failed(w, r, err)
		return nil, false
	}
	switch s := rec.source.(type) {
	case stamp.Stamp:
		view.In["name"], view.In["type"] = s.Name, s.DocumentType
		if s.TdocTemplateID != "" {
			t, err := d.c.Templates.OfStamp(ctx, ref, s.TdocTemplateID)
			if err != nil {
				d.Failed(w, r, err)
				return nil, false
			}
			for _, f := range t.Fields() {
				view.Fields = append(view.Fields, field.Definition{Key: f.Key, Label: f.Label, Type: f.Type, Required: f.Required, MaxLength: f.MaxLength})
			}
		}
	case trustdoc.Document:
		view.In["recipient"], view.In["email"], view.In["title"], view.In["path"] = s.RecipientName, s.RecipientEmail, s.Title, string(s.Path)
		if !s.ExpiresAt.IsZero() {
			view.In["expires"] = dates.LastOn(s.ExpiresAt)
		}
		t, err := d.c.Documents.Template(ctx, ref, s.TemplateID)
		switch {
		case isMissing(err): // deleted since: its fields are those of the document
			for _, f := range rec.Fields {
				view.Fields = append(view.Fields, field.Definition{Key: f.Key, Label: f.Label})
			}
		case err != nil:
			d.Failed(w, r, err)
			return nil, false
		default:
			view.Fields = t.Fields
		}
	}
	return view, true
}

// frameLanguage returns the language of a request's screens.
func frameLanguage(d *desk, r *http.Request, v account.Visit) string {
	p, _ := d.page(r, v)
	return p.T.Language
}

// types returns the document types in use.
func (d *desk) types(ctx context.Context, language string) (out []option, err error) {
	types, err := d.c.Types.DocumentTypes(ctx)
	for _, one := range types {
		out = append(out, option{one.Code, one.Code + " – " + one.Name(language)})
	}
	return out, err
}

func (d *desk) replacePage(w http.ResponseWriter, r *http.Request, v account.Visit, k kind) {
	if view, ok := d.replaceForm(w, r, v, k); ok {
		d.drawForm(w, r, v, view, http.StatusOK)
	}
}

func (d *desk) drawForm(w http.ResponseWriter, r *http.Request, v account.Visit, view *formView, status int) {
	p, t := d.page(r, v)
	p.Title, p.D = t.IssueTitle, view
	if view.R != nil {
		p.Title = t.ReplaceTitle
	}
	d.Draw(w, r, status, "records/form", p)
}

func (d *desk) replace(w http.ResponseWriter, r *http.Request, v account.Visit, k kind) {
	view, ok := d.replaceForm(w, r, v, k)
	if !ok {
		return
	}
	_, t := d.page(r, v)
	u, ok := d.filled(w, r, v, view)
	if !ok {
		return
	}
	defer u.Close()
	if view.In["reason"] == "" {
		view.Wrong["reason"] = frame.Own(t.NeedReason)
	}
	if !sameTyped(view.In["typed"], view.Typed) {
		view.Wrong["typed"] = frame.Own(t.Mistyped)
	}
	if len(view.Wrong) > 0 {
		d.drawForm(w, r, v, view, http.StatusBadRequest)
		return
	}
	made, err := d.successor(r, v, view, u)
	d.made(w, r, v, view, made, "replaced", err)
}

// successor replaces the record of a form and returns the id of its successor.
func (d *desk) successor(r *http.Request, v account.Visit, view *formView, u *upload) (string, error) {
	who, in := frame.Identity(r, v), view.In
	if _, ok := view.R.source.(stamp.Stamp); ok {
		rep := stamp.Replacement{PDF: u.pdf, Name: in["name"], DocumentTypeCode: in["type"], ExternalID: in["external"], Reason: in["reason"]}
		if len(view.Fields) > 0 {
			rep.Fields = view.values()
		}
		made, err := d.c.Stamps.Replace(r.Context(), who, view.R.ID, rep)
		return made.ID, err
	}
	expires, err := endOf(in["expires"])
	if err != nil {
		return "", err
	}
	made, err := d.c.Documents.Replace(r.Context(), who, view.R.ID, trustdoc.Replacement{
		RecipientName: in["recipient"], RecipientEmail: in["email"], Title: in["title"], ExternalID: in["external"], Fields: view.values(),
		PDF: u.pdf, GeneratePDF: in["generate"] != "", ExpiresAt: expires, Path: trustdoc.Path(in["path"]), Reason: in["reason"],
	})
	return made.ID, err
}

// endOf returns the end of a day in UTC; "" is the zero time.
func endOf(text string) (time.Time, error) {
	t, err := day(text)
	if err != nil {
		var p fault.Fields
		p.Add("expiresAt", "must be a day such as 2027-12-31")
		return t, p.Err()
	}
	if t.IsZero() {
		return t, nil
	}
	return t.AddDate(0, 0, 1), nil
}

// filled reads a form with a file. ok is false if the answer is given.
func (d *desk) filled(w http.ResponseWriter, r *http.Request, v account.Visit, view *formView) (u *upload, ok bool) {
	u, err := d.receive(r)
	if err == nil {
		view.typed(u)
		return u, true
	}
	if view.refuse(d.Page(r, nil).T, err) {
		d.drawForm(w, r, v, view, http.StatusBadRequest)
	} else {
		d.Failed(w, r, err)
	}
	return nil, false
}

// made answers a form: with the screen of the new record, or with the form and its
// problems.
func (d *desk) made(w http.ResponseWriter, r *http.Request, v account.Visit, view *formView, id, done string, err error) {
	switch {
	case err == nil:
		http.Redirect(w, r, view.Kind.Path+"/"+id+"?done="+done, http.StatusSeeOther)
	case view.refuse(d.Page(r, nil).T, err):
		d.drawForm(w, r, v, view, http.StatusBadRequest)
	default:
		d.Failed(w, r, err)
	}
}

// issueForm returns the form of a new document; it has the fields of the template that
// the request names. ok is false if the answer is given.
func (d *desk) issueForm(w http.ResponseWriter, r *http.Request, v account.Visit) (view *formView, ok bool) {
	ctx, ref := r.Context(), v.Tenant.Reference
	view = &formView{Kind: documents{}.about(), Paths: trustdoc.Paths(), In: map[string]string{"path": string(trustdoc.PathDigital)}, Wrong: map[string]frame.Sentences{}}
	list, err := d.c.Documents.Templates(ctx, ref, trustdoc.TemplateFilter{PageSize: stamp.MaxPageSize})
	if err != nil {
		d.Failed(w, r, err)
		return nil, false
	}
	for _, t := range list.Items {
		view.Templates = append(view.Templates, option{t.ID, t.Name})
	}
	id := r.URL.Query().Get("template")
	if id == "" && len(list.Items) == 1 {
		id = list.Items[0].ID
	}
	if id == "" {
		return view, true
	}
	t, err := d.c.Documents.Template(ctx, ref, id)
	if err != nil {
		d.Failed(w, r, err)
		return nil, false
	}
	view.Template, view.Fields = t.ID, t.Fields
	return view, true
}

func (d *desk) issuePage(w http.ResponseWriter, r *http.Request, v account.Visit) {
	if view, ok := d.issueForm(w, r, v); ok {
		d.drawForm(w, r, v, view, http.StatusOK)
	}
}

func (d *desk) issue(w http.ResponseWriter, r *http.Request, v account.Visit) {
	view, ok := d.issueForm(w, r, v)
	if !ok {
		return
	}
	u, ok := d.filled(w, r, v, view)
	if !ok {
		return
	}
	defer u.Close()
	in := view.In
	expires, err := endOf(in["expires"])
	var made trustdoc.Document
	if err == nil {
		made, err = d.c.Documents.Issue(r.Context(), frame.Identity(r, v), trustdoc.Issuance{
			TemplateID: view.Template, RecipientName: in["recipient"], RecipientEmail: in["email"], Title: in["title"], ExternalID: in["external"],
			Fields: view.values(), PDF: u.pdf, GeneratePDF: in["generate"] != "", ExpiresAt: expires, Path: trustdoc.Path(in["path"]),
		})
	}
	if view.Template == "" && fault.Is(err, fault.NotFound) { // no template was chosen
		view.Problems = append(view.Problems, frame.Own(texts.Of(frameLanguage(d, r, v)).NeedTemplate))
		d.drawForm(w, r, v, view, http.StatusBadRequest)
		return
	}
	d.made(w, r, v, view, made.ID, "issued", err)
}
