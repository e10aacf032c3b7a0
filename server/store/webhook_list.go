package store

import (
	"context"
	"fmt"
	"time"

	"tcode/server/outbound/webhook"
)

// WebhookDeliveryPage returns one page of an endpoint's deliveries.
func (d *DB) WebhookDeliveryPage(ctx context.Context, tenantRef, endpoint string, s webhook.State, page, size int) (webhook.DeliveryPage, error) {
	w := new(where)
	w.and("tenant = ?", tenantRef)
	w.and("endpoint = ?", endpoint)
	if s != "" {
		w.and("state = ?", string(s))
	}
	p, err := readAs(ctx, d, tenantRef, func(ctx context.Context, q queryer) (p webhook.DeliveryPage, err error) {
		// The number falls when deliveries are sent or removed: no count is kept.
		rows := fmt.Sprintf(`SELECT count(*) FROM (SELECT 1 FROM webhook_deliveries WHERE %s LIMIT %d) AS t`, w, maxDeliveries+1)
		if err := q.QueryRowContext(ctx, rows, w.args...).Scan(&p.TotalCount); err != nil {
			return p, err
		}
		p.TotalCount, p.TotalIsLowerBound = min(p.TotalCount, maxDeliveries), p.TotalCount > maxDeliveries
		p.Items, err = all(ctx, q, scanDelivery, fmt.Sprintf(`SELECT %s FROM webhook_deliveries WHERE %s ORDER BY id DESC LIMIT $%d OFFSET $%d`,
			deliveryColumns, w, len(w.args)+1, len(w.args)+2), append(w.args, size, (page-1)*size)...)
		return p, err
	})
	return p, wrap(err, "list deliveries")
}

// maxDeliveries is the largest exact number of deliveries of a list.
const maxDeliveries = 10_000

// CountWebhookDeliveries counts a tenant's deliveries by endpoint and state. Their ids begin
// with their time of creation, so a range of ids is one of times.
func (d *DB) CountWebhookDeliveries(ctx context.Context, tenantRef string, since time.Time) (map[string]webhook.Counts, error) {
	type row struct {
		endpoint string
		state    webhook.State
		n        int
	}
	rows, err := readAs(ctx, d, tenantRef, func(ctx context.Context, q queryer) ([]row, error) {
		return all(ctx, q, func(r scanner) (x row, err error) {
			err = r.Scan(&x.endpoint, &x.state, &x.n)
			return x, err
		}, `SELECT w.id, s.state, (SELECT count(*) FROM webhook_deliveries d WHERE d.tenant = w.tenant AND d.endpoint = w.id AND d.state = s.state AND d.id >= $2)
			FROM webhooks w CROSS JOIN (SELECT 'Waiting' AS state UNION ALL SELECT 'Delivered' UNION ALL SELECT 'Failed') AS s WHERE w.tenant = $1`, tenantRef, firstID(since))
	})
	out := map[string]webhook.Counts{}
	for _, r := range rows {
		c := out[r.endpoint]
		switch r.state {
		case webhook.Waiting:
			c.Waiting = r.n
		case webhook.Delivered:
			c.Delivered = r.n
		case webhook.Failed:
			c.Failed = r.n
		}
		out[r.endpoint] = c
	}
	return out, wrap(err, "count deliveries")
}

// firstID returns the least UUIDv7 of a time (RFC 9562 section 5.7).
func firstID(at time.Time) string {
	hex := fmt.Sprintf("%012x", max(at.UnixMilli(), 0))
	return hex[:8] + "-" + hex[8:] + "-7000-8000-000000000000"
}
