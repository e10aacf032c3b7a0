package bulk

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"tcode/offline/contain"
	"tcode/server/fault"
	"tcode/server/issue/bulk/intake"
	"tcode/server/platform/hold"
	"tcode/server/platform/spool"
	"tcode/server/tenant"
)

// makeRows makes the rows that are pending and ends the job.
func (r *run) makeRows(ctx context.Context, who tenant.Identity, p Plan, archive *intake.Archive) error {
	workers, working := contain.WithContext(ctx)
	next := make(chan Row)
	for range r.atOnce(ctx) {
		workers.Go("bulk-worker", func() error {
			for row := range next {
				hold.Item(ctx, itemOf(row))
				if err := r.makeRow(working, who, p, archive, row); err != nil {
					return err
				}
			}
			return nil
		})
	}
	err := contain.Do("bulk-feed", func() error { return r.feed(working, next) })
	close(next)
	made := workers.Wait()
	hold.Item(ctx, "")
	switch {
	case errors.Is(context.Cause(ctx), ErrCancelled), errors.Is(err, ErrCancelled), errors.Is(made, ErrCancelled):
		return r.end(context.WithoutCancel(ctx), Stopped, "")
	case made != nil: // it is the cause of err
		return made
	case err != nil:
		return r.giveUp(ctx, err)
	}
	return r.finish(ctx)
}

// atOnce is the number of rows that are made concurrently.
func (r *run) atOnce(ctx context.Context) int {
	if hold.IsAlone(ctx) {
		return 1
	}
	return r.c.AtOnce
}

// ErrCancelled means that a job is being cancelled: nothing more is made.
var ErrCancelled = errors.New("the bulk job is being cancelled")

// feed hands out the rows that are pending, asking before each whether the job still stands and
// its author may still issue. The transaction of each row asks once more whether the job stands,
// which ends with the right of its author.
func (r *run) feed(ctx context.Context, next chan<- Row) error {
	return r.eachRow(ctx, r.job, RowPending, func(row Row) error {
		status, err := r.c.Store.BulkStatus(ctx, r.job.ID, r.owner)
		switch {
		case err != nil:
			return err
		case status == Cancelling:
			return ErrCancelled
		}
		if _, err := r.identity(ctx); err != nil {
			return err
		}
		select {
		case next <- row:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
}

// makeRow makes one row, or stores why it was not made. A row whose work panics, hangs, or
// fails in all tries without an outage fails: if it were tried again with its job, it would hold
// up the other rows. It returns an error after an outage that does not go away soon.
func (r *run) makeRow(ctx context.Context, who tenant.Identity, p Plan, archive *intake.Archive, row Row) error {
	err := contain.Within(contain.SeedNamed(ctx, row.File), "bulk-row", r.rowTime, func(ctx context.Context) error {
		return r.tryRow(ctx, who, p, archive, row)
	})
	if ctx.Err() != nil || !contain.Fault(err) {
		return err
	}
	return r.faulted(ctx, row, err)
}

// faulted fails a row for a fault of the gateway.
func (r *run) faulted(ctx context.Context, row Row, err error) error {
	r.c.Log.ErrorContext(ctx, "bulk row failed", slog.String("job", r.job.ID), slog.Int("row", row.Number), slog.Any("err", err))
	return r.fail(ctx, row, fault.New(fault.Internal, fault.CodeInternal, "%s", rowFault))
}

// rowFault tells the tenant that a row's work panicked, hung, or failed in each try.
var rowFault = fault.Say("the gateway failed on this row, for a reason that its log has; the other rows are not affected")

// tryRow makes one row, in some tries.
func (r *run) tryRow(ctx context.Context, who tenant.Identity, p Plan, archive *intake.Archive, row Row) error {
	pdf, err := fileOf(row, archive)
	if err != nil {
		return r.fail(ctx, row, fault.New(fault.Invalid, fault.CodeValidationFailed, "the file %v", err))
	}
	defer pdf.Close()
	e := p.Layout().entry(row.Cells, pdf)
	once := &tenant.IdempotencyRecord{Row: &tenant.BulkRow{Job: r.job.ID, Number: row.Number}}
	for try := 1; ; try++ {
		_, err = p.Make(ctx, who, e, once)
		switch f := fault.As(err); {
		case err == nil, errors.Is(err, tenant.ErrAnswered):
			return nil // made by this runner, or by another one meanwhile
		case errors.Is(err, ErrCancelled):
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case contain.Fault(err):
			return err
		case f.Kind != fault.Internal && f.Kind != fault.Unavailable:
			return r.fail(ctx, row, f)
		case try == rowTries && !r.c.Outage(err):
			return r.faulted(ctx, row, err)
		case try == rowTries:
			return err
		}
		if err := wait(ctx, rowPause); err != nil {
			return err
		}
	}
}

// fileOf returns a row's file, nil if it names none.
func fileOf(row Row, archive *intake.Archive) (*spool.Upload, error) {
	if row.File == "" {
		return nil, nil
	}
	i, _, err := archive.Find(row.File)
	if err != nil {
		return nil, err
	}
	data, err := archive.Read(i)
	return spool.Bytes(data), err
}

// fail stores why a row was not made.
func (r *run) fail(ctx context.Context, row Row, f *fault.Fault) error {
	row.State, row.Code, row.Message, row.UpdatedAt = RowFailed, f.Code, f.Message, r.now()
	return r.c.Store.FailRow(ctx, r.job.Tenant, r.job.ID, row)
}

// finish ends a job whose rows all have an outcome.
func (r *run) finish(ctx context.Context) error {
	j, err := r.c.Store.Bulk(ctx, r.job.Tenant, r.job.ID)
	if err != nil {
		return err
	}
	if j.Status == Cancelling { // too late for it: all rows have an outcome
		return r.end(ctx, Stopped, "")
	}
	return r.cancelled(ctx, r.end(ctx, j.Counts.Outcome(), ""))
}

func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}
