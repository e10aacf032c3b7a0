package bulkdesk

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/fault"
	"tcode/server/issue/bulk"
	"tcode/server/issue/placement"
	"tcode/server/issue/tdoc"
	"tcode/server/issue/trustdoc"
)

// order takes a new order with its files.
func (d *desk) order(w http.ResponseWriter, r *http.Request, v account.Visit) {
	id := frame.Identity(r, v)
	release, err := d.uploads.Take(r.Context(), v.Tenant.Reference, r.ContentLength)
	if err != nil {
		d.Failed(w, r, err)
		return
	}
	defer release()
	u, err := d.read(w, r, func(fields url.Values) error {
		o, when, bad := orderOf(fields)
		if err := bad.Err(); err != nil {
			return err
		}
		return d.c.Bulk.CheckOrder(r.Context(), id, o, when)
	})
	defer u.drop()
	var job bulk.Job
	if err == nil {
		job, err = d.create(r, v, u)
	}
	switch f := fault.As(err); {
	case err == nil:
		http.Redirect(w, r, jobPath(job.ID)+"?done=ordered", http.StatusSeeOther)
	case f.Kind == fault.Internal, f.Kind == fault.Unavailable:
		d.Failed(w, r, err)
	default:
		d.drawNew(w, r, v, http.StatusBadRequest, u.fields, f)
	}
}

// create orders the job of a form.
func (d *desk) create(r *http.Request, v account.Visit, u *upload) (bulk.Job, error) {
	o, when, bad := orderOf(u.fields)
	for name := range fileLimits {
		if u.files[name] == nil {
			bad.Add(name, "must be chosen")
		}
	}
	if err := bad.Err(); err != nil {
		return bulk.Job{}, err
	}
	if o.DryRun = u.fields.Get("act") == "check"; o.Name == "" {
		o.Name = fileTitle(u.names["csv"])
	}
	return d.c.Bulk.Create(r.Context(), frame.Identity(r, v), bulk.Request{Order: o, ScheduledFor: when, CSV: u.files["csv"], ZIP: u.files["zip"]})
}

// fileTitle returns the name of a file as that of a job, if it is text for people.
func fileTitle(name string) string {
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	var p fault.Fields
	if p.Text("name", name, false, bulk.MaxName); p.Err() != nil || !utf8.ValidString(name) {
		return ""
	}
	return name
}

// localTime is the form of the times and days that browsers send.
const localTime = "2006-01-02T15:04"

// orderOf reads an order from the fields of a form. bad has the problems that only the form
// can have.
func orderOf(f url.Values) (o bulk.Order, when time.Time, bad *fault.Fields) {
	bad = &fault.Fields{}
	o = bulk.Order{Product: bulk.Product(f.Get("product")), Name: strings.TrimSpace(f.Get("name")), Test: f.Get("test") != ""}
	if at := f.Get("scheduledFor"); at != "" {
		var err error
		if when, err = time.Parse(localTime, at); err != nil {
			bad.Add("scheduledFor", "must be a time such as 2026-12-31T08:00")
		}
	}
	switch o.Product {
	case bulk.TCode:
		o.TdocTemplateID, o.PlacementTemplateID = f.Get("tdocTemplateId"), f.Get("placementTemplateId")
	case bulk.Trust:
		o.TemplateID, o.Path = f.Get("templateId"), trustdoc.Path(f.Get("issuancePath"))
		if o.TemplateID == "" {
			bad.Add("templateId", "must be chosen")
		}
		known := o.Path == ""
		for _, p := range trustdoc.Paths() {
			known = known || p == o.Path
		}
		if !known {
			bad.Add("issuancePath", "must be chosen")
		}
		o.Validity = validityOf(f, bad)
	default:
		o.Product = ""
		bad.Add("product", "must be chosen")
	}
	return o, when, bad
}

// ofForm are the fields of the form by the members of the API that services name.
var ofForm = map[string]string{"csvFileBase64": "csv", "zipFileBase64": "zip"}

// problems returns the problems of a refused order by the fields of the form.
func problems(t *frame.Words, f *fault.Fault, fields url.Values) map[string]frame.Sentences {
	out := map[string]frame.Sentences{}
	for member, said := range f.Fields {
		name := cmp.Or(ofForm[member], member)
		if name == "validityValue" && fields.Get("validityType") == trustdoc.ValidityUntil {
			name = "validUntil"
		}
		out[name] = append(out[name], t.Said(said...)...)
	}
	return out
}

