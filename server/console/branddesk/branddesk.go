package branddesk

import (
	"context"
	"embed"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"tcode/server/account"
	"tcode/server/brand"
	"tcode/server/console/frame"
	"tcode/server/fault"
	"tcode/server/pages"
	"tcode/server/tenant"
)

// Brands has how tenants look. Package brand implements it.
type Brands interface {
	Brand(ctx context.Context, tenantRef string) (brand.Brand, error)
	Logo(ctx context.Context, tenantRef, sha256 string) (brand.Logo, error)
	Change(ctx context.Context, tenantRef string, change func(*brand.Brand)) (brand.Brand, error)
}

// Config has the parts behind the screens. All are required.
type Config struct {
	Brands Brands
	Pages  *pages.Pages // draw the example
	// Page returns how pages show the brand of a tenant.
	Page func(tenantRef string, b brand.Brand) pages.Brand
}

//go:embed assets templates
var files embed.FS

// desk has the screens.
type desk struct {
	*frame.Frame
	c Config
}

const (
	// home is the path of the first screen.
	home = "/console/brand"
	// maxBody is the size of a form with a logo. A file above [brand.MaxUpload] is read to its
	// end, because browsers read no answer before they have sent all.
	maxBody = 16 << 20
)

// New returns the maker of the area.
func New(c Config) func(*frame.Frame) frame.Area {
	return func(f *frame.Frame) frame.Area {
		d := &desk{f, c}
		return frame.Area{
			Name: "branddesk", Files: files, Words: words,
			Links: []frame.Link{{Path: home, Place: 35, Needs: account.Manage, Label: func(l string) string { return words.Of(l).Brand }}},
			Routes: []frame.Route{
				{Pattern: "GET " + home, Needs: account.Manage, Serve: d.brand},
				{Pattern: "POST " + home, Needs: account.Manage, Serve: d.save},
				{Pattern: "GET " + home + "/logo/{hash}", Needs: account.Manage, Serve: d.logo},
				{Pattern: "POST " + home + "/logo", Needs: account.Manage, MaxBody: maxBody, Serve: d.upload},
				{Pattern: "POST " + home + "/logo/remove", Needs: account.Manage, Serve: d.removeLogo},
				{Pattern: "GET " + home + "/example", Needs: account.Manage, Serve: d.example},
				{Pattern: "GET " + home + "/remove", Needs: account.Manage, Serve: d.removePage},
				{Pattern: "POST " + home + "/remove", Needs: account.Manage, Serve: d.remove},
			},
		}
	}
}

// view is the data of the first screen.
type view struct {
	In      brand.Brand // as it was typed
	Shown   brand.Brand // what of it is good: the preview
	Logo    string      // path of the logo; "": none
	Any     bool        // the tenant has a brand
	Grounds []ground
	Problem frame.Problems
}

// A ground is what the line in the colour lies on.
type ground struct {
	Dark  bool
	Fill  string // colour
	Ratio string // contrast to it
	Good  bool   // most people see it
}

func (d *desk) brand(w http.ResponseWriter, r *http.Request, v account.Visit) {
	stored, err := d.c.Brands.Brand(r.Context(), v.Tenant.Reference)
	if err != nil {
		d.Failed(w, r, err)
		return
	}
	x := view{In: stored}
	if q := r.URL.Query(); q.Has("colour") { // a preview of what was typed
		typed(q)(&x.In)
		check := x.In
		if err := check.Check(); err != nil {
			x.Problem, _, _ = d.Refused(r, err)
		}
	}
	d.draw(w, r, v, http.StatusOK, stored, x)
}

// typed returns the change of a brand by the fields of a form.
func typed(in url.Values) func(*brand.Brand) {
	return func(b *brand.Brand) {
		text := func(name string) string { return strings.TrimSpace(in.Get(name)) }
		b.Colour, b.Email, b.Phone, b.Web, b.Names = text("colour"), text("email"), text("phone"), text("web"), in.Has("names")
	}
}

