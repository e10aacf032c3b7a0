package store_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"tcode/offline/payload"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
	"tcode/server/verify"
)

// TestDaysCounted: the counts of days are those of the rows, and the migration counts the
// rows of a database from before.
func TestDaysCounted(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		b := storetest.NewOn(t, e)
		mine := furnish(t, b, "ACME01", "acme") // two stamps of it, one of a Trust document
		now := b.Clock.Now()
		ref, err := payload.ParseReference(mine.reference)
		if err != nil {
			t.Fatal(err)
		}
		yesterday := now.AddDate(0, 0, -1)
		err = b.DB.AddVerifications(t.Context(), []verify.Entry{
			{Tenant: "ACME01", Reference: ref, Verdict: verify.Valid, Method: verify.ByReference, VerifiedAt: yesterday},
			{Tenant: "ACME01", Reference: ref, Verdict: verify.Valid, Method: verify.ByReference, VerifiedAt: yesterday, Test: true},
			{Verdict: verify.NotFound, Method: verify.ByReference, VerifiedAt: yesterday},
		})
		if err != nil {
			t.Fatal(err)
		}
		days := func() string {
			t.Helper()
			counts, err := b.DB.UsageDays(t.Context(), "ACME01", 20000101, 99991231)
			if err != nil {
				t.Fatal(err)
			}
			var out string
			for _, c := range counts {
				out += fmt.Sprintf("%s %s %d\n", c.Day, c.Kind, c.Used)
			}
			return out
		}
		counted := days()
		raw := storetest.Raw(t, b.Dir)
		var stamps, documents, scans int64
		err = raw.QueryRow(`SELECT (SELECT count(*) FROM stamps WHERE tenant = 'ACME01'), (SELECT count(*) FROM documents WHERE tenant = 'ACME01'),
			(SELECT count(*) FROM scans WHERE tenant = 'ACME01')`).Scan(&stamps, &documents, &scans)
		if err != nil {
			t.Fatal(err)
		}
		day := tenant.DayOf(now)
		want := fmt.Sprintf("%s test_verifications 1\n%s verifications 1\n%s documents %d\n%s scans %d\n%s stamps %d\n%s verifications 1\n",
			day.Add(-1), day.Add(-1), day, documents, day, scans, day, stamps, day)
		if counted != want || stamps < 2 || scans < 2 {
			t.Errorf("counted\n%swant\n%s", counted, want)
		}
		if _, err := raw.Exec(`DELETE FROM usage_days`); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile("migrations/" + string(e) + "/00029_management.sql")
		if err != nil {
			t.Fatal(err)
		}
		for statement := range strings.SplitSeq(string(text), ";\n") {
			if at := strings.Index(statement, "INSERT INTO usage_days"); at >= 0 {
				if _, err := raw.Exec(statement[at:]); err != nil {
					t.Fatal(err)
				}
			}
		}
		if got := days(); got != counted {
			t.Errorf("the migration counts\n%swant\n%s", got, counted)
		}
	})
}

// TestTenantDevices: what a tenant knows of a device comes from the scans of its own stamps
// alone, each counted once.
func TestTenantDevices(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		b := storetest.NewOn(t, e)
		mine, theirs := furnish(t, b, "ACME01", "acme"), furnish(t, b, "OTHER1", "other")
		p, err := b.Verify.TenantDevices(t.Context(), "ACME01", verify.TenantDeviceFilter{}, verify.Page{})
		if err != nil || p.TotalCount != 1 || len(p.Items) != 1 {
			t.Fatalf("%+v, %v", p, err)
		}
		d := p.Items[0]
		if d.ScannerID != mine.device || d.Scans != 1 || d.Name != "acme" || d.LastSync.IsZero() || !d.SkewKnown || d.Skew > time.Second {
			t.Errorf("%+v", d)
		}
		if _, err := b.Verify.TenantDevice(t.Context(), "ACME01", theirs.device); err == nil {
			t.Error("the device of another tenant's stamps is known")
		}
		for version, want := range map[time.Duration]verify.Freshness{time.Hour: verify.Fresh, 25 * time.Hour: verify.Stale, 8 * 24 * time.Hour: verify.TooOld} {
			d.TrustVersion = uint64(b.Clock.Now().Add(-version).Unix())
			if got := d.Freshness(b.Clock.Now()); got != want {
				t.Errorf("trust documents of %v ago are %s, want %s", version, got, want)
			}
			if _, err := storetest.Raw(t, b.Dir).Exec(`UPDATE tenant_devices SET trust_version = $1 WHERE tenant = 'ACME01'`, int64(d.TrustVersion)); err != nil {
				t.Fatal(err)
			}
			f := verify.TenantDeviceFilter{Freshness: want}
			if p, err := b.Verify.TenantDevices(t.Context(), "ACME01", f, verify.Page{}); err != nil || p.TotalCount != 1 {
				t.Errorf("%d devices are %s, %v", p.TotalCount, want, err)
			}
			n, err := b.Verify.CountTenantDevices(t.Context(), "ACME01")
			of := map[verify.Freshness]verify.DeviceCount{verify.Fresh: n.Fresh, verify.Stale: n.Stale, verify.TooOld: n.TooOld}
			if err != nil || n.All != 1 || of[want] != 1 {
				t.Errorf("%s: counts %+v, %v", want, n, err)
			}
		}
	})
}
