package server_test

import (
	"context"
	"fmt"
	"log/slog"
	"os/exec"
	"testing"
	"time"

	"tcode/server"
	"tcode/server/delivery"
	"tcode/server/store/storetest"
	"tcode/server/trustdoc"
)

// A mailWorld is a data folder whose documents go to a postbox, and the gateways
// that come and go.
type mailWorld struct {
	*rig
	box      *postbox
	template string
	ids      map[string]string // message id to document id
}

func newMailWorld(t *testing.T, e storetest.Engine, change ...func(*server.Config)) *mailWorld {
	t.Helper()
	w := &mailWorld{box: newPostbox(t), ids: map[string]string{}}
	dir := t.TempDir()
	letters, err := testMail(w.box.url())
	if err != nil {
		t.Fatal(err)
	}
	c := server.Config{
		Data: dir, DatabaseURL: storetest.Begin(t, e, dir).DatabaseURL, PublicURL: publicURL, Mail: letters,
		Proof: storetest.Proof{}, Log: slog.New(slog.DiscardHandler),
	}
	for _, f := range change {
		f(&c)
	}
	admin, err := server.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { admin.Close() })
	w.rig = &rig{t: t, dir: dir, engine: e, admin: admin}
	w.tenant("ACME01")
	tpl, err := admin.Documents.CreateTemplate(t.Context(), w.identity("ACME01"), trustdoc.Spec{Name: "Diploma", DocumentTypeCode: "DIP"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.template = tpl.ID
	return w
}

// issue issues a document to a person; change may be nil.
func (w *mailWorld) issue(name string, change func(*trustdoc.Issuance)) trustdoc.Document {
	w.t.Helper()
	r := trustdoc.Issuance{TemplateID: w.template, RecipientName: name, RecipientEmail: "ada@example.org", Title: "Diploma of " + name}
	if change != nil {
		change(&r)
	}
	d, err := w.admin.Documents.Issue(w.t.Context(), w.identity("ACME01"), r)
	if err != nil {
		w.t.Fatal(err)
	}
	if d.Delivery != nil {
		w.ids[d.Delivery.ID] = d.ID
	}
	return d
}

// state is a document's message as it is now.
func (w *mailWorld) state(document string) delivery.Message {
	w.t.Helper()
	d, err := w.admin.Documents.Get(context.WithoutCancel(w.t.Context()), "ACME01", document)
	if err != nil || d.Delivery == nil {
		w.t.Fatalf("%v, delivery %v", err, d.Delivery)
	}
	return *d.Delivery
}

// in counts the messages in a state.
func (w *mailWorld) in(states ...delivery.State) (ids []string) {
	w.t.Helper()
	list, err := w.admin.Delivery.List(w.t.Context(), "ACME01", states, 1000)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, m := range list {
		ids = append(ids, m.ID)
	}
	return ids
}

// until waits for something.
func (w *mailWorld) until(what string, is func() bool) {
	w.t.Helper()
	for deadline := time.Now().Add(3 * time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if is() {
			return
		}
	}
	w.t.Fatalf("%s: never; %d sent", what, len(w.in(delivery.Sent)))
}

// TestMailKilled: the server is down, comes back, and is slow; gateways are
// killed all the while. Every message arrives, each once, but those that a
// gateway was at when it was killed: they may come again under the same
// Message-ID.
func TestMailKilled(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		w := newMailWorld(t, e)
		n := often(t, "TCODE_TEST_MAILS", 30)
		for i := range n {
			w.issue(fmt.Sprint("Person ", i), nil)
		}
		// While the server is down all are tried and none is lost.
		first := w.process(mailEnv + "=" + w.box.url())
		w.until("tried", func() bool {
			for _, d := range w.ids {
				if w.state(d).Tries > 0 {
					return true
				}
			}
			return false
		})
		kill(first)
		w.box.set(nil, 30*time.Millisecond)
		w.box.up()
		doubtful, kills := map[string]bool{}, often(t, "TCODE_TEST_KILLS", 4)
		for round := range kills {
			cmd := w.process(mailEnv + "=" + w.box.url())
			target := (round + 1) * n / (kills + 2)
			w.until("some are confirmed", func() bool { _, got := w.box.confirmed(); return got >= target })
			kill(cmd)
			for _, id := range w.in(delivery.Sending) {
				doubtful[id] = true
			}
		}
		w.process(mailEnv + "=" + w.box.url())
		w.until("all are sent", func() bool { return len(w.in(delivery.Sent)) == n })
		got, all := w.box.confirmed()
		twice := 0
		for id := range w.ids {
			switch c := got[id+"@t.example"]; {
			case c == 0:
				t.Errorf("message %s is lost", id)
			case c > 1 && !doubtful[id]:
				t.Errorf("message %s came %d times, and no gateway was killed at it", id, c)
			case c > 1:
				twice++
			}
		}
		if len(got) != n {
			t.Errorf("%d different messages, want %d", len(got), n)
		}
		t.Logf("%d messages, %d kills, %d in doubt after a kill, %d of them came twice, %d confirmed in all", n, kills+1, len(doubtful), twice, all)
	})
}

func kill(cmd *exec.Cmd) {
	cmd.Process.Kill() // SIGKILL
	cmd.Wait()         //nolint:errcheck // it was killed
}

// TestMailTwoGateways: two gateways on one PostgreSQL share the messages while
// the server goes away, having confirmed what it took, and comes back; each
// arrives once.
func TestMailTwoGateways(t *testing.T) {
	t.Parallel()
	w := newMailWorld(t, storetest.Postgres)
	const n = 40
	for i := range n {
		w.issue(fmt.Sprint("Person ", i), nil)
	}
	w.box.set(nil, 20*time.Millisecond)
	w.box.up()
	w.process(mailEnv + "=" + w.box.url())
	w.process(mailEnv + "=" + w.box.url())
	w.until("some are confirmed", func() bool { _, got := w.box.confirmed(); return got >= n/4 })
	w.box.leave()
	w.until("one cannot be handed over", func() bool {
		for _, id := range w.in(delivery.Waiting) {
			if w.state(w.ids[id]).Reason == delivery.Unreachable {
				return true
			}
		}
		return false
	})
	w.box.up()
	w.until("all are sent", func() bool { return len(w.in(delivery.Sent)) == n })
	got, all := w.box.confirmed()
	if len(got) != n || all != n {
		t.Errorf("%d different messages of %d, %d in all", len(got), n, all)
	}
}
