package verify_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tcode/server/issue/stamp"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
	"tcode/server/verify"
	"tcode/sync/wire"
)

// TestWorseLeads: the scan list shows the worse of the two verdicts first, with the
// device's verdict and the finding.
func TestWorseLeads(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		b := storetest.NewOn(t, e)
		id := b.Tenant(t, "Acme", "ACME01")
		st := b.Stamp(t, id, "n")
		d := newDevice(t)
		scan := func(change func(*wire.Item)) wire.ItemResult {
			t.Helper()
			it := d.item(b64(st.Payload), b.Clock.Now())
			change(&it)
			batch := d.batch(b.Clock.Now(), it)
			return send(t, b, batch, d.sign(t, batch)).Results[0]
		}
		early := b.Clock.Now()
		scan(func(*wire.Item) {})
		scan(func(it *wire.Item) { it.OfflineVerdict, it.Assurance, it.Binding = "not_found", "none", "mismatch" })
		scan(func(it *wire.Item) { it.Binding = "appended" })
		scan(func(it *wire.Item) { it.OfflineVerdict, it.Assurance = "unverified", "signature_only" })
		scan(func(it *wire.Item) { it.OfflineVerdict = "revoked" })
		scan(func(it *wire.Item) { it.ScannedAt = it.ScannedAt.Add(400 * 24 * time.Hour) })
		b.Clock.Add(time.Hour)
		act(t, b, id, st.ID, stamp.ActionRevoke)
		scan(func(*wire.Item) {})
		scan(func(it *wire.Item) { it.ScannedAt = wire.TruncateMillis(early) })
		want := `valid match valid signature_and_status valid -
not_found mismatch not_found none valid payload_on_other_file
valid appended valid signature_and_status valid added_to_file
valid match unverified signature_only valid undecided_on_device
revoked match revoked signature_and_status valid refused_on_device
valid match valid signature_and_status valid clock_was_ahead
revoked match valid signature_and_status revoked revoked_when_scanned
revoked match valid signature_and_status revoked revoked_since`
		page, err := b.Verify.Scans(t.Context(), verify.Viewer{Tenant: "ACME01"}, st.Reference.String(), verify.ScanFilter{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range page.Items {
			finding := string(s.Finding)
			if finding == "" {
				finding = "-"
			}
			got = append([]string{fmt.Sprint(s.Verdict, " ", s.Binding, " ", s.OfflineVerdict, " ", s.Assurance, " ", s.GatewayVerdict, " ", finding)}, got...)
		}
		if g := strings.Join(got, "\n"); g != want {
			t.Errorf("scans\n%s\nwant\n%s", g, want)
		}
		for finding, n := range map[string]int{verify.AnyFinding: 7, "payload_on_other_file": 1, "revoked_since": 1, "test_document": 0} {
			for viewer, want := range map[string]int{"ACME01": n, "": 0} {
				p, err := b.Verify.Scans(t.Context(), verify.Viewer{Tenant: viewer}, st.Reference.String(), verify.ScanFilter{Finding: finding})
				if err != nil || len(p.Items) != want || p.TotalCount != want {
					t.Errorf("%s for %q: %d of %d, %v", finding, viewer, len(p.Items), p.TotalCount, err)
				}
			}
		}
	})
}

// TestScansOfTests: a device gets not_found for a test document, unless it uses a test
// key.
func TestScansOfTests(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		b := storetest.NewOn(t, e)
		id := b.Tenant(t, "Acme", "ACME01")
		id.Test = true
		st := b.Stamp(t, id, "n")
		d := newDevice(t)
		batch := d.batch(b.Clock.Now(), d.item(b64(st.Payload), b.Clock.Now()))
		proof := d.sign(t, batch)
		for _, test := range []bool{false, true} {
			for range 2 { // stored, and repeated
				proof.Test = test
				want := "not_found"
				if test {
					want = "valid"
				}
				r := send(t, b, batch, proof).Results[0]
				if r.Verdict != want || r.VerdictAtScan != want || (r.Status == "Active") != test {
					t.Errorf("test key %v: %+v", test, r)
				}
			}
			p, err := b.Verify.Scans(t.Context(), verify.Viewer{Tenant: "ACME01", Test: test}, st.Reference.String(), verify.ScanFilter{})
			if err != nil || len(p.Items) != 1 || p.Items[0].Finding != wire.TestDocument || (p.Items[0].Verdict == verify.Valid) != test || (p.Items[0].VerdictAtScan == verify.Valid) != test {
				t.Errorf("test key %v: %+v, %v", test, p, err)
			}
		}
	})
}

func act(t *testing.T, b *storetest.Bundle, id tenant.Identity, stampID string, a stamp.Action) {
	t.Helper()
	if err := b.Stamps.Act(t.Context(), id, stampID, a, ""); err != nil {
		t.Fatal(err)
	}
}
