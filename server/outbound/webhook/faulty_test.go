package webhook_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"tcode/server/outbound/webhook"
	"tcode/server/store/storetest"
)

// A faultySender panics on the deliveries that name a document.
type faultySender struct {
	webhook.Sender
	reference string
}

func (s faultySender) Post(ctx context.Context, m webhook.Message) webhook.Outcome {
	if strings.Contains(string(m.Body), s.reference) {
		panic("seeded")
	}
	return s.Sender.Post(ctx, m)
}

// TestFaultyPost: a delivery whose post panics waits for its next try, and counts it. The other
// deliveries of its endpoint arrive.
func TestFaultyPost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.DefaultEngine())
	r := newReceiver(t, http.StatusOK)
	e, _ := w.create(t, r.URL)
	poison := w.Stamp(t, w.id, "poison")
	const others = 9
	for range others {
		w.Stamp(t, w.id, "paper")
	}
	faulty := webhook.New(webhook.Config{
		Store: w.DB, Ring: w.Ring, Tenants: w.Tenants, Now: w.Clock.Now,
		Sender: faultySender{sender(t, w.Clock.Now), poison.Reference.String()},
	})
	must(t, faulty.Run(t.Context(), e.ID))
	for i, d := range w.deliveries(t, e) {
		switch {
		case i > 0 && d.State == webhook.Delivered:
		case i > 0 || d.State != webhook.Waiting || d.Tries != 1 || !strings.HasPrefix(d.Reason, "the gateway failed on this delivery"):
			t.Errorf("%d: %+v", i, d)
		}
	}
	if got := len(r.all()); got != others {
		t.Errorf("%d posts, want %d", got, others)
	}
	w.Clock.Add(webhook.Backoff(1) + time.Minute) // the first try took some of it
	w.run(t, e)                                   // by a gateway without the fault
	if d := w.deliveries(t, e)[0]; d.State != webhook.Delivered || d.Tries != 2 {
		t.Errorf("after the repair: %+v", d)
	}
}
