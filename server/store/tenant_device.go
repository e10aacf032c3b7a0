package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
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

// TenantDevices returns one page of a tenant's devices.
func (d *DB) TenantDevices(ctx context.Context, tenantRef string, f verify.TenantDeviceFilter, p verify.Page) (verify.TenantDevicePage, error) {
	w := new(where)
	w.and("td.tenant = ?", tenantRef)
	if f.Refused {
		w.and("td.refused_at <> 0")
	}
	if f.Flagged {
		w.and("(td.findings > 0 OR d.flag <> '')")
	}
	fresh, stale := trustBounds(f.At)
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
	out, err := readAs(ctx, d, tenantRef, func(ctx context.Context, q queryer) (out verify.TenantDevicePage, err error) {
		out.Page = p
		if out.TotalCount, out.TotalIsLowerBound, err = d.count(ctx, q, tenantDeviceTables, w); err != nil {
			return out, err
		}
		out.Items, err = all(ctx, q, scanTenantDevice, fmt.Sprintf(`SELECT %s FROM %s WHERE %s ORDER BY td.last_at DESC, td.scanner_id DESC LIMIT $%d OFFSET $%d`,
			tenantDeviceColumns, tenantDeviceTables, w, len(w.args)+1, len(w.args)+2), append(w.args, p.Size, (p.Number-1)*p.Size)...)
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
	fresh, stale := trustBounds(now)
	n, err := readAs(ctx, d, tenantRef, func(ctx context.Context, q queryer) (n verify.TenantDeviceCounts, err error) {
		err = q.QueryRowContext(ctx, `SELECT count(*), count(CASE WHEN td.trust_version >= $2 THEN 1 END),
				count(CASE WHEN td.trust_version >= $3 AND td.trust_version < $2 THEN 1 END), count(CASE WHEN td.trust_version > 0 AND td.trust_version < $3 THEN 1 END),
				count(CASE WHEN td.trust_version = 0 THEN 1 END), count(CASE WHEN td.refused_at <> 0 THEN 1 END),
				count(CASE WHEN td.findings > 0 OR d.flag <> '' THEN 1 END)
			FROM `+tenantDeviceTables+` WHERE td.tenant = $1`, tenantRef, fresh, stale).
			Scan(&n.All, &n.Fresh, &n.Stale, &n.TooOld, &n.Unknown, &n.Refused, &n.Flagged)
		return n, err
	})
	return n, wrap(err, "count devices of %s", tenantRef)
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
	if r.Finding != "" {
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
