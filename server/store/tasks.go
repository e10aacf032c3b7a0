package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"tcode/server/fault"
	"tcode/server/platform/jobs"
	"tcode/server/tenant"
)

// workTables are the tables with the work of each kind that is not over. The columns: tenant, input,
// owner, wake_at, and since. Other kinds have no subjects of tenants.
var workTables = map[jobs.Kind]struct{ table, columns, where string }{
	jobs.Bulk: {"bulk_jobs", `tenant, 'job of ' || total || ' rows, ' || lower(status), owner, wake_at, created_at`, openBulks},
	jobs.Batch: {
		"batches", `tenant, 'order to ' || action || ' ' || total || ' records, ' || done || ' done', owner, wake_at, created_at`, `state = 'Running'`,
	},
	jobs.Webhook: {
		"webhooks", `tenant, 'deliveries to an address', owner, wake_at, created_at`,
		`EXISTS (SELECT 1 FROM webhook_deliveries x WHERE x.tenant = t.tenant AND x.endpoint = t.id AND x.state = 'Waiting')`,
	},
	jobs.Mail:    {"mails", `tenant, 'message of ' || coalesce(document_id, stamp_id), owner, wake_at, created_at`, openMails},
	jobs.Privacy: {"erasures", `tenant, 'erasure of a ' || subject || ', ' || step, '', due_at AS wake_at, requested_at`, `step <> 'done'`},
}

// Tasks returns background work, by kind and age: what is not over, and what ended its
// process.
func (d *DB) Tasks(ctx context.Context, f jobs.TaskFilter, now time.Time) (list []jobs.Task, err error) {
	err = d.read(ctx, everyone, func(q queryer) error {
		list = nil
		suspects, err := suspectWork(ctx, q, now)
		if err != nil {
			return err
		}
		for _, kind := range jobs.Kinds() {
			if f.Kind != "" && f.Kind != kind {
				continue
			}
			some, err := faultyWork(ctx, q, kind, f)
			if err != nil {
				return err
			}
			waiting, err := openWork(ctx, q, kind, f, now)
			if err != nil {
				return err
			}
			for i := range waiting {
				if suspects[jobs.Task{Kind: kind, Subject: waiting[i].Subject}] {
					waiting[i].State = jobs.Suspect
				}
			}
			list = append(append(list, some...), waiting...)
		}
		list = slices.DeleteFunc(list, func(t jobs.Task) bool {
			return f.State != "" && t.State != f.State || f.Tenant != "" && t.Tenant != f.Tenant
		})
		return nil
	})
	return list, wrap(err, "list background work")
}

// suspectWork returns the kinds and subjects of work that a gateway began that is gone.
func suspectWork(ctx context.Context, q queryer, now time.Time) (map[jobs.Task]bool, error) {
	out := map[jobs.Task]bool{}
	_, err := all(ctx, q, func(r scanner) (t jobs.Task, err error) {
		err = r.Scan(&t.Kind, &t.Subject)
		out[t] = true
		return t, err
	}, `SELECT kind, subject FROM work_begun WHERE until_at < $1`, ms(now))
	return out, err
}

// openWork returns the work of a kind that is not over.
func openWork(ctx context.Context, q queryer, kind jobs.Kind, f jobs.TaskFilter, now time.Time) ([]jobs.Task, error) {
	o, ok := workTables[kind]
	if !ok {
		return nil, nil
	}
	w := new(where)
	w.and(o.where)
	if f.Tenant != "" {
		w.and("tenant = ?", f.Tenant)
	}
	if f.Subject != "" {
		w.and("id = ?", f.Subject)
	}
	return all(ctx, q, func(r scanner) (jobs.Task, error) {
		t := jobs.Task{Kind: kind, State: jobs.Due}
		var owner string
		var wake, since int64
		err := r.Scan(&t.Subject, &t.Tenant, &t.Input, &owner, &wake, &since)
		if owner != "" && wake > ms(now) {
			t.State = jobs.Running
		}
		t.Since = fromMS(since)
		return t, err
	}, fmt.Sprintf(`SELECT id, %s FROM %s AS t WHERE %s ORDER BY wake_at, id LIMIT %d`, o.columns, o.table, w, max(f.Limit, 1)), w.args...)
}

// faultyWork returns the items of a kind that ended their process.
func faultyWork(ctx context.Context, q queryer, kind jobs.Kind, f jobs.TaskFilter) ([]jobs.Task, error) {
	w := new(where)
	w.and("kind = ?", string(kind))
	if f.Subject != "" {
		w.and("subject = ?", f.Subject)
	}
	list, err := all(ctx, q, func(r scanner) (jobs.Task, error) {
		t := jobs.Task{Kind: kind, State: jobs.Suspect}
		var aside, at int64
		err := r.Scan(&t.Subject, &t.Item, &t.Ends, &t.Reason, &aside, &at)
		if aside == 1 {
			t.State = jobs.SetAside
		}
		t.Since = fromMS(at)
		return t, err
	}, fmt.Sprintf(`SELECT subject, item, ends, cause, aside, at FROM work_faults WHERE %s ORDER BY aside DESC, at, item LIMIT %d`, w, max(f.Limit, 1)), w.args...)
	for i := range list {
		if err := describe(ctx, q, &list[i]); err != nil {
			return nil, err
		}
	}
	return list, err
}

