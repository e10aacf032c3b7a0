//go:build js

package idb_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"tcode/offline/host/journal"
	"tcode/offline/host/journal/journaltest"
	"tcode/sync/outbox"
)

var noon = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)

func scan(n int) *outbox.Scan {
	return &outbox.Scan{
		ScanID: fmt.Sprintf("%08x-0190-7000-8000-%012x", n, n), Payload: fmt.Appendf(nil, "\xd7\x11payload %d", n),
		ScannedAt: noon.Add(time.Duration(n) * time.Second), Verdict: "valid", Assurance: "signature_and_status", Binding: "match",
		TrustVersion: 1795548000, StatusAsOf: noon.Add(-time.Hour), Source: "a.pdf", Page: 1,
	}
}

// books are two books that get the same calls: one in IndexedDB, one in memory.
type books struct {
	place  journaltest.Place
	disk   journal.Disk
	both   [2]*outbox.Book
	now    time.Time
	n      int
	leased []outbox.Leased
}

func (b *books) open(t *testing.T) {
	t.Helper()
	for i, open := range []func() (journal.Journal, error){
		func() (journal.Journal, error) { return b.place.Open(t.Context()) },
		b.disk.Open,
	} {
		j, err := open()
		if err != nil {
			t.Fatal(err)
		}
		if b.both[i], err = outbox.OpenBook(t.Context(), j); err != nil {
			t.Fatal(err)
		}
	}
}

func (b *books) close(t *testing.T) {
	t.Helper()
	for _, book := range b.both {
		if err := book.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// same calls one function on both, and compares what it returns.
func same[T any](t *testing.T, b *books, what string, call func(*outbox.Book) (T, error)) (v T) {
	t.Helper()
	browser, err := call(b.both[0])
	memory, wanted := call(b.both[1])
	if fmt.Sprint(err) != fmt.Sprint(wanted) || !reflect.DeepEqual(browser, memory) {
		t.Fatalf("%s: %+v, %v; in memory %+v, %v", what, browser, err, memory, wanted)
	}
	return memory
}

func done(err error) (struct{}, error) { return struct{}{}, err }

func (b *books) step(t *testing.T, r *rand.Rand) {
	b.now = b.now.Add(time.Duration(r.IntN(90)) * time.Second)
	switch r.IntN(8) {
	case 0, 1, 2:
		b.n += r.IntN(2) // sometimes the last one again
		same(t, b, "record", func(o *outbox.Book) (struct{}, error) { return done(o.Record(t.Context(), scan(b.n), scan(b.n+1))) })
	case 3, 4:
		limits := outbox.Limits{Items: 1 + r.IntN(4), Bytes: 4000, Lease: time.Duration(r.IntN(300)) * time.Second}
		id := fmt.Sprintf("b-%d", r.Uint64())
		l := same(t, b, "lease", func(o *outbox.Book) (outbox.Leased, error) { return o.Lease(t.Context(), id, b.now, limits) })
		b.leased = append(b.leased, l)
	case 5, 6:
		b.settle(t, r)
	default:
		b.close(t)
		b.open(t)
	}
}

func (b *books) settle(t *testing.T, r *rand.Rand) {
	if len(b.leased) == 0 {
		return
	}
	l := b.leased[r.IntN(len(b.leased))]
	s := outbox.Settlement{BatchID: l.Batch.ID, At: b.now, ReceivedAt: b.now.Add(time.Second)}
	for _, it := range l.Batch.Items {
		s.Answers = append(s.Answers, outbox.Answer{ScanID: it.ScanID, Event: outbox.Retry, Code: "c", Message: "m", NextAt: b.now.Add(time.Minute)})
	}
	same(t, b, "settle", func(o *outbox.Book) (struct{}, error) { return done(o.Settle(t.Context(), s)) })
}

// TestBook plays random scripts on a book in IndexedDB and on one in memory: both say the same at each step.
func TestBook(t *testing.T) {
	for seed := range uint64(6) {
		b := &books{place: newPlace(t), now: noon}
		b.open(t)
		r := rand.New(rand.NewPCG(seed, 9))
		for range 80 {
			b.step(t, r)
			same(t, b, "counts", func(o *outbox.Book) (outbox.Counts, error) { return o.Counts(t.Context()) })
			same(t, b, "history", func(o *outbox.Book) ([]outbox.Entry, error) {
				return o.History(t.Context(), outbox.Filter{Limit: 1000})
			})
		}
		if b.n < 5 || len(b.leased) < 5 {
			t.Errorf("the script reaches too little: %d scans, %d batches", b.n, len(b.leased))
		}
		b.close(t)
	}
}
