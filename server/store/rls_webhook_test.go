package store_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"tcode/server/outbound/webhook"
	"tcode/server/store"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// A hook is a webhook with a delivery.
type hook struct{ id, delivery string }

// furnishWebhook makes a webhook with a delivery that was tried once.
func furnishWebhook(t *testing.T, b *storetest.Bundle, who tenant.Identity, mark string) hook {
	t.Helper()
	ctx, now, ref := t.Context(), b.Clock.Now(), who.Tenant.Reference
	e := webhook.Endpoint{
		Tenant: ref, ID: uuid.Must(uuid.NewV7()).String(), URL: "https://hooks.example.org/" + mark, Events: webhook.Filter{"*"}, State: webhook.Enabled,
		Secret: []byte(mark), CreatedAt: now, UpdatedAt: now,
	}
	if err := b.DB.InsertWebhook(ctx, e, nil, entry(ctx, ref)); err != nil {
		t.Fatal(err)
	}
	b.Stamp(t, who, mark+" told")
	ds, err := b.DB.WebhookDeliveries(ctx, ref, e.ID, "", 10)
	if err != nil || len(ds) != 1 {
		t.Fatalf("%d deliveries, %v", len(ds), err)
	}
	if _, taken, err := b.DB.TakeWebhook(ctx, e.ID, holder, now, now.AddDate(1, 0, 0)); err != nil || !taken {
		t.Fatal(taken, err)
	}
	if ds, err = b.DB.BeginWebhookTries(ctx, e, holder, now, now, 10); err != nil || len(ds) != 1 {
		t.Fatalf("%d tries begin, %v", len(ds), err)
	}
	if _, _, err := b.DB.PutWebhookTry(ctx, ds[0], webhook.Try{Number: 1, At: now, Outcome: webhook.Outcome{Status: 500, Reason: mark}}); err != nil {
		t.Fatal(err)
	}
	return hook{e.ID, ds[0].ID}
}

// webhookCalls are the methods of [tenantCalls] about webhooks.
var webhookCalls = map[string]func(ctx context.Context, db *store.DB, tenantRef string, x things) (any, error){
	"Webhook": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return db.Webhook(ctx, ref, x.hook.id)
	},
	"Webhooks": func(ctx context.Context, db *store.DB, ref string, _ things) (any, error) {
		es, err := db.Webhooks(ctx, ref)
		return len(es), err
	},
	"ChangeWebhook": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return db.ChangeWebhook(ctx, ref, x.hook.id, func(e *webhook.Endpoint) error { return nil }, entry(ctx, ref))
	},
	"RemoveWebhook": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return nil, db.RemoveWebhook(ctx, ref, x.hook.id, entry(ctx, ref))
	},
	"WebhookDeliveries": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		some, err := db.WebhookDeliveries(ctx, ref, x.hook.id, webhook.Waiting, 10)
		if err != nil {
			return nil, err
		}
		every, err := db.WebhookDeliveries(ctx, ref, x.hook.id, "", 10)
		return append(some, every...), err
	},
	"WebhookTries": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		_, tries, err := db.WebhookTries(ctx, ref, x.hook.delivery)
		return tries, err
	},
	"RedeliverWebhook": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return nil, db.RedeliverWebhook(ctx, ref, x.hook.delivery, time.Now(), entry(ctx, ref))
	},
	"RedeliverWebhooks": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return db.RedeliverWebhooks(ctx, ref, x.hook.id, time.Time{}, time.Now(), entry(ctx, ref))
	},
	"BeginWebhookTries": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		far := time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
		return db.BeginWebhookTries(ctx, webhook.Endpoint{Tenant: ref, ID: x.hook.id}, holder, far, far, 10)
	},
	"PutWebhookTry": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		_, f, err := db.PutWebhookTry(ctx, webhook.Delivery{Tenant: ref, ID: x.hook.delivery, Endpoint: x.hook.id}, webhook.Try{Number: 2, At: time.Now()})
		return f, err
	},
	"HoldWebhook": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return nil, db.HoldWebhook(ctx, ref, x.hook.id, holder, time.Now())
	},
	"ReleaseWebhook": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return nil, db.ReleaseWebhook(ctx, ref, x.hook.id, "", time.Now())
	},
}

func init() {
	for name, call := range webhookCalls {
		tenantCalls[name] = call
	}
	for name, why := range map[string]string{
		"InsertWebhook": "writes its own tenant only", "TakeWebhook": "a runner works for all", "WakeWebhooks": "a runner works for all",
		"CleanWebhooks": "a runner works for all", "WebhookUse": "a count of all",
	} {
		otherCalls[name] = why
	}
	publicIndexes = append(publicIndexes, "webhook_deliveries_old of webhook_deliveries", "webhooks_id of webhooks", "webhooks_wake of webhooks")
	slices.Sort(publicIndexes)
}
