package httpapi

import (
	"bytes"
	"context"
	"regexp"
	"strings"

	"github.com/labstack/echo/v4"

	"tcode/server/brand"
	"tcode/server/fault"
	"tcode/server/httpapi/gate"
	"tcode/server/pages"
	"tcode/server/tenant"
)

// Brands has how tenants look. Package brand implements it.
type Brands interface {
	Brand(ctx context.Context, tenantRef string) (brand.Brand, error)
	// Logo returns a NotFound fault if the tenant has no such logo.
	Logo(ctx context.Context, tenantRef, sha256 string) (brand.Logo, error)
}

// logoPath is where logos are: by tenant, and by a name with their hash, so that they
// never change.
const logoPath = "/brand/"

// about returns the pages of a document of a tenant: with its brand, the name of the stamp
// if the tenant shows it, and the labels of the stamp's TDoc template.
func (a *app) about(ctx context.Context, tenantRef, name, template string) (*pages.Pages, error) {
	if tenantRef == "" { // nothing was found
		return a.pages, nil
	}
	b, err := a.c.Brands.Brand(ctx, tenantRef)
	if err != nil {
		return nil, err
	}
	about := pages.About{Brand: PageBrand(tenantRef, b)}
	if b.Names {
		about.Name = name
	}
	if template != "" {
		t, err := a.c.Templates.Get(ctx, tenantRef, template)
		if err != nil && !fault.Is(err, fault.NotFound) { // it may have been deleted
			return nil, err
		}
		about.Labels = map[string]string{}
		for _, f := range t.CustomFields {
			about.Labels[f.Key] = f.Label
		}
	}
	return a.pages.About(about), nil
}

// PageBrand returns how pages show the brand of a tenant.
func PageBrand(tenantRef string, b brand.Brand) pages.Brand {
	out := pages.Brand{Colour: b.Colour, Email: b.Email, Phone: b.Phone, Web: b.Web, Width: b.Logo.Width, Height: b.Logo.Height}
	if b.Logo.SHA256 != "" {
		out.Logo = logoPath + tenantRef + "/" + b.Logo.SHA256 + "." + strings.TrimPrefix(b.Logo.Type, "image/")
	}
	return out
}

// logoName matches the hash in the name of a logo.
var logoName = regexp.MustCompile(`^[0-9a-f]{64}$`)

// logo serves the logo of a tenant.
func (a *app) logo(c echo.Context) error {
	hash, kind, _ := strings.Cut(gate.PathParam(c, "file"), ".")
	owner, ok := tenant.ParseReference(gate.PathParam(c, "tenant"))
	if !ok || !logoName.MatchString(hash) {
		return gate.NotFound("picture")
	}
	l, err := a.c.Brands.Logo(c.Request().Context(), owner, hash)
	if err != nil {
		return err
	}
	if l.Type != "image/"+kind {
		return gate.NotFound("picture")
	}
	h := c.Response().Header()
	h.Set("Content-Type", l.Type)
	h.Set("Cache-Control", forever)
	h.Set("ETag", `"`+l.SHA256+`"`)
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	return serveContent(c, bytes.NewReader(l.Data))
}
