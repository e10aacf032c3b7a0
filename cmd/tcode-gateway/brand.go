package main

import (
	"context"
	"fmt"
	"io"

	"tcode/cmd/internal/cli"
	"tcode/offline/host/openfile"
	"tcode/server"
	"tcode/server/brand"
)

type tenantBrandCmd struct {
	Reference string `arg:"" help:"The tenant." placeholder:"REF"`

	Logo   *string `help:"A PNG or JPEG file of at most 512 x 512 px and 1 MiB; empty: none." placeholder:"FILE"`
	Colour *string `help:"Of a line below its name, such as #3440a8. Red, amber and green are the colours of verdicts and refused; empty: none." placeholder:"#RRGGBB"`
	Web    *string `help:"Its https address; empty: none." placeholder:"URL"`
	Email  *string `help:"Its address of e-mail for questions; empty: none." placeholder:"ADDRESS"`
	Phone  *string `help:"Its telephone number for questions, such as +49 30 123456; empty: none." placeholder:"NUMBER"`
	Names  *bool   `help:"Show the display names of stamps on their public pages." negatable:""`
}

// brandLine is a brand as the commands print it.
type brandLine struct {
	Reference string `json:"tenantReference"`
	Colour    string `json:"colour"`
	Web       string `json:"web"`
	Email     string `json:"email"`
	Phone     string `json:"phone"`
	Names     bool   `json:"names"`
	Logo      string `json:"logoSha256"`
}

// Run changes how a tenant looks on public pages, or shows it.
func (t *tenantBrandCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	logo, err := t.picture(ctx)
	if err != nil {
		return err
	}
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		of, err := g.Tenants.Tenant(ctx, t.Reference)
		if err != nil {
			return err
		}
		b, err := g.Brands.Brand(ctx, of.Reference)
		if t.changes() && err == nil {
			b, err = g.Brands.Change(ctx, of.Reference, func(b *brand.Brand) { t.change(b, logo) })
		}
		if err != nil {
			return err
		}
		line := brandLine{of.Reference, b.Colour, b.Web, b.Email, b.Phone, b.Names, b.Logo.SHA256}
		return out.Emit(line, line.print)
	})
}

// picture reads the logo, if there is one.
func (t *tenantBrandCmd) picture(ctx context.Context) (brand.Logo, error) {
	if t.Logo == nil || *t.Logo == "" {
		return brand.Logo{}, nil
	}
	f, err := openfile.Open(ctx, *t.Logo)
	if err != nil {
		return brand.Logo{}, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, brand.MaxUpload+1))
	if err != nil {
		return brand.Logo{}, err
	}
	return brand.NewLogo(data)
}

// changes reports whether any flag was given.
func (t *tenantBrandCmd) changes() bool {
	return t.Logo != nil || t.Colour != nil || t.Web != nil || t.Email != nil || t.Phone != nil || t.Names != nil
}

// change sets the members that flags name.
func (t *tenantBrandCmd) change(b *brand.Brand, logo brand.Logo) {
	if t.Logo != nil {
		b.Logo = logo
	}
	for _, x := range []struct {
		to   *string
		from *string
	}{{&b.Colour, t.Colour}, {&b.Web, t.Web}, {&b.Email, t.Email}, {&b.Phone, t.Phone}} {
		if x.from != nil {
			*x.to = *x.from
		}
	}
	if t.Names != nil {
		b.Names = *t.Names
	}
}

func (l brandLine) print(w io.Writer) {
	fmt.Fprintf(w, "%s\n", l.Reference)
	for _, x := range [][2]string{{"colour", l.Colour}, {"web", l.Web}, {"email", l.Email}, {"phone", l.Phone}, {"logo", l.Logo}} {
		if x[1] == "" {
			x[1] = "-"
		}
		fmt.Fprintf(w, "   %-8s %s\n", x[0], x[1])
	}
	shown := "hidden"
	if l.Names {
		shown = "shown"
	}
	fmt.Fprintf(w, "   %-8s %s\n", "names", shown)
}
