package opstest

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"testing"
	"time"

	"tcode/server"
	"tcode/server/internal/harness"
	"tcode/server/issue/trustdoc"
	"tcode/server/outbound/delivery"
	"tcode/server/store/storetest"
)

// A mailWorld is a data folder whose documents go to a postbox, and the gateways
// that start and end on it.
type mailWorld struct {
	*harness.Rig
	box      *postbox
	template string
	ids      map[string]string // message id to document id
	patience time.Duration     // of until; zero: 3 minutes
}

func newMailWorld(t *testing.T, e storetest.Engine, change ...func(*server.Config)) *mailWorld {
	t.Helper()
	w := &mailWorld{box: newPostbox(t), ids: map[string]string{}}
	dir := t.TempDir()
	letters, err := harness.Mail(w.box.url())
	if err != nil {
		t.Fatal(err)
	}
	c := server.Config{
		Init: true,
		Data: dir, DatabaseURL: storetest.Begin(t, e, dir).DatabaseURL, PublicURL: harness.PublicURL, Mail: letters,
		Readback: storetest.Readback{}, Log: slog.New(slog.DiscardHandler),
	}
	for _, f := range change {
		f(&c)
	}
	admin, err := server.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { admin.Close() })
	w.Rig = &harness.Rig{T: t, Dir: dir, Engine: e, Admin: admin}
	w.Tenant("ACME01")
	tpl, err := admin.Documents.CreateTemplate(t.Context(), w.Identity("ACME01"), trustdoc.Spec{Name: "Diploma", DocumentTypeCode: "DIP"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.template = tpl.ID
	return w
}

// issue issues a document to a person; change may be nil.
func (w *mailWorld) issue(name string, change func(*trustdoc.Issuance)) trustdoc.Document {
	w.T.Helper()
	r := trustdoc.Issuance{TemplateID: w.template, RecipientName: name, RecipientEmail: "ada@example.org", Title: "Diploma of " + name}
	if change != nil {
		change(&r)
	}
	d, err := w.Admin.Documents.Issue(w.T.Context(), w.Identity("ACME01"), r)
	if err != nil {
		w.T.Fatal(err)
	}
	if d.Delivery != nil {
		w.ids[d.Delivery.ID] = d.ID
	}
	return d
}

// state returns the present state of a document's message.
func (w *mailWorld) state(document string) delivery.Message {
	w.T.Helper()
	d, err := w.Admin.Documents.Get(context.WithoutCancel(w.T.Context()), "ACME01", document)
	if err != nil || d.Delivery == nil {
		w.T.Fatalf("%v, delivery %v", err, d.Delivery)
	}
	return *d.Delivery
}

// in returns the ids of the messages in some states.
func (w *mailWorld) in(states ...delivery.State) (ids []string) {
	w.T.Helper()
	list, err := w.Admin.Delivery.List(w.T.Context(), "ACME01", states, 1000)
	if err != nil {
		w.T.Fatal(err)
	}
	for _, m := range list {
		ids = append(ids, m.ID)
	}
	return ids
}

// failing reports whether a message waits because the mail server did not answer.
func (w *mailWorld) failing() bool {
	for _, id := range w.in(delivery.Waiting) {
		if w.state(w.ids[id]).Reason == delivery.Unreachable {
			return true
		}
	}
	return false
}

// until waits for something.
func (w *mailWorld) until(what string, is func() bool) {
	w.T.Helper()
	for deadline := time.Now().Add(max(w.patience, 3*time.Minute)); time.Now().Before(deadline); {
		begun := time.Now()
		if is() {
			return
		}
		time.Sleep(max(20*time.Millisecond, 4*time.Since(begun))) // looking may take a process
	}
	w.T.Fatalf("%s: never; %d sent", what, len(w.in(delivery.Sent)))
}

// mailDown is how long the server is away in [TestMailKilled], at least.
func mailDown(t *testing.T) time.Duration {
	t.Helper()
	const variable = "TCODE_MAIL_DOWN"
	s := os.Getenv(variable)
	if s == "" {
		return time.Second
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return d
}

// TestMailKilled: the mail server goes away, comes back, and is slow, while the
// test kills gateways. Every message arrives once. Only a message that a gateway
// was sending when it was killed, and one whose confirmation was lost with the
// server, may come again, with the same Message-ID.
func TestMailKilled(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		beside := map[storetest.Engine][]int{storetest.SQLite: {1}, storetest.Postgres: {1, 2}}
		for _, gateways := range beside[e] {
			t.Run(fmt.Sprint("gateways=", gateways), func(t *testing.T) {
				t.Parallel()
				mailKilled(t, e, gateways)
			})
		}
	})
}

