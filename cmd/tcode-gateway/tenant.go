package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/server"
	"tcode/server/tenant"
)

// tenantLine is a tenant as the commands print it.
type tenantLine struct {
	Reference string    `json:"tenantReference"`
	Name      string    `json:"name"`
	State     string    `json:"state"`
	Language  string    `json:"language"`
	CreatedAt time.Time `json:"createdAt"`
}

func lineOf(t tenant.Tenant) tenantLine {
	return tenantLine{t.Reference, t.Name, string(t.State), t.Language, t.CreatedAt.UTC()}
}

type tenantCreateCmd struct {
	Name      string `help:"The organisation's name, as scanners show it." required:"" placeholder:"NAME"`
	Reference string `help:"6 characters of A-Z and 0-9 that identify it in every payload, permanently. Default: chosen at random." placeholder:"ABC123"`
	Language  string `help:"Language of e-mail to its recipients: en, de, fr, es or ar. Default: ${default}." default:"en" placeholder:"TAG"`
}

// Run makes the tenant.
func (t *tenantCreateCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	tag, err := language(t.Language)
	if err != nil {
		return err
	}
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		made, err := g.Tenants.CreateTenant(ctx, t.Name, t.Reference)
		if err == nil && tag != made.Language {
			made.Language, err = tag, g.Tenants.SetLanguage(ctx, made.Reference, tag)
		}
		if err != nil {
			return err
		}
		return out.Emit(lineOf(made), func(w io.Writer) {
			fmt.Fprintf(w, "%s\n", made.Reference)
			fmt.Fprintf(std.Err, "Tenant %s (%s) is ready. Next: tcode-gateway key create --tenant %s --name ...\n",
				made.Reference, made.Name, made.Reference)
		})
	})
}

type tenantListCmd struct{}

// Run shows all tenants.
func (*tenantListCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		list, err := g.Tenants.Tenants(ctx)
		if err != nil {
			return err
		}
		return cli.List(out, linesOf(list, lineOf), "no tenants yet: tcode-gateway tenant create --name ...", []string{"reference", "state", "created", "name"},
			func(t tenantLine) []string { return []string{t.Reference, t.State, day(t.CreatedAt), t.Name} })
	})
}

type tenantSuspendCmd struct {
	Reference string `arg:"" help:"The tenant." placeholder:"REF"`
}

// Run suspends the tenant.
func (t *tenantSuspendCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		if err := g.Tenants.Suspend(ctx, t.Reference); err != nil {
			return err
		}
		return showTenant(ctx, g, out, t.Reference)
	})
}

type tenantActivateCmd struct {
	Reference string `arg:"" help:"The tenant." placeholder:"REF"`
}

// Run activates the tenant.
func (t *tenantActivateCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		if err := g.Tenants.Activate(ctx, t.Reference); err != nil {
			return err
		}
		return showTenant(ctx, g, out, t.Reference)
	})
}

func showTenant(ctx context.Context, g *server.Gateway, out cli.Output, reference string) error {
	t, err := g.Tenants.Tenant(ctx, reference)
	if err != nil {
		return err
	}
	return out.Emit(lineOf(t), func(w io.Writer) { fmt.Fprintf(w, "%s is %s\n", t.Reference, t.State) })
}

// day shows a time to people; "-" for none.
func day(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(time.DateOnly)
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
