package opstest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tcode/offline/contain/containtest"
	"tcode/server"
	"tcode/server/internal/harness"
	"tcode/server/issue/batch"
	"tcode/server/issue/bulk"
	"tcode/server/issue/trustdoc"
	"tcode/server/outbound/delivery"
	"tcode/server/outbound/webhook"
	"tcode/server/platform/hold"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// A supervised gateway is the real program, with seeded faults, which is started again
// whenever it ends.
type supervised struct {
	t      *testing.T
	dir    string // of the data
	seeds  string // folder of the faults
	args   []string
	env    []string
	starts atomic.Int32

	mu   sync.Mutex // guards cmd and over
	cmd  *exec.Cmd
	over bool
	done chan struct{}
}

// supervise prepares a gateway on a data folder.
func supervise(t *testing.T, dir string, args ...string) *supervised {
	t.Helper()
	return &supervised{
		t: t, dir: dir, seeds: t.TempDir(), args: args, done: make(chan struct{}),
		env: append(os.Environ(), "TCODE_DATABASE_URL="+storetest.Database(t, dir).DatabaseURL),
	}
}

// seed gives an item of a kind a fault each time that it is tried.
func (s *supervised) seed(kind, item, fault string) {
	s.t.Helper()
	must(s.t, os.WriteFile(filepath.Join(s.seeds, kind+"@"+item+".always"), []byte(fault), 0o600))
}

// start runs the gateway until the test ends.
func (s *supervised) start() {
	program := containtest.Program(s.t, "tcode-gateway")
	s.t.Cleanup(func() {
		s.mu.Lock()
		s.over = true
		s.mu.Unlock()
		s.kill()
		<-s.done
	})
	go func() {
		defer close(s.done)
		for {
			cmd := exec.Command(program, append([]string{"serve", "--addr", "127.0.0.1:0", "--data", s.dir, "--memory-max", "1024"}, s.args...)...)
			cmd.Env = append(slices.Clone(s.env), "TCODE_SEED="+s.seeds, "TCODE_LOG_LEVEL=warn")
			cmd.Stderr = os.Stderr
			s.mu.Lock()
			if s.over {
				s.mu.Unlock()
				return
			}
			err := cmd.Start()
			s.cmd = cmd
			s.mu.Unlock()
			if err != nil {
				s.t.Error(err)
				return
			}
			s.starts.Add(1)
			cmd.Wait() //nolint:errcheck // it may be killed
		}
	}()
}

// kill ends the present process by force.
func (s *supervised) kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd != nil {
		s.cmd.Process.Kill() // it may be dead
	}
}

// command is an operator's command on the data folder.
func (s *supervised) command(args ...string) *exec.Cmd {
	cmd := exec.Command(containtest.Program(s.t, "tcode-gateway"), append(args, "--data", s.dir)...)
	cmd.Env = s.env
	return cmd
}

// run executes an operator's command.
func (s *supervised) run(args ...string) string {
	s.t.Helper()
	cmd := s.command(args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("%v: %v\n%s", args, err, stderr.String())
	}
	return string(out)
}

// asides returns the ids of the items of a kind that the operator sees as set aside.
func (s *supervised) asides(kind string) (ids []string) {
	s.t.Helper()
	list := s.run("job", "list", "--kind", kind, "--state", "set-aside", "--json", "--limit", "5000")
	for line := range strings.Lines(list) {
		var l struct{ ID string }
		must(s.t, json.Unmarshal([]byte(line), &l))
		ids = append(ids, l.ID)
	}
	return ids
}

// aside returns one of them.
func (s *supervised) aside(kind string) string {
	s.t.Helper()
	ids := s.asides(kind)
	if len(ids) == 0 {
		s.t.Fatalf("nothing of kind %s is set aside", kind)
	}
	return ids[0]
}

// listed checks the number of items that the operator sees as set aside, and of starts of the
// gateway.
func (s *supervised) listed(want int, starts int32) {
	s.t.Helper()
	list := s.run("job", "list", "--state", "set-aside", "--json", "--limit", "5000")
	if n := strings.Count(list, `"state":"set-aside"`); n != want {
		s.t.Errorf("%d items are listed as set aside, want %d:\n%s", n, want, list)
	}
	if n := s.starts.Load(); n > starts {
		s.t.Errorf("the gateway was started %d times", n)
	}
}

