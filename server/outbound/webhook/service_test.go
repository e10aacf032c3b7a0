package webhook_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tcode/server/fault"
	"tcode/server/issue/stamp"
	"tcode/server/outbound/webhook"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

func TestDelivered(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		w := newWorld(t, engine)
		all, some := newReceiver(t, http.StatusOK), newReceiver(t, http.StatusNoContent)
		every, secret := w.create(t, all.URL)
		revocations, _ := w.create(t, some.URL, "stamp.revoked", "document.*")
		st := w.Stamp(t, w.id, "paper")
		if err := w.Stamps.Act(t.Context(), w.id, st.ID, stamp.ActionRevoke, "by mistake"); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second finds nothing due
			w.run(t, every)
			w.run(t, revocations)
		}
		if got, want := all.types(), []string{"stamp.created", "stamp.revoked"}; !slices.Equal(got, want) {
			t.Errorf("received %q, want %q", got, want)
		}
		if got := some.types(); !slices.Equal(got, []string{"stamp.revoked"}) {
			t.Errorf("the filtered endpoint received %q", got)
		}
		for _, x := range all.all() {
			if err := webhook.Check(x.signature, x.body, secret, w.Clock.Now()); err != nil {
				t.Errorf("%s: %v", x.event.Type, err)
			}
			if strings.Contains(string(x.body), "paper") {
				t.Errorf("the document's name is told: %s", x.body)
			}
			if x.event.Type != "stamp.revoked" {
				continue
			}
			want := map[string]any{
				"id": st.ID, "reference": st.Reference.String(), "status": "Revoked", "previousStatus": "Active", "externalId": nil,
				"reason": "by mistake", "replacedBy": nil, "documentReference": nil, "test": false,
			}
			if diff := cmp.Diff(want, x.event.Data); diff != "" {
				t.Errorf("data (-want +got):\n%s", diff)
			}
			if x.event.TenantReference != acme || !x.event.CreatedAt.Equal(w.Clock.Now()) || x.event.ID == x.delivery {
				t.Errorf("event %+v", x.event)
			}
		}
		ds := w.deliveries(t, every)
		if len(ds) != 2 || ds[0].State != webhook.Delivered || ds[0].Tries != 1 || ds[0].Status != 200 {
			t.Errorf("deliveries %+v", ds)
		}
	})
}

// TestNoneWithoutEffect: an effect that does not take place causes no event.
func TestNoneWithoutEffect(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		w := newWorld(t, engine)
		e, _ := w.create(t, newReceiver(t, 200).URL)
		repair := storetest.Break(t, w.Dir, "audit", "")
		if _, err := w.Stamps.Create(t.Context(), w.id, storetest.Request("paper")); err == nil {
			t.Fatal("a stamp was made without its audit row")
		}
		repair()
		if ds := w.deliveries(t, e); len(ds) != 0 {
			t.Errorf("%d deliveries of what did not happen", len(ds))
		}
		repair = storetest.Break(t, w.Dir, "webhook_deliveries", "")
		if _, err := w.Stamps.Create(t.Context(), w.id, storetest.Request("paper")); err == nil {
			t.Error("a stamp was made without an event")
		}
		repair()
	})
}

// TestSchedule: there are ten tries, each 2^n minutes after the last, and none before.
func TestSchedule(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		w := newWorld(t, engine)
		r := newReceiver(t, http.StatusServiceUnavailable)
		e, _ := w.create(t, r.URL)
		w.Stamp(t, w.id, "paper")
		for n := 1; n <= webhook.MaxTries; n++ {
			w.run(t, e)
			if got := len(r.all()); got != n {
				t.Fatalf("%d tries, want %d", got, n)
			}
			w.Clock.Add(webhook.Backoff(n) - time.Second)
			w.run(t, e)
			if got := len(r.all()); got != n {
				t.Fatalf("try %d comes too early", got)
			}
			w.Clock.Add(2 * time.Second) // a try takes time
		}
		w.Clock.Add(100 * time.Hour)
		w.run(t, e)
		d := w.deliveries(t, e)[0]
		if d.State != webhook.Failed || d.Tries != webhook.MaxTries || d.Status != 503 || len(r.all()) != webhook.MaxTries {
			t.Fatalf("after ten tries: %+v", d)
		}
		r.set(http.StatusOK)
		if err := w.hooks.Redeliver(t.Context(), acme, d.ID); err != nil {
			t.Fatal(err)
		}
		w.run(t, e)
		d, tries, err := w.hooks.Delivery(t.Context(), acme, d.ID)
		if err != nil || d.State != webhook.Delivered || len(tries) != webhook.MaxTries+1 || tries[9].Status != 503 || tries[10].Status != 200 || tries[10].Number != 11 {
			t.Errorf("after asking again: %+v, tries %+v, %v", d, tries, err)
		}
		if f := w.state(t, e).Failing; f.Failures != 0 || !f.Since.IsZero() {
			t.Errorf("after a success it still fails: %+v", f)
		}
	})
}

