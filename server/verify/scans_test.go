package verify_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tcode/server/fault"
	"tcode/server/platform/pace"
	"tcode/server/store/storetest"
	"tcode/server/verify"
	"tcode/sync/wire"
)

// TestSyncIsAllOrNothing: a batch that fails half way leaves nothing, and no receipt.
func TestSyncIsAllOrNothing(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	st := b.Stamp(t, b.Tenant(t, "Acme", "ACME01"), "n")
	d := newDevice(t)
	batch := d.batch(b.Clock.Now(), d.item(b64(st.Payload), b.Clock.Now()), d.item(b64(st.Payload), b.Clock.Now()), d.item(b64(st.Payload), b.Clock.Now()))
	storetest.Break(t, b.Dir, "scans", "new.seq = 2")
	if _, err := b.Verify.Sync(t.Context(), batch, d.sign(t, batch)); !fault.Is(err, fault.Internal) {
		t.Fatalf("err = %v", err)
	}
	if n, m := scans(t, b, "scans"), scans(t, b, "scan_batches"); n != 0 || m != 0 {
		t.Errorf("%d scans and %d batches left", n, m)
	}
}

func TestScans(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	b.Tenant(t, "Other", "OTHER1")
	st := b.Stamp(t, id, "n")
	elsewhere := b.Stamp(t, id, "m")
	d := newDevice(t)
	start := b.Clock.Now()
	for i := range 5 {
		it := d.item(b64(st.Payload), b.Clock.Now().Add(-time.Minute))
		it.Context.Location = fmt.Sprintf("Gate %d", i)
		batch := d.batch(b.Clock.Now(), it, d.item(b64(elsewhere.Payload), b.Clock.Now()))
		send(t, b, batch, d.sign(t, batch))
		b.Clock.Add(time.Hour)
	}
	hour := func(n int) time.Time { return start.Add(time.Duration(n) * time.Hour) }
	own := verify.Viewer{Tenant: "ACME01"}
	tests := []struct {
		name  string
		view  verify.Viewer
		ref   string
		f     verify.ScanFilter
		want  string // locations, newest first
		total int
	}{
		{"own", own, st.Reference.String(), verify.ScanFilter{}, "4 3 2 1 0", 5},
		{"from and to", own, strings.ToLower(st.Reference.String()), verify.ScanFilter{From: hour(1), To: hour(3)}, "2 1", 2},
		{"second page", own, st.Reference.String(), verify.ScanFilter{Page: 2, PageSize: 2}, "2 1", 5},
		{"anyone", anyone, st.Reference.String(), verify.ScanFilter{}, "- - - - -", 5},
		{"another tenant", verify.Viewer{Tenant: "OTHER1"}, st.Reference.String(), verify.ScanFilter{}, "- - - - -", 5},
		{"unknown", own, "TCR-0000000000000000", verify.ScanFilter{}, "", 0},
		{"malformed", own, "?", verify.ScanFilter{}, "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := b.Verify.Scans(t.Context(), tt.view, tt.ref, tt.f)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range p.Items {
				where := strings.TrimPrefix(s.Location, "Gate ")
				if s.Location == "" {
					where = "-"
					if diff := cmp.Diff(verify.Scan{Verdict: verify.Valid, GatewayVerdict: verify.Valid, VerifiedAt: s.VerifiedAt}, s); diff != "" {
						t.Errorf("anyone sees more (-want +got):\n%s", diff)
					}
				} else if s.ScannerID != d.id || !s.Signed || s.OfflineVerdict != "valid" || !s.ScannedAt.Equal(s.VerifiedAt.Add(-time.Minute)) {
					t.Errorf("scan %+v", s)
				}
				got = append(got, where)
			}
			if strings.Join(got, " ") != tt.want || p.TotalCount != tt.total {
				t.Errorf("scans %q of %d, want %q of %d", got, p.TotalCount, tt.want, tt.total)
			}
		})
	}
	if _, err := b.Verify.Scans(t.Context(), own, st.Reference.String(), verify.ScanFilter{PageSize: 101}); !fault.Is(err, fault.Invalid) {
		t.Errorf("page size 101: %v", err)
	}
}

// TestSyncRests: judging a batch of scans rests while other requests come, and does not
// rest without them.
func TestSyncRests(t *testing.T) {
	b := storetest.New(t)
	st := b.Stamp(t, b.Tenant(t, "Acme", "ACME01"), "n")
	for _, others := range []bool{true, false} {
		d := newDevice(t)
		items := make([]wire.Item, wire.MaxItems)
		for i := range items {
			items[i] = d.item(b64(st.Payload), b.Clock.Now())
		}
		var p pace.Pacer
		if others {
			p.Asked()
		}
		ctx := p.Work(t.Context())
		batch := d.batch(b.Clock.Now(), items...)
		if _, err := b.Verify.Sync(ctx, batch, d.sign(t, batch)); err != nil {
			t.Fatal(err)
		}
		if rests := pace.Of(ctx).Rests(); (rests >= 10) != others {
			t.Errorf("others %t: it rested %d times", others, rests)
		}
	}
}
