package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"tcode/cmd/internal/cli"
	"tcode/server"
	"tcode/server/tenant"
)

// unlimited is the word that removes a limit on the command line.
const unlimited = "unlimited"

type tenantPlanCmd struct {
	Reference string `arg:"" help:"The tenant." placeholder:"REF"`

	Stamps            string `name:"stamps-per-month" help:"Stamps a UTC month, including those of bulk jobs and replacements: a number, or unlimited." placeholder:"N"`
	Templates         string `name:"templates-per-month" help:"Templates made a month: a number, or unlimited." placeholder:"N"`
	BulkJobs          string `name:"bulk-jobs-per-month" help:"Bulk jobs a month: a number, or unlimited." placeholder:"N"`
	Documents         string `name:"documents-per-month" help:"Trust documents a month: a number, or unlimited." placeholder:"N"`
	Requests          string `name:"requests-per-month" help:"Requests with an API key a month, of any kind; suspending and revoking remain possible beyond it: a number, or unlimited." placeholder:"N"`
	RequestsPerMinute string `name:"requests-per-minute" help:"Requests a minute for each of the tenant's API keys: a number, or default for the gateway's own limit." placeholder:"N"`
	Entitlements      string `name:"entitlements" help:"The tenant's permissions: all, none, or a list of stamps, templates, bulk, trust, history. A tenant may always read and revoke its own stamps and documents." placeholder:"LIST"`
	Language          string `name:"language" help:"Language of e-mail to the tenant's recipients: en, de, fr, es or ar." placeholder:"TAG"`
}

// planLine is a plan as the commands print it.
type planLine struct {
	Reference         string           `json:"tenantReference"`
	Entitlements      []string         `json:"entitlements"` // ["all"] for every one
	RequestsPerMinute int              `json:"requestsPerMinute,omitempty"`
	Language          string           `json:"language"`
	Quotas            map[string]int64 `json:"quotas"` // a month, by kind; an absent kind is not limited
}

func planLineOf(of tenant.Tenant, p tenant.Plan) planLine {
	line := planLine{Reference: of.Reference, Language: of.Language, Entitlements: []string{}, RequestsPerMinute: p.RequestsPerMinute, Quotas: map[string]int64{}}
	if p.All {
		line.Entitlements = []string{"all"}
	}
	for _, e := range p.Entitled {
		line.Entitlements = append(line.Entitlements, string(e))
	}
	for k, n := range p.Quotas {
		line.Quotas[string(k)] = n
	}
	return line
}

// Run changes the plan, or shows it.
func (t *tenantPlanCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	changes, err := t.changes()
	if err != nil {
		return err
	}
	tag := t.Language
	if tag != "" {
		if tag, err = language(tag); err != nil {
			return err
		}
	}
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		if tag != "" {
			if err := g.Tenants.SetLanguage(ctx, t.Reference, tag); err != nil {
				return err
			}
		}
		of, err := g.Tenants.Tenant(ctx, t.Reference)
		if err != nil {
			return err
		}
		plan, err := g.Tenants.Plan(ctx, t.Reference)
		if len(changes) > 0 && err == nil {
			plan, err = g.Tenants.ChangePlan(ctx, t.Reference, func(p *tenant.Plan) {
				for _, change := range changes {
					change(p)
				}
			})
		}
		if err != nil {
			return err
		}
		line := planLineOf(of, plan)
		return out.Emit(line, line.print)
	})
}

// print shows the plan to people.
func (l planLine) print(w io.Writer) {
	fmt.Fprintf(w, "entitlements         %s\n", orDash(strings.Join(l.Entitlements, ", ")))
	fmt.Fprintf(w, "language             %s\n", l.Language)
	rate := "default"
	if l.RequestsPerMinute > 0 {
		rate = strconv.Itoa(l.RequestsPerMinute)
	}
	fmt.Fprintf(w, "requests a minute    %s\n", rate)
	for _, k := range limitedKinds {
		n := unlimited
		if quota, ok := l.Quotas[string(k.kind)]; ok {
			n = strconv.FormatInt(quota, 10)
		}
		fmt.Fprintf(w, "%-20s %s\n", k.words+" a month", n)
	}
}

// limitedKinds are the kinds with quotas, and their names for people.
var limitedKinds = []struct {
	kind  tenant.Kind
	words string
}{
	{tenant.KindStamps, "stamps"},
	{tenant.KindTemplates, "templates"},
	{tenant.KindBulkJobs, "bulk jobs"},
	{tenant.KindDocuments, "documents"},
	{tenant.KindRequests, "requests"},
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// changes returns the changes that the flags describe.
func (t *tenantPlanCmd) changes() (out []func(*tenant.Plan), err error) {
	for _, q := range []struct {
		flag, value string
		kind        tenant.Kind
	}{
		{"stamps", t.Stamps, tenant.KindStamps},
		{"templates", t.Templates, tenant.KindTemplates},
		{"bulk-jobs", t.BulkJobs, tenant.KindBulkJobs},
		{"documents", t.Documents, tenant.KindDocuments},
		{"requests", t.Requests, tenant.KindRequests},
	} {
		switch q.value {
		case "":
			continue
		case unlimited:
			out = append(out, func(p *tenant.Plan) { delete(p.Quotas, q.kind) })
			continue
		}
		n, err := strconv.ParseInt(q.value, 10, 64)
		if err != nil || n < 0 {
			return nil, cli.Usage("--%s-per-month %s: want a number, or unlimited", q.flag, q.value)
		}
		out = append(out, func(p *tenant.Plan) { p.Quotas[q.kind] = n })
	}
	if t.RequestsPerMinute != "" {
		n := 0
		if t.RequestsPerMinute != "default" {
			if n, err = strconv.Atoi(t.RequestsPerMinute); err != nil || n < 1 {
				return nil, cli.Usage("--requests-per-minute %s: want a number, or default", t.RequestsPerMinute)
			}
		}
		out = append(out, func(p *tenant.Plan) { p.RequestsPerMinute = n })
	}
	if t.Entitlements != "" {
		all, list := entitlements(t.Entitlements)
		out = append(out, func(p *tenant.Plan) { p.All, p.Entitled = all, list })
	}
	return out, nil
}

// entitlements reads a list of them; the service refuses unknown words.
func entitlements(s string) (all bool, list []tenant.Entitlement) {
	switch s {
	case "all":
		return true, nil
	case "none":
		return false, nil
	}
	for _, word := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' }) {
		list = append(list, tenant.Entitlement(strings.ToLower(word)))
	}
	return false, list
}
