package store_test

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"testing"
	"time"

	"github.com/google/uuid"

	"tcode/server/issue/stamp"
	"tcode/server/store"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
	"tcode/server/verify"
	"tcode/sync/wire"
)

// furnishDevice lets a device sign a scan of a stamp, and its tenant name it.
func furnishDevice(t *testing.T, b *storetest.Bundle, st stamp.Stamp, mark string) string {
	t.Helper()
	seed := sha256.Sum256([]byte(mark))
	key := ed25519.NewKeyFromSeed(seed[:])
	now := wire.TruncateMillis(b.Clock.Now())
	batch := wire.Batch{
		ID: uuid.NewString(), ScannerID: wire.ScannerID(key.Public().(ed25519.PublicKey)), SentAt: now,
		Items: []wire.Item{{ScanID: uuid.NewString(), Seq: 1, Reference: st.Reference.String(), ScannedAt: now}},
	}
	deviceKey, sig, err := wire.SignBatch(batch, key)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Verify.Sync(t.Context(), batch, verify.Proof{DeviceKey: deviceKey, Signature: sig}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Verify.NameTenantDevice(t.Context(), st.Tenant, batch.ScannerID, mark); err != nil {
		t.Fatal(err)
	}
	return batch.ScannerID
}

// managementCalls are the methods of [tenantCalls] for the management of a tenant's own
// things.
var managementCalls = map[string]func(ctx context.Context, db *store.DB, tenantRef string, x things) (any, error){
	"RotateAPIKey": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		var seen string
		err := db.RotateAPIKey(ctx, ref, x.key, func(old tenant.APIKey) (tenant.KeyRotation, error) {
			seen = old.Name
			return tenant.KeyRotation{Made: old}, nil // its prefix is taken
		})
		return seen, err
	},
	"UsageDays": func(ctx context.Context, db *store.DB, ref string, _ things) (any, error) {
		return db.UsageDays(ctx, ref, 20260101, 20271231)
	},
	"Findings": func(ctx context.Context, db *store.DB, ref string, _ things) (any, error) {
		return db.Findings(ctx, ref, 20200101)
	},
	"AuditPage": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		var out []any
		for _, f := range []tenant.AuditFilter{
			{},
			{Action: "stamp."},
			{Action: "stamp.create"},
			{Subject: x.stamp},
			{Actor: tenant.ActorKey},
			{Actor: tenant.ActorKey, By: x.key},
			{By: x.key},
			{From: time.Unix(1, 0), To: time.Unix(1<<33, 0)},
			{Action: "stamp.", Subject: x.stamp, From: time.Unix(1, 0)},
		} {
			f.Tenant = ref
			p, err := db.AuditPage(ctx, f, 1, 20)
			if err != nil {
				return nil, err
			}
			own := p.Items[:0]
			for _, e := range p.Items {
				if e.Tenant != ref { // those of ref are other rows in each run
					own = append(own, e)
				}
			}
			out = append(out, own)
		}
		return out, nil
	},
	"TenantDevices": func(ctx context.Context, db *store.DB, ref string, _ things) (any, error) {
		var out []any
		for _, f := range []verify.TenantDeviceFilter{
			{}, {Refused: true}, {Flagged: true}, {Freshness: verify.Fresh}, {Freshness: verify.Stale}, {Freshness: verify.TooOld}, {Freshness: verify.Unknown},
		} {
			f.At = time.Unix(1<<30, 0)
			p, err := db.TenantDevices(ctx, ref, f, verify.Page{Number: 1, Size: 20})
			if err != nil {
				return nil, err
			}
			out = append(out, p)
		}
		return out, nil
	},
	"TenantDevice": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return db.TenantDevice(ctx, ref, x.device)
	},
	"CountTenantDevices": func(ctx context.Context, db *store.DB, ref string, _ things) (any, error) {
		return db.CountTenantDevices(ctx, ref, time.Unix(1<<30, 0))
	},
	"ChangeTenantDevice": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return db.ChangeTenantDevice(ctx, ref, x.device, func(d verify.TenantDevice) verify.TenantDevice {
			d.Name = "changed"
			return d
		}, entry(ctx, ref))
	},
	"WebhookDeliveryPage": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		some, err := db.WebhookDeliveryPage(ctx, ref, x.hook.id, "Waiting", 1, 10)
		if err != nil {
			return nil, err
		}
		every, err := db.WebhookDeliveryPage(ctx, ref, x.hook.id, "", 1, 10)
		return append(some.Items, every.Items...), err
	},
	"CountWebhookDeliveries": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		counts, err := db.CountWebhookDeliveries(ctx, ref, time.Time{})
		return counts[x.hook.id], err
	},
}

func init() {
	for name, call := range managementCalls {
		tenantCalls[name] = call
	}
}
