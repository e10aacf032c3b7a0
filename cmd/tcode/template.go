package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/google/uuid"

	"tcode/cmd/internal/cli"
	"tcode/server/client"
	"tcode/server/httpapi/api"
)

// templateKind names the kind of a template in a command.
type templateKind struct {
	Kind string `help:"Kind of the template: tdoc (fields of a stamp), placement (its place) or trust (Trust documents). Default: ${default}." enum:"tdoc,placement,trust" default:"tdoc" placeholder:"KIND"`
}

type (
	templateListCmd struct {
		templateKind
		Archived bool `help:"Also list archived templates."`
	}
	templateShowCmd struct {
		templateKind
		ID string `arg:"" help:"Id of the template."`
	}
	templateCreateCmd struct {
		templateKind
		File string `arg:"" help:"File with the JSON of the template, or - for standard input."`
	}
	templateArchiveCmd struct {
		templateKind
		ID     string `arg:"" help:"Id of the template."`
		Reason string `help:"Reason, which Trust templates need." placeholder:"TEXT"`
	}
	templateColumnsCmd struct {
		templateKind
		ID     string `arg:"" help:"Id of the template."`
		Output string `short:"o" help:"The output file, or - for standard output. Default: ${default}." default:"-" placeholder:"FILE"`
		Force  bool   `short:"f" help:"Overwrite the output file."`
	}
)

// templateLine is a template in a list.
type templateLine struct {
	ID       uuid.UUID `json:"id"`
	Kind     string    `json:"kind"`
	Name     string    `json:"name"`
	Archived bool      `json:"archived"`
}

// Run lists templates.
func (c *templateListCmd) Run(ctx context.Context, a *app) error {
	cl, err := a.client(true)
	if err != nil {
		return err
	}
	lines, err := c.list(ctx, cl)
	if err != nil {
		return err
	}
	return cli.List(a.out, lines, "no templates yet: tcode template create FILE --kind "+c.Kind, []string{"id", "state", "name"}, func(l templateLine) []string {
		state := "active"
		if l.Archived {
			state = "archived"
		}
		return []string{l.ID.String(), state, l.Name}
	})
}

func (c *templateListCmd) list(ctx context.Context, cl *client.ClientWithResponses) (lines []templateLine, err error) {
	switch c.Kind {
	case "placement":
		res, err := cl.ListPlacementTemplatesWithResponse(ctx, &api.ListPlacementTemplatesParams{})
		if err := client.Check(err, res); err != nil {
			return nil, err
		}
		for _, t := range res.JSON200.Items {
			lines = append(lines, templateLine{ID: t.Id, Kind: c.Kind, Name: t.Name})
		}
	case "trust":
		list, err := allPages(0, func(page *api.Page, size *api.PageSize) ([]api.TrustTemplate, bool, error) {
			res, err := cl.ListTrustTemplatesWithResponse(ctx, &api.ListTrustTemplatesParams{IncludeArchived: &c.Archived, Page: page, PageSize: size})
			if err := client.Check(err, res); err != nil {
				return nil, false, err
			}
			return res.JSON200.Items, res.JSON200.HasNext, nil
		})
		if err != nil {
			return nil, err
		}
		for _, t := range list {
			lines = append(lines, templateLine{t.Id, c.Kind, t.Name, t.ArchivedAt != nil})
		}
	default:
		res, err := cl.ListTdocTemplatesWithResponse(ctx, &api.ListTdocTemplatesParams{IncludeArchived: &c.Archived})
		if err := client.Check(err, res); err != nil {
			return nil, err
		}
		for _, t := range res.JSON200.Items {
			lines = append(lines, templateLine{t.Id, c.Kind, t.Name, t.ArchivedAt != nil})
		}
	}
	return lines, err
}

// ask returns the client and the id of a template.
func (a *app) ask(id string) (*client.ClientWithResponses, uuid.UUID, error) {
	parsed, err := uuid.Parse(id)
	if err != nil {
		return nil, parsed, cli.Usage("%q is no id: want one such as 0198e3a1-7c2e-7000-8000-000000000001", id)
	}
	cl, err := a.client(true)
	return cl, parsed, err
}

// Run shows a template.
func (c *templateShowCmd) Run(ctx context.Context, a *app) error {
	cl, id, err := a.ask(c.ID)
	if err != nil {
		return err
	}
	var get call
	switch c.Kind {
	case "placement":
		get = cl.GetPlacementTemplate
	case "trust":
		get = cl.GetTrustTemplate
	default:
		get = cl.GetTdocTemplate
	}
	var answer struct{ Data json.RawMessage }
	if err := get.do(ctx, id, &answer); err != nil {
		return err
	}
	return a.out.Emit(answer.Data, func(w io.Writer) {
		var b bytes.Buffer
		if json.Indent(&b, answer.Data, "", "  ") == nil {
			fmt.Fprintln(w, b.String())
		}
	})
}

