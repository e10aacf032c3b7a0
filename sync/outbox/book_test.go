package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"tcode/offline/host/journal"
	"tcode/sync/outbox"
)

// TestBookUnknown fails commits of a book: after one whose outcome is not known, it does nothing until it is opened again,
// and then it has all or nothing of that commit.
func TestBookUnknown(t *testing.T) {
	t.Parallel()
	for fault, kept := range map[journal.Fault]bool{journal.FailBefore: false, journal.FailAfter: true} {
		var d journal.Disk
		b := openBook(t, &d)
		d.Fail(fault)
		s := []*outbox.Scan{scan(1), scan(2)}
		if err := b.Record(t.Context(), s...); !errors.Is(err, outbox.ErrReopen) {
			t.Errorf("record: %v", err)
		}
		if _, err := b.Counts(t.Context()); !errors.Is(err, outbox.ErrReopen) {
			t.Errorf("counts after it: %v", err)
		}
		if err := b.Record(t.Context(), scan(3)); !errors.Is(err, outbox.ErrReopen) {
			t.Errorf("record after it: %v", err)
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		b = openBook(t, &d)
		c, err := b.Counts(t.Context())
		if err != nil || (c.Queued == 2) != kept || c.Queued == 1 {
			t.Errorf("fault %d: %+v, %v", fault, c, err)
		}
		// The same scans again: stored once.
		if err := b.Record(t.Context(), s...); err != nil || s[0].Seq != 1 || s[1].Seq != 2 {
			t.Errorf("again: %v, numbers %d and %d", err, s[0].Seq, s[1].Seq)
		}
		d.Fail(journal.Full)
		if err := b.Record(t.Context(), scan(4)); !outbox.IsFull(err) {
			t.Errorf("full: %v", err)
		}
		if err := b.Record(t.Context(), scan(5)); err != nil {
			t.Errorf("after a full disk: %v", err)
		}
	}
}

// filled returns a disk with scans in all states, and the scans by id.
func filled(t *testing.T, seed uint64) (*journal.Disk, map[string]outbox.Entry) {
	t.Helper()
	p := &pair{r: rand.New(rand.NewPCG(seed, 5)), path: t.TempDir() + "/o.db", now: noon}
	p.open(t)
	for range 60 {
		p.step(t)
	}
	all, err := p.book.History(t.Context(), outbox.Filter{Limit: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	p.close(t)
	byID := map[string]outbox.Entry{}
	for _, e := range all {
		byID[e.Scan.ScanID] = e
	}
	return &p.disk, byID
}

// TestBookDamage damages records in many ways. Each scan is there as it was recorded, or it is listed as lost; none is done
// without its receipt.
func TestBookDamage(t *testing.T) {
	t.Parallel()
	repaired, rounds := 0, 60
	if testing.Short() {
		rounds = 12
	}
	for seed := range uint64(rounds) {
		d, was := filled(t, seed%6)
		r := rand.New(rand.NewPCG(seed, 6))
		records := d.Records()
		keys := slices.Sorted(maps.Keys(records))
		for range 1 + r.IntN(4) {
			key := keys[r.IntN(len(keys))]
			raw := records[key]
			switch r.IntN(4) {
			case 0:
				delete(records, key)
			case 1:
				records[key] = raw[:r.IntN(len(raw)+1)]
			case 2:
				records[key] = records[keys[r.IntN(len(keys))]]
			default:
				if len(raw) > 0 {
					raw[r.IntN(len(raw))] ^= 1 << r.IntN(8)
				}
			}
		}
		d.Set(records)
		b := openBook(t, d)
		repaired += judge(t, fmt.Sprintf("seed %d", seed), b, was)
		repairs, err := b.Repairs(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(b.MarkSeen(t.Context()), b.Close()); err != nil {
			t.Fatal(err)
		}
		b = openBook(t, d)
		again, err := b.Repairs(t.Context())
		if err != nil || len(again) != len(repairs) || len(again) > 0 && !again[0].Seen {
			t.Errorf("seed %d: opened again: %+v, before %+v, %v", seed, again, repairs, err)
		}
		_ = judge(t, fmt.Sprintf("seed %d, again", seed), b, was)
	}
	if repaired < rounds/2 {
		t.Errorf("%d repairs, the damage reaches too little", repaired)
	}
}

// judge checks a book against the scans that it had, and returns the number of its repairs.
func judge(t *testing.T, what string, b *outbox.Book, was map[string]outbox.Entry) int {
	t.Helper()
	all, err := b.History(t.Context(), outbox.Filter{Limit: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	lost, err := b.Losses(t.Context(), 10_000)
	if err != nil {
		t.Fatal(err)
	}
	gone := map[uint64]bool{}
	for _, l := range lost {
		gone[l.Seq] = true
	}
	here := map[string]bool{}
	for _, e := range all {
		w, known := was[e.Scan.ScanID]
		here[e.Scan.ScanID] = true
		switch {
		case !known || e.Digest != w.Digest || e.Damaged:
			t.Errorf("%s: scan %d is not as it was recorded", what, e.Scan.Seq)
		case e.State == outbox.Done && (w.State != outbox.Done || e.ReceiptID != w.ReceiptID):
			t.Errorf("%s: scan %d is done by receipt %d, was %s", what, e.Scan.Seq, e.ReceiptID, w.State)
		}
	}
	for id, w := range was {
		if !here[id] && !gone[w.Scan.Seq] {
			t.Errorf("%s: scan %d is gone in silence", what, w.Scan.Seq)
		}
	}
	repairs, err := b.Repairs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(lost) > 0 && len(repairs) == 0 {
		t.Errorf("%s: losses without a repair", what)
	}
	return len(repairs)
}

// TestBookFarNumber puts records under numbers that nothing reaches: the book opens, lists them, keeps the numbers of its own
// scans, and is the same when it is opened again.
func TestBookFarNumber(t *testing.T) {
	t.Parallel()
	far := "s001fffffffffffff"
	for name, prepare := range map[string]func(map[string][]byte){
		"damaged": func(d map[string][]byte) { d[far] = []byte{1} },
		"whole":   func(d map[string][]byte) { d[far] = outbox.FarRecord(far, scan(9)) },
		"facts":   func(d map[string][]byte) { d["f"] = outbox.FarFacts(1<<53 - 1) },
		"repair":  func(d map[string][]byte) { d["p001fffffffffffff"] = []byte{1} },
	} {
		var d journal.Disk
		b := openBook(t, &d)
		if err := errors.Join(b.Record(t.Context(), scan(1), scan(2)), b.Close()); err != nil {
			t.Fatal(err)
		}
		records := d.Records()
		prepare(records)
		d.Set(records)
		for range 3 {
			b = openBook(t, &d)
			lost, err := b.Losses(t.Context(), 10)
			if listed := name == "damaged" || name == "whole"; err != nil || (len(lost) == 1) != listed || len(lost) > 1 {
				t.Errorf("%s: losses %+v, %v", name, lost, err)
			}
			repairs, err := b.Repairs(t.Context())
			if err != nil || len(repairs) != 1 {
				t.Errorf("%s: repairs %+v, %v", name, repairs, err)
			}
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
		}
		b = openBook(t, &d)
		s := scan(3)
		if err := errors.Join(b.Record(t.Context(), s), b.Close()); err != nil || s.Seq != 3 {
			t.Errorf("%s: recorded under %d, %v", name, s.Seq, err)
		}
	}
}

// FuzzBook opens a book over any record: it opens, a second time too, and takes a scan.
func FuzzBook(f *testing.F) {
	d, _ := filledForFuzz()
	for key, record := range d {
		f.Add(key, record)
	}
	f.Add("s0000000000000001", []byte{})
	f.Add("r0000000000ffffff", []byte{1})
	f.Add("s001fffffffffffff", []byte{1})
	f.Add("p001fffffffffffff", []byte{1})
	f.Fuzz(func(t *testing.T, key string, record []byte) {
		if key == "" {
			return
		}
		var d journal.Disk
		d.Set(map[string][]byte{key: record})
		for range 2 {
			b := openBook(t, &d)
			all, err := b.History(t.Context(), outbox.Filter{Limit: 10})
			if err != nil || len(all) > 3 {
				t.Fatal(len(all), err)
			}
			if err := errors.Join(b.Record(t.Context(), scan(1)), b.Close()); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// filledForFuzz returns the records of a small book.
func filledForFuzz() (map[string][]byte, error) {
	var d journal.Disk
	j, err := d.Open()
	if err != nil {
		return nil, err
	}
	b, err := outbox.OpenBook(context.Background(), j)
	if err != nil {
		return nil, err
	}
	err = b.Record(context.Background(), scan(1))
	if _, _, e := b.Correct(context.Background(), outbox.ClockEvent{Kind: outbox.ClockConfirmed, At: noon}); e != nil {
		err = errors.Join(err, e)
	}
	l, e := b.Lease(context.Background(), "b", noon, outbox.Limits{})
	err = errors.Join(err, e, b.Settle(context.Background(), outbox.Settlement{BatchID: "b", At: noon, Receipt: receipt(l.Batch), Answers: []outbox.Answer{
		{ScanID: l.Batch.Items[0].ScanID, Event: outbox.Accepted},
	}}))
	return d.Records(), err
}

// BenchmarkBook opens books of 20,000 and 100,000 scans, and prints their memory.
func BenchmarkBook(b *testing.B) {
	for _, n := range []int{20_000, 100_000} {
		b.Run(fmt.Sprintf("scans=%d", n), func(b *testing.B) {
			var d journal.Disk
			j, err := d.Open()
			if err != nil {
				b.Fatal(err)
			}
			book, err := outbox.OpenBook(b.Context(), j)
			if err != nil {
				b.Fatal(err)
			}
			for i := 0; i < n; i += 500 {
				list := make([]*outbox.Scan, 500)
				for k := range list {
					list[k] = scan(i + k)
				}
				if err := book.Record(b.Context(), list...); err != nil {
					b.Fatal(err)
				}
			}
			records := d.Records()
			book.Close()
			book = nil
			var before, after runtime.MemStats
			var took time.Duration
			for b.Loop() {
				var d journal.Disk
				d.Set(records)
				j, err := d.Open()
				if err != nil {
					b.Fatal(err)
				}
				runtime.GC()
				runtime.ReadMemStats(&before)
				start := time.Now()
				if book, err = outbox.OpenBook(b.Context(), j); err != nil {
					b.Fatal(err)
				}
				took = time.Since(start)
				runtime.GC()
				runtime.ReadMemStats(&after)
			}
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(1<<20), "MiB")
			b.ReportMetric(float64(took.Milliseconds()), "ms-to-open")
			runtime.KeepAlive(book)
		})
	}
}
