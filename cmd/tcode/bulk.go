package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"tcode/cmd/internal/cli"
	"tcode/server/client"
	"tcode/server/httpapi/api"
)

// A call is a request about one job.
type call func(ctx context.Context, id uuid.UUID, edit ...client.RequestEditorFn) (*http.Response, error)

// A product is the result of a job's rows: stamps or Trust documents. Each has
// its own routes, which have the same answers.
type product struct{ get, failed, cancel, retry, errors, results call }

// products are stamps and Trust documents, in this order.
func products(cl *client.ClientWithResponses) []product {
	state, size := api.BulkRowStateFailed, api.PageSize(shownRows)
	stamps := func(ctx context.Context, id uuid.UUID, edit ...client.RequestEditorFn) (*http.Response, error) {
		return cl.ListTcodeBulkRows(ctx, id, &api.ListTcodeBulkRowsParams{State: &state, PageSize: &size}, edit...)
	}
	documents := func(ctx context.Context, id uuid.UUID, edit ...client.RequestEditorFn) (*http.Response, error) {
		return cl.ListTrustBulkRows(ctx, id, &api.ListTrustBulkRowsParams{State: &state, PageSize: &size}, edit...)
	}
	return []product{
		{cl.GetTcodeBulkJob, stamps, cl.CancelTcodeBulkJob, cl.RetryTcodeBulkJob, cl.GetTcodeBulkErrors, cl.GetTcodeBulkResults},
		{cl.GetTrustBulkJob, documents, cl.CancelTrustBulkJob, cl.RetryTrustBulkJob, cl.GetTrustBulkErrors, cl.GetTrustBulkResults},
	}
}

// do calls c and reads its answer into out, if out is not nil.
func (c call) do(ctx context.Context, id uuid.UUID, out any) error {
	res, err := c(ctx, id)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode >= http.StatusMultipleChoices {
		return client.Refusal(res)
	}
	if out == nil {
		return nil
	}
	if err := json.NewDecoder(res.Body).Decode(out); err != nil {
		return fmt.Errorf("answer of the gateway: %w", err)
	}
	return nil
}

// job finds a job of either product by its id.
func (a *app) job(ctx context.Context, cl *client.ClientWithResponses, name string) (product, api.BulkJobDetail, error) {
	id, err := uuid.Parse(name)
	if err != nil {
		return product{}, api.BulkJobDetail{}, cli.Usage("%q: want a job's id, as \"bulk submit\" and \"bulk list\" print them", name)
	}
	for _, p := range products(cl) {
		var found api.BulkJobDetailEnvelope
		err := p.get.do(ctx, id, &found)
		var refused *client.Error
		if errors.As(err, &refused) && refused.Status == http.StatusNotFound {
			continue
		}
		return p, found.Data, err
	}
	return product{}, api.BulkJobDetail{}, cli.Exit(cli.CodeFailed, fmt.Errorf("%s: this tenant has no such job", name))
}

// over reports whether a job stays as it is unless a person retries it.
func over(s api.BulkJobStatus) bool {
	switch s {
	case api.BulkJobStatusCompleted, api.BulkJobStatusCompletedWithErrors, api.BulkJobStatusFailed, api.BulkJobStatusCancelled:
		return true
	}
	return false
}

// followEvery is the interval between two requests for a job's state.
const followEvery = 500 * time.Millisecond

// follow waits until a job is over, with a bar on a terminal, and shows it.
func (a *app) follow(ctx context.Context, p product, job api.BulkJobDetail) error {
	bar := cli.NewProgress(a.std.Err, 0, "rows")
	defer bar.Done()
	for !over(job.Status) {
		bar.At(int64(job.Counts.Processed), int64(job.Counts.Total))
		select {
		case <-ctx.Done():
			fmt.Fprintf(a.std.Err, "The job continues without this command: tcode bulk status %s --follow\n", job.Id)
			return ctx.Err()
		case <-time.After(followEvery):
		}
		var now api.BulkJobDetailEnvelope
		if err := p.get.do(ctx, job.Id, &now); err != nil {
			return err
		}
		job = now.Data
	}
	bar.Done()
	return a.show(ctx, p, job)
}

type bulkListCmd struct {
	Trust bool `help:"Jobs of Trust documents, not of stamps."`
}

