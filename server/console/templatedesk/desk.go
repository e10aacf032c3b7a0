// Package templatedesk has the console's screens of templates: Trust templates and TDoc
// templates with an editor of their fields, and the list of placement templates, whose
// editor is an area of its own.
//
//	index ─▶ edit: fields are added, removed, moved; the preview shows what people see ─▶ saved
//	   └──▶ archive, restore; columns of CSV files
//
// The editor works without a script: each of its buttons sends the form, and the form
// comes back changed and unsaved.
package templatedesk

import (
	"context"
	"embed"
	"net/http"

	"tcode/offline/cell"
	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/issue/placement"
	"tcode/server/issue/tdoc"
	"tcode/server/issue/trustdoc"
	"tcode/server/refdata"
	"tcode/server/tenant"
)

// Trust has the Trust templates. Package trustdoc implements it.
type Trust interface {
	Templates(ctx context.Context, tenantRef string, f trustdoc.TemplateFilter) (trustdoc.TemplatePage, error)
	Template(ctx context.Context, tenantRef, id string) (trustdoc.Template, error)
	CreateTemplate(ctx context.Context, id tenant.Identity, spec trustdoc.Spec, once *tenant.IdempotencyRecord, answer trustdoc.TemplateAnswer) (trustdoc.Template, error)
	UpdateTemplate(ctx context.Context, id tenant.Identity, templateID string, versions []int64, spec trustdoc.Spec) (trustdoc.Template, error)
	ActOnTemplate(ctx context.Context, id tenant.Identity, templateID string, versions []int64, a trustdoc.TemplateAction, reason string) error
	PlaceTemplate(ctx context.Context, id tenant.Identity, templateID string, versions []int64, placementID string) (trustdoc.Template, error)
}

// TDocs has the TDoc templates. Package tdoc implements it.
type TDocs interface {
	List(ctx context.Context, tenantRef string, archived bool) ([]tdoc.Template, error)
	Get(ctx context.Context, tenantRef, id string) (tdoc.Template, error)
	Create(ctx context.Context, id tenant.Identity, spec tdoc.Spec, once *tenant.IdempotencyRecord, answer tdoc.Answer) (tdoc.Template, error)
	Update(ctx context.Context, id tenant.Identity, templateID string, versions []int64, spec tdoc.Spec) (tdoc.Template, error)
	Act(ctx context.Context, id tenant.Identity, templateID string, versions []int64, a tdoc.Action) error
}

// Placements has the placement templates. Package placement implements it.
type Placements interface {
	List(ctx context.Context, tenantRef string) ([]placement.Template, error)
}

// Types has the document types. Package refdata implements it.
type Types interface {
	DocumentTypes(ctx context.Context) ([]refdata.DocumentType, error)
}

// Config has the parts of the screens. All members are required.
type Config struct {
	Trust      Trust
	TDocs      TDocs
	Placements Placements
	Types      Types
}

//go:embed assets templates
var files embed.FS

// desk has the screens.
type desk struct {
	*frame.Frame
	c Config
}

// maxForm is the size of a form: a hundred fields with long labels.
const maxForm = 256 << 10

// place is the path of the list.
const place = "/console/templates"

// New returns the maker of the area.
func New(c Config) func(*frame.Frame) frame.Area {
	return func(f *frame.Frame) frame.Area {
		d := &desk{f, c}
		a := frame.Area{
			Name: "templatedesk", Files: files, Words: texts,
			Links:  []frame.Link{{Path: place, Place: 20, Needs: account.See, Label: func(l string) string { return texts.Of(l).Templates }}},
			Routes: []frame.Route{{Pattern: "GET " + place, Needs: account.See, Serve: d.index}},
		}
		for _, k := range []kind{trustKind{c}, tdocKind{c}} {
			at := place + "/" + k.name()
			a.Routes = append(a.Routes,
				frame.Route{Pattern: "GET " + at + "/new", Needs: account.Issue, Serve: d.of(k, d.newPage)},
				frame.Route{Pattern: "POST " + at + "/new", Needs: account.Issue, MaxBody: maxForm, Serve: d.of(k, d.save)},
				frame.Route{Pattern: "GET " + at + "/{id}", Needs: account.See, Serve: d.of(k, d.editPage)},
				frame.Route{Pattern: "POST " + at + "/{id}", Needs: account.Issue, MaxBody: maxForm, Serve: d.of(k, d.save)},
				frame.Route{Pattern: "GET " + at + "/{id}/archive", Needs: account.Issue, Serve: d.of(k, d.archivePage)},
				frame.Route{Pattern: "POST " + at + "/{id}/archive", Needs: account.Issue, Serve: d.of(k, d.archive)},
				frame.Route{Pattern: "POST " + at + "/{id}/restore", Needs: account.Issue, Serve: d.of(k, d.restore)},
				frame.Route{Pattern: "GET " + at + "/{id}/columns.csv", Needs: account.See, Serve: d.of(k, d.columns)},
			)
		}
		return a
	}
}