// maxTemplate is the limit of the gateway for such a body.
const maxTemplate = 64 << 10

// Run makes a template.
func (c *templateCreateCmd) Run(ctx context.Context, a *app) error {
	body, err := a.readFile(ctx, c.File, maxTemplate, "gateways take templates")
	if err != nil {
		return err
	}
	cl, err := a.client(true)
	if err != nil {
		return err
	}
	const media = "application/json"
	var res *http.Response
	switch in := bytes.NewReader(body); c.Kind {
	case "placement":
		res, err = cl.CreatePlacementTemplateWithBody(ctx, &api.CreatePlacementTemplateParams{IdempotencyKey: onceKey()}, media, in)
	case "trust":
		res, err = cl.CreateTrustTemplateWithBody(ctx, &api.CreateTrustTemplateParams{IdempotencyKey: onceKey()}, media, in)
	default:
		res, err = cl.CreateTdocTemplateWithBody(ctx, &api.CreateTdocTemplateParams{IdempotencyKey: onceKey()}, media, in)
	}
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusCreated {
		return client.Refusal(res)
	}
	var answer struct {
		Data struct {
			ID   uuid.UUID `json:"id"`
			Name string    `json:"name"`
		} `json:"data"`
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		return fmt.Errorf("answer of the gateway: %w", err)
	}
	return a.out.Emit(templateLine{ID: answer.Data.ID, Kind: c.Kind, Name: answer.Data.Name}, func(w io.Writer) {
		fmt.Fprintf(w, "✓ %s  %s\n", answer.Data.ID, cli.Printable(answer.Data.Name))
	})
}

// Run archives a template.
func (c *templateArchiveCmd) Run(ctx context.Context, a *app) error {
	if c.Kind == "placement" {
		return cli.Usage("placement templates are not archived: stamps name them as they were")
	}
	if c.Kind == "trust" && c.Reason == "" {
		return cli.Usage("a Trust template is archived for a reason: --reason TEXT")
	}
	cl, id, err := a.ask(c.ID)
	if err != nil {
		return err
	}
	var res client.Response
	if c.Kind == "trust" {
		res, err = cl.ArchiveTrustTemplateWithResponse(ctx, id, &api.ArchiveTrustTemplateParams{}, api.TrustArchiveRequest{Reason: c.Reason})
	} else {
		res, err = cl.ArchiveTdocTemplateWithResponse(ctx, id, &api.ArchiveTdocTemplateParams{})
	}
	if err := client.Check(err, res); err != nil {
		return err
	}
	return a.done("id", id.String(), "archived", "is archived. What was made with it stays as it is.")
}

// done prints that a thing is in a state by now.
func (a *app) done(name, thing, state, sentence string) error {
	return a.out.Emit(map[string]string{name: thing, "state": state}, func(w io.Writer) {
		fmt.Fprintf(w, "✓ %s %s\n", cli.Printable(thing), sentence)
	})
}

// Run writes the columns.
func (c *templateColumnsCmd) Run(ctx context.Context, a *app) error {
	if c.Kind == "placement" {
		return cli.Usage("a placement template has no columns")
	}
	if err := a.mayWriteText(c.Output, c.Force); err != nil {
		return err
	}
	cl, id, err := a.ask(c.ID)
	if err != nil {
		return err
	}
	asCSV := func(_ context.Context, r *http.Request) error {
		r.Header.Set("Accept", "text/csv")
		return nil
	}
	var res *http.Response
	if c.Kind == "trust" {
		res, err = cl.GetTrustCsvFields(ctx, id, asCSV)
	} else {
		res, err = cl.GetTdocCsvFields(ctx, id, asCSV)
	}
	if err != nil {
		return err
	}
	return a.saveBody(res, c.Output, c.Force)
}

// mayWriteText is mayWrite for a file that a terminal can show.
func (a *app) mayWriteText(path string, force bool) error {
	if path == "-" && !a.out.JSON {
		return nil
	}
	return a.mayWrite(path, force)
}

// saveBody writes the body of an answer to a file.
func (a *app) saveBody(res *http.Response, path string, force bool) error {
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return client.Refusal(res)
	}
	err := a.write(path, force, func(w io.Writer) error {
		_, err := io.Copy(w, res.Body)
		return err
	})
	if err != nil || path == "-" {
		return err
	}
	return a.out.Emit(map[string]string{"file": path}, func(w io.Writer) { fmt.Fprintf(w, "✓ %s\n", cli.Printable(path)) })
}
