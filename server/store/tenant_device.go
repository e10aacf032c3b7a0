package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tcode/offline"
	"tcode/server/tenant"
	"tcode/server/verify"
)

const tenantDeviceColumns = `td.tenant, td.scanner_id, td.first_at, td.last_at, td.last_scan, td.scans, td.findings, td.trust_version, td.skew_ms,
	td.name, td.refused, td.refused_at,
	coalesce(d.last_at, 0), coalesce(d.flag, ''), coalesce(d.flagged_at, 0), coalesce(d.clock_events, 0), coalesce(d.refused_at, 0)`

const tenantDeviceTables = `tenant_devices td LEFT JOIN devices d ON d.scanner_id = td.scanner_id`

func scanTenantDevice(r scanner) (d verify.TenantDevice, err error) {
	var first, last, scan, refused, sync, flagged, refusedByOperator int64
	var skew sql.NullInt64
	err = r.Scan(&d.Tenant, &d.ScannerID, &first, &last, &scan, &d.Scans, &d.Findings, &d.TrustVersion, &skew,
		&d.Name, &d.Refused, &refused, &sync, &d.Flag, &flagged, &d.ClockEvents, &refusedByOperator)
	d.FirstAt, d.LastAt, d.LastScan, d.RefusedAt = fromMS(first), fromMS(last), fromMS(scan), fromMS(refused)
	d.LastSync, d.FlaggedAt, d.RefusedByOperator = fromMS(sync), fromMS(flagged), refusedByOperator != 0
	d.Skew, d.SkewKnown = time.Duration(skew.Int64)*time.Millisecond, skew.Valid
	return d, err
}

// trustBounds returns the versions from which on trust documents are fresh, and not too
// old.
func trustBounds(now time.Time) (fresh, stale int64) {
	return now.Add(-offline.DefaultFresh).Unix(), now.Add(-offline.DefaultHardExpiry).Unix()
}

// deviceParts returns the statements that select the rows td of the devices of a filter, each device
// by one of them, and their arguments. fewFlagged is the result of that function.
func deviceParts(tenantRef string, f verify.TenantDeviceFilter, fewFlagged bool) (parts []string, args []any) {
	froms := []struct{ from, condition string }{{"tenant_devices td", ""}}
	if f.Flagged {
		froms[0].condition = "td.findings > 0"
		part := froms[0]
		part.from, part.condition = "tenant_devices td CROSS JOIN devices d", "td.scanner_id = d.scanner_id AND d.flag <> '' AND td.findings = 0"
		if fewFlagged {
			part.from, part.condition = "devices d CROSS JOIN tenant_devices td", "d.scanner_id > '' AND "+part.condition
		}
		froms = append(froms, part)
	}
	fresh, stale := trustBounds(f.At)
	for _, p := range froms {
		w := &where{args: args}
		w.and("td.tenant = ?", tenantRef)
		if p.condition != "" {
			w.and(p.condition)
		}
		if f.Refused {
			w.and("td.refused_at <> 0")
		}
		switch f.Freshness {
		case verify.Fresh:
			w.and("td.trust_version >= ?", fresh)
		case verify.Stale:
			w.and("td.trust_version >= ?", stale)
			w.and("td.trust_version < ?", fresh)
		case verify.TooOld:
			w.and("td.trust_version > 0")
			w.and("td.trust_version < ?", stale)
		case verify.Unknown:
			w.and("td.trust_version = 0")
		}
		args = w.args
		parts = append(parts, p.from+" WHERE "+w.String())
	}
	return parts, args
}

// fewFlagged reports whether the devices that the gateway has flagged, of all tenants, are few, so that a
// list begins with them. Others decide how many there are: if they are many, it begins with the tenant's own
// devices, and costs no tenant more because of others.
func fewFlagged(ctx context.Context, q queryer, f verify.TenantDeviceFilter) (bool, error) {
	if !f.Flagged {
		return false, nil
	}
	var n int
	err := q.QueryRowContext(ctx, fmt.Sprintf(`SELECT count(*) FROM (SELECT 1 FROM devices WHERE flag <> '' AND scanner_id > '' LIMIT %d) AS n`, manyFlagged+1)).Scan(&n)
	return n <= manyFlagged, err
}

