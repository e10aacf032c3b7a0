package webhook_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"tcode/server/outbound/webhook"
	"tcode/server/store/storetest"
)

// TestInterrupted: a delivery that ends its gateway in every try has an end, is reported
// as interrupted, and does not affect others.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		w := newWorld(t, engine)
		r := newReceiver(t, http.StatusOK)
		e, _ := w.create(t, r.URL)
		w.Stamp(t, w.id, "paper")
		// killed simulates a gateway that ends between the begin of its tries and their end.
		killed := func(n int) []webhook.Delivery {
			t.Helper()
			now, owner := w.Clock.Now(), fmt.Sprint("gateway ", n)
			taken, ok, err := w.DB.TakeWebhook(t.Context(), e.ID, owner, now, now.Add(time.Minute))
			if err != nil || !ok {
				t.Fatalf("try %d: taken %v, %v", n, ok, err)
			}
			begun, err := w.DB.BeginWebhookTries(t.Context(), taken, owner, now, now.Add(time.Minute), 4)
			must(t, err)
			w.Clock.Add(time.Minute)
			return begun
		}
		var first webhook.Delivery
		for n := 1; n <= webhook.MaxTries; n++ {
			begun := killed(n)
			if len(begun) != 1 || begun[0].Tries != n {
				t.Fatalf("try %d: begun %+v", n, begun)
			}
			if n == 1 {
				first = begun[0]
			}
		}
		// The result of the first of them comes too late to count.
		_, failing, err := w.DB.PutWebhookTry(t.Context(), first, webhook.Try{Number: 1, At: w.Clock.Now(), Outcome: webhook.Outcome{Status: 500}})
		if err != nil || failing.Failures != 0 {
			t.Errorf("a try that was given up: %+v, %v", failing, err)
		}
		w.Stamp(t, w.id, "another")
		w.run(t, e)
		ds := w.deliveries(t, e)
		if d := ds[0]; d.State != webhook.Failed || d.Tries != webhook.MaxTries || d.Reason != webhook.ReasonBegun {
			t.Errorf("after %d tries that did not end: %+v", webhook.MaxTries, d)
		}
		if ds[1].State != webhook.Delivered || len(r.all()) != 1 {
			t.Errorf("beside it: %+v, %d posts", ds[1], len(r.all()))
		}
		_, tries, err := w.hooks.Delivery(t.Context(), acme, first.ID)
		if err != nil || len(tries) != webhook.MaxTries || tries[9].Reason != webhook.ReasonBegun {
			t.Errorf("tries %+v, %v", tries, err)
		}
		must(t, w.hooks.Redeliver(t.Context(), acme, first.ID))
		w.run(t, e)
		if d := w.deliveries(t, e)[0]; d.State != webhook.Delivered || d.Tries != webhook.MaxTries+1 {
			t.Errorf("asked for again: %+v", d)
		}
	})
}

// TestHeld: gateways send to a tenant's endpoints concurrently up to a bound, and the next
// one gets its turn when another is released or its gateway is gone.
func TestHeld(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		w := newWorld(t, engine)
		take := func(e webhook.Endpoint) bool {
			t.Helper()
			now := w.Clock.Now()
			_, taken, err := w.DB.TakeWebhook(t.Context(), e.ID, "me", now, now.Add(time.Minute))
			must(t, err)
			return taken
		}
		var all []webhook.Endpoint
		for i := range webhook.MaxHeld + 1 {
			e, _ := w.create(t, "https://hooks.example.org/")
			if all = append(all, e); take(e) != (i < webhook.MaxHeld) {
				t.Fatalf("endpoint %d", i)
			}
		}
		last := all[webhook.MaxHeld]
		must(t, w.DB.ReleaseWebhook(t.Context(), acme, all[0].ID, "me", w.Clock.Now()))
		if !take(last) {
			t.Error("one is released, and the next is not taken")
		}
		if take(all[0]) {
			t.Error("more are taken than may be")
		}
		w.Clock.Add(time.Minute)
		if !take(all[0]) {
			t.Error("gateways that are gone hold on to endpoints")
		}
	})
}
