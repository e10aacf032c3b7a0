package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"tcode/server/fault"
	"tcode/server/issue/bulk"
	"tcode/server/platform/jobs"
	"tcode/server/tenant"
)

// openBulks is the condition of the index bulk_jobs_wake.
const openBulks = `status IN ('Scheduled', 'Pending', 'Validating', 'Processing', 'Cancelling')`

// TakeBulk gives a job to owner.
func (d *DB) TakeBulk(ctx context.Context, id, owner string, now, until time.Time) (j bulk.Job, taken bool, err error) {
	err = d.write(ctx, everyone, func(tx *sql.Tx) error {
		taken = false
		var holder string
		var wake int64
		err := tx.QueryRowContext(ctx, `SELECT owner, wake_at FROM bulk_jobs WHERE id = $1 AND `+openBulks+d.forUpdate, id).Scan(&holder, &wake)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if j, err = scanBulk(tx.QueryRowContext(ctx, `SELECT `+bulkColumns+` FROM bulk_jobs WHERE id = $1`, id)); err != nil {
			return err
		}
		if holder != "" && ms(now) < wake || j.ScheduledFor.After(now) {
			return nil
		}
		if next, err := j.Status.Next(bulk.Take); err == nil {
			j.Status = next
		}
		_, err = tx.ExecContext(ctx, `UPDATE bulk_jobs SET owner = $1, wake_at = $2, status = $3, updated_at = $4 WHERE tenant = $5 AND id = $6`,
			owner, ms(until), j.Status, ms(now), j.Tenant, id)
		taken = err == nil
		return err
	})
	return j, taken, wrap(err, "take bulk job %s", id)
}

// HoldBulk extends the hold of owner.
func (d *DB) HoldBulk(ctx context.Context, id, owner string, until time.Time) error {
	err := d.write(ctx, everyone, func(tx *sql.Tx) error {
		return owned(tx.ExecContext(ctx, `UPDATE bulk_jobs SET wake_at = $1 WHERE id = $2 AND owner = $3`, ms(until), id, owner))
	})
	return wrap(err, "hold bulk job %s", id)
}

// owned returns [bulk.ErrLost] if a statement on the job of an owner changed no row.
func owned(res sql.Result, err error) error {
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err == nil && n == 0 {
		return bulk.ErrLost
	}
	return err
}

// BulkStatus returns the status of a job that owner holds.
func (d *DB) BulkStatus(ctx context.Context, id, owner string) (s bulk.Status, err error) {
	err = d.read(ctx, everyone, func(q queryer) error {
		err := q.QueryRowContext(ctx, `SELECT status FROM bulk_jobs WHERE id = $1 AND owner = $2`, id, owner).Scan(&s)
		if errors.Is(err, sql.ErrNoRows) {
			return bulk.ErrLost
		}
		return err
	})
	return s, wrap(err, "status of bulk job %s", id)
}

// moveHeld returns the status that a leads to for a job that owner holds. The job's row is
// then locked.
func (d *DB) moveHeld(ctx context.Context, tx *sql.Tx, j bulk.Job, owner string, a bulk.Action) (bulk.Status, error) {
	var now bulk.Status
	err := tx.QueryRowContext(ctx, `SELECT status FROM bulk_jobs WHERE tenant = $1 AND id = $2 AND owner = $3`+d.forUpdate, j.Tenant, j.ID, owner).Scan(&now)
	if errors.Is(err, sql.ErrNoRows) {
		return "", bulk.ErrLost
	}
	if err != nil {
		return "", err
	}
	return now.Next(a)
}

