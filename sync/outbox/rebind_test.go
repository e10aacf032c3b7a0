package outbox_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"tcode/offline/host/journal"
	"tcode/sync/outbox"
)

// TestRebind gives a book to another key, and back, with scans in each state: no number is assigned twice, no scan that a key
// may have sent is sent under another one unless a person says so, and receipts and their scans stay.
func TestRebind(t *testing.T) {
	t.Parallel()
	var d journal.Disk
	b := openBook(t, &d)
	reopen := func() {
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		b = openBook(t, &d)
	}
	want := func(what string, states ...outbox.State) {
		t.Helper()
		all, err := b.History(t.Context(), outbox.Filter{})
		if err != nil || len(all) != len(states) {
			t.Fatalf("%s: %d scans, %v", what, len(all), err)
		}
		for i, state := range states {
			if e := all[len(all)-1-i]; e.State != state || e.Scan.Seq != uint64(i+1) || (state == outbox.Dead) != (e.Code == outbox.CodeKeyLost) {
				t.Errorf("%s: scan %d is %s (%s) under number %d", what, i+1, e.State, e.Code, e.Scan.Seq)
			}
		}
	}
	lease := func(id string, hours, limit int) outbox.Leased {
		t.Helper()
		l, err := b.Lease(t.Context(), id, noon.Add(time.Duration(hours)*time.Hour), outbox.Limits{Items: limit})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	if err := b.Bind(t.Context(), "first"); err != nil {
		t.Fatal(err)
	}
	send(t, b, 1)               // done
	put(t, b, scan(2), scan(3)) //
	l := lease("tried", 2, 1)   // scan 2 was tried
	put(t, b, scan(4))          // never sent
	retry := outbox.Answer{ScanID: l.Batch.Items[0].ScanID, Event: outbox.Retry, NextAt: noon.Add(3 * time.Hour)}
	if err := b.Settle(t.Context(), outbox.Settlement{BatchID: "tried", Answers: []outbox.Answer{retry}}); err != nil {
		t.Fatal(err)
	}
	lease("in transit", 2, 1) // scan 3
	want("before", outbox.Done, outbox.Queued, outbox.Inflight, outbox.Queued)

	if err := b.Bind(t.Context(), "second"); !errors.Is(err, outbox.ErrOtherDevice) {
		t.Errorf("bind: %v", err)
	}
	if err := b.Rebind(t.Context(), "second"); err != nil {
		t.Fatal(err)
	}
	states := []outbox.State{outbox.Done, outbox.Dead, outbox.Dead, outbox.Queued}
	want("rebound", states...)
	reopen()
	want("rebound, opened again", states...)
	if bound, err := b.BoundTo(t.Context()); err != nil || bound != "second" {
		t.Errorf("bound to %q, %v", bound, err)
	}
	if err := b.Rebind(t.Context(), "second"); err != nil { // a try that the device does not remember
		t.Fatal(err)
	}
	want("rebound twice", states...)

	put(t, b, scan(5))
	if l := lease("in doubt", 4, 1); fmt.Sprint(numbers(l)) != "[4]" {
		t.Errorf("the new key sends %d", numbers(l))
	}
	if err := b.Rebind(t.Context(), "second"); err != nil {
		t.Fatal(err)
	}
	want("its own tries", outbox.Done, outbox.Dead, outbox.Dead, outbox.Inflight, outbox.Queued)
	if l := lease("new key", 5, 10); fmt.Sprint(numbers(l)) != "[4 5]" {
		t.Errorf("the new key sends %d", numbers(l))
	}
	// The first key is back: the scans of the second are the ones in doubt now.
	if err := b.Rebind(t.Context(), "first"); err != nil {
		t.Fatal(err)
	}
	want("back", outbox.Done, outbox.Dead, outbox.Dead, outbox.Dead, outbox.Dead)
	put(t, b, scan(6))
	if l := lease("old key", 6, 10); fmt.Sprint(numbers(l)) != "[6]" {
		t.Errorf("the old key sends %d", numbers(l))
	}
	// A late answer to the second key's batch changes nothing.
	late := outbox.Answer{ScanID: l.Batch.Items[0].ScanID, Event: outbox.Retry}
	if err := b.Settle(t.Context(), outbox.Settlement{BatchID: "new key", Answers: []outbox.Answer{late}}); err != nil {
		t.Fatal(err)
	}
	// A person sends one again, under its own number.
	all, err := b.History(t.Context(), outbox.Filter{State: outbox.Dead})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Requeue(t.Context(), all[len(all)-1].Scan.ScanID); err != nil {
		t.Fatal(err)
	}
	if l := lease("again", 7, 10); fmt.Sprint(numbers(l)) != "[2 6]" {
		t.Errorf("a person sends %d again", numbers(l))
	}
	if receipts, err := b.Receipts(t.Context(), 0, 10); err != nil || len(receipts) != 1 {
		t.Errorf("receipts %+v, %v", receipts, err)
	}
}

// TestRebindAfterDamage loses the record that names the device: a receipt names it, so a device with another key does not send what
// this one may have sent.
func TestRebindAfterDamage(t *testing.T) {
	t.Parallel()
	var d journal.Disk
	b := openBook(t, &d)
	if err := b.Bind(t.Context(), "dev"); err != nil {
		t.Fatal(err)
	}
	send(t, b, 1)
	put(t, b, scan(2))
	if _, err := b.Lease(t.Context(), "tried", noon, outbox.Limits{}); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	records := d.Records()
	delete(records, "f")
	d.Set(records)
	b = openBook(t, &d)
	if err := b.Bind(t.Context(), "other"); !errors.Is(err, outbox.ErrOtherDevice) {
		t.Errorf("bind: %v", err)
	}
	if err := b.Bind(t.Context(), "dev"); err != nil {
		t.Error(err)
	}
}

func put(t *testing.T, b *outbox.Book, scans ...*outbox.Scan) {
	t.Helper()
	if err := b.Record(t.Context(), scans...); err != nil {
		t.Fatal(err)
	}
}

func numbers(l outbox.Leased) (all []uint64) {
	for _, it := range l.Batch.Items {
		all = append(all, it.Seq)
	}
	return all
}
