package opstest

import (
	"fmt"
	"os/exec"
	"testing"
	"time"

	"tcode/server"
	"tcode/server/internal/harness"
	"tcode/server/outbound/delivery"
	"tcode/server/store/storetest"
)

// killedHolds: what a gateway was sending when it was killed, a webhook and an e-mail, is
// soon sent by another one, or by the next on its data folder, under the same id.
func killedHolds(t *testing.T, e storetest.Engine) {
	w := newMailWorld(t, e, func(c *server.Config) { c.WebhooksAllowPrivate = true })
	hook := newHookReceiver(t)
	hook.hang = make(chan struct{})
	w.box.set(nil, 10*time.Minute)
	w.box.up()
	_, _, err := w.Admin.Webhooks.Create(t.Context(), "ACME01", hook.URL, nil)
	must(t, err)
	start := func() *exec.Cmd {
		return w.Process(harness.MailEnv+"="+w.box.url(), harness.HoldEnv+"=15s")
	}
	first := start()
	d := w.issue("Ada", nil)
	w.until("both are being sent", func() bool {
		posts, _ := hook.posts()
		return posts == 1 && w.state(d.ID).State == delivery.Sending && w.box.texts() == 1
	})
	if e == storetest.Postgres {
		start()
	}
	hook.mu.Lock()
	hook.hang = nil
	hook.mu.Unlock()
	w.box.set(nil, 0)
	begun := time.Now()
	kill(first)
	if e == storetest.SQLite {
		start()
	}
	within(t, fmt.Sprintf("%s: the next post of the webhook", e), killedBar, begun, func() { hook.wait(t, 2) })
	within(t, fmt.Sprintf("%s: the next try of the e-mail", e), killedBar, begun, func() {
		w.until("it is sent", func() bool { return w.state(d.ID).State == delivery.Sent })
	})
	if _, different := hook.posts(); different != 1 {
		t.Errorf("the webhook came under %d ids", different)
	}
	if got, all := w.box.confirmed(); all != 1 || got[d.Delivery.ID+"@t.example"] != 1 {
		t.Errorf("confirmed: %v", got)
	}
}

// TestSlowMailServer: a server that takes longer than the lease gets a message once, however
// many gateways look for work, because the lease is renewed.
func TestSlowMailServer(t *testing.T) {
	t.Parallel()
	const lease = 1500 * time.Millisecond
	w := newMailWorld(t, storetest.DefaultEngine(), func(c *server.Config) { c.Mail.Lease = lease })
	w.box.set(nil, 2*lease)
	w.box.up()
	d := w.issue("Ada", nil)
	done := make(chan error, 1)
	go func() { done <- w.Admin.Delivery.Work(t.Context(), d.Delivery.ID) }()
	for {
		select {
		case err := <-done:
			must(t, err)
			got, all := w.box.confirmed()
			if m := w.state(d.ID); m.State != delivery.Sent || m.Tries != 1 || all != 1 {
				t.Errorf("%+v, confirmed %v", m, got)
			}
			return
		case <-time.After(lease / 4):
			w.work(d) // as another gateway that was woken
		}
	}
}

// texts returns the number of messages whose text has arrived, confirmed or not.
func (b *postbox) texts() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.arrived
}
