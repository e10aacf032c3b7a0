package bulk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"runtime"
	"time"

	"tcode/offline/contain"
	"tcode/server/fault"
	"tcode/server/issue/bulk/intake"
	"tcode/server/platform/hold"
	"tcode/server/platform/spool"
	"tcode/server/tenant"
)

// ErrLost means that the runner no longer holds the job: another runner has it.
var ErrLost = fmt.Errorf("the bulk job is held by another: %w", hold.ErrLost)

// Pauses before a job, or a row of it, is tried again when the obstacle is not the
// row's fault.
const (
	rowPause = time.Second
	rowTries = 3
	// rowTime is the time of a row in all its tries. A request of the API has 3 minutes for one.
	rowTime  = 10 * time.Minute
	jobPause = 30 * time.Second
	// longestPause is the most that the pause grows by failures, twice as much each time, and jobTries
	// the number of failures after which a job ends: it fails for two hours then.
	longestPause = 30 * time.Minute
	jobTries     = 10
)

// jobFault tells the tenant that a job failed outside of its rows.
const jobFault = "the gateway failed on this job, for a reason that its log has"

// Run works on the job called id until it is over, cancelled, or ctx ends. It
// does nothing if another runner has it. If the job cannot continue now, Run gives it
// back, has it woken again later, and returns nil too.
func (s *Service) Run(ctx context.Context, id string) error {
	owner := hold.Owner(ctx)
	now := s.now()
	j, taken, err := s.c.Store.TakeBulk(ctx, id, owner, now, now.Add(s.c.Hold))
	if err != nil || !taken {
		return err
	}
	r := &run{Service: s, job: j, owner: owner}
	// Rows that hang do not hold up a person's cancel.
	ctx, endRows := context.WithCancelCause(ctx)
	defer endRows(nil)
	ctx, stop := hold.Keep(ctx, s.c.Hold, func(ctx context.Context) error {
		err := s.c.Store.HoldBulk(ctx, id, owner, s.now().Add(s.c.Hold))
		if err != nil {
			return err
		}
		status, err := s.c.Store.BulkStatus(ctx, id, owner)
		if status == Cancelling {
			endRows(ErrCancelled)
		}
		return err
	})
	defer stop()
	err = contain.Do("bulk-job", func() error { return r.do(ctx) })
	switch {
	case ctx.Err() == nil && contain.Fault(err): // of the work on the files as a whole
		return r.end(ctx, r.failing(), jobFault)
	case err == nil, errors.Is(err, ErrLost), errors.Is(context.Cause(ctx), hold.ErrLost):
		return nil
	}
	wait := time.Duration(0)
	if ctx.Err() == nil {
		s.c.Log.ErrorContext(ctx, "bulk job waits", slog.String("job", id), slog.Any("err", err))
		if wait, err = r.failed(ctx, err); wait == 0 {
			return err // it is over
		}
	}
	// Given back also when the gateway ends: another one need not wait.
	free, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return errors.Join(err, s.c.Store.ReleaseBulk(free, id, owner, s.now().Add(wait)))
}

// failed counts a failure of the job outside of its rows, and returns the time until it is tried
// again; 0: it failed too often, and was ended. During an outage nothing is counted.
func (r *run) failed(ctx context.Context, cause error) (wait time.Duration, err error) {
	if r.c.Outage(cause) {
		return jobPause, nil
	}
	tries, err := r.c.Store.CountBulkFailure(ctx, r.job.ID, cause.Error(), r.now())
	switch {
	case err != nil:
		return jobPause, err
	case tries < jobTries:
		return min(longestPause, jobPause<<(tries-1)), nil
	}
	return 0, r.c.Store.GiveUpBulk(ctx, r.job.ID, jobFault, cause.Error(), r.now())
}

// Wake wakes the runner for jobs that no gateway holds.
func (s *Service) Wake(ctx context.Context) error { return s.c.Store.WakeBulks(ctx, s.now()) }

// A run is one runner's work on one job.
type run struct {
	*Service
	job   Job
	owner string
}

// do runs the step that the job's status requires.
func (r *run) do(ctx context.Context) error {
	if r.job.Status == Cancelling {
		return r.end(ctx, Stopped, "")
	}
	who, err := r.identity(ctx)
	if err != nil {
		return r.giveUp(ctx, err)
	}
	plan, err := r.c.Makers[r.job.Product].Plan(ctx, r.job.Tenant, r.job.Order)
	if err != nil {
		return r.giveUp(ctx, err)
	}
	file, archive, err := r.archive(ctx)
	if file != nil {
		defer file.Close()
	}
	if err != nil && !isArchive(err) {
		return err
	}
	switch {
	case r.job.Status == Validating && r.job.Accepted: // a retry
		if err := r.c.Store.AcceptBulk(ctx, r.job, r.owner, Accept, nil, r.now()); err != nil {
			return r.cancelled(ctx, err)
		}
	case r.job.Status == Validating:
		done, checkErr := r.validate(ctx, who, plan, archive, err)
		if checkErr != nil || done {
			return checkErr
		}
	}
	r.job.Status = Processing
	return r.makeRows(ctx, who, plan, archive)
}

