package store_test

import (
	"fmt"
	"testing"

	"tcode/server/issue/stamp"
	"tcode/server/outbound/webhook"
	"tcode/server/store/storetest"

	"github.com/google/uuid"
)

// BenchmarkWebhookEvent measures the cost of webhooks for a change of a stamp's status,
// by a tenant with none, with one that wants other events, and with one that wants
// these.
func BenchmarkWebhookEvent(b *testing.B) {
	for _, e := range []storetest.Engine{storetest.SQLite, storetest.Postgres} {
		for _, events := range []webhook.Filter{nil, {"key.rotated"}, {"stamp.*"}} {
			b.Run(fmt.Sprintf("%s/%s", e, events), func(b *testing.B) {
				bundle := storetest.NewOn(b, e)
				ctx, now := b.Context(), bundle.Clock.Now()
				id := bundle.Tenant(b, "Acme", "ACME01")
				st := bundle.Stamp(b, id, "paper")
				if events != nil {
					err := bundle.DB.InsertWebhook(ctx, webhook.Endpoint{
						Tenant: "ACME01", ID: uuid.NewString(), URL: "https://example.org/", Events: events, State: webhook.Enabled, Secret: []byte("s"), CreatedAt: now, UpdatedAt: now,
					}, nil, entry(ctx, "ACME01"))
					if err != nil {
						b.Fatal(err)
					}
				}
				actions := []stamp.Action{stamp.ActionSuspend, stamp.ActionReactivate}
				n := 0
				for b.Loop() {
					if changed, err := bundle.DB.ChangeStatus(ctx, "ACME01", st.ID, stamp.Event{Action: actions[n%2], At: now}, entry(ctx, "ACME01")); err != nil || !changed {
						b.Fatal(changed, err)
					}
					n++
				}
			})
		}
	}
}
