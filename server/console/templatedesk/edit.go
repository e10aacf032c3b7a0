package templatedesk

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/fault"
	"tcode/server/issue/field"
	"tcode/server/issue/tdoc"
)

func (d *desk) newPage(w http.ResponseWriter, r *http.Request, v account.Visit, k kind) {
	f := &form{Kind: k.name(), Mode: string(tdoc.ModeTCode), Fields: []fieldRow{{Type: string(field.Text)}}}
	d.draw(w, r, v, f, http.StatusOK)
}

func (d *desk) editPage(w http.ResponseWriter, r *http.Request, v account.Visit, k kind) {
	f, err := k.load(r.Context(), v.Tenant.Reference, r.PathValue("id"))
	if err != nil {
		d.Failed(w, r, err)
		return
	}
	d.draw(w, r, v, f, http.StatusOK)
}

// draw sends the editor.
func (d *desk) draw(w http.ResponseWriter, r *http.Request, v account.Visit, f *form, status int) {
	p, t := d.page(r, v)
	if err := d.complete(r.Context(), v, f, p.T.Language); err != nil {
		d.Failed(w, r, err)
		return
	}
	if f.Wrong == nil {
		f.Wrong = map[string]frame.Sentences{}
	}
	p.Title, p.D, p.Done, p.Scripts = cmp.Or(f.Name, t.New[f.Kind]), f, t.Done[r.URL.Query().Get("done")], d.Scripts("templatedesk/preview.js")
	d.Draw(w, r, status, "templatedesk/edit", p)
}

// complete fills in the choices of the editor, and the labels of the document type.
func (d *desk) complete(ctx context.Context, v account.Visit, f *form, language string) error {
	f.May, f.FieldTypes, f.Modes = v.May(account.Issue), field.Types(), tdoc.ProductModes()
	types, err := d.c.Types.DocumentTypes(ctx)
	if err != nil {
		return err
	}
	for _, one := range types {
		f.Types = append(f.Types, option{one.Code, one.Code + " – " + one.Name(language)})
		if one.Code != f.Type {
			continue
		}
		for i := range f.Fields {
			labels := one.FieldLabels[f.Fields[i].Key]
			f.Fields[i].Named = cmp.Or(labels[language], labels["en"])
		}
	}
	ps, err := d.c.Placements.List(ctx, v.Tenant.Reference)
	for _, one := range ps {
		f.Placements = append(f.Placements, option{one.ID, one.Name})
	}
	return err
}

// save stores a template, or changes the editor as one of its buttons asks.
func (d *desk) save(w http.ResponseWriter, r *http.Request, v account.Visit, k kind) {
	if err := r.ParseForm(); err != nil {
		d.Failed(w, r, err)
		return
	}
	f := &form{Kind: k.name()}
	if id := r.PathValue("id"); id != "" {
		var err error
		if f, err = k.load(r.Context(), v.Tenant.Reference, id); err != nil {
			d.Failed(w, r, err)
			return
		}
	}
	f.read(r.PostForm)
	if f.change(r.PostForm.Get("do")) {
		d.draw(w, r, v, f, http.StatusOK)
		return
	}
	f.Wrong = map[string]frame.Sentences{}
	id, err := k.save(r.Context(), frame.Identity(r, v), f)
	if err == nil {
		http.Redirect(w, r, place+"/"+k.name()+"/"+id+"?done=saved", http.StatusSeeOther)
		return
	}
	if !f.refuse(d.Page(r, nil).T, err, k.fieldsPath()) {
		d.Failed(w, r, err)
		return
	}
	if fault.Is(err, fault.Precondition) {
		_, t := d.page(r, v)
		f.Problems = append(f.Problems, frame.Own(t.Stale))
	}
	d.draw(w, r, v, f, status(err))
}

// archiveView is the data of the screen that archives.
type archiveView struct {
	*form
	Reason string
}

func (d *desk) archivePage(w http.ResponseWriter, r *http.Request, v account.Visit, k kind) {
	f, err := k.load(r.Context(), v.Tenant.Reference, r.PathValue("id"))
	if err != nil {
		d.Failed(w, r, err)
		return
	}
	d.drawArchive(w, r, v, &archiveView{f, ""}, http.StatusOK)
}

func (d *desk) drawArchive(w http.ResponseWriter, r *http.Request, v account.Visit, view *archiveView, status int) {
	p, t := d.page(r, v)
	p.Title, p.D = t.ArchiveTitle, view
	d.Draw(w, r, status, "templatedesk/archive", p)
}

func (d *desk) archive(w http.ResponseWriter, r *http.Request, v account.Visit, k kind) {
	d.turn(w, r, v, k, "archive", "archived")
}

func (d *desk) restore(w http.ResponseWriter, r *http.Request, v account.Visit, k kind) {
	d.turn(w, r, v, k, "unarchive", "restored")
}

// turn archives or restores a template.
func (d *desk) turn(w http.ResponseWriter, r *http.Request, v account.Visit, k kind, action, done string) {
	reason := strings.TrimSpace(r.PostFormValue("reason"))
	id := r.PathValue("id")
	err := k.act(r.Context(), frame.Identity(r, v), id, action, reason)
	if fault.Is(err, fault.Invalid) {
		f, loadErr := k.load(r.Context(), v.Tenant.Reference, id)
		if loadErr != nil {
			d.Failed(w, r, loadErr)
			return
		}
		f.Wrong = map[string]frame.Sentences{"reason": d.Page(r, nil).T.Said(fault.As(err).Fields["reason"]...)}
		d.drawArchive(w, r, v, &archiveView{f, reason}, http.StatusBadRequest)
		return
	}
	if err != nil {
		d.Failed(w, r, err)
		return
	}
	http.Redirect(w, r, place+"?archived=1&done="+done, http.StatusSeeOther)
}