// AcceptBulk stores the rows of a job's files.
func (d *DB) AcceptBulk(ctx context.Context, j bulk.Job, owner string, a bulk.Action, rows iter.Seq[bulk.Row], at time.Time) error {
	columns, problems, unmatched, err := bulkFindings(j)
	if err != nil {
		return fmt.Errorf("accept bulk job: %w", err)
	}
	err = d.write(ctx, j.Tenant, func(tx *sql.Tx) error {
		to, err := d.moveHeld(ctx, tx, j, owner, a)
		if err != nil {
			return err
		}
		finished, holder := int64(0), owner
		if to.Over() {
			finished, holder = ms(at), ""
		}
		_, err = tx.ExecContext(ctx, `
			UPDATE bulk_jobs SET status = $1, columns = $2, problems = $3, more_problems = $4, message = $5, accepted = $6, total = $7,
				finished_at = $8, owner = $9, updated_at = $10, unmatched = $11,
				started_at = CASE WHEN $1 = 'Processing' AND started_at = 0 THEN $10 ELSE started_at END
			WHERE tenant = $12 AND id = $13`,
			string(to), columns, problems, j.MoreProblems, j.Message, one(j.Accepted || rows != nil), j.Counts.Total,
			finished, holder, ms(at), unmatched, j.Tenant, j.ID)
		if err != nil {
			return err
		}
		if err := insertBulkRows(ctx, tx, j, rows, at); err != nil {
			return err
		}
		return emitBulk(ctx, tx, j.Tenant, j.ID, to, at)
	})
	return wrap(err, "accept bulk job")
}

func bulkFindings(j bulk.Job) (columns, problems, unmatched string, err error) {
	for into, v := range map[*string]any{
		&columns: append([]string{}, j.Columns...), &problems: j.Problems, &unmatched: j.Unmatched,
	} {
		b, err := json.Marshal(v)
		if err != nil {
			return "", "", "", err
		}
		if *into = string(b); *into == "null" {
			*into = "[]"
		}
	}
	return columns, problems, unmatched, nil
}

// bulkRowsAtOnce keeps statements below the number of arguments that both engines allow.
const bulkRowsAtOnce = 100

// insertBulkRows inserts rows, which may be nil, with a few of them in memory at a
// time.
func insertBulkRows(ctx context.Context, tx *sql.Tx, j bulk.Job, rows iter.Seq[bulk.Row], at time.Time) error {
	if rows == nil {
		return nil
	}
	const into = `bulk_rows (tenant, job, number, line, state, file, cells, updated_at)`
	in := insertion{into: into}
	for r := range rows {
		cells, err := json.Marshal(r.Cells)
		if err != nil {
			return fmt.Errorf("cells of row %d: %w", r.Number, err)
		}
		in.row(j.Tenant, j.ID, r.Number, r.Line, string(r.State), r.File, string(cells), ms(at))
		if len(in.rows) < bulkRowsAtOnce {
			continue
		}
		if err := in.exec(ctx, tx); err != nil {
			return err
		}
		in = insertion{into: into}
	}
	return in.exec(ctx, tx)
}

// succeedRow marks the row that caused an effect, as the last
// step of the effect's own transaction: rows made concurrently
// wait for each other on their job. It refuses the row of a
// cancelled job.
func succeedRow(ctx context.Context, tx *sql.Tx, tenantRef string, r tenant.BulkRow, at time.Time) error {
	err := owned(tx.ExecContext(ctx, `UPDATE bulk_jobs SET succeeded = succeeded + 1 WHERE tenant = $1 AND id = $2 AND status = 'Processing'`, tenantRef, r.Job))
	if errors.Is(err, bulk.ErrLost) {
		return bulk.ErrCancelled
	}
	if err != nil {
		return fmt.Errorf("count row: %w", err)
	}
	err = owned(tx.ExecContext(ctx, `
		UPDATE bulk_rows SET state = 'Succeeded', made = $1, reference = $2, code = '', message = '', updated_at = $3
		WHERE tenant = $4 AND job = $5 AND number = $6 AND state = 'Pending'`, r.Made, r.Reference, ms(at), tenantRef, r.Job, r.Number))
	if errors.Is(err, bulk.ErrLost) {
		return fault.New(fault.Conflict, fault.CodeConflict, "the row has an outcome").WithErr(tenant.ErrAnswered)
	}
	return wrap(err, "mark row")
}

