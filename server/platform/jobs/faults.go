package jobs

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// endsAllowed is the number of times that an item may end its process before it is set aside.
const endsAllowed = 2

// faultsFor is the time for which the record of a fault is kept.
const faultsFor = 30 * 24 * time.Hour

// faults records the items that ended a work process.
type faults struct {
	db  *sql.DB
	now func() time.Time
}

// add counts an end of a process by an item, and returns how often that was now.
func (f faults) add(ctx context.Context, kind Kind, subject, item, cause string) (ends int, err error) {
	err = f.db.QueryRowContext(ctx, `INSERT INTO work_faults (kind, subject, item, ends, cause, at) VALUES ($1, $2, $3, 1, $4, $5)
		ON CONFLICT (kind, subject, item) DO UPDATE SET ends = work_faults.ends + 1, cause = excluded.cause, at = excluded.at RETURNING ends`,
		string(kind), subject, item, cause, f.now().UnixMilli()).Scan(&ends)
	if err != nil {
		return 0, fmt.Errorf("record the end of a work process: %w", err)
	}
	return ends, nil
}

// aside records that an item is not tried again.
func (f faults) aside(ctx context.Context, kind Kind, subject, item string) error {
	_, err := f.db.ExecContext(ctx, `UPDATE work_faults SET aside = 1, at = $1 WHERE kind = $2 AND subject = $3 AND item = $4`,
		f.now().UnixMilli(), string(kind), subject, item)
	if err != nil {
		return fmt.Errorf("record what was set aside: %w", err)
	}
	return nil
}

// of returns how often a subject ended its process, and whether it is set aside.
func (f faults) of(ctx context.Context, kind Kind, subject string) (ends int, aside bool, err error) {
	err = f.db.QueryRowContext(ctx, `SELECT ends, aside = 1 FROM work_faults WHERE kind = $1 AND subject = $2 AND item = ''`, string(kind), subject).Scan(&ends, &aside)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("look for faults of work: %w", err)
	}
	return ends, aside, nil
}

// forget removes the record of a subject.
func (f faults) forget(ctx context.Context, kind Kind, subject string) error {
	_, err := f.db.ExecContext(ctx, `DELETE FROM work_faults WHERE kind = $1 AND subject = $2 AND item = ''`, string(kind), subject)
	if err != nil {
		return fmt.Errorf("forget faults of work: %w", err)
	}
	return nil
}

// clean removes old records.
func (f faults) clean(ctx context.Context) error {
	_, err := f.db.ExecContext(ctx, `DELETE FROM work_faults WHERE at < $1`, f.now().Add(-faultsFor).UnixMilli())
	return err
}