func TestGone(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		w := newWorld(t, engine)
		r := newReceiver(t, http.StatusGone)
		e, _ := w.create(t, r.URL)
		for range 30 {
			w.Stamp(t, w.id, "paper")
		}
		w.run(t, e)
		got := w.state(t, e)
		if got.State != webhook.Disabled || got.Reason != webhook.ReasonGone {
			t.Errorf("%s, %q", got.State, got.Reason)
		}
		if n := len(r.all()); n > 10 {
			t.Errorf("%d posts to a receiver that is gone", n)
		}
		for _, d := range w.deliveries(t, e) {
			if d.State != webhook.Failed {
				t.Errorf("a delivery is %s", d.State)
			}
		}
		w.Stamp(t, w.id, "unheard")
		if ds := w.deliveries(t, e); len(ds) != 30 {
			t.Errorf("%d deliveries, want the 30 of before", len(ds))
		}
		if err := w.hooks.Redeliver(t.Context(), acme, w.deliveries(t, e)[0].ID); !fault.Is(err, fault.Conflict) {
			t.Errorf("a disabled endpoint is delivered to: %v", err)
		}
		audit, err := w.DB.Audit(t.Context(), tenant.AuditFilter{Tenant: acme, Action: webhook.ActionDisable, Limit: 10})
		if err != nil || len(audit) != 1 || audit[0].By.Actor != tenant.ActorSystem || audit[0].Detail["reason"] != webhook.ReasonGone {
			t.Errorf("audit %+v, %v", audit, err)
		}
		// A person repairs the receiver, and requests the missed deliveries.
		r.set(http.StatusOK)
		if _, err := w.hooks.Enable(t.Context(), acme, e.ID); err != nil {
			t.Fatal(err)
		}
		if n, err := w.hooks.RedeliverFailed(t.Context(), acme, e.ID, w.Clock.Now()); err != nil || n != 30 {
			t.Errorf("%d are sent again, %v", n, err)
		}
		w.run(t, e)
		if n, _ := r.count(); n != 30 {
			t.Errorf("%d of 30 came", n)
		}
	})
}

// TestHopeless: an endpoint without a success for days is disabled, and one with a success
// is not.
func TestHopeless(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.DefaultEngine())
	bad, ill := newReceiver(t, 500), newReceiver(t, 500)
	e, _ := w.create(t, bad.URL)
	repaired, _ := w.create(t, ill.URL)
	for hour := range 80 {
		if hour%10 == 0 {
			w.Stamp(t, w.id, "paper")
		}
		ill.set(map[bool]int{true: 200, false: 500}[hour == 60])
		w.run(t, e)
		w.run(t, repaired)
		w.Clock.Add(time.Hour)
	}
	got := w.state(t, e)
	if got.State != webhook.Disabled || !strings.HasPrefix(got.Reason, "none of ") || !strings.Contains(got.Reason, "since 2026-11-20 12:00:0") {
		t.Errorf("%s, %q", got.State, got.Reason)
	}
	if got := w.state(t, repaired); got.State != webhook.Enabled {
		t.Errorf("one that took something is %s, %q", got.State, got.Reason)
	}
}

