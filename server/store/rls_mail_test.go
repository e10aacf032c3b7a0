package store_test

import (
	"context"
	"testing"
	"time"

	"tcode/server/issue/trustdoc"
	"tcode/server/outbound/delivery"
	"tcode/server/store"
	"tcode/server/store/storetest"
)

// furnishMail makes [holder] hold a document's message.
func furnishMail(t *testing.T, b *storetest.Bundle, d trustdoc.Document) string {
	t.Helper()
	ctx, now, id := t.Context(), b.Clock.Now(), d.Delivery.ID
	if _, err := b.DB.ResendMessage(ctx, id, now, entry(ctx, d.Tenant)); err != nil {
		t.Fatal(err)
	}
	if m, taken, err := b.DB.TakeMessage(ctx, id, holder, now, now.AddDate(1, 0, 0)); err != nil || !taken || m.Document != d.ID {
		t.Fatal(m, taken, err)
	}
	return id
}

// mailCalls are the methods of [tenantCalls] about e-mail.
var mailCalls = map[string]func(ctx context.Context, db *store.DB, tenantRef string, x things) (any, error){
	"Messages": func(ctx context.Context, db *store.DB, ref string, _ things) (any, error) {
		every, err := db.Messages(ctx, ref, nil, 10)
		if err != nil {
			return nil, err
		}
		some, err := db.Messages(ctx, ref, []delivery.State{delivery.Sending, delivery.Failed}, 10)
		return [2]int{len(every), len(some)}, err
	},
	"ResendMessages": func(ctx context.Context, db *store.DB, ref string, _ things) (any, error) {
		return db.ResendMessages(ctx, ref, time.Time{}, time.Now(), entry(ctx, ref))
	},
	"HoldMessage": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return nil, db.HoldMessage(ctx, delivery.Message{Tenant: ref, ID: x.mail}, holder, time.Now())
	},
	"EndMessage": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return nil, db.EndMessage(ctx, delivery.Message{Tenant: ref, ID: x.mail}, holder, delivery.End{Action: delivery.Confirm, At: time.Now()})
	},
}

func init() {
	for name, call := range mailCalls {
		tenantCalls[name] = call
	}
}
