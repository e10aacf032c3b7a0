package main

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"tcode/cmd/internal/cli"
	"tcode/server"
	"tcode/server/tenant"
)

type usageCmd struct {
	Tenant string `help:"The tenant. Default: every tenant with usage." placeholder:"REF"`
	Month  string `help:"A UTC month, such as 2026-11. Default: this one." placeholder:"YYYY-MM"`
}

// A usageLine is a tenant's usage of one kind in a month.
type usageLine struct {
	Tenant string `json:"tenantReference"`
	Month  string `json:"month"`
	Kind   string `json:"kind"`
	Used   int64  `json:"used"`
	Quota  *int64 `json:"quota,omitempty"` // absent: not limited
}

// Run shows the usage.
func (u *usageCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	var month tenant.Month
	if u.Month != "" {
		var err error
		if month, err = tenant.ParseMonth(u.Month); err != nil {
			return cli.Usage("--month: %v", err)
		}
	}
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		lines, err := usageLines(ctx, g, u.Tenant, month)
		if err != nil {
			return err
		}
		return cli.List(out, lines, "nothing was counted in that month", []string{"tenant", "month", "kind", "used", "quota"},
			func(l usageLine) []string {
				quota := "-"
				if l.Quota != nil {
					quota = strconv.FormatInt(*l.Quota, 10)
				}
				return []string{l.Tenant, l.Month, l.Kind, strconv.FormatInt(l.Used, 10), quota}
			})
	})
}

// usageLines joins counts and quotas. For one tenant it includes unused kinds
// that have a quota.
func usageLines(ctx context.Context, g *server.Gateway, reference string, m tenant.Month) ([]usageLine, error) {
	if m == 0 {
		m = g.Tenants.Month()
	}
	used, err := g.Tenants.Usage(ctx, reference, m)
	if err != nil {
		return nil, err
	}
	plans := map[string]tenant.Plan{}
	var lines []usageLine
	for _, u := range used {
		if _, ok := plans[u.Tenant]; !ok {
			if plans[u.Tenant], err = g.Tenants.Plan(ctx, u.Tenant); err != nil {
				return nil, err
			}
		}
		line := usageLine{Tenant: u.Tenant, Month: m.String(), Kind: string(u.Kind), Used: u.Used}
		if quota, ok := plans[u.Tenant].Quotas[u.Kind.Planned()]; ok {
			line.Quota = &quota
		}
		lines = append(lines, line)
	}
	if reference == "" {
		return lines, nil
	}
	return withUnused(ctx, g, reference, m, lines)
}

func withUnused(ctx context.Context, g *server.Gateway, reference string, m tenant.Month, lines []usageLine) ([]usageLine, error) {
	of, err := g.Tenants.Tenant(ctx, reference)
	if err != nil {
		return nil, err
	}
	plan, err := g.Tenants.Plan(ctx, of.Reference)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, l := range lines {
		seen[l.Kind] = true
	}
	for _, k := range tenant.Kinds() {
		if quota, ok := plan.Quotas[k]; ok && !seen[string(k)] {
			lines = append(lines, usageLine{Tenant: of.Reference, Month: m.String(), Kind: string(k), Quota: &quota})
		}
	}
	return lines, nil
}

type tenantShowCmd struct {
	Reference string `arg:"" help:"The tenant." placeholder:"REF"`
}

// A tenantDetail is one tenant with all data about it.
type tenantDetail struct {
	tenantLine
	Plan  planLine    `json:"plan"`
	Usage []usageLine `json:"usage"` // of this month
}

// Run shows the tenant.
func (t *tenantShowCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		of, err := g.Tenants.Tenant(ctx, t.Reference)
		if err != nil {
			return err
		}
		plan, err := g.Tenants.Plan(ctx, of.Reference)
		if err != nil {
			return err
		}
		detail := tenantDetail{tenantLine: lineOf(of), Plan: planLineOf(of, plan)}
		if detail.Usage, err = usageLines(ctx, g, of.Reference, 0); err != nil {
			return err
		}
		return out.Emit(detail, func(w io.Writer) {
			fmt.Fprintf(w, "reference            %s\nname                 %s\nstate                %s\ncreated              %s\n",
				of.Reference, of.Name, of.State, day(of.CreatedAt))
			detail.Plan.print(w)
			for _, u := range detail.Usage {
				left := ""
				if u.Quota != nil {
					left = fmt.Sprintf(" of %d", *u.Quota)
				}
				fmt.Fprintf(w, "%s in %s: %d%s\n", u.Kind, u.Month, u.Used, left)
			}
		})
	})
}
