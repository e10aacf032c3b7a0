package keep_test

import (
	"errors"
	"fmt"
	"testing"

	"tcode/offline/host/journal"
	"tcode/scanner/web/engine/keep"
)

func openNotes(t *testing.T, d *journal.Disk) (*keep.Notes, *window) {
	t.Helper()
	w := &window{disk: d}
	n, err := keep.OpenNotes(t.Context(), w.open)
	if err != nil {
		t.Fatal(err)
	}
	return n, w
}

// id returns a scan id that sorts by i.
func id(i int) string { return scan(i).ScanID }

// TestNotesReopen: settings, remarks and answers are there in the next window; a removed remark is not.
func TestNotesReopen(t *testing.T) {
	t.Parallel()
	d := new(journal.Disk)
	n, _ := openNotes(t, d)
	err := errors.Join(
		n.SetSettings(t.Context(), []byte(`{"a":1}`)), n.SetSettings(t.Context(), []byte(`{"a":2}`)),
		n.SetRemark(t.Context(), id(1), "one"), n.SetRemark(t.Context(), id(2), "two"), n.SetRemark(t.Context(), id(1), ""),
		n.KeepAnswer(t.Context(), []string{id(1), id(2)}, []byte("both\nlines")), n.KeepAnswer(t.Context(), nil, []byte("of nothing")),
		n.KeepAnswer(t.Context(), []string{id(3)}, nil),
	)
	if err != nil {
		t.Fatal(err)
	}
	for _, when := range []string{"before", "after"} {
		got := fmt.Sprintf("%s %q %q %s %s %q %q", n.Settings(), n.Remark(id(1)), n.Remark(id(2)), n.Answer(id(1)), n.Answer(id(2)), n.Answer(id(3)), n.Answer(id(4)))
		if want := fmt.Sprintf("%s %q %q %s %s %q %q", `{"a":2}`, "", "two", "both\nlines", "both\nlines", "", ""); got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
		if err := n.Close(); err != nil {
			t.Fatal(err)
		}
		n, _ = openNotes(t, d)
	}
	if len(d.Records()) != 4 {
		t.Errorf("%d records", len(d.Records()))
	}
	if err := errors.Join(n.Close(), n.Close()); err != nil {
		t.Fatal(err)
	}
	if err := n.SetSettings(t.Context(), nil); !errors.Is(err, journal.ErrClosed) {
		t.Errorf("after close: %v", err)
	}
}