// Run lists jobs.
func (c *bulkListCmd) Run(ctx context.Context, a *app) error {
	cl, err := a.client(true)
	if err != nil {
		return err
	}
	var page *api.BulkJobPage
	if c.Trust {
		res, err := cl.ListTrustBulkJobsWithResponse(ctx, &api.ListTrustBulkJobsParams{})
		if err := client.Check(err, res); err != nil {
			return err
		}
		page = res.JSON200
	} else {
		res, err := cl.ListTcodeBulkJobsWithResponse(ctx, &api.ListTcodeBulkJobsParams{})
		if err := client.Check(err, res); err != nil {
			return err
		}
		page = res.JSON200
	}
	return cli.List(a.out, page.Items, "No jobs.", []string{"job", "status", "rows", "made", "failed", "skipped", "ordered"}, func(j api.BulkJob) []string {
		n := func(v int32) string { return fmt.Sprint(v) }
		return []string{j.Id.String(), string(j.Status), n(j.Counts.Total), n(j.Counts.Succeeded), n(j.Counts.Failed), n(j.Counts.Skipped), j.CreatedAt.UTC().Format("2006-01-02 15:04 UTC")}
	})
}

type bulkStatusCmd struct {
	Job    string `arg:"" help:"Id of the job."`
	Follow bool   `help:"Stay until the job is over."`
}

// Run shows a job.
func (c *bulkStatusCmd) Run(ctx context.Context, a *app) error {
	cl, err := a.client(true)
	if err != nil {
		return err
	}
	p, job, err := a.job(ctx, cl, c.Job)
	if err != nil {
		return err
	}
	if c.Follow {
		return a.follow(ctx, p, job)
	}
	return a.show(ctx, p, job)
}

type bulkCancelCmd struct {
	Job string `arg:"" help:"Id of the job."`
}

// Run cancels a job and waits until it has stopped.
func (c *bulkCancelCmd) Run(ctx context.Context, a *app) error {
	return a.change(ctx, c.Job, true, func(p product) call { return p.cancel })
}

type bulkRetryCmd struct {
	Job    string `arg:"" help:"Id of the job."`
	Follow bool   `help:"Stay until the job is over."`
}

// Run has a job try again.
func (c *bulkRetryCmd) Run(ctx context.Context, a *app) error {
	return a.change(ctx, c.Job, c.Follow, func(p product) call { return p.retry })
}

// change changes a job and shows the result.
func (a *app) change(ctx context.Context, name string, follow bool, how func(product) call) error {
	cl, err := a.client(true)
	if err != nil {
		return err
	}
	p, job, err := a.job(ctx, cl, name)
	if err != nil {
		return err
	}
	if err := how(p).do(ctx, job.Id, nil); err != nil {
		return err
	}
	if _, job, err = a.job(ctx, cl, name); err != nil {
		return err
	}
	if follow {
		return a.follow(ctx, p, job)
	}
	return a.out.Emit(job, func(w io.Writer) { printJob(w, job, nil) })
}

type bulkFileFlags struct {
	Job    string `arg:"" help:"Id of the job."`
	Output string `short:"o" required:"" help:"The output file, or - for standard output." placeholder:"FILE"`
	Force  bool   `short:"f" help:"Overwrite the output file."`
}

type (
	bulkErrorsCmd  struct{ bulkFileFlags }
	bulkResultsCmd struct{ bulkFileFlags }
)

// Run writes the failed rows.
func (c *bulkErrorsCmd) Run(ctx context.Context, a *app) error {
	return c.write(ctx, a, func(p product) call { return p.errors })
}

// Run writes the results.
func (c *bulkResultsCmd) Run(ctx context.Context, a *app) error {
	return c.write(ctx, a, func(p product) call { return p.results })
}

// write writes a file of a job as it arrives.
func (c *bulkFileFlags) write(ctx context.Context, a *app, which func(product) call) error {
	if err := a.mayWrite(c.Output, c.Force); err != nil {
		return err
	}
	cl, err := a.client(true)
	if err != nil {
		return err
	}
	p, job, err := a.job(ctx, cl, c.Job)
	if err != nil {
		return err
	}
	var size int64
	err = a.write(c.Output, c.Force, func(w io.Writer) error {
		res, err := which(p)(ctx, job.Id)
		if err != nil {
			return err
		}
		defer res.Body.Close()
		if res.StatusCode != http.StatusOK {
			return client.Refusal(res)
		}
		if strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") {
			return client.ErrNotGateway
		}
		size, err = io.Copy(w, res.Body)
		return err
	})
	if err != nil {
		return err
	}
	return a.out.Emit(map[string]any{"id": job.Id, "file": c.Output, "sizeBytes": size}, func(w io.Writer) {
		if c.Output != "-" {
			fmt.Fprintf(w, "✓ %s  %d bytes\n", c.Output, size)
		}
	})
}