// manyFlagged is the largest number of flagged devices that [fewFlagged] calls few.
const manyFlagged = 10_000

// countDevices counts the devices of a filter; it stops after one more than [verify.CountedDevices].
func countDevices(ctx context.Context, q queryer, tenantRef string, f verify.TenantDeviceFilter) (n verify.DeviceCount, err error) {
	few, err := fewFlagged(ctx, q, f)
	if err != nil {
		return 0, err
	}
	parts, args := deviceParts(tenantRef, f, few)
	for i, p := range parts {
		parts[i] = fmt.Sprintf(`SELECT * FROM (SELECT 1 FROM %s LIMIT %d) AS n%d`, p, verify.CountedDevices+1, i)
	}
	err = q.QueryRowContext(ctx, fmt.Sprintf(`SELECT count(*) FROM (%s LIMIT %d) AS n`, strings.Join(parts, " UNION ALL "), verify.CountedDevices+1), args...).Scan(&n)
	return n, err
}

// TenantDevices returns one page of a tenant's devices.
func (d *DB) TenantDevices(ctx context.Context, tenantRef string, f verify.TenantDeviceFilter, p verify.Page) (verify.TenantDevicePage, error) {
	out, err := readAs(ctx, d, tenantRef, func(ctx context.Context, q queryer) (out verify.TenantDevicePage, err error) {
		n, err := countDevices(ctx, q, tenantRef, f)
		if err != nil {
			return out, err
		}
		few, err := fewFlagged(ctx, q, f)
		if err != nil {
			return out, err
		}
		out.Page, out.TotalCount, out.TotalIsLowerBound = p, min(int(n), verify.CountedDevices), n > verify.CountedDevices
		// Few rows are found by their version and sorted; if there are many, they are found in the order of the list.
		order := "td.last_at"
		if f.Freshness != "" && !out.TotalIsLowerBound {
			order = "(td.last_at + 0)"
		}
		parts, args := deviceParts(tenantRef, f, few)
		for i, part := range parts {
			parts[i] = fmt.Sprintf(`SELECT * FROM (SELECT td.* FROM %s ORDER BY %s DESC, td.scanner_id DESC LIMIT %d) AS p%d`, part, order, p.Number*p.Size, i)
		}
		out.Items, err = all(ctx, q, scanTenantDevice, fmt.Sprintf(`SELECT %s FROM (SELECT * FROM (%s) AS u ORDER BY last_at DESC, scanner_id DESC LIMIT %d OFFSET %d) AS td
			LEFT JOIN devices d ON d.scanner_id = td.scanner_id ORDER BY td.last_at DESC, td.scanner_id DESC`,
			tenantDeviceColumns, strings.Join(parts, " UNION ALL "), p.Size, (p.Number-1)*p.Size), args...)
		return out, err
	})
	return out, wrap(err, "list devices of %s", tenantRef)
}

// TenantDevice returns one device of a tenant.
func (d *DB) TenantDevice(ctx context.Context, tenantRef, scannerID string) (verify.TenantDevice, error) {
	return readAs(ctx, d, tenantRef, func(ctx context.Context, q queryer) (verify.TenantDevice, error) {
		return tenantDevice(ctx, q, tenantRef, scannerID, "")
	})
}

func tenantDevice(ctx context.Context, q queryer, tenantRef, scannerID, lock string) (verify.TenantDevice, error) {
	t, err := scanTenantDevice(q.QueryRowContext(ctx, `SELECT `+tenantDeviceColumns+` FROM `+tenantDeviceTables+` WHERE td.tenant = $1 AND td.scanner_id = $2`+lock, tenantRef, scannerID))
	if err == sql.ErrNoRows { //nolint:errorlint // QueryRow returns it as it is
		err = verify.ErrNoTenantDevice
	}
	return t, err
}

