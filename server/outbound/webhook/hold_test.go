package webhook_test

import (
	"net/http"
	"testing"
	"time"

	"tcode/server/outbound/webhook"
	"tcode/server/outbound/webhook/post"
	"tcode/server/store/storetest"
)

// gateway is the service of a gateway with a hold, which waits long for a receiver.
func gateway(t *testing.T, w *world, length time.Duration) *webhook.Service {
	t.Helper()
	p := post.New(post.Config{AllowPrivate: true, Timeout: time.Minute})
	t.Cleanup(p.Close)
	return webhook.New(webhook.Config{Store: w.DB, Ring: w.Ring, Tenants: w.Tenants, Sender: p, Now: w.Clock.Now, Hold: length})
}

// TestHoldLost: a runner that stood still, and whose endpoint another one took meanwhile,
// ends its posts, and stores nothing of them.
func TestHoldLost(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		w := newWorld(t, engine)
		hooks := gateway(t, w, 300*time.Millisecond)
		r := newReceiver(t, http.StatusOK)
		r.hold = make(chan struct{})
		defer close(r.hold)
		e, _ := w.create(t, r.URL)
		w.Stamp(t, w.id, "paper")
		done := make(chan error, 1)
		go func() { done <- hooks.Run(t.Context(), e.ID) }()
		until(t, "the receiver is asked", func() bool { return len(r.all()) == 1 })
		later := w.Clock.Now().Add(time.Hour)
		if _, taken, err := w.DB.TakeWebhook(t.Context(), e.ID, "thief", later, later.Add(time.Hour)); err != nil || !taken {
			t.Fatalf("taken %v, %v", taken, err)
		}
		must(t, <-done)
		if d := w.deliveries(t, e)[0]; d.State != webhook.Waiting || d.Tries != 1 || d.Reason != webhook.ReasonBegun || w.state(t, e).Failures != 0 {
			t.Errorf("%+v, %+v", d, w.state(t, e).Failing)
		}
		if _, taken, err := w.DB.TakeWebhook(t.Context(), e.ID, "another", later, later.Add(time.Hour)); err != nil || taken {
			t.Errorf("the endpoint of the thief was released: taken %v, %v", taken, err)
		}
	})
}

// TestHoldRenewed: a receiver that takes longer than a hold gets a delivery once, also if
// other gateways look for work meanwhile.
func TestHoldRenewed(t *testing.T) {
	t.Parallel()
	const length = 1500 * time.Millisecond
	w := newWorld(t, storetest.DefaultEngine())
	hooks := gateway(t, w, length)
	r := newReceiver(t, http.StatusOK)
	r.hold = make(chan struct{})
	e, _ := w.create(t, r.URL)
	w.Stamp(t, w.id, "paper")
	done := make(chan error, 1)
	go func() { done <- hooks.Run(t.Context(), e.ID) }()
	until(t, "the receiver is asked", func() bool { return len(r.all()) == 1 })
	for range 4 {
		time.Sleep(length / 2)
		w.Clock.Add(length / 2)
		must(t, hooks.Run(t.Context(), e.ID)) // as another gateway that was woken
	}
	close(r.hold)
	must(t, <-done)
	if d := w.deliveries(t, e)[0]; d.State != webhook.Delivered || d.Tries != 1 || len(r.all()) != 1 {
		t.Errorf("%+v, %d posts", d, len(r.all()))
	}
}
