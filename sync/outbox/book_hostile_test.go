package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"tcode/offline/host/journal"
	"tcode/sync/outbox"
)

// send records scan i and has it accepted; it returns the id of its receipt.
func send(t *testing.T, b *outbox.Book, i int) int64 {
	t.Helper()
	s := scan(i)
	now := noon.Add(time.Duration(i) * time.Hour)
	if err := b.Record(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	l, err := b.Lease(t.Context(), fmt.Sprintf("b-%d", i), now, outbox.Limits{})
	if err != nil || len(l.Batch.Items) == 0 {
		t.Fatal(len(l.Batch.Items), err)
	}
	r := receipt(l.Batch)
	r.Note = fmt.Sprintf("note %d", i)
	a := outbox.Answer{ScanID: s.ScanID, Event: outbox.Accepted}
	err = b.Settle(t.Context(), outbox.Settlement{BatchID: l.Batch.ID, At: now, ReceivedAt: now, Receipt: r, Answers: []outbox.Answer{a}})
	if err != nil {
		t.Fatal(err)
	}
	e, err := b.Get(t.Context(), s.ScanID)
	if err != nil || e.State != outbox.Done {
		t.Fatal(e.State, err)
	}
	return e.ReceiptID
}

// TestBookFarReceipts puts whole records of receipts under any ids before and between real ones: each real receipt stays, and
// so does each scan that is done by it, however often the book is opened.
func TestBookFarReceipts(t *testing.T) {
	t.Parallel()
	for _, far := range [][]uint64{
		{999_999},
		{1_000_000},
		{1_000_001},
		{1_000_002},
		{1<<53 - 1},
		{3, 1_000_000},
		{1_000_000, 2_000_000, 3_000_001},
		{999_999, 1<<53 - 2, 1<<53 - 1},
	} {
		var d journal.Disk
		var sent []int64
		for round := 1; round <= 3; round++ {
			b := openBook(t, &d)
			for i := range 3 {
				sent = append(sent, send(t, b, 10*round+i))
			}
			if at, err := b.LastReceipt(t.Context()); err != nil || !at.Equal(noon.Add(time.Duration(10*round+2)*time.Hour)) {
				t.Errorf("ids %d: the newest receipt is of %v, %v", far, at, err)
			}
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			records := d.Records()
			for _, id := range far {
				if key := fmt.Sprintf("r%016x", id); records[key] == nil {
					records[key] = outbox.FarReceipt(key)
				}
			}
			d.Set(records)
		}
		b := openBook(t, &d)
		repairs, err := b.Repairs(t.Context())
		c, err2 := b.Counts(t.Context())
		if err != nil || err2 != nil || len(repairs) != 0 || c.Done != len(sent) {
			t.Errorf("ids %d: %+v, repairs %+v, %v, %v", far, c, repairs, err, err2)
		}
		var seen []int64
		for after := int64(0); ; {
			some, err := b.Receipts(t.Context(), after, 2)
			if err != nil {
				t.Fatal(err)
			}
			if len(some) == 0 {
				break
			}
			for _, r := range some {
				if after = r.ID; r.Note != "far" {
					seen = append(seen, r.ID)
				}
			}
		}
		slices.Sort(sent)
		if !slices.Equal(seen, sent) {
			t.Errorf("ids %d: receipts %d, stored %d", far, seen, sent)
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestBookFarRepairs puts a whole record of a repair under any id: a later repair is listed once, and what a person has seen
// stays seen.
func TestBookFarRepairs(t *testing.T) {
	t.Parallel()
	for _, id := range []uint64{1, 999_999, 1_000_000, 1_000_001, 1<<53 - 1} {
		var d journal.Disk
		b := openBook(t, &d)
		if err := errors.Join(b.Record(t.Context(), scan(1), scan(2), scan(3)), b.Close()); err != nil {
			t.Fatal(err)
		}
		records := d.Records()
		key := fmt.Sprintf("p%016x", id)
		records[key] = outbox.FarRepair(key)
		delete(records, "s0000000000000002")
		d.Set(records)
		for round := range 3 {
			b := openBook(t, &d)
			repairs, err := b.Repairs(t.Context())
			if err != nil || len(repairs) != 2 || round > 0 && !(repairs[0].Seen && repairs[1].Seen) {
				t.Errorf("id %d, opening %d: %+v, %v", id, round, repairs, err)
			}
			if lost, err := b.Losses(t.Context(), 10); err != nil || len(lost) != 1 || lost[0].Seq != 2 {
				t.Errorf("id %d, opening %d: losses %+v, %v", id, round, lost, err)
			}
			if err := errors.Join(b.MarkSeen(t.Context()), b.Close()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestBookFullRepair opens damaged books on a full disk: each opens and shows the same as with room, changes nothing on the
// disk, refuses changes, and keeps the repair together with the first change that has room.
func TestBookFullRepair(t *testing.T) {
	t.Parallel()
	always := slices.Repeat([]journal.Fault{journal.Full}, 100)
	for name, damage := range map[string]func(map[string][]byte){
		"a scan":         func(d map[string][]byte) { d["s0000000000000002"][9] ^= 1 },
		"a scan removed": func(d map[string][]byte) { delete(d, "s0000000000000001") },
		"a state":        func(d map[string][]byte) { x := d["s0000000000000003"]; x[len(x)-1] ^= 1 },
		"a receipt":      func(d map[string][]byte) { x := d["r0000000000000001"]; x[len(x)-1] ^= 1 },
		"facts":          func(d map[string][]byte) { d["f"][0] ^= 1 },
		"a clock event":  func(d map[string][]byte) { d["e0000000000000001"][3] ^= 1 },
		"a far scan":     func(d map[string][]byte) { d["s001fffffffffffff"] = outbox.FarRecord("s001fffffffffffff", scan(9)) },
	} {
		var d, roomy journal.Disk
		b := openBook(t, &d)
		send(t, b, 1)
		_, _, err := b.Correct(t.Context(), outbox.ClockEvent{Kind: outbox.ClockConfirmed, At: noon})
		if err := errors.Join(err, b.Record(t.Context(), scan(2), scan(3)), b.Close()); err != nil {
			t.Fatal(err)
		}
		records := d.Records()
		damage(records)
		d.Set(records)
		roomy.Set(records)
		d.Fail(always...)
		full, whole := openBook(t, &d), openBook(t, &roomy)
		if err := full.Unsaved(); !outbox.IsFull(err) {
			t.Errorf("%s: unsaved %v", name, err)
		}
		if got, want := shown(t, full), shown(t, whole); got != want {
			t.Errorf("%s: without room %s\nwith room %s", name, got, want)
		}
		if err := full.Record(t.Context(), scan(4)); !outbox.IsFull(err) {
			t.Errorf("%s: record without room: %v", name, err)
		}
		if !maps.EqualFunc(records, d.Records(), slices.Equal) {
			t.Errorf("%s: the disk has changed", name)
		}
		d.Fail()
		s, w := scan(4), scan(4)
		s.ScanID, w.ScanID = "00000004-0190-7000-8000-000000000004", "00000004-0190-7000-8000-000000000004"
		if err := errors.Join(full.Record(t.Context(), s), whole.Record(t.Context(), w)); err != nil || s.Seq != w.Seq || full.Unsaved() != nil {
			t.Errorf("%s: with room again: numbers %d and %d, %v, unsaved %v", name, s.Seq, w.Seq, err, full.Unsaved())
		}
		want := shown(t, whole)
		if err := errors.Join(full.Close(), whole.Close()); err != nil {
			t.Fatal(err)
		}
		again := openBook(t, &d)
		if got := shown(t, again); got != want || again.Unsaved() != nil {
			t.Errorf("%s: opened again %s\nwith room %s", name, got, want)
		}
	}
}

// shown returns what a book shows, apart from the time of repairs.
func shown(t *testing.T, b *outbox.Book) string {
	t.Helper()
	ctx := context.Background()
	all, err := b.History(ctx, outbox.Filter{})
	receipts, err1 := b.Receipts(ctx, 0, 100)
	repairs, err2 := b.Repairs(ctx)
	losses, err3 := b.Losses(ctx, 100)
	events, err4 := b.ClockEvents(ctx, 100)
	if err := errors.Join(err, err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	for i := range repairs {
		repairs[i].At = time.Time{}
	}
	return fmt.Sprintf("%+v\n%+v\n%+v\n%+v\n%+v", all, receipts, repairs, losses, events)
}
