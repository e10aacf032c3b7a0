package store_test

import (
	"context"
	"testing"
	"time"

	"tcode/server/issue/batch"
	"tcode/server/issue/stamp"
	"tcode/server/issue/trustdoc"
	"tcode/server/store"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
	"tcode/server/verify"
)

// furnishBatch makes [holder] hold an order about a stamp.
func furnishBatch(t *testing.T, b *storetest.Bundle, id tenant.Identity, stampID, mark string) string {
	t.Helper()
	svc := batch.New(batch.Config{Store: b.DB, Acts: map[batch.Subject]batch.Act{batch.Stamps: nil}, Now: b.Clock.Now})
	made, err := svc.Begin(t.Context(), id, batch.Order{Subject: batch.Stamps, Action: "suspend", Reason: mark, IDs: []string{stampID}})
	if err != nil {
		t.Fatal(err)
	}
	if _, taken, err := b.DB.TakeBatch(t.Context(), made.ID, holder, b.Clock.Now(), b.Clock.Now().AddDate(1, 0, 0)); err != nil || !taken {
		t.Fatal(taken, err)
	}
	return made.ID
}

// batchCalls are the methods of [tenantCalls] about orders and what their screens list.
var batchCalls = map[string]func(ctx context.Context, db *store.DB, tenantRef string, x things) (any, error){
	"Batch": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return db.Batch(ctx, ref, x.batch)
	},
	"Batches": func(ctx context.Context, db *store.DB, ref string, _ things) (any, error) {
		return db.Batches(ctx, ref, batch.Stamps, 10)
	},
	"HoldBatch": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return nil, db.HoldBatch(ctx, ref, x.batch, holder, time.Now())
	},
	"SaveBatch": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return nil, db.SaveBatch(ctx, batch.Batch{Tenant: ref, ID: x.batch, State: batch.Running}, holder, time.Now())
	},
	"StopBatch": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return db.StopBatch(ctx, ref, x.batch, time.Now(), entry(ctx, ref))
	},
	"MatchingStamps": func(ctx context.Context, db *store.DB, ref string, _ things) (any, error) {
		return db.MatchingStamps(ctx, ref, stamp.Filter{Search: "victim", DocumentType: "DIP"}, 10)
	},
	"MatchingDocuments": func(ctx context.Context, db *store.DB, ref string, _ things) (any, error) {
		return db.MatchingDocuments(ctx, ref, trustdoc.Filter{DocumentType: "DIP"}, 10)
	},
	"Tallies": func(ctx context.Context, db *store.DB, ref string, _ things) (any, error) {
		return db.Tallies(ctx, ref, verify.OfStamp, [10]byte{1}, 10)
	},
}

func init() {
	for name, call := range batchCalls {
		tenantCalls[name] = call
	}
	otherCalls["InsertBatch"], otherCalls["TakeBatch"], otherCalls["WakeBatches"] = "writes its own tenant only", "the runner's, by id", "the runner's"
}
