package main

import (
	"context"
	"strings"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/server"
	"tcode/server/tenant"
)

type auditCmd struct {
	Tenant string `help:"The tenant that the changes are about. Default: all." placeholder:"REF"`
	Action string `help:"Only this action, such as stamp.revoke; or, with a dot at its end, all actions on one kind of object, such as \"key.\"" placeholder:"ACTION"`
	Since  string `help:"Only from this time on, such as 2026-11-20 or 2026-11-20T12:00:00Z." placeholder:"TIME"`
	Until  string `help:"Only before this time." placeholder:"TIME"`
	Limit  int    `help:"Number of rows, newest first; 0: all. Default: ${default}." default:"100" placeholder:"N"`
}

// auditLine is one row of the audit log.
type auditLine struct {
	ID      int64             `json:"id"`
	At      time.Time         `json:"at"`
	Tenant  string            `json:"tenantReference,omitempty"`
	Actor   string            `json:"actor"`        // key, operator, user or system
	By      string            `json:"by,omitempty"` // a key's visible prefix, a user's name
	Action  string            `json:"action"`
	Subject string            `json:"subject"`
	Detail  map[string]string `json:"detail,omitempty"`
	TraceID string            `json:"traceId,omitempty"`
}

// auditPage is the number of rows that are read at a time.
const auditPage = 1000

// Run shows the audit log.
func (a *auditCmd) Run(ctx context.Context, c *command, std cli.Streams) error {
	f := tenant.AuditFilter{Tenant: a.Tenant, Action: a.Action}
	var err error
	if f.From, err = parseTime("--since", a.Since); err != nil {
		return err
	}
	if f.To, err = parseTime("--until", a.Until); err != nil {
		return err
	}
	if a.Limit < 0 {
		return cli.Usage("--limit %d: want 0 or more", a.Limit)
	}
	return c.with(ctx, std, func(g *server.Gateway, out cli.Output) error {
		var lines []auditLine
		for a.Limit == 0 || len(lines) < a.Limit {
			f.Limit = auditPage
			if a.Limit > 0 {
				f.Limit = min(auditPage, a.Limit-len(lines))
			}
			page, err := g.Tenants.Audit(ctx, f)
			if err != nil {
				return err
			}
			for _, e := range page {
				lines = append(lines, auditLineOf(e))
				f.Before = e.ID
			}
			if len(page) < f.Limit {
				break
			}
		}
		return cli.List(out, lines, "no such rows", []string{"at", "tenant", "by", "action", "subject", "detail"},
			func(l auditLine) []string {
				by := l.Actor
				if l.By != "" {
					by += " " + l.By
				}
				return []string{l.At.Format(time.RFC3339), orDash(l.Tenant), by, l.Action, l.Subject, detailText(l.Detail)}
			})
	})
}

func auditLineOf(e tenant.Entry) auditLine {
	return auditLine{
		ID: e.ID, At: e.At.UTC(), Tenant: e.Tenant, Actor: string(e.By.Actor), By: e.By.Name,
		Action: e.Action, Subject: e.Subject, Detail: e.Detail, TraceID: e.By.TraceID,
	}
}

// detailText shows details in a fixed order.
func detailText(detail map[string]string) string {
	var parts []string
	for _, name := range sortedKeys(detail) {
		parts = append(parts, name+"="+detail[name])
	}
	return orDash(strings.Join(parts, " "))
}

// parseTime reads a flag that is a time or, at midnight UTC, a day. "" is the
// zero time.
func parseTime(flag, s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, cli.Usage("%s %s: want a time such as 2026-11-20T12:00:00Z, or a day such as 2026-11-20", flag, s)
}
