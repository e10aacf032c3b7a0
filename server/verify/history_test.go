package verify_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tcode/server/fault"
	"tcode/server/store/storetest"
	"tcode/server/verify"
)

// ofStamps selects the whole history of stamps.
var ofStamps = verify.HistoryFilter{Kind: verify.OfStamp}

// TestHistoryOfTenant: a tenant's history has the verifications of its own documents, by
// every caller, and names the key only if it is the tenant's own.
func TestHistoryOfTenant(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		b := storetest.NewOn(t, e)
		id, other := b.Tenant(t, "Acme", "ACME01"), b.Tenant(t, "Other", "OTHER1")
		st, foreign := b.Stamp(t, id, "n"), b.Stamp(t, other, "m")
		own := verify.Viewer{Tenant: "ACME01", KeyPrefix: id.KeyPrefix}
		stranger := verify.Viewer{Tenant: "OTHER1", KeyPrefix: other.KeyPrefix}
		start := b.Clock.Now()
		ask := func(v verify.Viewer, how func(v verify.Viewer) (verify.Result, error)) {
			t.Helper()
			if _, err := how(v); err != nil {
				t.Fatal(err)
			}
			b.Clock.Add(time.Second)
		}
		byReference := func(ref string) func(v verify.Viewer) (verify.Result, error) {
			return func(v verify.Viewer) (verify.Result, error) { return b.Verify.ByReference(t.Context(), v, ref) }
		}
		ask(anyone, byReference(st.Reference.String()))
		ask(own, func(v verify.Viewer) (verify.Result, error) {
			return b.Verify.ByPayload(t.Context(), v, b64(st.Payload))
		})
		ask(stranger, func(v verify.Viewer) (verify.Result, error) { return b.Verify.ByHash(t.Context(), v, st.StampedSHA256) })
		ask(own, byReference(foreign.Reference.String()))
		ask(own, byReference("TCR-0000000000000000")) // in no history
		if err := b.Stamps.Act(t.Context(), id, st.ID, "revoke", ""); err != nil {
			t.Fatal(err)
		}
		ask(anyone, byReference(st.Reference.String()))
		if err := b.Verify.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		entry := func(verdict verify.Verdict, m verify.Method, key string, second int) verify.Entry {
			return verify.Entry{
				Tenant: "ACME01", Kind: verify.OfStamp, Reference: st.Reference, Verdict: verdict, Method: m, ViewerKey: key,
				VerifiedAt: start.Add(time.Duration(second) * time.Second),
			}
		}
		want := verify.HistoryPage{Page: verify.Page{Number: 1, Size: 20}, TotalCount: 4, Items: []verify.Entry{
			entry(verify.Revoked, verify.ByReference, "", 5),
			entry(verify.Valid, verify.ByHash, "", 2),
			entry(verify.Valid, verify.ByPayload, id.KeyPrefix, 1),
			entry(verify.Valid, verify.ByReference, "", 0),
		}}
		got, err := b.Verify.History(t.Context(), own, ofStamps, verify.Page{})
		for i := range got.Items { // rising with time
			want.Items[i].ID = got.Items[i].ID
			if i > 0 && got.Items[i].ID >= got.Items[i-1].ID {
				t.Errorf("entry %d has the id %d, the one after it %d", i, got.Items[i].ID, got.Items[i-1].ID)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("history: %v (-want +got):\n%s", err, diff)
		}
		second, err := b.Verify.History(t.Context(), own, ofStamps, verify.Page{Number: 2, Size: 3})
		if diff := cmp.Diff(want.Items[3:], second.Items); diff != "" || err != nil || second.TotalCount != 4 {
			t.Errorf("second page: %v (-want +got):\n%s", err, diff)
		}
		if p, err := b.Verify.History(t.Context(), stranger, ofStamps, verify.Page{}); err != nil || len(p.Items) != 1 || p.Items[0].Reference != foreign.Reference || p.Items[0].ViewerKey != "" {
			t.Errorf("the other tenant's history: %+v, %v", p, err)
		}
		if p, err := b.Verify.History(t.Context(), anyone, ofStamps, verify.Page{}); err != nil || p.TotalCount != 0 || len(p.Items) != 0 {
			t.Errorf("without a key: %+v, %v", p, err)
		}
		for _, p := range []verify.Page{{Number: -1}, {Size: 101}} {
			if _, err := b.Verify.History(t.Context(), own, ofStamps, p); !fault.Is(err, fault.Invalid) {
				t.Errorf("page %+v: %v", p, err)
			}
		}
	})
}

