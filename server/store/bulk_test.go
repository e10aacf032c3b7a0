package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"tcode/server/issue/bulk"
	"tcode/server/issue/bulk/intake"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// TestBulkConformance: both engines store bulk jobs in the same way.
func TestBulkConformance(t *testing.T) {
	t.Parallel()
	var lite, pg transcript
	t.Run("sqlite", func(t *testing.T) { tellBulk(t, storetest.NewOn(t, storetest.SQLite), &lite) })
	t.Run("postgres", func(t *testing.T) { tellBulk(t, storetest.NewOn(t, storetest.Postgres), &pg) })
	if diff := cmp.Diff(lite.lines, pg.lines); diff != "" && !t.Failed() {
		t.Errorf("the engines differ (-SQLite +PostgreSQL):\n%s", diff)
	}
	if len(lite.lines) < 60 {
		t.Errorf("only %d answers compared", len(lite.lines))
	}
}

// A bulkTeller works on jobs of one tenant and notes the store's answers.
type bulkTeller struct {
	*storetest.Bundle
	*transcript
	t   *testing.T
	now time.Time
}

func (b *bulkTeller) entry() *tenant.Entry { return entry(b.t.Context(), "ACME01") }

// order stores a new job.
func (b *bulkTeller) order(o bulk.Order, due time.Time) bulk.Job {
	b.now = b.now.Add(time.Second)
	sum := fmt.Sprintf("%064x", len(b.lines))
	j := bulk.Job{
		ID: uuid.Must(uuid.NewV7()).String(), Tenant: "ACME01", Order: o, Status: bulk.Pending, CSV: bulk.File{SHA256: sum, Bytes: 1}, ZIP: bulk.File{SHA256: sum, Bytes: 2},
		By: "key", CreatedAt: b.now, UpdatedAt: b.now,
	}
	if !due.IsZero() {
		j.Status, j.ScheduledFor = bulk.Scheduled, due
	}
	b.failed("insert", b.DB.InsertBulk(b.t.Context(), j, nil, b.entry()))
	return j
}

// show notes a job and its rows.
func (b *bulkTeller) show(id string) {
	j, err := b.DB.Bulk(b.t.Context(), "ACME01", id)
	b.note("job %+v %v", j, err)
	rows, err := b.DB.BulkRows(b.t.Context(), "ACME01", id, "", 0, 100)
	b.note("rows %+v %v", rows, err)
}

func (b *bulkTeller) take(id, owner string, now, until time.Time) bulk.Job {
	j, taken, err := b.DB.TakeBulk(b.t.Context(), id, owner, now, until)
	b.note("%s takes: %s %v %v", owner, j.Status, taken, err)
	return j
}

func tellBulk(t *testing.T, bundle *storetest.Bundle, x *transcript) {
	bundle.Tenant(t, "Acme", "ACME01")
	b := &bulkTeller{Bundle: bundle, transcript: x, t: t, now: bundle.Clock.Now()}
	id := b.tellWork()
	b.tellRefused()
	b.tellCancelled()
	b.tellScheduled()
	b.tellChecked(id)
	for _, f := range []bulk.Filter{{}, {Product: bulk.TCode}, {Product: bulk.Trust}, {Status: bulk.Pending}, {Product: bulk.TCode, Status: bulk.Failed}, {Test: true}} {
		for page := range 3 {
			list, err := b.DB.Bulks(t.Context(), "ACME01", f, page+1, 2)
			x.note("%+v page %d: %q of %d, %v %v", f, page+1, names(list.Items, func(j bulk.Job) string { return j.ID }), list.TotalCount, list.TotalIsLowerBound, err)
		}
	}
	for _, other := range []string{uuid.Nil.String(), id} {
		_, err := b.DB.Bulk(t.Context(), "OTHER1", other)
		x.failed("of another", err)
		_, err = b.DB.ChangeBulk(t.Context(), "OTHER1", other, bulk.Retry, "", b.now, b.entry())
		x.failed("change of another", err)
		page, err := b.DB.BulkRowPage(t.Context(), "OTHER1", other, "", 1, 5)
		x.note("rows of another %+v %v", page, err)
	}
}