// FailRow stores the reason why a row was not made.
func (d *DB) FailRow(ctx context.Context, tenantRef, id string, r bulk.Row) error {
	err := d.write(ctx, tenantRef, func(tx *sql.Tx) error { return failRow(ctx, tx, tenantRef, id, r) })
	return wrap(err, "fail row %d of bulk job", r.Number)
}

func failRow(ctx context.Context, tx *sql.Tx, tenantRef, id string, r bulk.Row) error {
	err := owned(tx.ExecContext(ctx, `UPDATE bulk_rows SET state = 'Failed', code = $1, message = $2, updated_at = $3
		WHERE tenant = $4 AND job = $5 AND number = $6 AND state = 'Pending'`, r.Code, r.Message, ms(r.UpdatedAt), tenantRef, id, r.Number))
	if errors.Is(err, bulk.ErrLost) {
		return nil // it has an outcome already
	}
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE bulk_jobs SET failed = failed + 1 WHERE tenant = $1 AND id = $2`, tenantRef, id)
	return err
}

// skipPending gives the rows without an outcome the outcome of a stopped job.
func skipPending(ctx context.Context, tx *sql.Tx, tenantRef, id string, at time.Time) error {
	res, err := tx.ExecContext(ctx, `UPDATE bulk_rows SET state = 'Skipped', updated_at = $1 WHERE tenant = $2 AND job = $3 AND state = 'Pending'`, ms(at), tenantRef, id)
	if err != nil {
		return fmt.Errorf("skip rows: %w", err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE bulk_jobs SET skipped = skipped + $1 WHERE tenant = $2 AND id = $3`, n, tenantRef, id)
	return err
}

// EndBulk moves a job to its end.
func (d *DB) EndBulk(ctx context.Context, j bulk.Job, owner string, a bulk.Action, at time.Time) error {
	err := d.write(ctx, j.Tenant, func(tx *sql.Tx) error {
		to, err := d.moveHeld(ctx, tx, j, owner, a)
		if err != nil {
			return err
		}
		if err := forgetFaults(ctx, tx, jobs.Bulk, j.ID, jobs.Failures); err != nil {
			return err
		}
		return endBulk(ctx, tx, j, to, at)
	})
	return wrap(err, "end bulk job")
}

// endBulk moves a job to its end, also one that is held.
func endBulk(ctx context.Context, tx *sql.Tx, j bulk.Job, to bulk.Status, at time.Time) error {
	_, err := tx.ExecContext(ctx, `UPDATE bulk_jobs SET status = $1, owner = '', message = $2, finished_at = $3, updated_at = $3 WHERE tenant = $4 AND id = $5`,
		string(to), j.Message, ms(at), j.Tenant, j.ID)
	if err != nil {
		return err
	}
	if err := skipPending(ctx, tx, j.Tenant, j.ID, at); err != nil {
		return err
	}
	return emitBulk(ctx, tx, j.Tenant, j.ID, to, at)
}

// ReleaseBulk releases a job.
func (d *DB) ReleaseBulk(ctx context.Context, id, owner string, wake time.Time) error {
	err := d.write(ctx, everyone, func(tx *sql.Tx) error {
		err := owned(tx.ExecContext(ctx, `UPDATE bulk_jobs SET owner = '', wake_at = $1 WHERE id = $2 AND owner = $3`, ms(wake.Add(wakeGrace)), id, owner))
		if errors.Is(err, bulk.ErrLost) {
			return nil
		}
		if err != nil {
			return err
		}
		return d.queue.Add(ctx, tx, jobs.Job{Kind: jobs.Bulk, Subject: id, Due: wake})
	})
	return wrap(err, "release bulk job %s", id)
}

// WakeBulks wakes the runner for jobs that no gateway handled in time.
func (d *DB) WakeBulks(ctx context.Context, now time.Time) error {
	return d.wake(ctx, sleeper{kind: jobs.Bulk, table: "bulk_jobs", open: openBulks, free: true}, now)
}

