package bulk

import (
	"context"
	"errors"
	"sync"
	"time"

	"tcode/server/fault"
	"tcode/server/issue/bulk/intake"
	"tcode/server/platform/spool"
	"tcode/server/tenant"
)

// makeRows makes the rows that are pending and ends the job.
func (r *run) makeRows(ctx context.Context, who tenant.Identity, p Plan, archive *intake.Archive) error {
	working, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	next := make(chan Row)
	var workers sync.WaitGroup
	for range r.c.AtOnce {
		workers.Go(func() {
			for row := range next {
				if err := r.makeRow(working, who, p, archive, row); err != nil {
					stop(err)
				}
			}
		})
	}
	err := r.feed(working, next)
	close(next)
	workers.Wait()
	switch {
	case errors.Is(err, ErrCancelled), errors.Is(context.Cause(working), ErrCancelled):
		return r.end(ctx, Stopped, "")
	case context.Cause(working) != nil: // it is the cause of err
		return context.Cause(working)
	case err != nil:
		return err
	}
	return r.finish(ctx)
}

// ErrCancelled means that a job is being cancelled: nothing more is made.
var ErrCancelled = errors.New("the bulk job is being cancelled")

// feed hands out the rows that are pending, asking before each whether the job
// still stands. The transaction of each row asks once more.
func (r *run) feed(ctx context.Context, next chan<- Row) error {
	return r.eachRow(ctx, r.job, RowPending, func(row Row) error {
		status, err := r.c.Store.BulkStatus(ctx, r.job.ID, r.owner)
		switch {
		case err != nil:
			return err
		case status == Cancelling:
			return ErrCancelled
		}
		select {
		case next <- row:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
}

// makeRow makes one row. It returns an error if the obstacle is not the row's fault
// and will not go away soon.
func (r *run) makeRow(ctx context.Context, who tenant.Identity, p Plan, archive *intake.Archive, row Row) error {
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
		case f.Kind != fault.Internal && f.Kind != fault.Unavailable:
			return r.fail(ctx, row, f)
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
	i, err := archive.Find(row.File)
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
