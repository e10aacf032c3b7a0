package trustjournal_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"tcode/offline/host/journal"
	"tcode/offline/host/trustjournal"
	"tcode/offline/trust"
	"tcode/offline/trust/trusttest"
)

// TestFullRepair opens damaged trust states on a full disk: each opens as with room, changes nothing on the disk, and writes the repair
// together with the first change that has room.
func TestFullRepair(t *testing.T) {
	t.Parallel()
	a := trusttest.New(t, "a")
	var d journal.Disk
	open := func() *trustjournal.Trust {
		t.Helper()
		book, err := trustjournal.Open(t.Context(), func(context.Context) (journal.Journal, error) { return d.Open() }, nil)
		if err != nil {
			t.Fatal(err)
		}
		return book
	}
	book := open()
	state, err := trust.Pin(a.Roots, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(book.Pin(t.Context(), state), book.SetGateway(t.Context(), "https://gate.example")); err != nil {
		t.Fatal(err)
	}
	if _, err := book.Apply(t.Context(), a.Set(10, 0)); err != nil {
		t.Fatal(err)
	}
	book.Close()
	whole := d.Records()
	for _, key := range []string{"timestamp", "bundle", "facts", "format", "root/1"} {
		records := maps.Clone(whole)
		records[key] = slices.Clone(records[key])
		if len(records[key]) == 0 {
			t.Fatalf("no record %s among %v", key, slices.Sorted(maps.Keys(whole)))
		}
		records[key][len(records[key])/2] ^= 1
		show := func(book *trustjournal.Trust) (enrolled bool, gateway string) {
			t.Helper()
			snapshot, err := book.Snapshot(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			e, err := book.Enrolment(t.Context())
			return snapshot.State() != nil && err == nil, e.Gateway
		}
		d.Set(records)
		book := open()
		enrolled, gateway := show(book)
		if book.Repaired() == "" {
			t.Errorf("%s: no damage", key)
		}
		book.Close()

		d.Set(records)
		d.Fail(slices.Repeat([]journal.Fault{journal.Full}, 50)...)
		book = open()
		if e, g := show(book); e != enrolled || g != gateway || book.Repaired() == "" {
			t.Errorf("%s: without room enrolled %t with %q, with room %t with %q; repaired %q", key, e, g, enrolled, gateway, book.Repaired())
		}
		if err := book.NoteAttempt(t.Context(), time.Now(), nil); !errors.Is(err, journal.ErrFull) {
			t.Errorf("%s: a change without room: %v", key, err)
		}
		if !maps.EqualFunc(records, d.Records(), slices.Equal) {
			t.Errorf("%s: the disk has changed", key)
		}
		d.Fail()
		if enrolled {
			if _, err := book.Apply(t.Context(), a.Set(11, 1)); err != nil {
				t.Errorf("%s: %v", key, err)
			}
		} else if err := book.Pin(t.Context(), state); err != nil {
			t.Errorf("%s: %v", key, err)
		}
		book.Close()
		book = open()
		if e, g := show(book); !e || g != gateway || book.Repaired() != "" {
			t.Errorf("%s: opened again: enrolled %t with %q, damaged %q", key, e, g, book.Repaired())
		}
		book.Close()
	}
}