// identity is who the job is done for: its tenant as it is now, and the key or user that
// ordered it.
func (r *run) identity(ctx context.Context) (tenant.Identity, error) {
	who, err := r.c.Author(ctx, r.job.Tenant, r.job.By)
	who.Test, who.Scopes = r.job.Test, nil
	return who, err
}

// giveUp ends the job when err is permanent, such as a template that was archived or an author
// that was refused meanwhile, and returns err when it may pass.
func (r *run) giveUp(ctx context.Context, err error) error {
	f := fault.As(err)
	if f.Kind == fault.Internal || f.Kind == fault.Unavailable {
		return err
	}
	return r.end(ctx, r.failing(), f.Message)
}

// failing is the action that ends the job without more rows.
func (r *run) failing() Action {
	if r.job.Status == Validating {
		return Reject
	}
	return Fail
}

// archive opens the job's ZIP file in a scratch file without a name. Close removes
// that file.
func (r *run) archive(ctx context.Context) (*spool.Scratch, *intake.Archive, error) {
	f, err := r.c.Spool.Scratch()
	if err != nil {
		return nil, nil, err
	}
	if err := r.c.Blobs.CopyTo(ctx, f, r.job.ZIP.SHA256); err != nil {
		return f, nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return f, nil, err
	}
	a, err := intake.OpenArchive(f, info.Size(), intake.Limits{})
	return f, a, err
}

// isArchive reports whether err is about the contents of a ZIP file, and so for the
// client that sent it.
func isArchive(err error) bool {
	_, ok := errors.AsType[*intake.Refusal](err)
	return ok
}

// validate checks all rows and stores the findings. It reports whether the job is
// over.
func (r *run) validate(ctx context.Context, who tenant.Identity, p Plan, archive *intake.Archive, archiveErr error) (over bool, err error) {
	csv, err := r.csv(ctx, r.job)
	if err != nil {
		return false, err
	}
	defer giveBack(r.job.CSV)
	var found intake.Problems
	var sheet intake.Sheet
	if intake.Swapped(csv, archiveErr) {
		found.Add(0, "", "%s", intake.ErrSwapped.Text)
	} else {
		if archiveErr != nil {
			found.Add(0, "", "%s", refused(archiveErr))
		}
		sheet = intake.ReadSheet(csv, MaxRows, &found)
	}
	c := check{layout: p.Layout(), archive: archive, problems: &found}
	if len(sheet.Columns) > 0 && archiveErr == nil {
		if err = c.sheet(ctx, who, p, sheet); err != nil {
			return false, err
		}
	}
	r.job.Columns, r.job.Problems, r.job.MoreProblems = sheet.Columns, found.List, found.More
	r.job.Unmatched = c.unmatched
	r.job.Counts = Counts{Total: len(sheet.Rows)}
	a, rows := Accept, iter.Seq[Row](nil)
	switch {
	case !found.None():
		a = Reject
		r.job.Message = refusal(len(found.List) + found.More)
	case r.job.DryRun:
		a = Pass
	default:
		rows = c.rows(sheet)
		r.job.Message = ""
	}
	if err := r.c.Store.AcceptBulk(ctx, r.job, r.owner, a, rows, r.now()); err != nil {
		return false, r.cancelled(ctx, err)
	}
	return a != Accept, nil
}

// refusal is the message of a job whose files have that many problems.
func refusal(problems int) string {
	if problems == 1 {
		return "1 problem in the files: nothing was made"
	}
	return fmt.Sprintf("%d problems in the files: nothing was made", problems)
}

// csv returns the CSV file of a job, to be followed by giveBack.
func (s *Service) csv(ctx context.Context, j Job) ([]byte, error) {
	b := bytes.NewBuffer(make([]byte, 0, j.CSV.Bytes+bytes.MinRead)) // which is bounded
	err := s.c.Blobs.CopyTo(ctx, b, j.CSV.SHA256)
	return b.Bytes(), err
}

// giveBack frees the memory of a large table: a gateway's heap may grow to several
// times its live size before it is collected, and some of these tables together
// would fill it.
func giveBack(table File) {
	if table.Bytes > 1<<20 {
		runtime.GC()
	}
}

// cancelled ends the job if err says that it was cancelled meanwhile.
func (r *run) cancelled(ctx context.Context, err error) error {
	if !fault.Is(err, fault.Conflict) {
		return err
	}
	return r.end(ctx, Stopped, "")
}

// end moves the job to its end.
func (r *run) end(ctx context.Context, a Action, message string) error {
	r.job.Message = message
	return r.c.Store.EndBulk(ctx, r.job, r.owner, a, r.now())
}