// ChangeBulk moves a job on a person's request.
func (d *DB) ChangeBulk(
	ctx context.Context, tenantRef, id string, a bulk.Action, author string, at time.Time,
	audit *tenant.Entry,
) (j bulk.Job, err error) {
	err = d.write(ctx, tenantRef, func(tx *sql.Tx) error {
		j, err = scanBulk(tx.QueryRowContext(ctx, `SELECT `+bulkColumns+` FROM bulk_jobs WHERE tenant = $1 AND id = $2`+d.forUpdate, tenantRef, id))
		if err := noBulk(err); err != nil {
			return err
		}
		to, err := j.Status.Next(a)
		if err != nil || to == j.Status {
			return err
		}
		if a == bulk.Retry && j.ZIP.Gone() {
			return fault.New(fault.Conflict, fault.CodeConflict, "the files of this bulk job were deleted: send what is to be made as a new job")
		}
		if a == bulk.Retry {
			j.By = cmp.Or(author, j.By)
			err = d.retryBulk(ctx, tx, j, to, at)
		} else {
			err = d.cancelBulk(ctx, tx, j, to, at)
		}
		if err != nil {
			return err
		}
		if err := insertAudit(ctx, tx, audit); err != nil {
			return err
		}
		j, err = scanBulk(tx.QueryRowContext(ctx, `SELECT `+bulkColumns+` FROM bulk_jobs WHERE tenant = $1 AND id = $2`, tenantRef, id))
		return err
	})
	return j, wrap(err, "%s bulk job", string(a))
}

// cancelBulk stops a job: immediately if no row has begun, else when the runner has seen
// it. It wakes the runner in case the previous one is gone.
func (d *DB) cancelBulk(ctx context.Context, tx *sql.Tx, j bulk.Job, to bulk.Status, at time.Time) error {
	if !to.Over() {
		if _, err := tx.ExecContext(ctx, `UPDATE bulk_jobs SET status = $1, updated_at = $2 WHERE tenant = $3 AND id = $4`, string(to), ms(at), j.Tenant, j.ID); err != nil {
			return err
		}
		return d.queue.Add(ctx, tx, jobs.Job{Kind: jobs.Bulk, Subject: j.ID})
	}
	_, err := tx.ExecContext(ctx, `UPDATE bulk_jobs SET status = $1, owner = '', finished_at = $2, updated_at = $2 WHERE tenant = $3 AND id = $4`, string(to), ms(at), j.Tenant, j.ID)
	if err != nil {
		return err
	}
	if err := skipPending(ctx, tx, j.Tenant, j.ID, at); err != nil {
		return err
	}
	return emitBulk(ctx, tx, j.Tenant, j.ID, to, at)
}

// retryBulk restarts a job with the rows that did not succeed, at its time if that is still to
// come, in the name of j.By.
func (d *DB) retryBulk(ctx context.Context, tx *sql.Tx, j bulk.Job, to bulk.Status, at time.Time) error {
	_, err := tx.ExecContext(ctx, `UPDATE bulk_rows SET state = 'Pending', code = '', message = '', updated_at = $1
		WHERE tenant = $2 AND job = $3 AND state IN ('Failed', 'Skipped')`, ms(at), j.Tenant, j.ID)
	if err != nil {
		return fmt.Errorf("retry rows: %w", err)
	}
	if err := forgetFaults(ctx, tx, jobs.Bulk, j.ID, ""); err != nil {
		return err
	}
	due := at
	if j.ScheduledFor.After(at) {
		due = j.ScheduledFor
	} else {
		j.ScheduledFor = time.Time{}
	}
	_, err = tx.ExecContext(ctx, `
		UPDATE bulk_jobs SET status = $1, owner = '', wake_at = $2, failed = 0, skipped = 0, message = '', problems = '[]', more_problems = 0,
			scheduled_for = $3, finished_at = 0, updated_at = $4, created_by = $5
		WHERE tenant = $6 AND id = $7`, string(to), ms(due.Add(wakeGrace)), ms(j.ScheduledFor), ms(at), j.By, j.Tenant, j.ID)
	if err != nil {
		return err
	}
	return d.queue.Add(ctx, tx, jobs.Job{Kind: jobs.Bulk, Subject: j.ID, Due: j.ScheduledFor})
}