// draw draws the first screen with what is in x.
func (d *desk) draw(w http.ResponseWriter, r *http.Request, v account.Visit, status int, stored brand.Brand, x view) {
	x.Shown, x.Any = good(x.In, x.Problem), set(stored)
	if hash := stored.Logo.SHA256; hash != "" {
		x.Logo = home + "/logo/" + hash
	}
	for _, g := range []ground{{Fill: pages.GroundLight}, {Fill: pages.GroundDark, Dark: true}} {
		if ratio := brand.Contrast(x.Shown.Colour, g.Fill); ratio > 0 {
			g.Ratio, g.Good = fmt.Sprintf("%.1f : 1", ratio), ratio >= brand.LeastContrast
			x.Grounds = append(x.Grounds, g)
		}
	}
	p, t := d.page(r, v, x)
	p.Title, p.Back, p.Scripts = t.Brand, home, d.Scripts("branddesk/brand.js")
	d.Draw(w, r, status, "branddesk/brand", p)
}

// page returns a page with the words of this package and the data of its screen.
func (d *desk) page(r *http.Request, v account.Visit, data any) (*frame.Page, *texts) {
	p := d.Page(r, &v)
	w := words.In(p)
	p.W, p.D = w, data
	p.DoneBy(r, w.Done)
	return p, w
}

// good returns a brand without the members that have problems.
func good(b brand.Brand, p frame.Problems) brand.Brand {
	for name, member := range map[string]*string{"colour": &b.Colour, "email": &b.Email, "phone": &b.Phone, "web": &b.Web} {
		if p.Of(name) != nil {
			*member = ""
		}
	}
	b.Colour = strings.ToLower(b.Colour)
	return b
}

// set reports whether a tenant has a brand.
func set(b brand.Brand) bool {
	return b.Colour+b.Email+b.Phone+b.Web+b.Logo.SHA256 != "" || b.Names
}

// change changes the brand of the user's tenant, and leads back. refused are the fields
// with what was typed if the service refuses it.
func (d *desk) change(w http.ResponseWriter, r *http.Request, v account.Visit, done string, change func(*brand.Brand)) {
	ctx, ref := r.Context(), v.Tenant.Reference
	_, err := d.c.Brands.Change(tenant.WithBy(ctx, frame.Identity(r, v).By()), ref, change)
	if err == nil {
		frame.Back(w, r, home, done)
		return
	}
	d.refuse(w, r, v, err, change)
}

// refuse draws the first screen with the problems in err, and with the change.
func (d *desk) refuse(w http.ResponseWriter, r *http.Request, v account.Visit, err error, change func(*brand.Brand)) {
	problem, status, ok := d.Refused(r, err)
	stored, lost := d.c.Brands.Brand(r.Context(), v.Tenant.Reference)
	switch {
	case !ok:
		d.Failed(w, r, err)
		return
	case lost != nil:
		d.Failed(w, r, lost)
		return
	}
	x := view{In: stored, Problem: problem}
	change(&x.In)
	d.draw(w, r, v, status, stored, x)
}

func (d *desk) save(w http.ResponseWriter, r *http.Request, v account.Visit) {
	if err := r.ParseForm(); err != nil {
		d.Failed(w, r, errForm(err))
		return
	}
	d.change(w, r, v, "saved", typed(r.PostForm))
}

func (d *desk) removePage(w http.ResponseWriter, r *http.Request, v account.Visit) {
	p, t := d.page(r, v, nil)
	p.Title = t.RemoveAsk
	d.Draw(w, r, http.StatusOK, "branddesk/remove", p)
}

func (d *desk) remove(w http.ResponseWriter, r *http.Request, v account.Visit) {
	d.change(w, r, v, "removed", func(b *brand.Brand) { *b = brand.Brand{} })
}

// errForm is the fault of a form that no browser sends.
func errForm(err error) error {
	return fault.New(fault.Invalid, fault.CodeValidationFailed, "the form is not valid").WithErr(err)
}
