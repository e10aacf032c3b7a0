package bulk_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tcode/server/fault"
	"tcode/server/internal/harness"
	"tcode/server/issue/bulk"
	"tcode/server/platform/jobs"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// TestFailingJob: a job that fails outside of its rows is tried again with growing pauses, and is
// set aside when it failed too often. An outage does not count.
func TestFailingJob(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		b := storetest.NewOn(t, e)
		id, ctx := b.Tenant(t, "Acme", "ACME01"), t.Context()
		running, outage := false, true
		s := bulk.New(bulk.Config{
			Store: b.DB, Blobs: b.Blobs, Author: b.Accounts.Author, Spool: b.Spool, Now: b.Clock.Now, Outage: func(error) bool { return outage },
			Makers: map[bulk.Product]bulk.Maker{bulk.TCode: faulty{bulk.ForStamps(b.Stamps, b.Templates, b.Placements), &running}},
		})
		j, err := s.Create(ctx, id, bulk.Request{
			Order: bulk.Order{Product: bulk.TCode, Name: "fails"}, CSV: strings.NewReader("fileName,name,documentTypeCode\n1.pdf,One,DIP\n"),
			ZIP: harness.ZIP(t, map[string][]byte{"1.pdf": []byte("%PDF-1.7\n%%EOF\n")}),
		})
		harness.Must(t, err)
		running = true
		for range 30 {
			harness.Must(t, s.Run(ctx, j.ID))
		}
		var pauses []time.Duration
		outage = false
		for range 20 {
			harness.Must(t, s.Run(ctx, j.ID))
			if j, err = s.Get(ctx, "ACME01", bulk.TCode, j.ID); err != nil || j.Status.Over() {
				break
			}
			var wake int64
			harness.Must(t, storetest.Raw(t, b.Dir).QueryRow(`SELECT wake_at FROM bulk_jobs`).Scan(&wake))
			pauses = append(pauses, time.UnixMilli(wake).Sub(b.Clock.Now()).Truncate(30*time.Second))
		}
		m := time.Minute
		want := []time.Duration{m / 2, m, 2 * m, 4 * m, 8 * m, 16 * m, 30 * m, 30 * m, 30 * m}
		if j.Status != bulk.Failed || !strings.HasPrefix(j.Message, "the gateway failed on this job") || !slices.Equal(pauses, want) {
			t.Errorf("%s, %q after pauses of %v, want %v", j.Status, j.Message, pauses, want)
		}
		aside, err := b.DB.Tasks(ctx, jobs.TaskFilter{State: jobs.SetAside, Limit: 10}, b.Clock.Now())
		if err != nil || len(aside) != 1 || aside[0].ID() != j.ID+"/"+jobs.Failures || aside[0].Reason != "seeded in the files" || aside[0].Input != "the files of the job" {
			t.Errorf("set aside: %+v, %v", aside, err)
		}
		running = false
		_, err = s.Change(ctx, id, bulk.TCode, j.ID, bulk.Retry)
		harness.Must(t, err)
		harness.Must(t, s.Run(ctx, j.ID))
		j, err = s.Get(ctx, "ACME01", bulk.TCode, j.ID)
		left, err2 := b.DB.Tasks(ctx, jobs.TaskFilter{Limit: 10}, b.Clock.Now())
		if err != nil || err2 != nil || j.Status != bulk.Completed || len(left) != 0 {
			t.Errorf("after a retry: %s, %v, %v, %+v", j.Status, err, err2, left)
		}
	})
}

// A faulty maker makes stamps, and has a fault where the name of a row says so.
type faulty struct {
	bulk.Maker
	running *bool // a job runs
}

type faultyPlan struct{ bulk.Plan }

func (f faulty) Plan(ctx context.Context, tenantRef string, o bulk.Order) (bulk.Plan, error) {
	switch {
	case o.Name == "panics" && *f.running:
		panic("seeded in the plan")
	case o.Name == "fails" && *f.running:
		return nil, errors.New("seeded in the files")
	}
	p, err := f.Maker.Plan(ctx, tenantRef, o)
	return faultyPlan{p}, err
}