// TestPoisonRows: rows that end the process each time that they are made are set aside after
// the gateway was ended once, and all others are made. TCODE_POISON is the number of such rows
// of each kind, and there are ten times as many good ones.
func TestPoisonRows(t *testing.T) {
	t.Parallel()
	n := often(t, "TCODE_POISON", 1)
	faults := []string{"exit", "panic"}
	if n > 1 {
		faults = append(faults, "memory")
	}
	w := newBulkWorld(t, storetest.DefaultEngine(), 10*n*len(faults))
	g := supervise(t, w.Dir)
	bad := n * len(faults)
	for i := range bad {
		g.seed("bulk-row", fmt.Sprintf("%d.pdf", i), faults[i%len(faults)])
	}
	failing := bad
	if n > 1 { // one that hangs, for the ten minutes that a row has
		g.seed("bulk-row", fmt.Sprintf("%d.pdf", bad), "hang")
		failing++
		w.patience = 50 * time.Minute
	}
	g.start()
	j := w.until("over", func(j bulk.Job) bool { return j.Status.Over() })
	if j.Status != bulk.CompletedWithErrors || j.Counts.Succeeded != w.rows-failing || j.Counts.Failed != failing {
		t.Errorf("%s: %+v, want %d failed", j.Status, j.Counts, failing)
	}
	rows, err := w.Admin.Bulk.Rows(t.Context(), "ACME01", bulk.TCode, w.job)
	must(t, err)
	aside := 0
	for i, r := range rows {
		if (r.State == bulk.RowFailed) != (i < failing) {
			t.Errorf("row %d is %s: %s", r.Number, r.State, r.Message)
		}
		if r.Message == hold.Twice {
			aside++
		}
	}
	want := bad - n // those that panic fail in the first try
	audit, err := w.Admin.Tenants.Audit(t.Context(), tenant.AuditFilter{Action: hold.ActionSetAside, Limit: 100})
	if err != nil || aside != want || len(audit) != want {
		t.Errorf("%d rows and %d audit rows of what was set aside, %v, want %d", aside, len(audit), err, want)
	}
	g.listed(want, 3)
	g.run("job", "show", w.job+"/1")
	g.run("job", "cancel", w.job+"/1")
	g.listed(want-1, 3)
	g.run("job", "retry", w.job)
	g.listed(0, 3)
	t.Logf("%d rows, %d of them with faults; the gateway was started %d times", w.rows, failing, g.starts.Load())
}

// TestKillsBlameNoRow: a gateway that is killed many times sets none of its rows aside.
// TCODE_POISON_KILLS is the number of kills.
func TestKillsBlameNoRow(t *testing.T) {
	t.Parallel()
	kills := often(t, "TCODE_POISON_KILLS", 2)
	w := newBulkWorld(t, storetest.DefaultEngine(), 6*kills)
	g := supervise(t, w.Dir)
	g.start()
	for range kills {
		from := w.state().Counts.Succeeded
		w.until("further", func(j bulk.Job) bool { return j.Status.Over() || j.Counts.Succeeded > from })
		time.Sleep(100 * time.Millisecond) // into the next row
		g.kill()
	}
	w.check()
	audit, err := w.Admin.Tenants.Audit(t.Context(), tenant.AuditFilter{Action: hold.ActionSetAside, Limit: 100})
	if err != nil || len(audit) > 0 {
		t.Errorf("set aside: %+v, %v", audit, err)
	}
	t.Logf("%d rows, %d kills, %d starts", w.rows, kills, g.starts.Load())
}

