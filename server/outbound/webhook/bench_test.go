package webhook_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"tcode/server/outbound/webhook"
	"tcode/server/outbound/webhook/post"
	"tcode/server/store/storetest"
)

// BenchmarkDeliver measures one delivery to a receiver on this machine, stored with its
// try.
func BenchmarkDeliver(b *testing.B) {
	for _, e := range []storetest.Engine{storetest.SQLite, storetest.Postgres} {
		b.Run(string(e), func(b *testing.B) {
			receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
			defer receiver.Close()
			bundle := storetest.NewOn(b, e)
			id := bundle.Tenant(b, "Acme", acme)
			p := post.New(post.Config{AllowPrivate: true, Now: bundle.Clock.Now})
			defer p.Close()
			s := webhook.New(webhook.Config{Store: bundle.DB, Ring: bundle.Ring, Tenants: bundle.Tenants, Sender: p, Now: bundle.Clock.Now, Hold: time.Hour})
			hook, _, err := s.Create(b.Context(), acme, receiver.URL, nil)
			if err != nil {
				b.Fatal(err)
			}
			for i := range b.N {
				bundle.Stamp(b, id, "paper "+strconv.Itoa(i))
			}
			b.ResetTimer()
			if err := s.Run(b.Context(), hook.ID); err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			left, err := s.Deliveries(b.Context(), acme, hook.ID, webhook.Waiting, 1)
			if err != nil || len(left) > 0 {
				b.Fatalf("%d are left, %v", len(left), err)
			}
		})
	}
}
