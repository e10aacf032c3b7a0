package store_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"tcode/server/outbound/delivery"
	"tcode/server/outbound/webhook"
	"tcode/server/store/storetest"
	"tcode/server/verify"
)

// BenchmarkDesk measures what the console reads of a tenant with many devices, webhook deliveries
// and messages, including the CPU time of the database server. TCODE_BENCH_ROWS is the number of
// each, default 1,000.
func BenchmarkDesk(b *testing.B) {
	n := 1000
	if v := os.Getenv("TCODE_BENCH_ROWS"); v != "" {
		n, _ = strconv.Atoi(v)
	}
	for _, e := range []storetest.Engine{storetest.SQLite, storetest.Postgres} {
		d := storetest.NewOn(b, e)
		id := d.Tenant(b, "Acme", "ACME01")
		hook := seedDesk(b, d, id.Tenant.Reference, d.Stamp(b, id, "first").ID, n)
		for name, read := range deskReads(d, id.Tenant.Reference, hook) {
			b.Run(fmt.Sprintf("%s/%d/%s", e, n, name), func(b *testing.B) {
				measure(b, func() error { return read(b.Context()) })
			})
		}
	}
}

// seedDesk adds n rows of each kind, of the last week, and the stamps of the messages. One of every
// 1,000 devices has findings, another is flagged by the gateway, another is refused. One of every 100
// deliveries and messages has failed.
func seedDesk(b *testing.B, d *storetest.Bundle, tenantRef, stampID string, n int) (hook string) {
	b.Helper()
	storetest.Seed(b, d.Dir, stampID, n)
	now := d.Clock.Now()
	e := webhook.Endpoint{
		Tenant: tenantRef, ID: "0196fb7e-0000-7000-8000-000000000002", URL: "https://hooks.example.org/x", Events: webhook.Filter{"*"}, State: webhook.Enabled,
		Secret: []byte("secret"), CreatedAt: now, UpdatedAt: now,
	}
	if err := d.DB.InsertWebhook(b.Context(), e, nil, entry(b.Context(), tenantRef)); err != nil {
		b.Fatal(err)
	}
	at := fmt.Sprintf("(%d - s.i * CAST(604800000 AS BIGINT) / %d)", now.UnixMilli(), n)
	hex := fmt.Sprintf("printf('%%012x', %s)", at)
	if storetest.Database(b, d.Dir).DatabaseURL != "" {
		hex = fmt.Sprintf("lpad(to_hex(%s), 12, '0')", at)
	}
	delivered := fmt.Sprintf("substr(%[1]s, 1, 8) || '-' || substr(%[1]s, 9, 4) || '-7' || substr({id}, 26, 3) || '-8000-' || substr({id}, 25, 12)", hex)
	for _, statement := range []string{
		`INSERT INTO devices (scanner_id, first_at, last_at, last_seq, last_scan, scans, flag)
			SELECT 'dev_' || {id}, ` + at + `, ` + at + `, 1, ` + at + `, 1, CASE WHEN s.i % 1000 = 7 THEN 'seq_reused' ELSE '' END FROM {numbers}`,
		`INSERT INTO tenant_devices (tenant, scanner_id, first_at, last_at, last_scan, scans, findings, trust_version, refused_at)
			SELECT '` + tenantRef + `', 'dev_' || {id}, ` + at + `, ` + at + `, ` + at + `, 1, CASE WHEN s.i % 1000 = 8 THEN 1 ELSE 0 END, ` + at + ` / 1000,
			CASE WHEN s.i % 1000 = 9 THEN 1 ELSE 0 END FROM {numbers}`,
		`INSERT INTO webhook_deliveries (tenant, id, endpoint, type, body, state, due_at, created_at, finished_at)
			SELECT '` + tenantRef + `', ` + delivered + `, '` + e.ID + `', 'stamp.created', '{"a":"` + fmt.Sprintf("%0200d", 1) + `"}',
			CASE WHEN s.i % 100 = 7 THEN 'Failed' ELSE 'Delivered' END, ` + at + `, ` + at + `, ` + at + ` FROM {numbers}`,
		`INSERT INTO mails (tenant, id, stamp_id, field, state, next_at, wake_at, give_up_at, sent_at, created_at, updated_at)
			SELECT '` + tenantRef + `', {id}, {id}, 'email', CASE WHEN s.i % 100 = 7 THEN 'Failed' ELSE 'Sent' END, ` + at + `, ` + at + `, ` + at + `,
			CASE WHEN s.i % 100 = 7 THEN 0 ELSE 1 END, ` + at + `, ` + at + ` FROM {numbers}`,
	} {
		storetest.Multiply(b, d.Dir, n, statement)
	}
	storetest.Settle(b, d.Dir)
	return e.ID
}

// deskReads are the reads of the screens.
func deskReads(d *storetest.Bundle, tenantRef, hook string) map[string]func(context.Context) error {
	now, first := d.Clock.Now(), verify.Page{Number: 1, Size: 50}
	devices := func(f verify.TenantDeviceFilter) func(context.Context) error {
		f.At = now
		return func(ctx context.Context) error {
			_, err := d.DB.TenantDevices(ctx, tenantRef, f, first)
			return err
		}
	}
	deliveries := func(s webhook.State) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := d.DB.WebhookDeliveryPage(ctx, tenantRef, hook, s, 1, 50)
			return err
		}
	}
	return map[string]func(context.Context) error{
		"devices": devices(verify.TenantDeviceFilter{}), "devices flagged": devices(verify.TenantDeviceFilter{Flagged: true}),
		"devices refused": devices(verify.TenantDeviceFilter{Refused: true}), "devices fresh": devices(verify.TenantDeviceFilter{Freshness: verify.Fresh}),
		"devices too old": devices(verify.TenantDeviceFilter{Freshness: verify.TooOld}), "devices unknown": devices(verify.TenantDeviceFilter{Freshness: verify.Unknown}),
		"devices counted": func(ctx context.Context) error {
			_, err := d.DB.CountTenantDevices(ctx, tenantRef, now)
			return err
		},
		"deliveries": deliveries(""), "deliveries failed": deliveries(webhook.Failed), "deliveries waiting": deliveries(webhook.Waiting),
		"deliveries counted": func(ctx context.Context) error {
			_, err := d.DB.CountWebhookDeliveries(ctx, tenantRef, now.Add(-24*time.Hour))
			return err
		},
		"messages": func(ctx context.Context) error {
			_, err := d.DB.Messages(ctx, tenantRef, nil, 50)
			return err
		},
		"messages failed": func(ctx context.Context) error {
			_, err := d.DB.Messages(ctx, tenantRef, []delivery.State{delivery.Failed, delivery.Refused}, 50)
			return err
		},
	}
}