// tellWork plays a job whose runner is lost once.
func (b *bulkTeller) tellWork() string {
	ctx := b.t.Context()
	j := b.order(bulk.Order{Product: bulk.TCode, TdocTemplateID: uuid.Nil.String()}, time.Time{})
	soon := b.now.Add(time.Minute)
	held := b.take(j.ID, "one", b.now, soon)
	b.take(j.ID, "two", b.now, soon)
	b.failed("two holds", b.DB.HoldBulk(ctx, j.ID, "two", soon))
	b.failed("one holds", b.DB.HoldBulk(ctx, j.ID, "one", soon))
	_, err := b.DB.BulkStatus(ctx, j.ID, "two")
	b.failed("status for two", err)
	var rows []bulk.Row
	for i, text := range texts[:12] {
		rows = append(rows, bulk.Row{Number: i + 1, Line: i + 2, State: bulk.RowPending, File: text, Cells: map[string]string{"name": text, "externalId": fmt.Sprint(i)}})
	}
	held.Columns, held.Counts.Total, held.Accepted = []string{"name", "externalId"}, len(rows), true
	b.failed("two accepts", b.DB.AcceptBulk(ctx, held, "two", bulk.Accept, slices.Values(rows), b.now))
	b.failed("one accepts", b.DB.AcceptBulk(ctx, held, "one", bulk.Accept, slices.Values(rows), b.now))
	b.failed("again", b.DB.AcceptBulk(ctx, held, "one", bulk.Accept, nil, b.now))
	for _, n := range []int{3, 5, 3, 99} {
		b.failed("fail", b.DB.FailRow(ctx, "ACME01", j.ID, bulk.Row{Number: n, Code: "C", Message: texts[n%7], UpdatedAt: b.now}))
	}
	b.show(j.ID)
	for _, state := range []bulk.RowState{"", bulk.RowPending, bulk.RowFailed, bulk.RowSkipped} {
		for page := range 4 {
			p, err := b.DB.BulkRowPage(ctx, "ACME01", j.ID, state, page+1, 4)
			b.note("%q page %d: %v of %d %v", state, page+1, names(p.Items, func(r bulk.Row) string { return fmt.Sprint(r.Number, r.State, r.Cells) }), p.TotalCount, err)
		}
	}
	for _, state := range []bulk.RowState{"", bulk.RowPending, bulk.RowFailed, bulk.RowSkipped} {
		for _, after := range []int{0, 4, 11, 12} {
			some, err := b.DB.BulkRows(ctx, "ACME01", j.ID, state, after, 5)
			b.note("%q after %d: %v %v", state, after, names(some, func(r bulk.Row) string { return fmt.Sprint(r.Number, r.State) }), err)
		}
	}
	b.failed("wake", b.DB.WakeBulks(ctx, soon.Add(time.Second)))
	b.failed("one is lost", b.DB.HoldBulk(ctx, j.ID, "one", soon))
	b.take(j.ID, "two", soon.Add(time.Second), soon.Add(time.Minute))
	b.failed("one ends", b.DB.EndBulk(ctx, held, "one", bulk.Falter, b.now))
	b.failed("two releases", b.DB.ReleaseBulk(ctx, j.ID, "two", soon))
	b.failed("releases again", b.DB.ReleaseBulk(ctx, j.ID, "two", soon))
	b.take(j.ID, "three", soon, soon.Add(time.Minute))
	b.failed("three ends", b.DB.EndBulk(ctx, held, "three", bulk.Falter, b.now))
	b.show(j.ID)
	j, err = b.DB.ChangeBulk(ctx, "ACME01", j.ID, bulk.Retry, "", b.now, b.entry())
	b.note("retry %+v %v", j, err)
	b.show(j.ID)
	return j.ID
}