// describe adds the tenant and the input of t, unless they are gone.
func describe(ctx context.Context, q queryer, t *jobs.Task) error {
	if t.Kind == jobs.Expiry && t.Item != "" {
		t.Input = "expiry of document " + t.Item
		err := q.QueryRowContext(ctx, `SELECT tenant FROM documents WHERE id = $1`, t.Item).Scan(&t.Tenant)
		return unlessNone(err)
	}
	o, ok := workTables[t.Kind]
	if !ok || t.Kind == jobs.Privacy && len(t.Subject) != len(uuid.Nil.String()) {
		t.Tenant, _, _ = strings.Cut(t.Item, ".") // of a sweep
		t.Input = strings.TrimSpace(inputs[t.Kind][t.Subject] + " " + t.Item)
		if _, ok := tenant.ParseReference(t.Tenant); !ok {
			t.Tenant = ""
		}
		return nil
	}
	err := q.QueryRowContext(ctx, `SELECT tenant FROM `+o.table+` WHERE id = $1`, t.Subject).Scan(&t.Tenant)
	if err != nil {
		return unlessNone(err)
	}
	number, notRow := strconv.Atoi(t.Item)
	switch {
	case t.Kind == jobs.Bulk && notRow == nil:
		var file string
		err = q.QueryRowContext(ctx, `SELECT file FROM bulk_rows WHERE tenant = $1 AND job = $2 AND number = $3`, t.Tenant, t.Subject, number).Scan(&file)
		t.Input = strings.TrimSuffix("row "+t.Item+", "+file, ", ")
	case t.Kind == jobs.Bulk && (t.Item == "" || t.Item == jobs.Failures):
		t.Input = "the files of the job"
	case t.Kind == jobs.Bulk:
		t.Input = t.Item
	case t.Kind == jobs.Batch:
		t.Input = "record " + t.Item
	case t.Kind == jobs.Webhook:
		err = q.QueryRowContext(ctx, `SELECT 'event ' || type FROM webhook_deliveries WHERE tenant = $1 AND id = $2`, t.Tenant, t.Item).Scan(&t.Input)
	case t.Kind == jobs.Privacy:
		t.Input = "erasure of " + t.Subject
	case t.Kind == jobs.Mail:
		err = q.QueryRowContext(ctx, `SELECT 'message of ' || coalesce(document_id, stamp_id) FROM mails WHERE tenant = $1 AND id = $2`, t.Tenant, t.Subject).Scan(&t.Input)
	}
	return unlessNone(err)
}

// unlessNone returns nil if err says that a row is gone.
func unlessNone(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return err
}

// inputs are what subjects of a gateway work on, for people.
var inputs = map[jobs.Kind]map[string]string{
	jobs.Publication: {"keys": "the keys of the root and of tenants", "documents": "the trust documents"},
	jobs.Privacy:     {"sweep": "old data:", "files": "a file that no row names:", "compact": "free space of the database"},
	jobs.Expiry:      {"documents": "documents whose time is over"},
}

// Task returns the work called id, an item of it or not, in any state, or a NotFound fault.
// Its name and tenant are set, and its state if it was set aside.
func (d *DB) Task(ctx context.Context, id string) (t jobs.Task, err error) {
	t.Subject, t.Item, _ = strings.Cut(id, "/")
	err = d.read(ctx, everyone, func(q queryer) error {
		aside := 0
		err := q.QueryRowContext(ctx, `SELECT kind, aside FROM work_faults WHERE subject = $1 AND item = $2`, t.Subject, t.Item).Scan(&t.Kind, &aside)
		if err == nil {
			if aside == 1 {
				t.State = jobs.SetAside
			}
			return describe(ctx, q, &t)
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		for _, t.Kind = range slices.Sorted(maps.Keys(workTables)) {
			err := q.QueryRowContext(ctx, `SELECT tenant FROM `+workTables[t.Kind].table+` WHERE id = $1`, t.Subject).Scan(&t.Tenant)
			if !errors.Is(err, sql.ErrNoRows) {
				return err
			}
		}
		return fault.New(fault.NotFound, fault.CodeNotFound, "no such work: %s", id)
	})
	return t, wrap(err, "find work")
}

// CountSetAside counts the items that were set aside, by kind.
func (d *DB) CountSetAside(ctx context.Context) (map[string]int, error) {
	out := map[string]int{}
	for _, kind := range jobs.Kinds() {
		out[string(kind)] = 0
	}
	err := d.read(ctx, everyone, func(q queryer) error {
		_, err := all(ctx, q, func(r scanner) (n int, err error) {
			var kind string
			err = r.Scan(&kind, &n)
			out[kind] = n
			return n, err
		}, `SELECT kind, count(*) FROM work_faults WHERE aside = 1 GROUP BY kind`)
		return err
	})
	return out, wrap(err, "count what was set aside")
}

// SetAsideOf returns the items of a subject of package privacy that ended their process twice.
func (d *DB) SetAsideOf(ctx context.Context, subject string) (map[string]bool, error) {
	out := map[string]bool{}
	err := d.read(ctx, everyone, func(q queryer) error {
		_, err := all(ctx, q, func(r scanner) (item string, err error) {
			err = r.Scan(&item)
			out[item] = true
			return item, err
		}, `SELECT item FROM work_faults WHERE kind = $1 AND subject = $2 AND aside = 1`, string(jobs.Privacy), subject)
		return err
	})
	return out, wrap(err, "look for what was set aside")
}

// ForgetTask removes the record of an item that ended its process, so that it may be tried
// again.
func (d *DB) ForgetTask(ctx context.Context, t jobs.Task) error {
	err := d.write(ctx, everyone, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM work_faults WHERE kind = $1 AND subject = $2 AND item = $3`, string(t.Kind), t.Subject, t.Item)
		return err
	})
	return wrap(err, "forget %s", t.ID())
}