// CountTenantDevices counts a tenant's devices.
func (d *DB) CountTenantDevices(ctx context.Context, tenantRef string, now time.Time) (verify.TenantDeviceCounts, error) {
	out, err := readAs(ctx, d, tenantRef, func(ctx context.Context, q queryer) (out verify.TenantDeviceCounts, err error) {
		for _, x := range []struct {
			n *verify.DeviceCount
			f verify.TenantDeviceFilter
		}{
			{&out.All, verify.TenantDeviceFilter{}},
			{&out.Fresh, verify.TenantDeviceFilter{Freshness: verify.Fresh}},
			{&out.Stale, verify.TenantDeviceFilter{Freshness: verify.Stale}},
			{&out.TooOld, verify.TenantDeviceFilter{Freshness: verify.TooOld}},
			{&out.Unknown, verify.TenantDeviceFilter{Freshness: verify.Unknown}},
			{&out.Refused, verify.TenantDeviceFilter{Refused: true}},
			{&out.Flagged, verify.TenantDeviceFilter{Flagged: true}},
		} {
			x.f.At = now
			if *x.n, err = countDevices(ctx, q, tenantRef, x.f); err != nil {
				return out, err
			}
		}
		return out, nil
	})
	return out, wrap(err, "count devices of %s", tenantRef)
}

// ChangeTenantDevice stores what a tenant decides about a device.
func (d *DB) ChangeTenantDevice(ctx context.Context, tenantRef, scannerID string, change func(verify.TenantDevice) verify.TenantDevice, audit *tenant.Entry) (now verify.TenantDevice, err error) {
	lock := d.forUpdate
	if lock != "" {
		lock += " OF td"
	}
	err = d.write(ctx, tenantRef, func(tx *sql.Tx) error {
		was, err := tenantDevice(ctx, tx, tenantRef, scannerID, lock)
		if err != nil {
			return err
		}
		if now = change(was); now == was {
			return nil
		}
		_, err = tx.ExecContext(ctx, `UPDATE tenant_devices SET name = $1, refused = $2, refused_at = $3 WHERE tenant = $4 AND scanner_id = $5`,
			now.Name, now.Refused, ms(now.RefusedAt), tenantRef, scannerID)
		if err != nil {
			return err
		}
		return insertAudit(ctx, tx, audit)
	})
	return now, wrap(err, "change device")
}

// deviceTally collects what a batch's new signed scans say about its device to each
// tenant.
type deviceTally map[string]*verify.TenantDevice

func (t deviceTally) count(r verify.ScanRow) {
	d := t[r.Tenant]
	if d == nil {
		d = &verify.TenantDevice{Tenant: r.Tenant, ScannerID: r.ScannerID, LastAt: r.ReceivedAt}
		if d.SkewKnown = !r.SentAt.IsZero(); d.SkewKnown {
			d.Skew = r.SentAt.Sub(r.ReceivedAt)
		}
		t[r.Tenant] = d
	}
	d.Scans++
	if r.Finding != "" && !r.Quiet {
		d.Findings++
	}
	d.TrustVersion = max(d.TrustVersion, r.Item.TrustVersion)
	if r.Item.ScannedAt.After(d.LastScan) {
		d.LastScan = r.Item.ScannedAt
	}
}

// write adds the counts in order, so that two transactions never wait for each other in a
// deadlock.
func (t deviceTally) write(ctx context.Context, tx *sql.Tx) error {
	for _, d := range slices.SortedFunc(maps.Values(t), func(a, b *verify.TenantDevice) int { return cmp.Compare(a.Tenant, b.Tenant) }) {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO tenant_devices (tenant, scanner_id, first_at, last_at, last_scan, scans, findings, trust_version, skew_ms)
			VALUES ($1, $2, $3, $3, $4, $5, $6, $7, $8)
			ON CONFLICT (tenant, scanner_id) DO UPDATE SET last_at = excluded.last_at,
				last_scan = CASE WHEN excluded.last_scan > tenant_devices.last_scan THEN excluded.last_scan ELSE tenant_devices.last_scan END,
				scans = tenant_devices.scans + excluded.scans, findings = tenant_devices.findings + excluded.findings,
				trust_version = CASE WHEN excluded.trust_version > tenant_devices.trust_version THEN excluded.trust_version ELSE tenant_devices.trust_version END,
				skew_ms = excluded.skew_ms`,
			d.Tenant, d.ScannerID, ms(d.LastAt), ms(d.LastScan), d.Scans, d.Findings, int64(d.TrustVersion), sql.NullInt64{Int64: d.Skew.Milliseconds(), Valid: d.SkewKnown})
		if err != nil {
			return fmt.Errorf("count scans of device: %w", err)
		}
	}
	return nil
}