// of binds a screen to a kind.
func (d *desk) of(k kind, serve func(http.ResponseWriter, *http.Request, account.Visit, kind)) func(http.ResponseWriter, *http.Request, account.Visit) {
	return func(w http.ResponseWriter, r *http.Request, v account.Visit) { serve(w, r, v, k) }
}

// page returns a page with the words of this area.
func (d *desk) page(r *http.Request, v account.Visit) (*frame.Page, *words) {
	p := d.Page(r, &v)
	t := texts.In(p)
	p.W = t
	return p, t
}

// option is a choice in a form.
type option struct{ Value, Label string }

// line is a template in the list.
type line struct {
	Kind, ID, Name, Type string
	Fields               int
	Archived             bool
	Updated              string
}

// indexView is the data of the list.
type indexView struct {
	Trust, TDocs, Placements []line
	Archived, May            bool
}

func (d *desk) index(w http.ResponseWriter, r *http.Request, v account.Visit) {
	ctx, ref := r.Context(), v.Tenant.Reference
	view := &indexView{Archived: r.URL.Query().Get("archived") != "", May: v.May(account.Issue)}
	for n := 1; ; n++ {
		p, err := d.c.Trust.Templates(ctx, ref, trustdoc.TemplateFilter{Archived: view.Archived, Page: n, PageSize: 100})
		if err != nil {
			d.Failed(w, r, err)
			return
		}
		for _, t := range p.Items {
			view.Trust = append(view.Trust, line{"trust", t.ID, t.Name, t.DocumentTypeCode, len(t.Fields), t.Status == trustdoc.TemplateArchived, frame.Moment(t.UpdatedAt)})
		}
		if len(p.Items) < 100 || n == mostPages {
			break
		}
	}
	ts, err := d.c.TDocs.List(ctx, ref, view.Archived)
	if err != nil {
		d.Failed(w, r, err)
		return
	}
	for _, t := range ts {
		view.TDocs = append(view.TDocs, line{"tdoc", t.ID, t.Name, t.SuggestedDocType, len(t.Fields()), t.Status == tdoc.Archived, frame.Moment(t.UpdatedAt)})
	}
	ps, err := d.c.Placements.List(ctx, ref)
	if err != nil {
		d.Failed(w, r, err)
		return
	}
	for _, t := range ps {
		view.Placements = append(view.Placements, line{Kind: "placements", ID: t.ID, Name: t.Name, Type: scopeOf(t), Updated: frame.Moment(t.UpdatedAt)})
	}
	p, t := d.page(r, v)
	p.Title, p.D, p.Done = t.Templates, view, t.Done[r.URL.Query().Get("done")]
	d.Draw(w, r, http.StatusOK, "templatedesk/index", p)
}

// mostPages is the number of pages of Trust templates that the list shows.
const mostPages = 5

// scopeOf returns the pages of a placement, for people.
func scopeOf(t placement.Template) string {
	if t.CustomPages != "" {
		return t.CustomPages
	}
	if t.PageScope == "" {
		return "first"
	}
	return string(t.PageScope)
}

// columns sends the columns of a CSV file of documents of a template, with a line of
// examples.
func (d *desk) columns(w http.ResponseWriter, r *http.Request, v account.Visit, k kind) {
	f, err := k.load(r.Context(), v.Tenant.Reference, r.PathValue("id"))
	if err != nil {
		d.Failed(w, r, err)
		return
	}
	header, example := []string{}, []string{}
	for _, c := range f.Columns {
		header, example = append(header, c.Name), append(example, c.Example)
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8; header=present")
	w.Header().Set("Content-Disposition", `attachment; filename="columns.csv"`)
	out := cell.NewWriter(w, 0)
	_, _ = out.Write(header), out.Write(example)
	_ = out.Flush() // the client is gone if it fails
}
