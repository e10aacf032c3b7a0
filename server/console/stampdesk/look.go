package stampdesk

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"

	"tcode/offline/geometry"
	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/fault"
	"tcode/server/issue/field"
	"tcode/server/issue/placement"
	"tcode/server/issue/stamp"
	"tcode/server/issue/tdoc"
	"tcode/server/tenant"
)

// A fieldInput is a field of the TDoc template as the form has it.
type fieldInput struct {
	tdoc.Field
	In    string // name in the form
	Input string // type of the input
}

// inputTypes are the types of inputs for fields. Numbers and dates are checked by the
// gateway, in its notation.
var inputTypes = map[field.Type]string{field.Email: "email", field.URL: "url", field.Date: "date"}

// templates are what the tenant has to choose from.
type templates struct {
	tdocs      []tdoc.Template
	tdoc       *tdoc.Template // that is chosen; nil: none
	fields     []fieldInput
	placements []placement.Template
	placement  *placement.Template // that was loaded; nil: none
}

// templates returns those of the tenant, and the chosen ones. A template that is gone is
// not chosen any more.
func (d *desk) templates(ctx context.Context, tenantRef string, f form) (out templates, err error) {
	if out.tdocs, err = d.c.Templates.List(ctx, tenantRef, false); err != nil {
		return out, err
	}
	out.tdocs = slices.DeleteFunc(out.tdocs, func(t tdoc.Template) bool { return t.Stampable() != nil })
	if out.placements, err = d.c.Placements.List(ctx, tenantRef); err != nil {
		return out, err
	}
	if i := slices.IndexFunc(out.tdocs, func(t tdoc.Template) bool { return t.ID == f.get(inTdoc) }); i >= 0 {
		out.tdoc = &out.tdocs[i]
		for _, one := range out.tdoc.Fields() {
			kind := inputTypes[one.Type]
			if kind == "" {
				kind = "text"
			}
			if one.MaxLength == 0 {
				one.MaxLength = tdoc.MaxValue
			}
			out.fields = append(out.fields, fieldInput{one, fieldPrefix + one.Key, kind})
		}
	}
	if i := slices.IndexFunc(out.placements, func(t placement.Template) bool { return t.ID == f.get(inPlacement) }); i >= 0 {
		out.placement = &out.placements[i]
	}
	return out, nil
}

// unchanged reports whether the form has the placement of the loaded template.
func (t templates) unchanged(f form) bool {
	if t.placement == nil {
		return false
	}
	loaded := f.copied()
	loaded.load(t.placement.Spec)
	return loaded.samePlace(f)
}

// look draws the document with the stamp, and returns what the screen shows of it. A
// problem of the form is added to bad.
func (d *desk) look(ctx context.Context, id tenant.Identity, s *sheet, all templates, bad problems, t *words) (*answer, error) {
	r, ok := d.previewOf(s, all, bad, t)
	if !ok {
		return &answer{}, nil
	}
	file, err := d.file(s)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r.PDF = file
	p, err := d.c.Stamps.Preview(ctx, id, r)
	if f := fault.As(err); f != nil && f.Code == fault.CodeFieldSchemaMismatch {
		bad.take(t, f, all)
		r.TdocTemplateID, r.Fields = "", nil // the place is shown without them
		p, err = d.c.Stamps.Preview(ctx, id, r)
	}
	if err != nil {
		f := fault.As(err)
		if f.Kind != fault.Rejected && f.Kind != fault.Invalid {
			return nil, err
		}
		return &answer{Refused: refusalOf(t, f)}, nil
	}
	return answerOf(t, s, r.Placement, p), nil
}

// previewOf returns the request of a preview. ok is false if the form has problems.
func (d *desk) previewOf(s *sheet, all templates, bad problems, t *words) (stamp.PreviewRequest, bool) {
	spec := s.form.spec(bad, t)
	if len(bad) == 0 {
		if err := spec.Check(); err != nil {
			bad.take(t, fault.As(err), all)
		}
	}
	if spec.ScanSafety.Rendering == placement.RenderingWarn { // drawing all pages twice takes too long for each move
		spec.ScanSafety.Rendering = placement.RenderingOff
	}
	r := stamp.PreviewRequest{Placement: &spec, NoPicture: true}
	if all.tdoc != nil {
		r.TdocTemplateID, r.Fields = all.tdoc.ID, s.form.fields(all.fields)
		for _, one := range all.fields { // the size of the symbol needs a value
			if one.Required && s.form.get(one.In) == "" {
				example := field.Definition{Key: one.Key, Label: one.Label, Type: one.Type, MaxLength: one.MaxLength}.Example()
				r.Fields = append(r.Fields, fieldValue(one.Key, example))
			}
		}
	}
	return r, len(bad) == 0
}

// take adds the problems of a fault to p, at the members of the form.
func (p problems) take(t *words, f *fault.Fault, all templates) {
	for path, messages := range f.Fields {
		name := path
		var i int
		if in, ok := pathOf[path]; ok {
			name = in
		} else if n, _ := fmt.Sscanf(path, "fields[%d]", &i); n == 1 && i < len(all.fields) {
			name = all.fields[i].In
		}
		p[name] = append(p[name], frame.Say(t.Language, messages...)...)
	}
}

// An answer is what the screen shows of a preview.
type answer struct {
	Looked  bool
	Modules int
	Here    *place // on the page that is shown; nil: it is not stamped
	Pages   []int  // that are stamped
	Clashes []clash
	Grade   *grade
	Refused *refusal
	Notes   []string // warnings, in English
	Said    string   // all of it for people who listen
}

// A place is where the stamp lies on the shown page.
type place struct {
	geometry.Place
	Frame geometry.Rect // that the person moves: the bounds of the box, or the box
}

