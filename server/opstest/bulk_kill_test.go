package opstest

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"tcode/server"
	"tcode/server/internal/harness"
	"tcode/server/issue/bulk"
	"tcode/server/issue/stamp"
	"tcode/server/store"
	"tcode/server/store/storetest"
)

// often returns how often a test does something: usual, unless the environment
// variable has another number.
func often(t *testing.T, variable string, usual int) int {
	t.Helper()
	s := os.Getenv(variable)
	if s == "" {
		return usual
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		t.Fatalf("%s = %q, want a number", variable, s)
	}
	return n
}

// A bulkWorld is a data folder with a bulk job, and the gateways that start and
// end on it.
type bulkWorld struct {
	*harness.Rig
	job      string
	rows     int
	patience time.Duration // of until; zero: 5 minutes
}

// newBulkWorld orders n rows, each with a PDF of its own, before any gateway runs.
func newBulkWorld(t *testing.T, e storetest.Engine, n int) *bulkWorld {
	t.Helper()
	dir := t.TempDir()
	c := storetest.Begin(t, e, dir)
	admin, err := server.Open(t.Context(), server.Config{Init: true, Data: dir, DatabaseURL: c.DatabaseURL, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { admin.Close() })
	w := &bulkWorld{Rig: &harness.Rig{T: t, Dir: dir, Engine: e, Admin: admin}, rows: n}
	w.Tenant("ACME01")
	lines, files := []string{"fileName,name,documentTypeCode,externalId"}, map[string][]byte{}
	for i := range n {
		name := fmt.Sprintf("%d.pdf", i)
		files[name] = harness.PDF(name)
		lines = append(lines, fmt.Sprintf("%s,Row %d,DIP,R-%d", name, i, i))
	}
	j, err := admin.Bulk.Create(t.Context(), w.Identity("ACME01"), bulk.Request{
		Order: bulk.Order{Product: bulk.TCode}, CSV: strings.NewReader(strings.Join(lines, "\n")), ZIP: harness.ZIP(t, files),
	})
	must(t, err)
	w.job = j.ID
	return w
}

// state returns the present state of the job.
func (w *bulkWorld) state() bulk.Job {
	w.T.Helper()
	j, err := w.Admin.Bulk.Get(w.T.Context(), "ACME01", bulk.TCode, w.job)
	if err != nil {
		w.T.Fatal(err)
	}
	return j
}

// until waits for a state of the job.
func (w *bulkWorld) until(what string, is func(bulk.Job) bool) bulk.Job {
	w.T.Helper()
	for deadline := time.Now().Add(max(w.patience, 5*time.Minute)); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if j := w.state(); is(j) {
			return j
		}
	}
	w.T.Fatalf("the job is not %s: %+v", what, w.state())
	return bulk.Job{}
}

// check compares the job's rows with the tenant's stamps and the files.
func (w *bulkWorld) check() {
	w.T.Helper()
	j := w.until("over", func(j bulk.Job) bool { return j.Status.Over() })
	if j.Status != bulk.Completed || j.Counts.Succeeded != w.rows {
		w.T.Errorf("%s: %+v, want %d succeeded", j.Status, j.Counts, w.rows)
	}
	rows, err := w.Admin.Bulk.Rows(w.T.Context(), "ACME01", bulk.TCode, w.job)
	if err != nil {
		w.T.Fatal(err)
	}
	made := map[string]bool{}
	for _, r := range rows {
		if r.State != bulk.RowSucceeded || made[r.Made.ID] {
			w.T.Errorf("row %d: %s, stamp %q, seen before: %v", r.Number, r.State, r.Made.ID, made[r.Made.ID])
		}
		made[r.Made.ID] = true
	}
	page, err := w.Admin.Stamps.List(w.T.Context(), "ACME01", stamp.Filter{PageSize: 100})
	if err != nil || page.TotalCount != w.rows {
		w.T.Errorf("%d stamps, %v, want %d", page.TotalCount, err, w.rows)
	}
	sweep := server.FsckOptions{Sweep: time.Now().Add(time.Hour)}
	for pass := 1; pass <= 2; pass++ {
		r, err := w.Admin.Fsck(w.T.Context(), sweep, func(p store.Problem) { w.T.Errorf("fsck: %+v", p) })
		if err != nil || r.Orphans > 0 || pass == 2 && r.Swept > 0 {
			w.T.Errorf("pass %d of fsck: %+v, %v", pass, r, err)
		}
		w.T.Logf("pass %d of fsck: %d files named, %d swept", pass, r.Files, r.Swept)
	}
}

// TestBulkKilled: each row of a job has one outcome, whenever a gateway is killed:
// no stamp is made twice and none is lost. TCODE_BULK_ROWS and TCODE_BULK_KILLS
// are the numbers of rows and kills.
func TestBulkKilled(t *testing.T) {
	t.Parallel()
	n, kills := often(t, "TCODE_BULK_ROWS", 40), often(t, "TCODE_BULK_KILLS", 3)
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		w := newBulkWorld(t, e, n)
		running := 0
		for k := range kills {
			cmd := w.Process(harness.HoldEnv + "=1s")
			from := w.state().Counts.Succeeded
			more := from + rand.IntN(max(1, (n-from)/(kills-k+1)))
			j := w.until("further", func(j bulk.Job) bool { return j.Status.Over() || j.Counts.Succeeded > more })
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			cmd.Wait() //nolint:errcheck // it was killed
			if j.Status == bulk.Processing {
				running++
			}
		}
		w.Process(harness.HoldEnv + "=1s")
		w.check()
		t.Logf("%d rows, %d kills, %d of them while rows ran", n, kills, running)
		if running < kills*3/4 {
			t.Errorf("only %d of %d kills hit running rows", running, kills)
		}
	})
}

// TestBulkTwoGateways: two gateways on one database share a job while the test
// kills them alternately, and the job ends as with one gateway.
func TestBulkTwoGateways(t *testing.T) {
	t.Parallel()
	n, kills := often(t, "TCODE_BULK_ROWS", 40), often(t, "TCODE_BULK_KILLS", 3)
	w := newBulkWorld(t, storetest.Postgres, n)
	pair := []*exec.Cmd{w.Process(harness.HoldEnv + "=1s"), w.Process(harness.HoldEnv + "=1s")}
	running := 0
	for k := range kills {
		from := w.state().Counts.Succeeded
		more := from + rand.IntN(max(1, (n-from)/(kills-k+1)))
		j := w.until("further", func(j bulk.Job) bool { return j.Status.Over() || j.Counts.Succeeded > more })
		if j.Status == bulk.Processing {
			running++
		}
		one := pair[k%2]
		if err := one.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		one.Wait() //nolint:errcheck // it was killed
		pair[k%2] = w.Process(harness.HoldEnv + "=1s")
	}
	w.check()
	t.Logf("%d rows, two gateways, %d kills, %d of them while rows ran", n, kills, running)
}
