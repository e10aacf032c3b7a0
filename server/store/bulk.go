package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"tcode/server/fault"
	"tcode/server/issue"
	"tcode/server/issue/bulk"
	"tcode/server/platform/jobs"
	"tcode/server/tenant"
)

var _ bulk.Store = (*DB)(nil)

const bulkColumns = `tenant, id, product, status, settings, csv_sha256, csv_bytes, zip_sha256, zip_bytes, columns, problems, more_problems, unmatched,
	message, accepted, total, succeeded, failed, skipped, checked, created_by, scheduled_for, created_at, started_at, finished_at, updated_at`

// bulkList are bulkColumns for lists, which need no problems and no columns of the file.
var bulkList = strings.NewReplacer("columns, problems", "'[]' AS columns, '[]' AS problems", "unmatched", "'{}' AS unmatched").Replace(bulkColumns)

func scanBulk(r scanner) (j bulk.Job, err error) {
	var settings, columns, problems, unmatched string
	var product bulk.Product
	var scheduled, created, started, finished, updated int64
	err = r.Scan(&j.Tenant, &j.ID, &product, &j.Status, &settings, &j.CSV.SHA256, &j.CSV.Bytes, &j.ZIP.SHA256, &j.ZIP.Bytes, &columns, &problems, &j.MoreProblems, &unmatched,
		&j.Message, &j.Accepted, &j.Counts.Total, &j.Counts.Succeeded, &j.Counts.Failed, &j.Counts.Skipped, &j.Checked, &j.By,
		&scheduled, &created, &started, &finished, &updated)
	if err != nil {
		return j, err
	}
	for into, text := range map[any]string{&j.Order: settings, &j.Columns: columns, &j.Problems: problems, &j.Unmatched: unmatched} {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			return j, fmt.Errorf("bulk job %s: %w", j.ID, err)
		}
	}
	j.ScheduledFor, j.CreatedAt, j.StartedAt, j.FinishedAt, j.UpdatedAt = fromMS(scheduled), fromMS(created), fromMS(started), fromMS(finished), fromMS(updated)
	return j, nil
}

