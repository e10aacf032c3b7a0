package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/offline/jsontext"
	"tcode/server/client"
	"tcode/server/httpapi/api"
)

type listCmd struct {
	Documents bool   `help:"List Trust documents instead of stamps."`
	Search    string `help:"Beginning of a reference, of words of the name, or your own id." placeholder:"TEXT"`
	Status    string `help:"Only these statuses, such as Active or Suspended,Revoked." placeholder:"STATUS"`
	Range     string `help:"Only of these days: today, 7d, 30d, this_month, or days such as 2026-11-01/2026-11-30." placeholder:"DAYS"`
	Template  string `help:"Only with this template." placeholder:"ID"`
	Limit     int    `help:"Number of records; 0: all. Default: ${default}." default:"20" placeholder:"N"`
}

// pageMost is the number of records of a page of the gateway.
const pageMost = 100

// allPages returns the first limit records of a list, all if limit is 0. get returns the records
// of one page, and whether there are more pages.
func allPages[T any](limit int, get func(page *api.Page, size *api.PageSize) (items []T, more bool, err error)) (all []T, err error) {
	if limit < 0 {
		return nil, cli.Usage("--limit %d: want 0 or more", limit)
	}
	size := api.PageSize(pageMost)
	if limit > 0 {
		size = min(api.PageSize(limit), pageMost)
	}
	for page := api.Page(1); ; page++ {
		items, more, err := get(&page, &size)
		all = append(all, items...)
		switch {
		case err != nil:
			return nil, err
		case limit > 0 && len(all) >= limit:
			return all[:limit], nil
		case !more:
			return all, nil
		}
	}
}

// Run lists stamps or documents.
func (c *listCmd) Run(ctx context.Context, a *app) error {
	template, err := templateID("--template", c.Template)
	if err != nil {
		return err
	}
	cl, err := a.client(true)
	if err != nil {
		return err
	}
	if c.Documents {
		list, err := allPages(c.Limit, func(page *api.Page, size *api.PageSize) ([]api.TrustDocumentSummary, bool, error) {
			res, err := cl.ListDocumentsWithResponse(ctx, &api.ListDocumentsParams{
				Search: optional(c.Search), Status: optional(c.Status), DateRange: optional(c.Range), TemplateId: template, Page: page, PageSize: size,
			})
			if err := client.Check(err, res); err != nil {
				return nil, false, err
			}
			return res.JSON200.Items, res.JSON200.HasNext, nil
		})
		if err != nil {
			return err
		}
		return cli.List(a.out, list, "no such documents", []string{"reference", "status", "type", "created", "recipient", "title"}, func(d api.TrustDocumentSummary) []string {
			return []string{d.Reference, string(d.Status) + testMark(d.Test), d.DocumentTypeCode, day(d.CreatedAt), d.RecipientName, orDash(d.DocumentTitle)}
		})
	}
	list, err := allPages(c.Limit, func(page *api.Page, size *api.PageSize) ([]api.TCodeStampSummary, bool, error) {
		res, err := cl.ListStampsWithResponse(ctx, &api.ListStampsParams{
			Search: optional(c.Search), Status: optional(c.Status), DateRange: optional(c.Range), TemplateId: template, Page: page, PageSize: size,
		})
		if err := client.Check(err, res); err != nil {
			return nil, false, err
		}
		return res.JSON200.Items, res.JSON200.HasNext, nil
	})
	if err != nil {
		return err
	}
	return cli.List(a.out, list, "no such stamps", []string{"reference", "status", "type", "created", "own id", "name"}, func(s api.TCodeStampSummary) []string {
		return []string{s.Reference, string(s.Status) + testMark(s.Test), s.DocumentTypeCode, day(s.CreatedAt), orDash(s.ExternalId), s.Name}
	})
}

type showCmd struct {
	Reference string `arg:"" help:"Reference of a stamp (TCR-...) or a document (TRF-...)."`
}

// Run shows one stamp or document.
func (c *showCmd) Run(ctx context.Context, a *app) error {
	cl, err := a.client(true)
	if err != nil {
		return err
	}
	s, err := find(ctx, cl, c.Reference)
	if err != nil {
		return err
	}
	if s.document {
		res, err := cl.GetDocumentWithResponse(ctx, s.id)
		if err := client.Check(err, res); err != nil {
			return err
		}
		return a.record(res.JSON200.Data)
	}
	res, err := cl.GetStampWithResponse(ctx, s.id)
	if err := client.Check(err, res); err != nil {
		return err
	}
	return a.record(res.JSON200.Data)
}

// record prints one record: for people its members that have a value, a line each, in the
// order of the contract's names.
func (a *app) record(v any) error {
	return a.out.Emit(v, func(w io.Writer) {
		raw, err := jsontext.Marshal(v)
		if err != nil {
			return
		}
		var members map[string]json.RawMessage
		if json.Unmarshal(raw, &members) != nil {
			return
		}
		for _, name := range sortedNames(members) {
			text := string(members[name])
			switch text {
			case "null", "[]", "{}", `""`:
				continue
			}
			var plain string
			if json.Unmarshal(members[name], &plain) == nil {
				text = plain
			}
			fmt.Fprintf(w, "%-20s %s\n", name, cli.Printable(text))
		}
	})
}

func testMark(test bool) string {
	if test {
		return " (test)"
	}
	return ""
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// minute returns a time for people; "-" for none.
func minute(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04")
}

func orDash(s *string) string {
	if s == nil || *s == "" {
		return "-"
	}
	return *s
}
