package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tcode/sync/outbox"
	"tcode/sync/wire"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func open(t *testing.T, path string) *outbox.Outbox {
	t.Helper()
	o, err := outbox.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.Close() })
	return o
}

func fresh(t *testing.T) *outbox.Outbox { return open(t, filepath.Join(t.TempDir(), "outbox.db")) }

func scan(i int) *outbox.Scan {
	return &outbox.Scan{
		Payload: fmt.Appendf(nil, "\xd7\x11payload %d", i), ScannedAt: noon.Add(time.Duration(i) * time.Second),
		Verdict: "valid", Assurance: "signature_and_status", Binding: "match",
		TrustVersion: 1795548000, StatusAsOf: noon.Add(-time.Hour), Source: "a.pdf", Page: 1,
	}
}

func record(t *testing.T, o *outbox.Outbox, n int) []*outbox.Scan {
	t.Helper()
	scans := make([]*outbox.Scan, n)
	for i := range scans {
		scans[i] = scan(i)
	}
	if err := o.Record(t.Context(), scans...); err != nil {
		t.Fatal(err)
	}
	return scans
}

func lease(t *testing.T, o *outbox.Outbox, id string, now time.Time, l outbox.Limits) outbox.Leased {
	t.Helper()
	b, err := o.Lease(t.Context(), id, now, l)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// receipt returns any receipt; the uplink verifies receipts.
func receipt(b wire.Batch) *outbox.Receipt {
	return &outbox.Receipt{Receipt: wire.Receipt{ScannerID: "dev", BatchDigest: b.Digest(), Count: len(b.Items), LastSeq: b.LastSeq(), Time: noon}, Note: "note"}
}

func settle(t *testing.T, o *outbox.Outbox, b outbox.Leased, e outbox.Event, next time.Time) {
	t.Helper()
	s := outbox.Settlement{BatchID: b.Batch.ID, At: noon, ReceivedAt: noon}
	if wire.ItemOutcome(e).Held() || e == outbox.Rejected {
		s.Receipt = receipt(b.Batch)
	}
	for _, it := range b.Batch.Items {
		s.Answers = append(s.Answers, outbox.Answer{ScanID: it.ScanID, Event: e, NextAt: next, Result: wire.ItemResult{Result: wire.ItemOutcome(e), Verdict: "revoked", VerdictAtScan: "valid", Changed: true}})
	}
	if err := o.Settle(t.Context(), s); err != nil {
		t.Fatal(err)
	}
}

func state(t *testing.T, o *outbox.Outbox, id string) outbox.Entry {
	t.Helper()
	e, err := o.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestNextWalksEveryPair(t *testing.T) {
	t.Parallel()
	allowed := map[string]outbox.State{
		"queued/lease":      outbox.Inflight,
		"inflight/accepted": outbox.Done, "inflight/duplicate": outbox.Done, "inflight/conflict": outbox.Done,
		"inflight/rejected": outbox.Dead,
		"inflight/retry":    outbox.Queued, "inflight/release": outbox.Queued, "inflight/expired": outbox.Queued,
		"queued/orphaned": outbox.Dead, "inflight/orphaned": outbox.Dead,
		"dead/requeue": outbox.Queued,
	}
	for _, s := range outbox.States() {
		for _, e := range outbox.Events() {
			got, err := s.Next(e)
			want := allowed[string(s)+"/"+string(e)]
			if got != want || (want == "") != errors.Is(err, outbox.ErrTransition) {
				t.Errorf("%s/%s: Next = %q, %v; want %q", s, e, got, err, want)
			}
		}
	}
}

func TestRecord(t *testing.T) {
	t.Parallel()
	o := fresh(t)
	a, b := scan(1), scan(2)
	b.Payload, b.Reference, b.Source, b.Page = nil, "TCR-0123456789ABCDEF", "", 0
	b.Stale, b.Test = true, true
	b.Context = wire.Context{Location: "Gate é", Coordinates: true, LatitudeE6: -1, LongitudeE6: 2, Note: "n"}
	a.ScannedAt = a.ScannedAt.Add(1234567) // ns: truncated to whole milliseconds
	if err := o.Record(t.Context(), a, b); err != nil {
		t.Fatal(err)
	}
	if a.Seq != 1 || b.Seq != 2 || a.ScanID == "" || a.ScanID == b.ScanID || a.ScanID[14] != '7' {
		t.Errorf("ids %s %d, %s %d: want two UUIDs of version 7, numbered 1 and 2", a.ScanID, a.Seq, b.ScanID, b.Seq)
	}
	for _, want := range []*outbox.Scan{a, b} {
		got := state(t, o, want.ScanID)
		if d := cmp.Diff(*want, got.Scan); d != "" {
			t.Errorf("stored scan (-want +got):\n%s", d)
		}
		if got.State != outbox.Queued || got.Damaged {
			t.Errorf("scan %d is %s, damaged %v", want.Seq, got.State, got.Damaged)
		}
	}
	newest, err := o.NewestScan(t.Context())
	if err != nil || !newest.Equal(b.ScannedAt) {
		t.Errorf("NewestScan = %v, %v; want %v", newest, err, b.ScannedAt)
	}
}

func TestRecordAgainChangesNothing(t *testing.T) {
	t.Parallel()
	o := fresh(t)
	scans := record(t, o, 3)
	again := []*outbox.Scan{scan(0), scan(9), scan(2)}
	again[0].ScanID, again[2].ScanID = scans[0].ScanID, scans[2].ScanID
	if err := o.Record(t.Context(), again...); err != nil {
		t.Fatal(err)
	}
	if got := []uint64{again[0].Seq, again[1].Seq, again[2].Seq}; !slices.Equal(got, []uint64{1, 4, 3}) {
		t.Errorf("numbers %v, want 1 4 3", got)
	}
	other := scan(5)
	other.ScanID = scans[1].ScanID
	next := scan(6)
	if err := o.Record(t.Context(), next, other); !errors.Is(err, outbox.ErrConflict) {
		t.Errorf("another scan under a taken id: %v, want ErrConflict", err)
	}
	// All scans are recorded or none, and no number is lost.
	last := record(t, o, 1)[0]
	if last.Seq != 5 {
		t.Errorf("number after a refused record = %d, want 5", last.Seq)
	}
}

func TestRecordRefuses(t *testing.T) {
	t.Parallel()
	o := fresh(t)
	tests := []struct {
		name   string
		change func(*outbox.Scan)
	}{
		{"nothing scanned", func(s *outbox.Scan) { s.Payload = nil }},
		{"two things scanned", func(s *outbox.Scan) { s.Reference = "TCR-1" }},
		{"payload too long", func(s *outbox.Scan) { s.Payload = make([]byte, wire.MaxItemBytes) }},
		{"no time", func(s *outbox.Scan) { s.ScannedAt = time.Time{} }},
		{"unknown verdict", func(s *outbox.Scan) { s.Verdict = "fine" }},
		{"id that is none", func(s *outbox.Scan) { s.ScanID = "1" }},
		{"note that is not UTF-8", func(s *outbox.Scan) { s.Context.Note = "gate \xff" }}, // its receipt would never match
		{"location that is not UTF-8", func(s *outbox.Scan) { s.Context.Location = "\xc3" }},
		{"note too long", func(s *outbox.Scan) { s.Context.Note = strings.Repeat("n", wire.MaxNoteLen+1) }},
	}
	for _, tt := range tests {
		s := scan(1)
		tt.change(s)
		if err := o.Record(t.Context(), s); !errors.Is(err, outbox.ErrScan) {
			t.Errorf("%s: Record = %v, want ErrScan", tt.name, err)
		}
	}
	if c, err := o.Counts(t.Context()); err != nil || c.Queued != 0 {
		t.Errorf("Counts = %+v, %v", c, err)
	}
}

// Numbers have no gaps and no duplicates with any number of concurrent writers.
func TestRecordTogether(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "outbox.db")
	a, b := open(t, path), open(t, path)
	var mu sync.Mutex
	var seqs []uint64
	var wg sync.WaitGroup
	for g := range 6 {
		o := []*outbox.Outbox{a, b}[g%2]
		wg.Go(func() {
			for i := range 10 {
				s := []*outbox.Scan{scan(i), scan(i)}
				if err := o.Record(context.Background(), s...); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				seqs = append(seqs, s[0].Seq, s[1].Seq)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	slices.Sort(seqs)
	for i, n := range seqs {
		if n != uint64(i+1) {
			t.Fatalf("number %d stands at %d", n, i+1)
		}
	}
	if len(seqs) != 120 {
		t.Errorf("%d scans, want 120", len(seqs))
	}
}

func TestLeaseAndSettle(t *testing.T) {
	t.Parallel()
	o := fresh(t)
	scans := record(t, o, 5)
	b := lease(t, o, "b1", noon, outbox.Limits{Items: 2})
	if len(b.Batch.Items) != 2 || b.Batch.Items[0].ScanID != scans[0].ScanID || b.Attempts[scans[0].ScanID] != 1 {
		t.Fatalf("Lease = %+v", b)
	}
	if it := b.Batch.Items[0]; it.Digest() != state(t, o, it.ScanID).Digest {
		t.Error("the digest sent is not the digest stored")
	}
	settle(t, o, b, outbox.Accepted, time.Time{})
	e := state(t, o, scans[0].ScanID)
	if e.State != outbox.Done || e.Result.Verdict != "revoked" || !e.Result.Changed || e.Scan.Verdict != "valid" || e.ReceiptID == 0 || e.BatchID != "b1" {
		t.Errorf("after accepted: %+v", e)
	}

	b = lease(t, o, "b2", noon, outbox.Limits{Items: 1})
	settle(t, o, b, outbox.Retry, noon.Add(time.Minute))
	b = lease(t, o, "b3", noon, outbox.Limits{})
	if got := len(b.Batch.Items); got != 2 {
		t.Errorf("%d due while one waits, want 2", got)
	}
	settle(t, o, b, outbox.Rejected, time.Time{})
	b = lease(t, o, "b4", noon.Add(time.Minute), outbox.Limits{})
	if len(b.Batch.Items) != 1 || b.Attempts[scans[2].ScanID] != 2 {
		t.Errorf("after the wait: %+v", b)
	}
	settle(t, o, b, outbox.Conflict, time.Time{})
	c, err := o.Counts(t.Context())
	want := outbox.Counts{Done: 3, Dead: 2, Conflicts: 1, Changed: 3}
	if d := cmp.Diff(want, c); err != nil || d != "" {
		t.Errorf("Counts (-want +got):\n%s%v", d, err)
	}
	rs, err := o.Receipts(t.Context(), 0, 10)
	if err != nil || len(rs) != 3 || rs[0].Receipt.Count != 2 || rs[0].Note != "note" {
		t.Errorf("Receipts = %+v, %v", rs, err)
	}
}

func TestSettleNeedsReceipt(t *testing.T) {
	t.Parallel()
	o := fresh(t)
	scans := record(t, o, 1)
	lease(t, o, "b1", noon, outbox.Limits{})
	for _, e := range []outbox.Event{outbox.Accepted, outbox.Duplicate, outbox.Conflict, outbox.Rejected} {
		err := o.Settle(t.Context(), outbox.Settlement{BatchID: "b1", Answers: []outbox.Answer{{ScanID: scans[0].ScanID, Event: e}}})
		if !errors.Is(err, outbox.ErrReceipt) {
			t.Errorf("%s without receipt: %v", e, err)
		}
	}
	if got := state(t, o, scans[0].ScanID).State; got != outbox.Inflight {
		t.Errorf("scan is %s", got)
	}
}

// A late answer must not change a scan that another sender has leased since.
func TestSettleIsFenced(t *testing.T) {
	t.Parallel()
	o := fresh(t)
	scans := record(t, o, 1)
	old := lease(t, o, "b1", noon, outbox.Limits{Lease: time.Minute})
	if b := lease(t, o, "b2", noon.Add(30*time.Second), outbox.Limits{}); len(b.Batch.Items) != 0 {
		t.Fatal("leased twice")
	}
	b := lease(t, o, "b3", noon.Add(time.Minute), outbox.Limits{})
	if len(b.Batch.Items) != 1 {
		t.Fatal("lease did not end")
	}
	settle(t, o, old, outbox.Rejected, time.Time{})
	if e := state(t, o, scans[0].ScanID); e.State != outbox.Inflight || e.BatchID != "b3" {
		t.Errorf("the late answer counted: %s in %s", e.State, e.BatchID)
	}
}

func TestLeaseBytes(t *testing.T) {
	t.Parallel()
	o := fresh(t)
	scans := make([]*outbox.Scan, 300)
	for i := range scans {
		scans[i] = scan(i)
		scans[i].Payload = make([]byte, 5500)
	}
	if err := o.Record(t.Context(), scans...); err != nil {
		t.Fatal(err)
	}
	b := lease(t, o, "b1", noon, outbox.Limits{})
	b.Batch.ScannerID, b.Batch.SentAt = strings.Repeat("s", wire.MaxIDLen), noon
	raw, err := b.Batch.Encode()
	if err != nil || len(b.Batch.Items) < 100 || len(b.Batch.Items) == 300 {
		t.Errorf("%d items of 7 KiB, %d bytes, %v", len(b.Batch.Items), len(raw), err)
	}
}
