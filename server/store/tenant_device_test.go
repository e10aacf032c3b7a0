package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tcode/server/store/storetest"
	"tcode/server/verify"
)

// TestManyTenantDevices: the pages of each filter have each of its devices once, the last ones to
// send first, as one plain query finds them, and counts end after the limit.
func TestManyTenantDevices(t *testing.T) {
	t.Parallel()
	const n, hour = 2*verify.CountedDevices + 500, 3600
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		b := storetest.NewOn(t, e)
		for _, ref := range []string{"ACME01", "OTHER1"} {
			b.Tenant(t, ref, ref)
		}
		now := b.Clock.Now()
		storetest.Multiply(t, b.Dir, n, `INSERT INTO devices (scanner_id, first_at, last_at, last_seq, last_scan, scans, flag)
			SELECT 'dev_' || {id}, s.i, s.i, 1, s.i, 1, CASE WHEN s.i % 1000 = 7 THEN 'seq_reused' ELSE '' END FROM {numbers}`)
		for _, ref := range []string{"ACME01", "OTHER1"} { // half of the devices are fresh, 300 are stale, 3 are too old, 2 are unknown, the rest is too old in OTHER1
			storetest.Multiply(t, b.Dir, n, fmt.Sprintf(`INSERT INTO tenant_devices (tenant, scanner_id, first_at, last_at, last_scan, scans, findings, trust_version, refused_at)
				SELECT '%[1]s', 'dev_' || {id}, s.i, s.i %% 5000, s.i, 1, CASE WHEN s.i %% 1000 = 8 OR s.i %% 3000 = 7 THEN 1 ELSE 0 END,
				CASE WHEN s.i <= 2 THEN 0 WHEN s.i <= 5 THEN %[3]d WHEN s.i <= 305 THEN %[4]d WHEN '%[1]s' = 'OTHER1' AND s.i > 10300 THEN %[3]d ELSE %[2]d END,
				CASE WHEN s.i %% 700 = 3 THEN 1 ELSE 0 END FROM {numbers}`, ref, now.Unix()-hour, now.Unix()-9*24*hour, now.Unix()-30*hour))
		}
		sameDevices(t, b, now)
		if _, err := storetest.Raw(t, b.Dir).Exec(`UPDATE devices SET flag = 'seq_went_back' WHERE last_at % 3 <> 0`); err != nil { // too many to begin with them
			t.Fatal(err)
		}
		sameDevices(t, b, now)
	})
}

// sameDevices compares the answers of the store for each filter with those of one plain query.
func sameDevices(t *testing.T, b *storetest.Bundle, now time.Time) {
	t.Helper()
	fresh, stale := now.Add(-24*time.Hour).Unix(), now.Add(-7*24*time.Hour).Unix()
	for _, ref := range []string{"ACME01", "OTHER1"} {
		counts, err := b.Verify.CountTenantDevices(t.Context(), ref)
		if err != nil {
			t.Fatal(err)
		}
		for name, x := range map[string]struct {
			f     verify.TenantDeviceFilter
			where string
			n     verify.DeviceCount
		}{
			"all":     {verify.TenantDeviceFilter{}, "1 = 1", counts.All},
			"fresh":   {verify.TenantDeviceFilter{Freshness: verify.Fresh}, fmt.Sprintf("td.trust_version >= %d", fresh), counts.Fresh},
			"stale":   {verify.TenantDeviceFilter{Freshness: verify.Stale}, fmt.Sprintf("td.trust_version >= %d AND td.trust_version < %d", stale, fresh), counts.Stale},
			"too old": {verify.TenantDeviceFilter{Freshness: verify.TooOld}, fmt.Sprintf("td.trust_version > 0 AND td.trust_version < %d", stale), counts.TooOld},
			"unknown": {verify.TenantDeviceFilter{Freshness: verify.Unknown}, "td.trust_version = 0", counts.Unknown},
			"refused": {verify.TenantDeviceFilter{Refused: true}, "td.refused_at <> 0", counts.Refused},
			"flagged": {verify.TenantDeviceFilter{Flagged: true}, "(td.findings > 0 OR d.flag <> '')", counts.Flagged},
			"flagged, refused, fresh": {
				verify.TenantDeviceFilter{Flagged: true, Refused: true, Freshness: verify.Fresh},
				fmt.Sprintf("(td.findings > 0 OR d.flag <> '') AND td.refused_at <> 0 AND td.trust_version >= %d", fresh), -1,
			},
		} {
			want := devicesBySQL(t, b, ref, x.where)
			var got []string
			for page := 1; page <= 4; page++ {
				p, err := b.Verify.TenantDevices(t.Context(), ref, x.f, verify.Page{Number: page, Size: 40})
				if err != nil {
					t.Fatal(err)
				}
				for _, d := range p.Items {
					got = append(got, d.ScannerID)
				}
				if p.TotalCount != min(len(want), verify.CountedDevices) || p.TotalIsLowerBound != (len(want) > verify.CountedDevices) {
					t.Errorf("%s, %s: %d devices, more: %v, want %d", ref, name, p.TotalCount, p.TotalIsLowerBound, len(want))
				}
			}
			if !slices.Equal(got, want[:min(len(want), len(got), 160)]) || len(got) != min(160, len(want)) {
				t.Errorf("%s, %s: other devices, or another order: %d of %d", ref, name, len(got), len(want))
			}
			if exact := verify.DeviceCount(min(len(want), verify.CountedDevices+1)); x.n >= 0 && x.n != exact {
				t.Errorf("%s, %s: %d counted, want %d", ref, name, x.n, exact)
			}
		}
	}
}

// devicesBySQL returns the ids of the devices of a tenant under a condition.
func devicesBySQL(t *testing.T, b *storetest.Bundle, ref, condition string) (ids []string) {
	t.Helper()
	rows, err := storetest.Raw(t, b.Dir).Query(`SELECT td.scanner_id FROM tenant_devices td LEFT JOIN devices d ON d.scanner_id = td.scanner_id
		WHERE td.tenant = '` + ref + `' AND ` + condition + ` ORDER BY td.last_at DESC, td.scanner_id DESC`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	return ids
}
