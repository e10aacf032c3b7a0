package store_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"tcode/server/issue/bulk"
	"tcode/server/store"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// holder is the runner that holds the bulk job of each tenant.
const holder = "holder"

// furnishBulk makes a bulk job in progress, with two rows.
func furnishBulk(t *testing.T, b *storetest.Bundle, ref, mark string) string {
	t.Helper()
	ctx, now := t.Context(), b.Clock.Now()
	file, err := b.Blobs.Put(ctx, []byte(mark))
	if err != nil {
		t.Fatal(err)
	}
	j := bulk.Job{
		ID: uuid.Must(uuid.NewV7()).String(), Tenant: ref, Order: bulk.Order{Product: bulk.TCode}, Status: bulk.Pending,
		CSV: bulk.File{SHA256: file, Bytes: 1}, ZIP: bulk.File{SHA256: file, Bytes: 1}, By: mark, CreatedAt: now, UpdatedAt: now,
	}
	if err := b.DB.InsertBulk(ctx, j, nil, entry(ctx, ref)); err != nil {
		t.Fatal(err)
	}
	next := j
	next.ID, next.Checked = uuid.Must(uuid.NewV7()).String(), j.ID
	if err := b.DB.InsertBulk(ctx, next, nil, entry(ctx, ref)); err != nil {
		t.Fatal(err)
	}
	j, taken, err := b.DB.TakeBulk(ctx, j.ID, holder, now, now.AddDate(1, 0, 0))
	if err != nil || !taken {
		t.Fatal(taken, err)
	}
	rows := []bulk.Row{
		{Number: 1, Line: 2, State: bulk.RowPending, File: mark, Cells: map[string]string{"name": mark}},
		{Number: 2, Line: 3, State: bulk.RowPending, File: mark, Cells: map[string]string{"name": mark}},
	}
	j.Columns, j.Counts.Total = []string{mark}, len(rows)
	if err := b.DB.AcceptBulk(ctx, j, holder, bulk.Accept, slices.Values(rows), now); err != nil {
		t.Fatal(err)
	}
	if err := b.DB.FailRow(ctx, ref, j.ID, bulk.Row{Number: 1, Code: mark, Message: mark, UpdatedAt: now}); err != nil {
		t.Fatal(err)
	}
	return j.ID
}

// bulkCalls are the methods of [tenantCalls] about bulk jobs.
var bulkCalls = map[string]func(ctx context.Context, db *store.DB, tenantRef string, x things) (any, error){
	"Bulk": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return db.Bulk(ctx, ref, x.bulk)
	},
	"BulkOf": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return db.BulkOf(ctx, ref, x.bulk)
	},
	"Bulks": func(ctx context.Context, db *store.DB, ref string, _ things) (any, error) {
		return db.Bulks(ctx, ref, bulk.Filter{Product: bulk.TCode}, 1, 20)
	},
	"BulkRows": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		some, err := db.BulkRows(ctx, ref, x.bulk, bulk.RowPending, 0, 20)
		if err != nil {
			return nil, err
		}
		every, err := db.BulkRows(ctx, ref, x.bulk, "", 0, 20)
		return append(some, every...), err
	},
	"BulkRowPage": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		some, err := db.BulkRowPage(ctx, ref, x.bulk, bulk.RowPending, 1, 20)
		if err != nil {
			return nil, err
		}
		every, err := db.BulkRowPage(ctx, ref, x.bulk, "", 1, 20)
		return append(some.Items, every.Items...), err
	},
	"ChangeBulk": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return db.ChangeBulk(ctx, ref, x.bulk, bulk.Cancel, "", time.Now(), entry(ctx, ref))
	},
	"FailRow": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return nil, db.FailRow(ctx, ref, x.bulk, bulk.Row{Number: 2, Code: "c", Message: "m", UpdatedAt: time.Now()})
	},
	"AcceptBulk": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return nil, db.AcceptBulk(ctx, bulk.Job{Tenant: ref, ID: x.bulk}, holder, bulk.Accept, nil, time.Now())
	},
	"EndBulk": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return nil, db.EndBulk(ctx, bulk.Job{Tenant: ref, ID: x.bulk}, holder, bulk.Fail, time.Now())
	},
}

func init() {
	for name, call := range bulkCalls {
		tenantCalls[name] = call
	}
}

// TestRowOfAnother: a row is marked only in a job of the tenant that stamps.
func TestRowOfAnother(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		b := storetest.NewOn(t, e)
		mine, theirs := b.Tenant(t, "Mine", "MINE01"), b.Tenant(t, "Theirs", "THEIR1")
		job := furnishBulk(t, b, theirs.Tenant.Reference, "victim")
		r := storetest.Request("paper")
		r.Idempotency = &tenant.IdempotencyRecord{Row: &tenant.BulkRow{Job: job, Number: 2, Made: "x", Reference: "y"}}
		if _, err := b.Stamps.Create(t.Context(), mine, r); err == nil {
			t.Error("a stamp was made for a row of another tenant's job")
		}
		rows, err := b.DB.BulkRows(t.Context(), theirs.Tenant.Reference, job, bulk.RowPending, 0, 20)
		if err != nil || len(rows) != 1 {
			t.Errorf("%d rows are pending, %v, want 1", len(rows), err)
		}
	})
}
