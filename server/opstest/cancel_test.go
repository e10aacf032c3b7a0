package opstest

import (
	"fmt"
	"strings"
	"testing"

	"tcode/server/internal/harness"
	"tcode/server/issue/batch"
	"tcode/server/issue/bulk"
	"tcode/server/issue/trustdoc"
	"tcode/server/outbound/delivery"
	"tcode/server/store/storetest"
)

// TestCancel: an operator ends a bulk job, an order and a message by the command line, before
// any gateway has begun them and while one hangs in them.
func TestCancel(t *testing.T) {
	t.Parallel()
	for _, serving := range []bool{false, true} {
		t.Run(fmt.Sprintf("serving %v", serving), func(t *testing.T) {
			t.Parallel()
			cancels(t, serving)
		})
	}
}

func cancels(t *testing.T, serving bool) {
	w, ctx := newMailWorld(t, storetest.DefaultEngine()), t.Context()
	w.box.up()
	g := supervise(t, w.Dir, "--smtp-url", w.box.url(), "--mail-from", "office@t.example", "--public-url", harness.PublicURL)
	message := w.issue("Ada", nil).Delivery.ID
	var records []string
	lines, files := []string{"fileName,name,documentTypeCode"}, map[string][]byte{}
	for i := range 6 {
		records = append(records, w.issue(fmt.Sprintf("Bob %d", i), func(r *trustdoc.Issuance) { r.RecipientEmail = "" }).ID)
		name := fmt.Sprintf("%d.pdf", i)
		files[name] = harness.PDF(name)
		lines = append(lines, name+",Row,DIP")
	}
	order, err := w.Admin.Batches.Begin(ctx, w.Identity("ACME01"), batch.Order{Subject: batch.Documents, Action: "suspend", Reason: "recount", IDs: records})
	must(t, err)
	job, err := w.Admin.Bulk.Create(ctx, w.Identity("ACME01"), bulk.Request{
		Order: bulk.Order{Product: bulk.TCode}, CSV: strings.NewReader(strings.Join(lines, "\n")), ZIP: harness.ZIP(t, files),
	})
	must(t, err)
	ids := []string{job.ID, order.ID, message}
	if serving {
		g.seed("mail-try", message, "hang")
		g.seed("batch-record", records[1], "hang")
		g.seed("bulk-row", "1.pdf", "hang")
		g.start()
		w.until("all three are in work", func() bool {
			rows, err := w.Admin.Bulk.Rows(ctx, "ACME01", bulk.TCode, job.ID)
			must(t, err)
			made := 0 // all rows but the one that hangs, so that nothing but a cancel ends the job soon
			for _, r := range rows {
				if r.State == bulk.RowSucceeded {
					made++
				}
			}
			return made == len(files)-1 && strings.Count(g.run("job", "list", "--state", "running", "--json"), `"running"`) == 3
		})
	}
	for _, id := range ids {
		g.run("job", "cancel", id)
	}
	states := ""
	t.Cleanup(func() { t.Log(states) })
	w.until("all three are over", func() bool {
		o, err := w.Admin.Batches.Get(ctx, "ACME01", order.ID)
		must(t, err)
		j, err := w.Admin.Bulk.Get(ctx, "ACME01", bulk.TCode, job.ID)
		must(t, err)
		states = fmt.Sprintf("order %s, job %s, %d messages failed", o.State, j.Status, len(w.in(delivery.Failed)))
		return o.State == batch.Stopped && j.Status == bulk.Cancelled && len(w.in(delivery.Failed)) == 1
	})
	if o, err := w.Admin.Batches.Get(ctx, "ACME01", order.ID); err != nil || o.Changed == len(records) {
		t.Errorf("order: %+v, %v", o, err)
	}
	for _, id := range ids[1:] { // a bulk job is cancelled as often as one likes
		if out := g.refused("job", "cancel", id); !strings.Contains(out, "over") && !strings.Contains(out, "cannot") {
			t.Errorf("once more: %s", out)
		}
	}
	w.until("nothing is left", func() bool { return !strings.Contains(g.run("job", "list", "--json"), `"id"`) })
	if n := g.starts.Load(); n > 1 {
		t.Errorf("the gateway was started %d times", n)
	}
}

// refused executes an operator's command that must fail, and returns its output.
func (s *supervised) refused(args ...string) string {
	s.t.Helper()
	out, err := s.command(args...).CombinedOutput()
	if err == nil {
		s.t.Errorf("%v: done", args)
	}
	return string(out)
}
