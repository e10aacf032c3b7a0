package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"tcode/cmd/internal/cli"
	"tcode/server/client"
	"tcode/server/httpapi/api"
)

type stampCmd struct {
	PDF        []string `arg:"" name:"pdf" help:"File to stamp, a PDF or a picture (PNG, JPEG, TIFF of one or more pages), or - for standard input. With several, an error of one does not stop the others, and the same command again goes on where it ended."`
	Output     string   `short:"o" help:"The output file, or - for standard output; with several files a folder. Default: NAME-stamped.pdf in the folder of the file." placeholder:"FILE"`
	Type       string   `required:"" help:"Code of the document type, such as DIP." placeholder:"CODE"`
	Name       string   `help:"Name of the stamp in lists. Default: the file's name." placeholder:"NAME"`
	Placement  string   `help:"Placement template with the place of the symbol. Default: last page, bottom right." placeholder:"ID"`
	Template   string   `help:"TDoc template with the fields." placeholder:"ID"`
	Field      []string `help:"Value of a field; may be repeated." placeholder:"KEY=VALUE" sep:"none"`
	ExternalID string   `name:"external-id" help:"Your own id. A second stamp with the same one is refused." placeholder:"ID"`
	Test       bool     `help:"Make a test stamp: scanners say that it proves nothing."`
	Force      bool     `short:"f" help:"Overwrite the output file."`
}

// Run stamps PDFs and pictures.
func (c *stampCmd) Run(ctx context.Context, a *app) error {
	if len(c.PDF) > 1 {
		return c.many(ctx, a)
	}
	body, err := c.request(ctx, a, c.PDF[0])
	if err != nil {
		return err
	}
	out := c.output()
	if err := a.mayWrite(out, c.Force); err != nil {
		return err
	}
	cl, err := a.client(true)
	if err != nil {
		return err
	}
	st, err := c.make(ctx, a, cl, body, onceKey(), out)
	if err != nil {
		return err
	}
	return a.out.Emit(struct {
		api.TCodeStamp
		File string `json:"file"`
	}{st, out}, func(w io.Writer) { printStamp(w, st, out) })
}

// make makes a stamp and writes the stamped file.
func (c *stampCmd) make(ctx context.Context, a *app, cl *client.ClientWithResponses, body api.TCodeCreateStampRequest, once *api.IdempotencyKey, out string) (st api.TCodeStamp, err error) {
	// The program creates the file before the stamp: if the file cannot be
	// written, there must be no stamp.
	err = a.write(out, c.Force, func(w io.Writer) error {
		res, err := cl.CreateStampWithResponse(ctx, &api.CreateStampParams{IdempotencyKey: once}, body)
		if err := client.Check(err, res); err != nil {
			return err
		}
		st = res.JSON201.Data
		made := subject{id: st.Id, reference: st.Reference}
		if _, err := made.fetch(ctx, cl, "", w); err != nil {
			return a.half(made, out, err)
		}
		return nil
	})
	return st, err
}

// request returns the request for one file.
func (c *stampCmd) request(ctx context.Context, a *app, file string) (api.TCodeCreateStampRequest, error) {
	b := api.TCodeCreateStampRequest{Name: c.Name, DocumentTypeCode: c.Type, ExternalId: optional(c.ExternalID)}
	var err error
	if b.PlacementTemplateId, err = templateID("--placement", c.Placement); err != nil {
		return b, err
	}
	if b.TdocTemplateId, err = templateID("--template", c.Template); err != nil {
		return b, err
	}
	values, err := fields(c.Field)
	if err != nil {
		return b, err
	}
	if len(values) > 0 {
		b.Fields = &values
	}
	switch {
	case b.Name != "":
	case file == "-":
		b.Name = "standard input"
	default:
		b.Name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	}
	if c.Test {
		mode := api.TCodeCreateStampRequestModeType("test")
		b.ModeType = &mode
	}
	b.Pdf, err = a.readPDF(ctx, file)
	return b, err
}

// output returns the name of the stamped file.
func (c *stampCmd) output() string {
	switch {
	case c.Output != "":
		return c.Output
	case c.PDF[0] == "-":
		return "-"
	}
	return strings.TrimSuffix(c.PDF[0], filepath.Ext(c.PDF[0])) + "-stamped.pdf"
}

func printStamp(w io.Writer, st api.TCodeStamp, out string) {
	if out == "-" {
		return // standard output may hold only the file
	}
	fmt.Fprintf(w, "✓ %s  %s\n", st.Reference, cli.Printable(out))
	fmt.Fprintf(w, "   symbol     %d x %d modules of %.3g mm on %s\n", st.Barcode.Modules, st.Barcode.Modules, st.Barcode.ModuleMm, pages(st.Pages))
	if st.Grade != nil {
		fmt.Fprintf(w, "   grade      %s: %s\n", st.Grade.Letter, st.Grade.Meaning)
	}
	if st.Rendering != nil && st.Rendering.Plain {
		fmt.Fprintf(w, "   plain      %s draw all pages alike, and nothing in the file can change what it shows\n", strings.Join(st.Rendering.Engines, " and "))
	}
	if st.Test {
		fmt.Fprintln(w, "   test       scanners say that it proves nothing")
	}
	for _, warning := range st.Warnings {
		fmt.Fprintf(w, "   warning    %s\n", cli.Printable(warning))
	}
}

func pages(ns []int32) string {
	if len(ns) == 1 {
		return fmt.Sprintf("page %d", ns[0])
	}
	return fmt.Sprintf("%d pages", len(ns))
}
