package outbox_test

import (
	"testing"

	"tcode/offline/host/journal"
	"tcode/sync/outbox"
)

// TestNumbersOutOfBounds opens a book with a record of the highest number: the work of opening does not depend on it, the number is listed,
// and the next scan continues the real ones.
func TestNumbersOutOfBounds(t *testing.T) {
	t.Parallel()
	var d journal.Disk
	b := openBook(t, &d)
	first := scan(1)
	if err := b.Record(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	_ = b.Close()
	records := d.Records()
	records["s001fffffffffffff"] = []byte("damaged")
	d.Set(records)
	b = openBook(t, &d)
	losses, err := b.Losses(t.Context(), 10)
	if err != nil || len(losses) != 1 || losses[0].Seq != 1<<53-1 {
		t.Errorf("losses %+v, %v", losses, err)
	}
	_ = b.Close()
	b = openBook(t, &d)
	defer b.Close()
	next := scan(2)
	if err := b.Record(t.Context(), next); err != nil || next.Seq != first.Seq+1 {
		t.Errorf("next number %d, %v", next.Seq, err)
	}
	if c, err := b.Counts(t.Context()); err != nil || c != (outbox.Counts{Queued: 2, Oldest: first.ScannedAt}) {
		t.Errorf("counts %+v, %v", c, err)
	}
}
