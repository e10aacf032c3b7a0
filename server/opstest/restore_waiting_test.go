package opstest

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tcode/server"
	"tcode/server/internal/harness"
	"tcode/server/outbound/delivery"
	"tcode/server/outbound/webhook"
	"tcode/server/store/storetest"
)

// TestRestoreHoldsWhatWaited: messages and events that waited during a backup went
// out after it. A gateway restored from the backup does not send them by itself,
// and says why. It sends them on request, with the same ids.
//
//engine:sqlite its gateway runs on SQLite
func TestRestoreHoldsWhatWaited(t *testing.T) {
	t.Parallel()
	w := newMailWorld(t, storetest.SQLite)
	hook, _, err := w.Admin.Webhooks.Create(t.Context(), "ACME01", "https://hooks.example.org/", nil)
	must(t, err)
	w.box.up()
	sent := w.issue("Sent", nil)
	w.work(sent)
	waiting, begun := w.issue("Waiting", nil), w.issue("Begun", nil)
	w.box.set(nil, time.Second)
	done := make(chan error, 1)
	go func() { done <- w.Admin.Delivery.Work(t.Context(), begun.Delivery.ID) }()
	w.until("one is being sent", func() bool { return len(w.in(delivery.Sending)) == 1 })
	file := filepath.Join(t.TempDir(), "backup.tar")
	_, _, err = w.Admin.Backup(t.Context(), file, server.BackupOptions{Keyset: true})
	must(t, err)
	must(t, <-done)
	w.box.set(nil, 0)
	if m := w.work(waiting); m.State != delivery.Sent {
		t.Fatalf("after the backup: %+v", m)
	}

	g, cfg := restored(t, file)
	must(t, g.Close())
	cfg.PublicURL = harness.PublicURL
	cfg.Mail, err = harness.Mail(w.box.url())
	must(t, err)
	w.Admin, err = server.Open(t.Context(), cfg)
	must(t, err)
	defer w.Admin.Close()
	if m := w.state(sent.ID); m.State != delivery.Sent {
		t.Errorf("sent before: %+v", m)
	}
	for _, d := range []string{waiting.ID, begun.ID} {
		m := w.state(d)
		if m.State != delivery.Failed || m.Reason != delivery.Restored || !strings.Contains(m.Words(), "restored") {
			t.Errorf("restored: %+v, %q", m, m.Words())
		}
		must(t, w.Admin.Delivery.Wake(t.Context()))
		must(t, w.Admin.Delivery.Work(t.Context(), m.ID))
	}
	if _, n := w.box.confirmed(); n != 3 {
		t.Fatalf("%d messages, want the 3 of before", n)
	}
	held, err := w.Admin.Webhooks.Deliveries(t.Context(), "ACME01", hook.ID, "", 10)
	if err != nil || len(held) != 3 {
		t.Fatalf("%d deliveries, %v", len(held), err)
	}
	for _, d := range held {
		if d.State != webhook.Failed || d.Reason != webhook.ReasonRestored {
			t.Errorf("restored: %+v", d)
		}
	}

	if n, err := w.Admin.Delivery.ResendFailed(t.Context(), "ACME01", time.Time{}); err != nil || n != 2 {
		t.Errorf("%d are sent again, %v", n, err)
	}
	for _, d := range []string{waiting.ID, begun.ID} {
		must(t, w.Admin.Delivery.Work(t.Context(), w.state(d).ID))
	}
	got, all := w.box.confirmed()
	if all != 5 || len(got) != 3 || got[waiting.Delivery.ID+"@t.example"] != 2 || got[begun.Delivery.ID+"@t.example"] != 2 {
		t.Errorf("%d messages under %v", all, got)
	}
	if n, err := w.Admin.Webhooks.RedeliverFailed(t.Context(), "ACME01", hook.ID, time.Time{}); err != nil || n != 3 {
		t.Errorf("%d are delivered again, %v", n, err)
	}
}