// TestNotesUnknown: after a commit whose outcome is unknown, the notes show what the journal has.
func TestNotesUnknown(t *testing.T) {
	t.Parallel()
	for fault, want := range map[journal.Fault]string{journal.FailBefore: "old", journal.FailAfter: "new", journal.Full: "old"} {
		d := new(journal.Disk)
		n, _ := openNotes(t, d)
		for what, set := range map[string]func(text string) error{
			"settings": func(text string) error { return n.SetSettings(t.Context(), []byte(text)) },
			"remark":   func(text string) error { return n.SetRemark(t.Context(), id(1), text) },
			"answer":   func(text string) error { return n.KeepAnswer(t.Context(), []string{id(1), id(2)}, []byte(text)) },
		} {
			if err := set("old"); err != nil {
				t.Fatal(err)
			}
			d.Fail(fault)
			if err := set("new"); err == nil || errors.Is(err, journal.ErrFull) != (fault == journal.Full) {
				t.Errorf("fault %d of the %s: %v", fault, what, err)
			}
			got := map[string]string{"settings": string(n.Settings()), "remark": n.Remark(id(1)), "answer": string(n.Answer(id(2)))}[what]
			if got != want {
				t.Errorf("fault %d of the %s: %q, want %q", fault, what, got, want)
			}
			if err := set("last"); err != nil {
				t.Errorf("fault %d of the %s: next change: %v", fault, what, err)
			}
		}
		if err := n.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNotesTwoWindows: while another window has the notes, what was read before is shown, and nothing is stored.
func TestNotesTwoWindows(t *testing.T) {
	t.Parallel()
	d := new(journal.Disk)
	first, w := openNotes(t, d)
	if err := first.SetRemark(t.Context(), id(1), "one"); err != nil {
		t.Fatal(err)
	}
	if _, err := keep.OpenNotes(t.Context(), (&window{disk: d}).open); !errors.Is(err, journal.ErrOwned) {
		t.Errorf("a second window: %v", err)
	}
	d.Fail(journal.FailBefore)
	if err := first.SetRemark(t.Context(), id(1), "two"); err == nil {
		t.Fatal("no fault")
	}
	second, _ := openNotes(t, d)
	if err := first.SetRemark(t.Context(), id(1), "three"); !errors.Is(err, journal.ErrOwned) || first.Remark(id(1)) != "one" {
		t.Errorf("the first window: %v, %q", err, first.Remark(id(1)))
	}
	if err := errors.Join(second.SetRemark(t.Context(), id(1), "four"), second.Close()); err != nil {
		t.Fatal(err)
	}
	opens := w.opens
	for range 3 { // it does not try for each
		if got := first.Remark(id(1)); got != "one" || w.opens != opens {
			t.Errorf("the first window: %q, %d openings", got, w.opens-opens)
		}
	}
	err := first.SetRemark(t.Context(), id(2), "five")
	if got := first.Remark(id(1)); err != nil || got != "four" {
		t.Errorf("the first window has it again: %q, %v", got, err)
	}
}

// TestNotesOldAnswers: the newest answers are kept, an answer that is kept again takes no other's place, and records that do not read
// go as the others do.
func TestNotesOldAnswers(t *testing.T) {
	t.Parallel()
	d := new(journal.Disk)
	d.Set(map[string][]byte{"answer/" + id(0): []byte("damaged"), "answer/": nil, "other": []byte("later version"), "remark/": []byte("x")})
	n, _ := openNotes(t, d)
	answers := func() (held int) {
		for i := 1; i <= keep.MostAnswers+10; i++ {
			if len(n.Answer(id(i))) > 0 {
				held++
			}
		}
		return held
	}
	for i := 1; i <= keep.MostAnswers; i++ {
		if err := n.KeepAnswer(t.Context(), []string{id(i)}, fmt.Append(nil, i)); err != nil {
			t.Fatal(err)
		}
	}
	if held := answers(); held != keep.MostAnswers {
		t.Errorf("%d answers are kept", held)
	}
	for _, again := range []int{1, 7} { // the oldest one, and another one
		if err := n.KeepAnswer(t.Context(), []string{id(again)}, []byte("again")); err != nil {
			t.Fatal(err)
		}
		if held := answers(); held != keep.MostAnswers || string(n.Answer(id(again))) != "again" {
			t.Errorf("%d answers after one again, %q", held, n.Answer(id(again)))
		}
	}
	if err := n.KeepAnswer(t.Context(), []string{id(keep.MostAnswers + 1)}, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if held := answers(); held != keep.MostAnswers || n.Answer(id(1)) != nil {
		t.Errorf("%d answers after a new one, the oldest is %q", held, n.Answer(id(1)))
	}
	if _, ok := d.Records()["other"]; !ok || len(d.Records()) != keep.MostAnswers+2 {
		t.Errorf("%d records, of a later version: %t", len(d.Records()), ok)
	}
}

// TestNotesDamage damages each kind of record: the notes open, and the others are there.
func TestNotesDamage(t *testing.T) {
	t.Parallel()
	for _, value := range [][]byte{nil, {}, {0}, []byte("\n"), []byte("\xff\xfe\n\xff"), []byte(id(2) + "\nfor another scan"), make([]byte, 1<<20)} {
		for _, key := range []string{"settings", "remark/" + id(1), "answer/" + id(1), "answer/", "remark", "\xff"} {
			d := new(journal.Disk)
			n, _ := openNotes(t, d)
			err := errors.Join(
				n.SetSettings(t.Context(), []byte("{}")), n.SetRemark(t.Context(), id(1), "one"), n.KeepAnswer(t.Context(), []string{id(1)}, []byte("one")),
				n.SetRemark(t.Context(), id(3), "three"), n.KeepAnswer(t.Context(), []string{id(3)}, []byte("three")), n.Close(),
			)
			if err != nil {
				t.Fatal(err)
			}
			records := d.Records()
			records[key] = value
			d.Set(records)
			n, _ = openNotes(t, d)
			if n.Remark(id(3)) != "three" || string(n.Answer(id(3))) != "three" {
				t.Errorf("%q as %.20q: others are %q and %q", key, value, n.Remark(id(3)), n.Answer(id(3)))
			}
			_, _, _ = n.Settings(), n.Remark(id(1)), n.Answer(id(1))
			if err := errors.Join(n.KeepAnswer(t.Context(), []string{id(1)}, []byte("new")), n.SetRemark(t.Context(), id(1), "new")); err != nil {
				t.Errorf("%q as %.20q: %v", key, value, err)
			}
			if n.Remark(id(1)) != "new" || string(n.Answer(id(1))) != "new" {
				t.Errorf("%q as %.20q: after a change %q and %q", key, value, n.Remark(id(1)), n.Answer(id(1)))
			}
			if err := n.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
