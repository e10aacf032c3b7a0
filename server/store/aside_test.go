package store_test

import (
	"slices"
	"testing"

	"tcode/server/issue/batch"
	"tcode/server/issue/bulk"
	"tcode/server/outbound/webhook"
	"tcode/server/platform/hold"
	"tcode/server/platform/jobs"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// TestSetAside: an item that ended its process twice is failed, also while its subject is held, and
// an operator sees it until it is forgotten.
func TestSetAside(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		b := storetest.NewOn(t, e)
		ctx, id := t.Context(), b.Tenant(t, "Acme", "ACME01")
		st := b.Stamp(t, id, "one")
		job, order, hook := furnishBulk(t, b, "ACME01", "mark"), furnishBatch(t, b, id, st.ID, "mark"), furnishWebhook(t, b, id, "mark")
		now := b.Clock.Now()
		check := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		check(b.DB.SetAsideRow(ctx, job, bulk.Row{Number: 2, Code: "INTERNAL", Message: hold.Twice, UpdatedAt: now}, "exit status 7"))
		check(b.DB.SetAsideRecord(ctx, order, st.ID, "exit status 7", now))
		check(b.DB.SetAsideRecord(ctx, order, st.ID, "exit status 7", now)) // it is over
		check(b.DB.SetAsideDelivery(ctx, hook.id, hook.delivery, "exit status 7", now))
		rows, err := b.DB.BulkRows(ctx, "ACME01", job, bulk.RowFailed, 0, 10)
		check(err)
		if len(rows) != 2 || rows[1].Message != hold.Twice {
			t.Errorf("rows %+v", rows)
		}
		o, err := b.DB.Batch(ctx, "ACME01", order)
		check(err)
		if o.State != batch.Done || o.Done != 1 || o.Changed != 0 || len(o.Problems) != 1 || o.Problems[0].Why != hold.Twice {
			t.Errorf("order %+v", o)
		}
		ds, err := b.DB.WebhookDeliveries(ctx, "ACME01", hook.id, webhook.Failed, 10)
		check(err)
		if len(ds) != 1 || ds[0].Reason != hold.Twice {
			t.Errorf("deliveries %+v", ds)
		}
		audit, err := b.DB.Audit(ctx, tenant.AuditFilter{Action: hold.ActionSetAside, Limit: 10})
		if err != nil || len(audit) != 3 {
			t.Errorf("%d audit rows, %v, want 3", len(audit), err)
		}
		check(b.DB.SetAsideBulk(ctx, job, hold.Twice, "exit status 7", now))
		if j, err := b.DB.Bulk(ctx, "ACME01", job); err != nil || j.Status != bulk.Failed || j.Message != hold.Twice {
			t.Errorf("job %+v, %v", j, err)
		}
	})
}

// TestTasks: an operator sees the work of every kind, and what stopped a gateway.
func TestTasks(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		b := storetest.NewOn(t, e)
		ctx, id := t.Context(), b.Tenant(t, "Acme", "ACME01")
		st := b.Stamp(t, id, "one")
		job, order, hook := furnishBulk(t, b, "ACME01", "mark"), furnishBatch(t, b, id, st.ID, "mark"), furnishWebhook(t, b, id, "mark")
		raw, _ := b.DB.Background()
		now := b.Clock.Now()
		for _, statement := range []string{
			`INSERT INTO work_faults (kind, subject, item, ends, cause, aside, at) VALUES ('bulk', '` + job + `', '2', 2, 'exit status 7', 1, 1), ('webhook', '` + hook.id + `', '` + hook.delivery + `', 1, 'exit status 7', 0, 1)`,
			`INSERT INTO work_begun (id, kind, subject, process, until_at) VALUES ('1', 'batch', '` + order + `', 'gone', 1)`,
		} {
			if _, err := raw.ExecContext(ctx, statement); err != nil {
				t.Fatal(err)
			}
		}
		list := func(f jobs.TaskFilter) (lines []string) {
			t.Helper()
			f.Limit = 10
			all, err := b.DB.Tasks(ctx, f, now)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range all {
				lines = append(lines, string(x.Kind)+" "+x.Tenant+" "+string(x.State)+" "+x.Input)
			}
			return lines
		}
		want := []string{
			"bulk ACME01 set-aside row 2, mark", "bulk ACME01 due job of 0 rows, pending", "bulk ACME01 running job of 2 rows, processing",
			"batch ACME01 suspect order to suspend 1 records, 0 done", "webhook ACME01 suspect event stamp.created", "webhook ACME01 running deliveries to an address",
		}
		got := list(jobs.TaskFilter{})
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("tasks:\n%q, want\n%q", got, want)
		}
		for f, n := range map[jobs.TaskFilter]int{
			{Kind: jobs.Bulk}: 3, {State: jobs.SetAside}: 1, {State: jobs.Suspect}: 2, {Tenant: "OTHER1"}: 0, {Subject: job}: 2, {Kind: jobs.Mail}: 0,
		} {
			if got := list(f); len(got) != n {
				t.Errorf("%+v: %q, want %d", f, got, n)
			}
		}
		if counts, err := b.DB.CountSetAside(ctx); err != nil || counts["bulk"] != 1 || counts["mail"] != 0 || len(counts) != len(jobs.Kinds()) {
			t.Errorf("set aside %v, %v", counts, err)
		}
		x, err := b.DB.Task(ctx, job+"/2")
		if err != nil || x.Kind != jobs.Bulk || x.Tenant != "ACME01" || x.ID() != job+"/2" {
			t.Errorf("task %+v, %v", x, err)
		}
		if err := b.DB.ForgetTask(ctx, x); err != nil || len(list(jobs.TaskFilter{State: jobs.SetAside})) != 0 {
			t.Errorf("it is not forgotten: %v", err)
		}
		if _, err := b.DB.Task(ctx, "none"); err == nil {
			t.Error("a task that is not there")
		}
	})
}

func init() {
	for _, name := range []string{"SetAsideBulk", "CountBulkFailure", "GiveUpBulk", "OpenErasure", "SetAsideRow", "SetAsideRecord", "SetAsideDelivery", "FailMessage", "FreeBatch", "FreeWebhook"} {
		otherCalls[name] = "the runner's, by id"
	}
	for _, name := range []string{"Task", "Tasks", "ForgetTask", "CountSetAside", "SetAsideOf"} {
		otherCalls[name] = "operator"
	}
	otherCalls["TryWrite"] = "no tenant's"
}