func mailKilled(t *testing.T, e storetest.Engine, gateways int) {
	w, n, down := newMailWorld(t, e), often(t, "TCODE_TEST_MAILS", 30), mailDown(t)
	for i := range n {
		w.issue(fmt.Sprint("Person ", i), nil)
	}
	doubtful, kills := map[string]bool{}, 0
	var running []*exec.Cmd
	start := func() { running = append(running, w.Process(harness.MailEnv+"="+w.box.url())) }
	// One gateway dies at a time, the oldest.
	killOne := func() {
		kill(running[0])
		kills++
		for _, id := range w.in(delivery.Sending) {
			doubtful[id] = true
		}
		running = running[1:]
		start()
	}
	for range gateways {
		start()
	}
	w.box.set(nil, 30*time.Millisecond)
	w.box.up()
	w.until("some are confirmed", func() bool { _, got := w.box.confirmed(); return got >= n/6 })
	for _, id := range w.box.down() {
		doubtful[id] = true
	}
	away, whileDown := time.Now(), max(2, often(t, "TCODE_TEST_KILLS", 4)/2)
	for round := range whileDown {
		w.until("the server is away for long enough, and one is tried in vain", func() bool {
			return time.Since(away) >= down*time.Duration(round+1)/time.Duration(whileDown) && w.failing()
		})
		killOne()
	}
	w.box.up()
	gone := time.Since(away).Round(time.Millisecond)
	_, before := w.box.confirmed()
	for round := range often(t, "TCODE_TEST_KILLS", 4) {
		target := before + (round+1)*(n-before)/(often(t, "TCODE_TEST_KILLS", 4)+2)
		w.until("some more are confirmed", func() bool { _, got := w.box.confirmed(); return got >= target })
		killOne()
	}
	w.until("all are sent", func() bool { return len(w.in(delivery.Sent)) == n })
	got, all := w.box.confirmed()
	once, twice := 0, 0
	for id := range w.ids {
		switch c := got[id+"@t.example"]; {
		case c == 0:
			t.Errorf("message %s is lost", id)
		case c == 1:
			once++
		case !doubtful[id]:
			t.Errorf("message %s came %d times, and no gateway was killed while it sent it", id, c)
		default:
			twice++
		}
	}
	if len(got) != n {
		t.Errorf("%d different messages, want %d", len(got), n)
	}
	t.Logf("%d messages, server away %v, %d gateways, %d kills: %d came once, %d of %d in doubt came more often, %d confirmed in all",
		n, gone, gateways, kills, once, twice, len(doubtful), all)
}

func kill(cmd *exec.Cmd) {
	cmd.Process.Kill() // SIGKILL
	cmd.Wait()         //nolint:errcheck // it was killed
}

// TestMailTwoGateways: two gateways on one PostgreSQL share the messages. The
// mail server confirms those that it takes, goes away and comes back. Each
// message arrives once.
func TestMailTwoGateways(t *testing.T) {
	t.Parallel()
	w := newMailWorld(t, storetest.Postgres)
	const n, more = 40, 5
	for i := range n - more {
		w.issue(fmt.Sprint("Person ", i), nil)
	}
	w.box.set(nil, 20*time.Millisecond)
	w.box.up()
	w.Process(harness.MailEnv + "=" + w.box.url())
	w.Process(harness.MailEnv + "=" + w.box.url())
	w.until("some are confirmed", func() bool { _, got := w.box.confirmed(); return got >= n/4 })
	w.box.leave()
	for i := range more { // the others may all have gone out by now
		w.issue(fmt.Sprint("Late person ", i), nil)
	}
	w.until("one cannot be handed over", w.failing)
	w.box.up()
	w.until("all are sent", func() bool { return len(w.in(delivery.Sent)) == n })
	got, all := w.box.confirmed()
	if len(got) != n || all != n {
		t.Errorf("%d different messages of %d, %d in all", len(got), n, all)
	}
}