func TestRotateSecret(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		w := newWorld(t, engine)
		r := newReceiver(t, 200)
		e, first := w.create(t, r.URL)
		_, second, err := w.hooks.RotateSecret(t.Context(), acme, e.ID)
		if err != nil || first == second {
			t.Fatal(first == second, err)
		}
		good := func(secret string) bool {
			got := r.all()
			x := got[len(got)-1]
			return webhook.Check(x.signature, x.body, secret, w.Clock.Now()) == nil
		}
		send := func() {
			t.Helper()
			if o, err := w.hooks.Test(t.Context(), acme, e.ID); err != nil || !o.OK() {
				t.Fatal(o, err)
			}
		}
		send()
		if !good(first) || !good(second) {
			t.Error("the overlap has not both signatures")
		}
		// The master keyset changes meanwhile.
		if _, err := w.Ring.Rotate(); err != nil {
			t.Fatal(err)
		}
		if n, err := w.DB.Reseal(t.Context(), w.Ring.Reseal, tenant.NewEntry(t.Context(), "", tenant.ActionKeysetRotate, "x", w.Clock.Now())); err != nil || n < 2 {
			t.Fatal(n, err)
		}
		if _, err := w.Ring.Prune(); err != nil {
			t.Fatal(err)
		}
		send()
		if !good(first) || !good(second) {
			t.Error("secrets did not outlive the master key that sealed them")
		}
		w.Clock.Add(webhook.Overlap)
		send()
		if good(first) || !good(second) {
			t.Error("a day later the old secret signs still, or the new one does not")
		}
		if err := w.hooks.Wake(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := w.state(t, e); got.OldSecret != nil {
			t.Error("the old secret is never removed")
		}
	})
}

func TestAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.DefaultEngine())
	ctx := t.Context()
	for _, tt := range []struct {
		url, field string
		events     webhook.Filter
	}{
		{"ftp://example.org/", "url", nil},
		{"https://example.org/" + strings.Repeat("x", 2000), "url", nil},
		{"https://example.org/", "events", webhook.Filter{"stamp.*", "stamp.burnt"}},
	} {
		_, _, err := w.hooks.Create(ctx, acme, tt.url, tt.events)
		var f *fault.Fault
		if !errors.As(err, &f) || f.Kind != fault.Invalid || len(f.Fields[tt.field]) != 1 {
			t.Errorf("%.40s %q: %v", tt.url, tt.events, err)
		}
	}
	if _, _, err := w.hooks.Create(ctx, "NOBODY", "https://example.org/", nil); !fault.Is(err, fault.NotFound) {
		t.Errorf("no tenant: %v", err)
	}
	r := newReceiver(t, 200)
	e, _ := w.create(t, r.URL)
	w.Tenant(t, "Other", "OTHER1")
	for name, err := range map[string]error{
		"deliveries": func() error { _, err := w.hooks.Deliveries(ctx, "OTHER1", e.ID, "", 1); return err }(),
		"enable":     func() error { _, err := w.hooks.Enable(ctx, "OTHER1", e.ID); return err }(),
		"rotate":     func() error { _, _, err := w.hooks.RotateSecret(ctx, "OTHER1", e.ID); return err }(),
		"test":       func() error { _, err := w.hooks.Test(ctx, "OTHER1", e.ID); return err }(),
		"remove":     w.hooks.Remove(ctx, "OTHER1", e.ID),
	} {
		if !fault.Is(err, fault.NotFound) {
			t.Errorf("%s another tenant's: %v", name, err)
		}
	}
	for n := 1; n < webhook.MaxEndpoints; n++ {
		w.create(t, r.URL)
	}
	if _, _, err := w.hooks.Create(ctx, acme, r.URL, nil); !fault.Is(err, fault.Conflict) {
		t.Errorf("one too many: %v", err)
	}
	w.Stamp(t, w.id, "paper")
	w.run(t, e)
	if err := w.hooks.Remove(ctx, acme, e.ID); err != nil {
		t.Fatal(err)
	}
	for table, want := range map[string]int{"webhooks": webhook.MaxEndpoints - 1, "webhook_deliveries": webhook.MaxEndpoints - 1, "webhook_tries": 0} {
		var n int
		if err := storetest.Raw(t, w.Dir).QueryRow(`SELECT count(*) FROM ` + table).Scan(&n); err != nil || n != want {
			t.Errorf("%d rows in %s, %v, want %d", n, table, err, want)
		}
	}
}

// TestOld: deliveries are removed a month after their end; waiting ones are
// not.
func TestOld(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		w := newWorld(t, engine)
		r := newReceiver(t, 200)
		e, _ := w.create(t, r.URL)
		w.Stamp(t, w.id, "delivered")
		w.run(t, e)
		r.set(500)
		w.Stamp(t, w.id, "waiting")
		w.run(t, e)
		w.Clock.Add(webhook.Retention - time.Hour)
		for _, want := range []int{2, 1} {
			if err := w.hooks.Wake(t.Context()); err != nil {
				t.Fatal(err)
			}
			if ds := w.deliveries(t, e); len(ds) != want {
				t.Errorf("%d deliveries, want %d", len(ds), want)
			}
			w.Clock.Add(2 * time.Hour)
		}
	})
}