func (p faultyPlan) Check(ctx context.Context, id tenant.Identity, e bulk.Entry) error {
	if e.Cells["name"] == "panics when it is checked" {
		panic("seeded in a check")
	}
	return p.Plan.Check(ctx, id, e)
}

func (p faultyPlan) Make(ctx context.Context, id tenant.Identity, e bulk.Entry, once *tenant.IdempotencyRecord) (bulk.Made, error) {
	switch e.Cells["name"] {
	case "panics":
		panic("seeded in a row")
	case "hangs":
		<-ctx.Done()
		return bulk.Made{}, ctx.Err()
	}
	return p.Plan.Make(ctx, id, e, once)
}

// TestFaultyRows: a row that panics or hangs fails with a reason; the other rows are made, and the
// job ends.
//
//race:on rows are made concurrently
func TestFaultyRows(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	running := false
	s := bulk.New(bulk.Config{
		Store: b.DB, Blobs: b.Blobs, Author: b.Accounts.Author, Spool: b.Spool, Now: b.Clock.Now, AtOnce: 2,
		Makers: map[bulk.Product]bulk.Maker{bulk.TCode: faulty{bulk.ForStamps(b.Stamps, b.Templates, b.Placements), &running}},
	})
	bulk.HurryRows(s, 5*time.Second)
	run := func(t *testing.T, order string, names ...string) (bulk.Job, []bulk.Row) {
		t.Helper()
		csv, files := "fileName,name,documentTypeCode\n", map[string][]byte{}
		for i, name := range names {
			file := fmt.Sprintf("%d.pdf", i)
			csv += file + "," + name + ",DIP\n"
			files[file] = fmt.Appendf(nil, "%%PDF-1.7\n%d\n%%%%EOF\n", i)
		}
		q := bulk.Request{Order: bulk.Order{Product: bulk.TCode, Name: order}, CSV: strings.NewReader(csv), ZIP: harness.ZIP(t, files)}
		j, err := s.Create(t.Context(), id, q)
		harness.Must(t, err)
		running = true
		harness.Must(t, s.Run(t.Context(), j.ID))
		running = false
		j, err = s.Get(t.Context(), "ACME01", bulk.TCode, j.ID)
		harness.Must(t, err)
		rows, err := s.Rows(t.Context(), "ACME01", bulk.TCode, j.ID)
		harness.Must(t, err)
		return j, rows
	}
	t.Run("made", func(t *testing.T) {
		j, rows := run(t, "", "panics", "hangs", "panics", "a", "b", "panics", "c")
		if j.Status != bulk.CompletedWithErrors || j.Counts.Succeeded != 3 || j.Counts.Failed != 4 {
			t.Fatalf("%s, %+v", j.Status, j.Counts)
		}
		for _, row := range rows {
			switch name := row.Cells["name"]; {
			case len(name) == 1 && row.State == bulk.RowSucceeded:
			case row.State != bulk.RowFailed || row.Code != fault.CodeInternal || !strings.HasPrefix(row.Message, "the gateway failed on this row"):
				t.Errorf("%s: %+v", name, row)
			}
		}
	})
	t.Run("checked", func(t *testing.T) {
		j, _ := run(t, "", "a", "panics when it is checked", "b")
		if j.Status != bulk.Failed || len(j.Problems) != 1 || j.Problems[0].Line != 3 || !strings.HasPrefix(j.Problems[0].Message, "the gateway failed on this row") {
			t.Errorf("%s, %+v", j.Status, j.Problems)
		}
	})
	t.Run("job", func(t *testing.T) {
		if j, _ := run(t, "panics", "a"); j.Status != bulk.Failed || !strings.HasPrefix(j.Message, "the gateway failed on this job") {
			t.Errorf("%s, %q", j.Status, j.Message)
		}
	})
}