// validityOf reads how long documents are valid.
func validityOf(f url.Values, bad *fault.Fields) trustdoc.Validity {
	v := trustdoc.Validity{Type: f.Get("validityType")}
	switch v.Type {
	case trustdoc.ValidityDuration:
		v.Unit = f.Get("validityUnit")
		var err error
		if v.Value, err = strconv.Atoi(f.Get("validityValue")); err != nil {
			bad.Add("validityValue", "must be a number")
		}
	case trustdoc.ValidityUntil:
		day, err := time.Parse(time.DateOnly, f.Get("validUntil"))
		if err != nil {
			bad.Add("validUntil", "must be a day such as 2031-12-31")
		}
		v.Until = day.AddDate(0, 0, 1) // the end of the day
	}
	return v
}

// newView is the data of the screen of a new order.
type newView struct {
	Product    bulk.Product
	Fields     url.Values
	Problems   map[string]frame.Sentences // by field
	Refused    frame.Sentences            // why the service refused the order as a whole
	Templates  []tdoc.Template
	Placements []placement.Template
	Documents  []trustdoc.Template
	Paths      []trustdoc.Path
	Validities []string
	Units      []string
	MaxRows    int
	CSVBytes   int64
	ZIPBytes   int64
}

// Is reports whether a field has a value.
func (v newView) Is(field string, value any) bool {
	given := v.Fields.Get(field)
	switch value := value.(type) {
	case string:
		return given == value
	case trustdoc.Path:
		return given == string(value)
	}
	return false
}

// A fieldView is a field of the form with its problems.
type fieldView struct {
	Name string
	V    newView
}

// At returns a field.
func (v newView) At(name string) fieldView { return fieldView{name, v} }

// newPage shows the form of a new order. Parameters of the address fill it.
func (d *desk) newPage(w http.ResponseWriter, r *http.Request, v account.Visit) {
	d.drawNew(w, r, v, http.StatusOK, r.URL.Query(), nil)
}

// drawNew draws the form, with what was typed and what is wrong with it.
func (d *desk) drawNew(w http.ResponseWriter, r *http.Request, v account.Visit, status int, fields url.Values, wrong error) {
	p := d.Page(r, &v)
	t := lexicon.In(p)
	view := newView{
		Product: bulk.Product(fields.Get("product")), Fields: fields, Paths: trustdoc.Paths(), MaxRows: bulk.MaxRows, CSVBytes: bulk.MaxCSV, ZIPBytes: bulk.MaxZIP,
		Validities: []string{trustdoc.ValidityNone, trustdoc.ValidityDuration, trustdoc.ValidityUntil}, Units: []string{"days", "months", "years"},
	}
	if view.Product != bulk.Trust {
		view.Product = bulk.TCode
	}
	if f := fault.As(wrong); f != nil {
		view.Problems = problems(p.T, f, fields)
		if len(f.Fields) == 0 {
			view.Refused = p.T.Said(f.Said())
		}
	}
	if err := d.choices(r, v, &view); err != nil {
		d.Failed(w, r, err)
		return
	}
	p.Title, p.W, p.D, p.Scripts = t.NewTitle, t, view, d.Scripts("bulkdesk/upload.js")
	d.Draw(w, r, status, "bulkdesk/new", p)
}

// listed is the largest number of Trust templates to choose from.
const listed = 100

// choices reads the templates to choose from.
func (d *desk) choices(r *http.Request, v account.Visit, view *newView) error {
	ctx, of := r.Context(), v.Tenant.Reference
	if view.Product == bulk.Trust {
		page, err := d.c.Documents.Templates(ctx, of, trustdoc.TemplateFilter{Page: 1, PageSize: listed})
		view.Documents = page.Items
		return err
	}
	all, err := d.c.Templates.List(ctx, of, false)
	if err != nil {
		return err
	}
	for _, t := range all {
		if t.Stampable() == nil {
			view.Templates = append(view.Templates, t)
		}
	}
	view.Placements, err = d.c.Placements.List(ctx, of)
	return err
}
