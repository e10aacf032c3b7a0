package main

import (
	"context"
	"fmt"
	"io"

	"tcode/cmd/internal/cli"
	"tcode/server/httpapi/api"
)

// shownRows is the number of failed rows that are shown with a job: the rest
// are in the file of "bulk errors".
const shownRows = 10

// show prints a job. The exit code is 1 if the job did not do everything.
func (a *app) show(ctx context.Context, p product, job api.BulkJobDetail) error {
	var failed api.BulkRowPage
	if job.Counts.Failed > 0 && over(job.Status) && !a.out.JSON {
		if err := p.failed.do(ctx, job.Id, &failed); err != nil {
			return err
		}
	}
	if err := a.out.Emit(job, func(w io.Writer) { printJob(w, job, failed.Items) }); err != nil {
		return err
	}
	if over(job.Status) && job.Status != api.BulkJobStatusCompleted {
		return cli.Exit(cli.CodeFailed, nil)
	}
	return nil
}

// shownFiles is the number of files that no row names which are shown with a job.
const shownFiles = 10

// printUnnamed prints the files of the archive that no row names.
func printUnnamed(w io.Writer, u api.BulkUnmatched) {
	shown := u.Files[:min(len(u.Files), shownFiles)]
	for _, f := range shown {
		fmt.Fprintf(w, "   no row names the file %s\n", cli.Printable(f.FileName))
	}
	if more := len(u.Files) - len(shown) + int(u.MoreFiles); more > 0 {
		fmt.Fprintf(w, "   and %d more files that no row names\n", more)
	}
}

// printJob prints a job, and why its first failed rows failed.
func printJob(w io.Writer, job api.BulkJobDetail, failed []api.BulkRow) {
	mark := map[api.BulkJobStatus]string{
		api.BulkJobStatusCompleted: "✓", api.BulkJobStatusCompletedWithErrors: "!", api.BulkJobStatusFailed: "✗", api.BulkJobStatusCancelled: "✗",
	}[job.Status]
	if mark == "" {
		mark = "…"
	}
	c := job.Counts
	what := "made"
	if job.DryRun {
		what = "made, because this was only a check"
	}
	fmt.Fprintf(w, "%s %s  %s: %d of %d rows %s, %d failed, %d skipped\n", mark, job.Status, job.Id, c.Succeeded, c.Total, what, c.Failed, c.Skipped)
	if job.Message != nil {
		fmt.Fprintf(w, "   %s\n", cli.Printable(*job.Message))
	}
	for _, p := range job.Problems {
		at := "files"
		if p.Line > 0 {
			at = fmt.Sprintf("line %d", p.Line)
		}
		if p.Column != nil {
			at += ", " + *p.Column
		}
		fmt.Fprintf(w, "   %s: %s\n", cli.Printable(at), cli.Printable(p.Message))
	}
	if job.MoreProblems > 0 {
		fmt.Fprintf(w, "   and %d more\n", job.MoreProblems)
	}
	for _, row := range failed {
		message := ""
		if row.Message != nil {
			message = *row.Message
		}
		fmt.Fprintf(w, "   line %d: %s\n", row.Line, cli.Printable(message))
	}
	if more := int(job.Counts.Failed) - len(failed); len(failed) > 0 && more > 0 {
		fmt.Fprintf(w, "   and %d more\n", more)
	}
	printUnnamed(w, job.Unmatched)
	if job.Status == api.BulkJobStatusCompletedWithErrors || job.Status == api.BulkJobStatusFailed {
		fmt.Fprintf(w, "   Next: tcode bulk errors %s -o errors.csv, correct it, and submit that; or tcode bulk retry %s\n", job.Id, job.Id)
	}
}