// TestPoisonQueues: messages, records of an order and deliveries that end the process are set
// aside, and all others are done. TCODE_POISON is the number of such items of each kind; in the long
// form, items also panic, take memory without end and, where their time is a minute, hang.
//
//engine:sqlite rows of PostgreSQL are in TestPoisonRows; bash .ci/long poison-pg has all
func TestPoisonQueues(t *testing.T) {
	t.Parallel()
	n := often(t, "TCODE_POISON", 1)
	faults := []string{"exit"}
	if n > 1 {
		faults = []string{"exit", "panic", "memory", "hang"}
	}
	w := newMailWorld(t, storetest.DefaultEngine(), func(c *server.Config) { c.WebhooksAllowPrivate = true })
	w.box.up()
	g := supervise(t, w.Dir, "--smtp-url", w.box.url(), "--mail-from", "office@t.example", "--public-url", harness.PublicURL, "--webhooks-allow-private")
	w.patience = time.Duration(n) * 3 * time.Minute
	received := w.endpoints(g, slices.DeleteFunc(slices.Clone(faults), func(f string) bool { return f == "hang" }))
	order := batch.Order{Subject: batch.Documents, Action: "suspend", Reason: "recount"}
	bad := n * len(faults)
	messages, ends := 0, 0 // messages with a fault, and records that end the process
	for i := range 2*bad + n {
		d := w.issue(fmt.Sprintf("Ada %d", i), nil)
		other := w.issue(fmt.Sprintf("Bob %d", i), func(r *trustdoc.Issuance) { r.RecipientEmail = "" })
		order.IDs = append(order.IDs, other.ID)
		if i >= bad {
			continue
		}
		fault := faults[i%len(faults)]
		g.seed("batch-record", other.ID, fault)
		if fault == "exit" || fault == "memory" {
			g.seed("mail-try", d.Delivery.ID, fault)
			messages++
			ends++
		}
	}
	b, err := w.Admin.Batches.Begin(t.Context(), w.Identity("ACME01"), order)
	must(t, err)
	g.start()
	w.until("the messages are over", func() bool { return len(w.in(delivery.Waiting, delivery.Sending)) == 0 })
	all := 2*bad + n
	if sent, failed := len(w.in(delivery.Sent)), len(w.in(delivery.Failed)); sent != all-messages || failed != messages {
		t.Errorf("%d messages were sent and %d failed, want %d and %d", sent, failed, all-messages, messages)
	}
	w.until("the order is over", func() bool {
		b, err = w.Admin.Batches.Get(t.Context(), "ACME01", b.ID)
		must(t, err)
		return b.State != batch.Running
	})
	if b.State != batch.Done || b.Changed != all-bad || len(b.Problems) != bad {
		t.Errorf("order: %+v", b)
	}
	deliveries := 2*all + b.Changed // issued and suspended
	ended := b.Changed
	if n > 1 {
		ended *= 2 // of the endpoint that takes memory, too
	}
	w.until("the deliveries are over", func() bool {
		return int(received.Load()) >= deliveries && len(g.asides("webhook")) >= ended
	})
	g.listed(messages+ends+ended, 3)
	// An operator gives a message up, and has a record and a delivery tried again.
	g.run("job", "cancel", g.aside("mail"))
	g.run("job", "retry", g.aside("batch"))
	g.run("job", "retry", g.aside("webhook"))
	w.until("they are set aside again", func() bool { return len(g.asides("webhook")) == ended && len(g.asides("batch")) == ends })
	g.listed(messages+ends+ended-1, 3)
	t.Logf("faults %v: %d of %d messages, %d of %d records and %d of %d deliveries; %d set aside; the gateway was started %d times",
		faults, messages, all, bad, all, ended, len(faults)*b.Changed+deliveries, messages+ends+ended, g.starts.Load())
}

// endpoints makes an endpoint that gets all events, and one for each fault that its deliveries
// have. It returns the number of deliveries to the first.
func (w *mailWorld) endpoints(g *supervised, faults []string) *atomic.Int32 {
	got := new(atomic.Int32)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/good" {
			got.Add(1)
		} else {
			w.T.Errorf("a delivery to %s", r.URL.Path)
		}
	}))
	w.T.Cleanup(receiver.Close)
	for _, path := range append([]string{"good"}, faults...) {
		var events webhook.Filter
		if path != "good" { // each costs seconds
			events = webhook.Filter{string(webhook.DocumentSuspended)}
		}
		_, _, err := w.Admin.Webhooks.Create(w.T.Context(), "ACME01", receiver.URL+"/"+path, events)
		must(w.T, err)
		if path != "good" {
			g.seed("webhook-post", path, path)
		}
	}
	return got
}
