package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/offline/contain"
	"tcode/offline/host/openfile"
	"tcode/server/client"
	"tcode/server/httpapi/api"
)

type bulkSubmitCmd struct {
	Rows      string `arg:"" help:"CSV file with a row for each document."`
	PDFs      string `arg:"" name:"pdfs" help:"ZIP archive of the PDFs that the rows name."`
	Template  string `help:"TDoc template of the stamps." placeholder:"ID"`
	Placement string `help:"Placement template of the stamps." placeholder:"ID"`
	Trust     string `help:"Issue Trust documents from this template instead of stamps." placeholder:"ID"`
	Path      string `help:"With --trust, how to treat the files: digital leaves them as they are, tcode and both stamp them. Default: ${default}." enum:"digital,tcode,both" default:"digital" placeholder:"PATH"`
	ValidFor  string `help:"With --trust, validity of the documents: a number and days, months or years, such as 2years." placeholder:"SPAN"`
	At        string `help:"With --trust, when to begin: a time such as 2031-12-31T12:00:00Z." placeholder:"TIME"`
	DryRun    bool   `help:"Check the files, report all errors, and make nothing."`
	Test      bool   `help:"Make test documents: they prove nothing."`
	Follow    bool   `help:"Stay until the job is over."`
}

// Run submits a job. It sends the files while it reads them.
func (c *bulkSubmitCmd) Run(ctx context.Context, a *app) error {
	settings, err := c.settings()
	if err != nil {
		return err
	}
	cl, err := a.client(true)
	if err != nil {
		return err
	}
	rows, err := openfile.Open(ctx, c.Rows)
	if err != nil {
		return cli.Exit(cli.CodeUnreadable, err)
	}
	defer rows.Close()
	pdfs, err := openfile.Open(ctx, c.PDFs)
	if err != nil {
		return cli.Exit(cli.CodeUnreadable, err)
	}
	defer pdfs.Close()
	body := bulkBody(settings, rows, pdfs)
	defer body.Close()
	env, err := c.send(ctx, cl, body)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.std.Err, "Job %s is accepted.\n", env.Data.Id)
	p, job, err := a.job(ctx, cl, env.Data.Id.String())
	if err != nil {
		return err
	}
	if c.Follow {
		return a.follow(ctx, p, job)
	}
	return a.out.Emit(job, func(w io.Writer) { printJob(w, job, nil) })
}

func (c *bulkSubmitCmd) send(ctx context.Context, cl *client.ClientWithResponses, body io.Reader) (*api.BulkJobEnvelope, error) {
	const media = "application/json"
	if c.Trust != "" {
		res, err := cl.CreateTrustBulkJobWithBodyWithResponse(ctx, &api.CreateTrustBulkJobParams{IdempotencyKey: onceKey()}, media, body)
		if err := client.Check(err, res); err != nil {
			return nil, err
		}
		return res.JSON201, nil
	}
	res, err := cl.CreateTcodeBulkJobWithBodyWithResponse(ctx, &api.CreateTcodeBulkJobParams{IdempotencyKey: onceKey()}, media, body)
	if err := client.Check(err, res); err != nil {
		return nil, err
	}
	return res.JSON201, nil
}

// settings returns the members of the request other than the files.
func (c *bulkSubmitCmd) settings() (map[string]any, error) {
	out := map[string]any{"dryRun": c.DryRun}
	if c.Test {
		out["modeType"] = "test"
	}
	flags := map[string]string{"tdocTemplateId": c.Template, "placementTemplateId": c.Placement}
	if c.Trust != "" {
		if c.Template != "" || c.Placement != "" {
			return nil, cli.Usage("--template and --placement are for stamps: a Trust template names its own")
		}
		flags = map[string]string{"templateId": c.Trust}
		out["issuancePath"] = c.Path
	} else if c.ValidFor != "" || c.At != "" {
		return nil, cli.Usage("--valid-for and --at need --trust")
	}
	for member, value := range flags {
		id, err := templateID("template", value)
		if err != nil {
			return nil, err
		}
		if id != nil {
			out[member] = id
		}
	}
	if c.At != "" {
		at, err := time.Parse(time.RFC3339, c.At)
		if err != nil {
			return nil, cli.Usage("--at %q: want a time such as 2031-12-31T12:00:00Z", c.At)
		}
		out["scheduledFor"] = at
	}
	return out, c.validity(out)
}

func (c *bulkSubmitCmd) validity(out map[string]any) error {
	if c.ValidFor == "" {
		return nil
	}
	var n int
	var unit string
	_, err := fmt.Sscanf(c.ValidFor, "%d%s", &n, &unit)
	unit = strings.TrimSuffix(unit, "s") + "s"
	if err != nil || n < 1 || !slices.Contains([]string{"days", "months", "years"}, unit) {
		return cli.Usage("--valid-for %q: want a number and days, months or years, such as 2years", c.ValidFor)
	}
	out["validityType"], out["validityValue"], out["validityUnit"] = "Duration", n, unit
	return nil
}

// bulkBody returns a request's body as a stream: two files in Base64 among the
// settings. It never holds a complete file in memory.
func bulkBody(settings map[string]any, rows, pdfs io.Reader) io.ReadCloser {
	r, w := io.Pipe()
	contain.Start("upload-end", func() error {
		return w.CloseWithError(contain.Do("upload", func() error { return writeBody(w, settings, rows, pdfs) }))
	})
	return r
}

func writeBody(w io.Writer, settings map[string]any, rows, pdfs io.Reader) error {
	head, err := json.Marshal(settings)
	if err != nil {
		return err
	}
	if _, err := w.Write(head[:len(head)-1]); err != nil { // open still
		return err
	}
	for _, f := range []struct {
		name string
		data io.Reader
	}{{"csvFileBase64", rows}, {"zipFileBase64", pdfs}} {
		if _, err := fmt.Fprintf(w, `,%q:"`, f.name); err != nil {
			return err
		}
		enc := base64.NewEncoder(base64.StdEncoding, w)
		if _, err := io.Copy(enc, f.data); err != nil {
			return err
		}
		if err := enc.Close(); err != nil {
			return err
		}
		if _, err := io.WriteString(w, `"`); err != nil {
			return err
		}
	}
	_, err = io.WriteString(w, "}")
	return err
}