// TestHistoryInGroups: the history is written in statements of several sizes, without
// losses, and in order.
func TestHistoryInGroups(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		b := storetest.NewOn(t, e)
		st := b.Stamp(t, b.Tenant(t, "Acme", "ACME01"), "n")
		const n = 217
		for range n {
			if _, err := b.Verify.ByReference(t.Context(), anyone, st.Reference.String()); err != nil {
				t.Fatal(err)
			}
			b.Clock.Add(time.Millisecond)
		}
		if err := b.Verify.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		var last time.Time
		seen := 0
		for page := 1; page <= 3; page++ {
			p, err := b.Verify.History(t.Context(), verify.Viewer{Tenant: "ACME01"}, ofStamps, verify.Page{Number: page, Size: 100})
			if err != nil || p.TotalCount != n {
				t.Fatalf("page %d: %d of %d, %v", page, len(p.Items), p.TotalCount, err)
			}
			for _, it := range p.Items {
				if !last.IsZero() && last.Sub(it.VerifiedAt) != time.Millisecond {
					t.Errorf("after %v comes %v", last, it.VerifiedAt)
				}
				last = it.VerifiedAt
				seen++
			}
		}
		if seen != n {
			t.Errorf("%d lines, want %d", seen, n)
		}
	})
}

// BenchmarkHistory writes 1,000 lines in one commit, as a busy gateway does.
func BenchmarkHistory(b *testing.B) {
	for _, e := range []storetest.Engine{storetest.SQLite, storetest.Postgres} {
		b.Run(string(e), func(b *testing.B) {
			d := storetest.NewOn(b, e)
			st := d.Stamp(b, d.Tenant(b, "Acme", "ACME01"), "n")
			entries := make([]verify.Entry, 1000)
			for i := range entries {
				entries[i] = verify.Entry{Tenant: "ACME01", Reference: st.Reference, Verdict: verify.Valid, Method: verify.ByReference, VerifiedAt: d.Clock.Now()}
			}
			for b.Loop() {
				if err := d.DB.AddVerifications(b.Context(), entries); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(entries)), "µs/line")
		})
	}
}

// TestHistoryWaits: lines that the store refuses wait for the next time.
func TestHistoryWaits(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	st := b.Stamp(t, b.Tenant(t, "Acme", "ACME01"), "n")
	repair := storetest.Break(t, b.Dir, "verifications", "")
	for range 2 {
		if r, err := b.Verify.ByReference(t.Context(), anyone, st.Reference.String()); err != nil || r.Verdict != verify.Valid {
			t.Fatalf("%+v, %v", r, err)
		}
		if err := b.Verify.Flush(t.Context()); err == nil {
			t.Error("a refused line is no error")
		}
	}
	repair()
	if err := b.Verify.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	p, err := b.Verify.History(t.Context(), verify.Viewer{Tenant: "ACME01"}, ofStamps, verify.Page{})
	if err != nil || p.TotalCount != 2 || b.Verify.Pending() != 0 {
		t.Errorf("%d lines and %d waiting, %v; want 2 and none", p.TotalCount, b.Verify.Pending(), err)
	}
}

// BenchmarkHistoryPage reads the first page of a short and of a long history.
func BenchmarkHistoryPage(b *testing.B) {
	for _, e := range []storetest.Engine{storetest.SQLite, storetest.Postgres} {
		d := storetest.NewOn(b, e)
		st := d.Stamp(b, d.Tenant(b, "Acme", "ACME01"), "n")
		have := 0
		for _, lines := range []int{1000, 200_000} {
			for ; have < lines; have += 1000 {
				entries := make([]verify.Entry, 1000)
				for i := range entries {
					d.Clock.Add(time.Millisecond)
					entries[i] = verify.Entry{Tenant: "ACME01", Reference: st.Reference, Verdict: verify.Valid, Method: verify.ByReference, VerifiedAt: d.Clock.Now()}
				}
				if err := d.DB.AddVerifications(b.Context(), entries); err != nil {
					b.Fatal(err)
				}
			}
			b.Run(fmt.Sprintf("%s/%d", e, lines), func(b *testing.B) {
				for b.Loop() {
					if p, err := d.Verify.History(b.Context(), verify.Viewer{Tenant: "ACME01"}, ofStamps, verify.Page{}); err != nil || len(p.Items) != 20 {
						b.Fatal(len(p.Items), err)
					}
				}
			})
		}
	}
}