// tellRefused plays a job whose files are not valid.
func (b *bulkTeller) tellRefused() {
	ctx := b.t.Context()
	j := b.order(bulk.Order{Product: bulk.Trust, TemplateID: uuid.Nil.String()}, time.Time{})
	held := b.take(j.ID, "one", b.now, b.now.Add(time.Minute))
	for i, text := range texts {
		held.Problems = append(held.Problems, intake.Problem{Line: i, Column: text, Message: text})
	}
	held.MoreProblems, held.Message, held.Counts.Total = 7, texts[3], 40
	b.failed("reject", b.DB.AcceptBulk(ctx, held, "one", bulk.Reject, nil, b.now))
	b.show(j.ID)
	b.take(j.ID, "one", b.now, b.now.Add(time.Minute))
	_, err := b.DB.ChangeBulk(ctx, "ACME01", j.ID, bulk.Cancel, "", b.now, b.entry())
	b.failed("cancel an ended job", err)
}

// tellCancelled plays jobs that are cancelled before and while they run.
func (b *bulkTeller) tellCancelled() {
	ctx := b.t.Context()
	waits, runs := b.order(bulk.Order{Product: bulk.TCode}, time.Time{}), b.order(bulk.Order{Product: bulk.TCode}, time.Time{})
	held := b.take(runs.ID, "one", b.now, b.now.Add(time.Minute))
	held.Counts.Total = 2
	rows := []bulk.Row{{Number: 1, Line: 2, State: bulk.RowPending}, {Number: 2, Line: 3, State: bulk.RowPending}}
	b.failed("accept", b.DB.AcceptBulk(ctx, held, "one", bulk.Accept, slices.Values(rows), b.now))
	for range 2 {
		for _, id := range []string{waits.ID, runs.ID} {
			j, err := b.DB.ChangeBulk(ctx, "ACME01", id, bulk.Cancel, "", b.now, b.entry())
			b.note("cancel %s %+v %v", j.Status, j.Counts, err)
		}
	}
	status, err := b.DB.BulkStatus(ctx, runs.ID, "one")
	b.note("the runner sees %s %v", status, err)
	b.failed("stopped", b.DB.EndBulk(ctx, held, "one", bulk.Stopped, b.now))
	b.show(waits.ID)
	b.show(runs.ID)
}

// tellScheduled plays a job that is not due yet.
func (b *bulkTeller) tellScheduled() {
	due := b.now.Add(time.Hour)
	j := b.order(bulk.Order{Product: bulk.TCode}, due)
	b.take(j.ID, "one", b.now, due)
	b.failed("wake", b.DB.WakeBulks(b.t.Context(), b.now.Add(2*time.Minute)))
	b.take(j.ID, "one", due.Add(-time.Millisecond), due)
	b.take(j.ID, "one", due, due.Add(time.Minute))
	b.show(j.ID)
}

// tellChecked orders a job with the files of another, twice.
func (b *bulkTeller) tellChecked(id string) {
	ctx := b.t.Context()
	_, err := b.DB.BulkOf(ctx, "ACME01", id)
	b.failed("not ordered", err)
	for range 2 {
		j, err := b.DB.Bulk(ctx, "ACME01", id)
		b.failed("read", err)
		j.ID, j.Checked = uuid.Must(uuid.NewV7()).String(), id
		b.failed("order", b.DB.InsertBulk(ctx, j, nil, b.entry()))
	}
	j, err := b.DB.BulkOf(ctx, "ACME01", id)
	b.note("ordered of %s: %s %v", id, j.Checked, err)
	_, err = b.DB.BulkOf(ctx, "OTHER1", id)
	b.failed("of another", err)
	_, err = b.DB.BulkOf(ctx, "ACME01", "")
	b.failed("of none", err)
}
