package stampdesk

import (
	"net/http"
	"net/url"
	"strings"

	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/fault"
	"tcode/server/issue/placement"
	"tcode/server/issue/stamp"
)

// change takes the editor's form. Its button "do" says what for.
func (d *desk) change(w http.ResponseWriter, r *http.Request, v account.Visit, s *sheet) {
	if s.Stamp != "" { // a second click
		http.Redirect(w, r, s.base(), http.StatusSeeOther)
		return
	}
	if err := r.ParseForm(); err != nil {
		d.Failed(w, r, err)
		return
	}
	do, page, _ := strings.Cut(r.PostForm.Get("do"), " ")
	s.form.v = kept(r.PostForm)
	acts := map[string]func(http.ResponseWriter, *http.Request, account.Visit, *sheet){
		"stamp": d.stamp, "save": d.saveNew, "update": d.saveOver, "nearest": d.nearest, "load": d.load, "drop": d.forget,
	}
	if do == "page" {
		s.form.v.Set(inPage, page)
	}
	if act, ok := acts[do]; ok {
		act(w, r, v, s)
		return
	}
	d.draw(w, r, v, s, http.StatusOK, problems{}, "")
}

// kept returns the members of a form that belong to it.
func kept(all url.Values) url.Values {
	out := url.Values{}
	own := append([]string{inPage, inName, inType, inExternal, inTest, inTdoc, inPlacement, inTplName, inTplText}, placeInputs...)
	for _, name := range own {
		if v, ok := all[name]; ok {
			out[name] = v[:1]
		}
	}
	for name, v := range all {
		if strings.HasPrefix(name, fieldPrefix) {
			out[name] = v[:1]
		}
	}
	return out
}

// load takes the settings of the chosen templates.
func (d *desk) load(w http.ResponseWriter, r *http.Request, v account.Visit, s *sheet) {
	if id := s.form.get(inPlacement); id != "" {
		t, err := d.c.Placements.Get(r.Context(), v.Tenant.Reference, id)
		if err != nil && !fault.Is(err, fault.NotFound) {
			d.Failed(w, r, err)
			return
		}
		if err == nil {
			s.form.load(t.Spec)
		}
	}
	if id := s.form.get(inTdoc); id != "" && s.form.get(inType) == "" {
		if t, err := d.c.Templates.Get(r.Context(), v.Tenant.Reference, id); err == nil {
			s.form.v.Set(inType, t.SuggestedDocType)
		}
	}
	d.draw(w, r, v, s, http.StatusOK, problems{}, "")
}

// forget ends the draft.
func (d *desk) forget(w http.ResponseWriter, r *http.Request, _ account.Visit, s *sheet) {
	d.c.Drafts.Drop(s.owner, s.ID)
	http.Redirect(w, r, s.Kind.path(), http.StatusSeeOther)
}

// nearest moves the stamp to the nearest free place.
func (d *desk) nearest(w http.ResponseWriter, r *http.Request, v account.Visit, s *sheet) {
	t := lexicon.In(d.Page(r, &v))
	all, err := d.templates(r.Context(), v.Tenant.Reference, s.form)
	if err != nil {
		d.Failed(w, r, err)
		return
	}
	bad := problems{}
	q, ok := d.previewOf(s, all, bad, t)
	if !ok {
		d.draw(w, r, v, s, http.StatusOK, bad, "")
		return
	}
	if q.PDF, err = d.file(s); err != nil {
		d.gone(w, r, err)
		return
	}
	defer q.PDF.Close()
	spec, found, err := d.c.Stamps.Nearest(r.Context(), frame.Identity(r, v), q)
	switch {
	case err != nil && fault.As(err).Kind == fault.Internal:
		d.Failed(w, r, err)
		return
	case err != nil || !found:
		d.draw(w, r, v, s, http.StatusOK, bad, t.NoPlace)
		return
	}
	s.form.load(spec)
	d.draw(w, r, v, s, http.StatusOK, bad, "")
}

// saveNew stores the placement as a new template.
func (d *desk) saveNew(w http.ResponseWriter, r *http.Request, v account.Visit, s *sheet) {
	d.store(w, r, v, s, func(spec placement.Spec) (placement.Template, error) {
		return d.c.Placements.Create(r.Context(), frame.Identity(r, v), spec, nil, nil)
	})
}

// saveOver stores the placement in the loaded template.
func (d *desk) saveOver(w http.ResponseWriter, r *http.Request, v account.Visit, s *sheet) {
	d.store(w, r, v, s, func(spec placement.Spec) (placement.Template, error) {
		t, err := d.c.Placements.Get(r.Context(), v.Tenant.Reference, s.form.get(inPlacement))
		if err != nil {
			return t, err
		}
		versions := []int64{t.Version}
		if s.Kind == kindPlacement { // it was on the screen since
			versions[0] = s.Version
		} else {
			spec.Name, spec.Description = t.Name, t.Description
		}
		return d.c.Placements.Update(r.Context(), frame.Identity(r, v), t.ID, versions, spec)
	})
}

// store stores the form's placement, and shows the problems or what was done.
func (d *desk) store(w http.ResponseWriter, r *http.Request, v account.Visit, s *sheet, put func(placement.Spec) (placement.Template, error)) {
	t := lexicon.In(d.Page(r, &v))
	bad := problems{}
	spec := s.form.spec(bad, t)
	spec.Name, spec.Description = s.form.get(inTplName), s.form.get(inTplText)
	if len(bad) > 0 {
		d.draw(w, r, v, s, http.StatusBadRequest, bad, "")
		return
	}
	made, err := put(spec)
	if err != nil {
		f := fault.As(err)
		if f.Kind == fault.Internal || f.Kind == fault.Unavailable {
			d.Failed(w, r, err)
			return
		}
		bad.take(t, f, templates{})
		d.draw(w, r, v, s, http.StatusBadRequest, bad, t.problem(err))
		return
	}
	if s.Kind == kindPlacement {
		d.c.Drafts.Drop(s.owner, s.ID)
		http.Redirect(w, r, placementPath+"?done=saved", http.StatusSeeOther)
		return
	}
	s.form.v.Set(inPlacement, made.ID)
	if err := d.save(s); err != nil {
		d.gone(w, r, err)
		return
	}
	http.Redirect(w, r, s.base()+"?done=saved", http.StatusSeeOther)
}

// request returns the request of a stamp.
func (s *sheet) request(all templates, bad problems, t *words) stamp.Request {
	f := s.form
	r := stamp.Request{Name: f.get(inName), DocumentTypeCode: f.get(inType), ExternalID: f.get(inExternal)}
	if f.is(inTest) {
		r.ModeType = stamp.ModeTest
	}
	if all.tdoc != nil {
		r.TdocTemplateID, r.Fields = all.tdoc.ID, f.fields(all.fields)
	}
	if all.unchanged(f) {
		r.PlacementTemplateID = all.placement.ID
		return r
	}
	spec := f.spec(bad, t)
	if err := spec.Check(); err != nil && len(bad) == 0 {
		bad.take(t, fault.As(err), all)
	}
	r.Placement = &spec
	return r
}