// InsertBulk stores a new job and wakes the runner.
func (d *DB) InsertBulk(ctx context.Context, j bulk.Job, once *tenant.IdempotencyRecord, audit *tenant.Entry) error {
	settings, err := json.Marshal(j.Order)
	if err != nil {
		return fmt.Errorf("settings of bulk job %s: %w", j.ID, err)
	}
	err = d.write(ctx, j.Tenant, func(tx *sql.Tx) error {
		if err := d.takeQuota(ctx, tx, j.Tenant, tenant.KindBulkJobs.Of(j.Test), 1, j.CreatedAt); err != nil {
			return err
		}
		due := j.CreatedAt
		if j.ScheduledFor.After(due) {
			due = j.ScheduledFor
		}
		if err := nameable(ctx, tx, j); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `
			INSERT INTO bulk_jobs (tenant, id, product, status, settings, csv_sha256, csv_bytes, zip_sha256, zip_bytes, created_by, wake_at, scheduled_for, created_at, updated_at, test, checked)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
			j.Tenant, j.ID, j.Product, j.Status, string(settings), j.CSV.SHA256, j.CSV.Bytes, j.ZIP.SHA256, j.ZIP.Bytes, j.By, ms(due.Add(wakeGrace)), ms(j.ScheduledFor), ms(j.CreatedAt), ms(j.UpdatedAt), one(j.Test), j.Checked)
		if isUnique(err, "bulk_jobs") && j.Checked != "" {
			return fault.New(fault.Conflict, fault.CodeDuplicate, "this dry run was ordered already")
		}
		if err != nil {
			return fmt.Errorf("insert row: %w", err)
		}
		if err := insertAudit(ctx, tx, audit); err != nil {
			return err
		}
		if err := d.queue.Add(ctx, tx, jobs.Job{Kind: jobs.Bulk, Subject: j.ID, Due: j.ScheduledFor}); err != nil || once == nil {
			return err
		}
		return putIdempotencyRecord(ctx, tx, *once)
	})
	return wrap(err, "insert bulk job %s", j.ID)
}

// nameable checks that a row may name the files of j. Those of a dry run were not put again:
// they are there as long as a row names them.
func nameable(ctx context.Context, tx *sql.Tx, j bulk.Job) error {
	err := notCondemned(ctx, tx, map[string]int{j.CSV.SHA256: j.CSV.Copy, j.ZIP.SHA256: j.ZIP.Copy})
	if _, condemned := errors.AsType[*issue.CondemnedError](err); j.Checked == "" || err != nil && !condemned {
		return err
	}
	for _, f := range []bulk.File{j.CSV, j.ZIP} {
		named, err := isNamed(ctx, tx, f.SHA256)
		if err == nil && !named {
			err = fault.New(fault.NotFound, fault.CodeNotFound, "the files of this dry run were deleted")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Bulk returns one job.
func (d *DB) Bulk(ctx context.Context, tenantRef, id string) (bulk.Job, error) {
	return readAs(ctx, d, tenantRef, func(ctx context.Context, q queryer) (bulk.Job, error) {
		j, err := scanBulk(q.QueryRowContext(ctx, `SELECT `+bulkColumns+` FROM bulk_jobs WHERE tenant = $1 AND id = $2`, tenantRef, id))
		return j, noBulk(err)
	})
}

func noBulk(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return bulk.NoJob()
	}
	return wrap(err, "read bulk job")
}

// BulkOf returns the job that was made of a dry run.
func (d *DB) BulkOf(ctx context.Context, tenantRef, dryRun string) (bulk.Job, error) {
	return readAs(ctx, d, tenantRef, func(ctx context.Context, q queryer) (bulk.Job, error) {
		j, err := scanBulk(q.QueryRowContext(ctx, `SELECT `+bulkColumns+` FROM bulk_jobs WHERE tenant = $1 AND checked = $2 AND checked <> ''`, tenantRef, dryRun))
		return j, noBulk(err)
	})
}

// Bulks returns one page of a tenant's jobs.
func (d *DB) Bulks(ctx context.Context, tenantRef string, f bulk.Filter, page, pageSize int) (bulk.Page, error) {
	p := bulk.Page{Page: page, PageSize: pageSize}
	err := d.read(ctx, tenantRef, func(q queryer) (err error) {
		var w where
		w.and("tenant = ?", tenantRef)
		if f.Product != "" {
			w.and("product = ?", string(f.Product))
		}
		if f.Status != "" {
			w.and("status = ?", string(f.Status))
		}
		if f.Test {
			w.and("test = 1") // as in the index
		}
		if p.TotalCount, p.TotalIsLowerBound, err = d.count(ctx, q, "bulk_jobs", &w); err != nil {
			return err
		}
		n := len(w.args)
		p.Items, err = all(ctx, q, scanBulk, `SELECT `+bulkList+` FROM bulk_jobs WHERE `+w.String()+
			fmt.Sprintf(` ORDER BY created_at DESC, id DESC LIMIT $%d OFFSET $%d`, n+1, n+2), append(w.args, pageSize, (page-1)*pageSize)...)
		return err
	})
	return p, wrap(err, "list bulk jobs")
}

const bulkRowColumns = `number, line, state, file, cells, made, reference, code, message, updated_at,
	COALESCE((SELECT s.warnings FROM stamps s WHERE s.tenant = bulk_rows.tenant AND s.id = bulk_rows.made),
		(SELECT d.warnings FROM documents d WHERE d.tenant = bulk_rows.tenant AND d.id = bulk_rows.made), '[]')`

// BulkRows returns the next rows of a job in order.
func (d *DB) BulkRows(ctx context.Context, tenantRef, id string, state bulk.RowState, after, limit int) ([]bulk.Row, error) {
	return readAs(ctx, d, tenantRef, func(ctx context.Context, q queryer) ([]bulk.Row, error) {
		where, args := `tenant = $1 AND job = $2 AND number > $3`, []any{tenantRef, id, after, limit}
		if state != "" {
			where, args = where+` AND state = $5`, append(args, string(state))
		}
		rows, err := all(ctx, q, scanBulkRow, `SELECT `+bulkRowColumns+` FROM bulk_rows WHERE `+where+` ORDER BY number LIMIT $4`, args...)
		return rows, wrap(err, "read rows of bulk job %s", id)
	})
}

// BulkRowPage returns one page of the rows of a job in a state or, with "", of all its
// rows.
func (d *DB) BulkRowPage(ctx context.Context, tenantRef, id string, state bulk.RowState, page, pageSize int) (bulk.RowPage, error) {
	p := bulk.RowPage{Page: page, PageSize: pageSize}
	err := d.read(ctx, tenantRef, func(q queryer) error {
		where, args := `tenant = $1 AND job = $2`, []any{tenantRef, id}
		if state != "" {
			where, args = where+` AND state = $3`, append(args, string(state))
		}
		if err := q.QueryRowContext(ctx, `SELECT count(*) FROM bulk_rows WHERE `+where, args...).Scan(&p.TotalCount); err != nil {
			return err
		}
		n := len(args)
		var err error
		p.Items, err = all(ctx, q, scanBulkRow, `SELECT `+bulkRowColumns+` FROM bulk_rows WHERE `+where+
			fmt.Sprintf(` ORDER BY number LIMIT $%d OFFSET $%d`, n+1, n+2), append(args, pageSize, (page-1)*pageSize)...)
		return err
	})
	return p, wrap(err, "list rows of bulk job %s", id)
}

func scanBulkRow(r scanner) (row bulk.Row, err error) {
	var cells, warnings string
	var updated int64
	err = r.Scan(&row.Number, &row.Line, &row.State, &row.File, &cells, &row.Made.ID, &row.Made.Reference, &row.Code, &row.Message, &updated, &warnings)
	if err != nil {
		return row, err
	}
	row.UpdatedAt = fromMS(updated)
	if err := json.Unmarshal([]byte(warnings), &row.Warnings); err != nil {
		return row, wrap(err, "warnings of row %d", row.Number)
	}
	return row, wrap(json.Unmarshal([]byte(cells), &row.Cells), "cells of row %d", row.Number)
}