// A clash is something under the stamp.
type clash struct {
	Text string
	Page int
	Area geometry.Rect
}

// A grade is the letter of a stamp, and its figures.
type grade struct {
	stamp.Grade
	Level string // class: accept, look, refuse
	Words pair
}

// A refusal is the reason why a stamp is not made.
type refusal struct {
	Code, Title string
	Detail      frame.Sentences
	Nearest     bool // another place may help
}

func answerOf(t *words, s *sheet, spec *placement.Spec, p stamp.Preview) *answer {
	out := &answer{Looked: true, Modules: p.Modules, Notes: p.Warnings}
	for _, at := range p.Places {
		out.Pages = append(out.Pages, at.Page)
		if at.Page == s.form.page() {
			out.Here = &place{at, frameOf(spec, at)}
		}
	}
	for _, c := range p.Collisions {
		out.Clashes = append(out.Clashes, clash{t.clash(c), c.Page, c.Area})
	}
	if p.Grade.Letter != "" {
		out.Grade = &grade{p.Grade, level(p.Grade.Letter), t.Grades[string(p.Grade.Letter)]}
	}
	if p.Refusal != nil {
		out.Refused = refusalOf(t, p.Refusal)
	}
	out.Said = out.said(t)
	return out
}

// frameOf returns the bounds that the box lies in the middle of.
func frameOf(spec *placement.Spec, at geometry.Place) geometry.Rect {
	out := at.Box
	if spec.WNorm == nil || spec.HNorm == nil || spec.PageSizeMM == nil {
		return out
	}
	w := max(out.Width, min(*spec.WNorm*spec.PageSizeMM.Width, at.PageMM.Width))
	h := max(out.Height, min(*spec.HNorm*spec.PageSizeMM.Height, at.PageMM.Height))
	return geometry.Rect{X: out.X - (w-out.Width)/2, Y: out.Y - (h-out.Height)/2, Width: w, Height: h}
}

// level returns the class of a letter.
func level(l stamp.Letter) string {
	switch l {
	case stamp.LetterA, stamp.LetterB:
		return "accept"
	case stamp.LetterC, stamp.LetterD:
		return "look"
	}
	return "refuse"
}

// refusalOf says why a stamp is refused.
func refusalOf(t *words, f *fault.Fault) *refusal {
	near := f.Code == fault.CodePDFNotStampable || f.Code == fault.CodeRenderingChanged || f.Code == fault.CodeStampUnreadable
	title, ok := t.Refusals[f.Code]
	if !ok {
		title = t.Refusals["other"]
	}
	return &refusal{f.Code, title, frame.Say(t.Language, f.Said()), near}
}

// said is the answer in a sentence or two.
func (a *answer) said(t *words) string {
	var parts []string
	switch {
	case a.Refused != nil:
		parts = append(parts, a.Refused.Title)
	case a.Grade != nil:
		parts = append(parts, t.Grade+" "+string(a.Grade.Letter)+": "+a.Grade.Words.Title)
	}
	if len(a.Clashes) == 0 {
		parts = append(parts, t.Free)
	}
	for i, c := range a.Clashes {
		if i == 3 {
			break
		}
		parts = append(parts, c.Text)
	}
	if a.Here != nil {
		parts = append(parts, fmt.Sprintf(t.SymbolAt, tenth(a.Here.Symbol.X), tenth(a.Here.Symbol.Y), tenth(a.Here.Symbol.Width)))
	}
	return strings.Join(parts, ". ")
}

// tenth writes a length to a tenth of a mm.
func tenth(v float64) string { return fmt.Sprintf("%.1f", math.Round(10*v)/10) }

// show draws the editor, or the stamp that was made of the draft.
func (d *desk) show(w http.ResponseWriter, r *http.Request, v account.Visit, s *sheet) {
	if s.Stamp != "" {
		d.done(w, r, v, s)
		return
	}
	d.draw(w, r, v, s, http.StatusOK, problems{}, "")
}

// draw draws the editor with what the form has now.
func (d *desk) draw(w http.ResponseWriter, r *http.Request, v account.Visit, s *sheet, status int, bad problems, wrong string) {
	p := d.Page(r, &v)
	t := lexicon.In(p)
	all, err := d.templates(r.Context(), v.Tenant.Reference, s.form)
	if err != nil {
		d.Failed(w, r, err)
		return
	}
	own := problems{} // of the place; the others are those of the act before
	a, err := d.look(r.Context(), frame.Identity(r, v), s, all, own, t)
	if err != nil {
		d.gone(w, r, err)
		return
	}
	for name, messages := range own {
		if len(bad[name]) == 0 {
			bad[name] = messages
		}
	}
	s.form.follow(a)
	if err := d.save(s); err != nil {
		d.gone(w, r, err)
		return
	}
	view, err := d.view(r, v, s, all, a, bad, t)
	if err != nil {
		d.Failed(w, r, err)
		return
	}
	p.W, p.D, p.Title, p.Wrong, p.Back = t, view, t.Stamp, wrong, s.base()
	if s.Kind == kindPlacement {
		p.Title = t.Placements
	}
	if r.Method == http.MethodGet {
		p.Done = t.Dones[r.URL.Query().Get("done")]
	}
	p.Scripts = d.Scripts("stampdesk/drop.js", "stampdesk/editor.js")
	d.Draw(w, r, status, "stampdesk/editor", p)
}

// follow shows where a stamp in the margins came to lie.
func (f form) follow(a *answer) {
	if f.get(inAt) == atPoint || a.Here == nil {
		return
	}
	fx, fy := geometry.Anchor(f.get(inAnchor)).Fractions()
	at := a.Here.Frame
	f.v.Set(inX, mm(at.X+fx*at.Width))
	f.v.Set(inY, mm(at.Y+fy*at.Height))
}
