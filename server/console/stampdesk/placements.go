package stampdesk

import (
	"bytes"
	_ "embed" // the sample page
	"math"
	"net/http"
	"net/url"
	"strings"

	"tcode/offline/geometry"
	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/fault"
	"tcode/server/issue/placement"
)

// samplePage is an A4 page with gray lines instead of text.
//
//go:embed sample.pdf
var samplePage []byte

// sampleName is the name of the file of a sample page.
const sampleName = "A4.pdf"

// placementRow is a line of the list of templates.
type placementRow struct {
	placement.Template
	Where, Changed, Pages string
	Shape                 shape
}

// A shape is a small picture of a placement on an A4 page, in mm.
type shape struct{ X, Y, W, H float64 }

// placementsView is the data of the list, and of the screen before archiving.
type placementsView struct {
	Rows    []placementRow
	One     *placement.Template
	Mine    bool // the user may change templates
	Confirm string
}

// placements lists the templates.
func (d *desk) placements(w http.ResponseWriter, r *http.Request, v account.Visit) {
	list, err := d.c.Placements.List(r.Context(), v.Tenant.Reference)
	if err != nil {
		d.Failed(w, r, err)
		return
	}
	p := d.Page(r, &v)
	t := lexicon.In(p)
	view := &placementsView{Mine: v.May(account.Issue)}
	for _, one := range list {
		view.Rows = append(view.Rows, rowOf(one, t))
	}
	p.Title, p.W, p.D, p.Done = t.Placements, t, view, t.Dones[r.URL.Query().Get("done")]
	d.Draw(w, r, http.StatusOK, "stampdesk/placements", p)
}

var a4 = geometry.Size{Width: 210, Height: 297}

// rowOf returns the line of a template.
func rowOf(one placement.Template, t *words) placementRow {
	f := form{v: url.Values{}}
	f.load(one.Spec)
	anchor := geometry.Anchor(f.get(inAnchor))
	row := placementRow{Template: one, Where: t.AnchorWords[string(anchor)], Changed: frame.Moment(one.UpdatedAt), Pages: t.ScopeWords[f.get(inScope)]}
	if f.get(inCustom) != "" {
		row.Pages = f.get(inCustom)
	}
	page := a4
	if one.PageSizeMM != nil {
		page = *one.PageSizeMM
	}
	x, y := one.Point(page)
	fx, fy := anchor.Fractions()
	size := 19.0
	if one.WNorm != nil {
		size = *one.WNorm * page.Width
	}
	row.Shape = shape{
		X: math.Round(100*(x-fx*size)*a4.Width/page.Width) / 100, Y: math.Round(100*(y-fy*size)*a4.Height/page.Height) / 100,
		W: math.Round(100*size*a4.Width/page.Width) / 100, H: math.Round(100*size*a4.Width/page.Width) / 100,
	}
	return row
}

// newPlacement opens the editor on a sample page, without a template.
func (d *desk) newPlacement(w http.ResponseWriter, r *http.Request, v account.Visit) {
	d.openSample(w, r, v, placement.Template{})
}

// editPlacement opens the editor on a sample page, with a template.
func (d *desk) editPlacement(w http.ResponseWriter, r *http.Request, v account.Visit) {
	one, err := d.c.Placements.Get(r.Context(), v.Tenant.Reference, r.PathValue("id"))
	if err != nil {
		d.Failed(w, r, err)
		return
	}
	d.openSample(w, r, v, one)
}

func (d *desk) openSample(w http.ResponseWriter, r *http.Request, v account.Visit, one placement.Template) {
	s := &sheet{owner: owner(v), state: state{Kind: kindPlacement, Sample: true, Version: one.Version}, form: form{v: url.Values{}}}
	err := d.keep(r, s, sampleName, bytes.NewReader(samplePage), true)
	if err == nil && one.ID != "" {
		s.form.load(one.Spec)
		s.form.v.Set(inPlacement, one.ID)
		s.form.v.Set(inTplName, one.Name)
		s.form.v.Set(inTplText, one.Description)
		err = d.save(s)
	}
	if err != nil {
		d.Failed(w, r, err)
		return
	}
	http.Redirect(w, r, s.base(), http.StatusSeeOther)
}

// archivePage asks before a template is archived.
func (d *desk) archivePage(w http.ResponseWriter, r *http.Request, v account.Visit) {
	d.confirm(w, r, v, http.StatusOK, "")
}

func (d *desk) confirm(w http.ResponseWriter, r *http.Request, v account.Visit, status int, wrong string) {
	one, err := d.c.Placements.Get(r.Context(), v.Tenant.Reference, r.PathValue("id"))
	if err != nil {
		d.Failed(w, r, err)
		return
	}
	p := d.Page(r, &v)
	t := lexicon.In(p)
	p.Title, p.W, p.D, p.Wrong = t.ArchiveTitle, t, &placementsView{One: &one, Confirm: r.PostFormValue("confirm")}, wrong
	d.Draw(w, r, status, "stampdesk/archive", p)
}

// archive hides a template permanently, if its name was typed.
func (d *desk) archive(w http.ResponseWriter, r *http.Request, v account.Visit) {
	one, err := d.c.Placements.Get(r.Context(), v.Tenant.Reference, r.PathValue("id"))
	if err != nil {
		d.Failed(w, r, err)
		return
	}
	t := lexicon.In(d.Page(r, &v))
	if strings.TrimSpace(r.PostFormValue("confirm")) != strings.TrimSpace(one.Name) {
		d.confirm(w, r, v, http.StatusBadRequest, t.NotTheName)
		return
	}
	err = d.c.Placements.Delete(r.Context(), frame.Identity(r, v), one.ID, nil)
	if err != nil && !fault.Is(err, fault.NotFound) { // gone already is the wanted state
		d.Failed(w, r, err)
		return
	}
	http.Redirect(w, r, placementPath+"?done=archived", http.StatusSeeOther)
}
