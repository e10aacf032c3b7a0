package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/offline/dates"
	"tcode/server/client"
	"tcode/server/httpapi/api"
)

type issueCmd struct {
	Template   string   `required:"" help:"Trust template of the document." placeholder:"ID"`
	Recipient  string   `required:"" help:"Name of the recipient." placeholder:"NAME"`
	Email      string   `help:"E-mail address for the delivery." placeholder:"ADDRESS"`
	Title      string   `help:"Title of the document." placeholder:"TITLE"`
	Field      []string `help:"Value of a field; may be repeated." placeholder:"KEY=VALUE" sep:"none"`
	ExternalID string   `name:"external-id" help:"Your own id. A second document with the same one is refused." placeholder:"ID"`
	Expires    string   `help:"Expiry: a day, which ends in UTC, or a time such as 2031-12-31T12:00:00Z." placeholder:"WHEN"`
	PDF        string   `name:"pdf" help:"File of the document, a PDF or a picture (PNG, JPEG, TIFF), or - for standard input." placeholder:"FILE"`
	Generate   bool     `name:"generate-pdf" help:"Let the gateway draw the document's PDF, a certificate page of the values, and stamp it."`
	Path       string   `help:"How to treat the file: digital leaves it as it is, tcode and both stamp it. Default: digital, or both with --generate-pdf." enum:"digital,tcode,both," default:"" placeholder:"PATH"`
	Output     string   `short:"o" help:"The output file for the document's PDF, or - for standard output." placeholder:"FILE"`
	Test       bool     `help:"Issue a test document: it proves nothing."`
	Force      bool     `short:"f" help:"Overwrite the output file."`
}

// Run issues a document.
func (c *issueCmd) Run(ctx context.Context, a *app) error {
	body, err := c.request(ctx, a)
	if err != nil {
		return err
	}
	if c.Output != "" && c.PDF == "" && !c.Generate {
		return cli.Usage("-o needs --pdf or --generate-pdf: a document without a file has none to write")
	}
	if c.PDF != "" && c.Generate {
		return cli.Usage("--generate-pdf and --pdf exclude each other")
	}
	if err := a.mayWrite(c.Output, c.Force); err != nil {
		return err
	}
	cl, err := a.client(true)
	if err != nil {
		return err
	}
	var d api.TrustDocument
	err = a.write(c.Output, c.Force, func(w io.Writer) error {
		res, err := cl.IssueDocumentWithResponse(ctx, &api.IssueDocumentParams{IdempotencyKey: onceKey()}, body)
		if err := client.Check(err, res); err != nil {
			return err
		}
		d = res.JSON201.Data
		if c.Output == "" {
			return nil
		}
		made := subject{d.Id, d.Reference, true}
		if _, err := made.fetch(ctx, cl, "", w); err != nil {
			return a.half(made, c.Output, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return a.out.Emit(struct {
		api.TrustDocument
		File string `json:"file,omitempty"`
	}{d, c.Output}, func(w io.Writer) { printDocument(w, d, c.Output) })
}

func (c *issueCmd) request(ctx context.Context, a *app) (api.TrustIssuanceRequest, error) {
	b := api.TrustIssuanceRequest{
		RecipientName: c.Recipient, RecipientEmail: optional(c.Email), DocumentTitle: optional(c.Title), ExternalId: optional(c.ExternalID),
	}
	id, err := templateID("--template", c.Template)
	if err != nil {
		return b, err
	}
	b.TemplateId = *id
	if b.Fields, err = fields(c.Field); err != nil {
		return b, err
	}
	if b.ExpiresAt, err = expiry(c.Expires); err != nil {
		return b, err
	}
	if c.Path != "" {
		path := api.TrustIssuanceRequestIssuancePath(c.Path)
		b.IssuancePath = &path
	}
	if c.Generate {
		b.GeneratePdf = &c.Generate
	}
	if c.Test {
		mode := api.TrustIssuanceRequestModeType("test")
		b.ModeType = &mode
	}
	if c.PDF == "" {
		return b, nil
	}
	pdf, err := a.readPDF(ctx, c.PDF)
	b.Pdf = &pdf
	return b, err
}

// expiry reads a time, or a day; a document expires at the end of that day in UTC.
func expiry(s string) (*time.Time, error) {
	if s == "" {
		return nil, nil
	}
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return &t, nil
	}
	day, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return nil, cli.Usage("--expires %q: want a day such as 2031-12-31 or a time such as 2031-12-31T12:00:00Z", s)
	}
	end := day.AddDate(0, 0, 1)
	return &end, nil
}

func printDocument(w io.Writer, d api.TrustDocument, out string) {
	if out == "-" {
		return
	}
	fmt.Fprintf(w, "✓ %s  for %s\n", d.Reference, cli.Printable(d.RecipientName))
	if d.Stamp != nil {
		fmt.Fprintf(w, "   stamp      %s\n", d.Stamp.Reference)
	}
	if d.ExpiresAt != nil {
		fmt.Fprintf(w, "   expires    %s\n", dates.LastDay(*d.ExpiresAt))
	}
	if out != "" {
		fmt.Fprintf(w, "   file       %s\n", out)
	}
	if d.Test {
		fmt.Fprintln(w, "   test       it proves nothing")
	}
	for _, warning := range d.Warnings {
		fmt.Fprintf(w, "   warning    %s\n", cli.Printable(warning))
	}
}
