package store

import (
	"context"
	"database/sql"
	"time"

	"tcode/server/platform/hold"
	"tcode/server/platform/jobs"
)

// wakeGrace is the time after which a wake-up counts as lost: one of a gateway that is killed
// before it took the work. Work that only waits for its turn is then woken twice, which does
// no harm.
const wakeGrace = 10 * time.Second

// wokenAtOnce is the number of wake-ups of one transaction, the oldest first.
const wokenAtOnce = 100

// ReadClock compares the clock of the database's machine, which all gateways share, with this
// machine's, for [DB.Ahead].
func (d *DB) ReadClock(ctx context.Context) error { return d.engine.ReadClock(ctx) }

// Ahead returns how far the clock of the database's machine is ahead of this machine's.
func (d *DB) Ahead() time.Duration { return d.engine.Ahead() }

// heldRow returns a [hold.ErrLost] if a statement on the row of an owner changed no row.
func heldRow(res sql.Result, err error) error {
	n, err := count(res, err)
	if err == nil && n == 0 {
		return hold.ErrLost
	}
	return err
}

// A sleeper is a table of work with the columns id, owner and wake_at.
type sleeper struct {
	kind  jobs.Kind
	table string
	open  string // condition of the work that is not over: that of the table's index of wake_at
	free  bool   // whether an owner whose hold ended is removed
}

// wake wakes the runner for work that no gateway handled in time. It reads before it writes:
// there mostly is nothing, and it is called often.
func (d *DB) wake(ctx context.Context, s sleeper, now time.Time) error {
	due := s.table + ` WHERE wake_at <= $1 AND ` + s.open
	any := false
	err := d.read(ctx, everyone, func(q queryer) error {
		return q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM `+due+`)`, ms(now)).Scan(&any)
	})
	if err != nil || !any {
		return wrap(err, "look for work of kind %s", string(s.kind))
	}
	change := `UPDATE ` + s.table + ` SET wake_at = $1 WHERE id = $2`
	if s.free {
		change = `UPDATE ` + s.table + ` SET wake_at = $1, owner = '' WHERE id = $2`
	}
	skip := ""
	if d.forUpdate != "" {
		// A locked row is being woken or held by another. Effects lock the key of an endpoint.
		skip = ` FOR NO KEY UPDATE SKIP LOCKED`
	}
	err = d.write(ctx, everyone, func(tx *sql.Tx) error {
		ids, err := all(ctx, tx, func(r scanner) (id string, err error) { return id, r.Scan(&id) },
			`SELECT id FROM `+due+` ORDER BY wake_at LIMIT $2`+skip, ms(now), wokenAtOnce)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if _, err := tx.ExecContext(ctx, change, ms(now.Add(wakeGrace)), id); err != nil {
				return err
			}
			if err := d.queue.Add(ctx, tx, jobs.Job{Kind: s.kind, Subject: id}); err != nil {
				return err
			}
		}
		return nil
	})
	return wrap(err, "wake work of kind %s", string(s.kind))
}
