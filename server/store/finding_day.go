package store

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"tcode/server/tenant"
	"tcode/server/verify"
	"tcode/sync/wire"
)

// findingKey is a row of finding_days.
type findingKey struct {
	tenant  string
	day     tenant.Day
	finding wire.Finding
}

// findingTally counts the findings of a batch.
type findingTally map[findingKey]*verify.FindingCount

// count adds a signed scan of a live stamp.
func (t findingTally) count(r verify.ScanRow, f wire.Finding) {
	key := findingKey{r.Tenant, tenant.DayOf(r.ReceivedAt), f}
	if t[key] == nil {
		t[key] = &verify.FindingCount{Finding: f}
	}
	c := t[key]
	c.Seen++
	c.LastAt, c.Reference, c.ScannerID = r.ReceivedAt, r.Reference, r.ScannerID
}

// write adds the counts in order, so that two transactions never wait for each other in a
// deadlock.
func (t findingTally) write(ctx context.Context, tx *sql.Tx) error {
	keys := make([]findingKey, 0, len(t))
	for k := range t {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b findingKey) int {
		return cmp.Or(cmp.Compare(a.tenant, b.tenant), cmp.Compare(a.day, b.day), cmp.Compare(a.finding, b.finding))
	})
	for _, k := range keys {
		c := t[k]
		_, err := tx.ExecContext(ctx, `
			INSERT INTO finding_days (tenant, day, finding, seen, last_at, reference, scanner_id) VALUES ($1, $2, $3, $4, $5, $6, $7)
			ON CONFLICT (tenant, day, finding) DO UPDATE SET seen = finding_days.seen + excluded.seen,
				last_at = excluded.last_at, reference = excluded.reference, scanner_id = excluded.scanner_id`,
			k.tenant, int(k.day), string(k.finding), c.Seen, ms(c.LastAt), c.Reference[:], c.ScannerID)
		if err != nil {
			return wrap(err, "count findings")
		}
	}
	return nil
}

// Findings returns the counts of a tenant since a day.
func (d *DB) Findings(ctx context.Context, tenantRef string, since tenant.Day) ([]verify.FindingCount, error) {
	days, err := readAs(ctx, d, tenantRef, func(ctx context.Context, q queryer) ([]verify.FindingCount, error) {
		return all(ctx, q, func(r scanner) (c verify.FindingCount, err error) {
			var last int64
			var ref []byte
			err = r.Scan(&c.Finding, &c.Seen, &last, &ref, &c.ScannerID)
			c.LastAt = fromMS(last)
			copy(c.Reference[:], ref)
			return c, err
		}, `SELECT finding, seen, last_at, reference, scanner_id FROM finding_days WHERE tenant = $1 AND day >= $2 ORDER BY finding, day DESC`, tenantRef, int(since))
	})
	var out []verify.FindingCount
	for _, c := range days { // the newest day of each finding first
		if n := len(out); n > 0 && out[n-1].Finding == c.Finding {
			out[n-1].Seen += c.Seen
			continue
		}
		out = append(out, c)
	}
	return out, wrap(err, "read findings")
}
