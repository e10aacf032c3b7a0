// Package trustjournaltest holds the trust state to its rules on any journal: the
// conformance of package booktest, faults of the journal, and forged, edited and cut
// records. [Run] runs it on empty journals, in a browser too.
package trustjournaltest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"tcode/offline/digest"
	"tcode/offline/host/journal"
	"tcode/offline/host/trustjournal"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
	"tcode/offline/trust/trusttest"
	"tcode/offline/trustbook"
	"tcode/offline/trustbook/booktest"
)

// A Disk is where a journal keeps its records.
type Disk struct {
	// Open opens the journal with the records of earlier ones.
	Open func(context.Context) (journal.Journal, error)
	// Faults are the ways in which its commits can fail.
	Faults []booktest.Fault
}

// Run tests the trust state on the disks that empty returns; each call makes a new
// one. all tries each edit of a record at every byte, not at some.
func Run(t *testing.T, empty func(t *testing.T) Disk, all bool) {
	t.Run("Rules", func(t *testing.T) {
		t.Parallel()
		booktest.Run(t, func(t *testing.T) booktest.Place {
			d := empty(t)
			return booktest.Place{Faults: d.Faults, Open: func(tb testing.TB) trustbook.Store {
				s, err := trustjournal.OpenStore(tb.Context(), d.Open)
				if err != nil {
					tb.Fatal(err)
				}
				return s
			}}
		})
	})
	t.Run("Edits", func(t *testing.T) {
		t.Parallel()
		edits(t, empty, all)
	})
	t.Run("NewerFormat", func(t *testing.T) {
		t.Parallel()
		newerFormat(t, empty(t))
	})
	t.Run("Forged", func(t *testing.T) {
		t.Parallel()
		forged(t, empty)
	})
}

// read returns the records of a disk.
func (d Disk) read(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	d.with(t, func(j journal.Journal) error {
		return j.Load(t.Context(), func(key string, value []byte) error {
			all[key] = bytes.Clone(value)
			return nil
		})
	})
	return all
}

// write makes the records of a disk those.
func (d Disk) write(t *testing.T, records map[string][]byte) {
	t.Helper()
	changes := map[string][]byte{}
	for key := range d.read(t) {
		changes[key] = nil
	}
	maps.Copy(changes, records)
	d.with(t, func(j journal.Journal) error { return j.Commit(t.Context(), changes) })
}

func (d Disk) with(t *testing.T, use func(journal.Journal) error) {
	t.Helper()
	j, err := d.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if err := use(j); err != nil {
		t.Fatal(err)
	}
}

func (d Disk) open(t *testing.T) *trustjournal.Trust {
	t.Helper()
	trusted, err := trustjournal.Open(t.Context(), d.Open, nil)
	if err != nil {
		t.Fatal(err)
	}
	return trusted
}

var core = digest.SHA256{1, 2, 3}

// fill enrols the disk and gives it one record of each kind.
func (d Disk) fill(t *testing.T, a *trusttest.Authority, version uint64) map[string][]byte {
	t.Helper()
	book := d.open(t)
	defer book.Close()
	s, err := trust.Pin(a.Roots, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := book.Pin(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if err := book.SetGateway(t.Context(), "https://gate.example"); err != nil {
		t.Fatal(err)
	}
	a.List = statuslist.NewSurvivors([]statuslist.Mark{{1}})
	if _, err := book.Apply(t.Context(), a.Set(version, 0), a.List.Bytes()); err != nil {
		t.Fatal(err)
	}
	if err := book.Remember(t.Context(), core); err != nil {
		t.Fatal(err)
	}
	return d.after(t, book)
}

func (d Disk) after(t *testing.T, book *trustjournal.Trust) map[string][]byte {
	t.Helper()
	if err := book.Close(); err != nil {
		t.Fatal(err)
	}
	return d.read(t)
}

// An edit is one change of the records behind the store's back.
type edit struct {
	name    string
	changes map[string][]byte
}

// editsOf returns edits of each record: absent, empty, cut, longer, with one bit
// changed, and with the values of others, now and in an older state.
func editsOf(now, older map[string][]byte, all bool) []edit {
	var list []edit
	for _, key := range slices.Sorted(maps.Keys(now)) {
		value := now[key]
		add := func(name string, v []byte) {
			list = append(list, edit{key + " " + name, map[string][]byte{key: v}})
		}
		add("absent", nil)
		add("empty", []byte{})
		add("cut", value[:len(value)/2])
		add("longer", append(bytes.Clone(value), 'x'))
		step := 1
		if !all {
			step = max(1, len(value)/23)
		}
		for i := 0; i < len(value); i += step {
			v := bytes.Clone(value)
			v[i] ^= 1 << (i % 8)
			add(fmt.Sprint("bit of byte ", i), v)
		}
		for _, other := range slices.Sorted(maps.Keys(now)) {
			if other != key && !bytes.Equal(now[other], value) {
				add("has "+other, now[other])
			}
		}
		if was := older[key]; was != nil && !bytes.Equal(was, value) {
			add("older", was)
		}
		kind, _, _ := strings.Cut(key, "/")
		for _, name := range []string{kind + "/", kind + "/00", kind + "/7", kind + "/-1", kind + "/65536", kind + "/" + strings.Repeat("0", 64), strings.ToUpper(key), "x" + key} {
			list = append(list, edit{key + " as " + name, map[string][]byte{name: value}})
			list = append(list, edit{key + " moved to " + name, map[string][]byte{name: value, key: nil}})
		}
	}
	return list
}

// edits opens each edited journal. The device then has the signed state, or a part of
// it without documents; never another. What verifies alone is kept.
func edits(t *testing.T, empty func(t *testing.T) Disk, all bool) {
	a := trusttest.New(t, "a")
	a.Rotate("")
	d := empty(t)
	older := d.fill(t, a, 10)
	a.Rotate("")
	a.Shards[0].Set(7, statuslist.Revoked)
	now := d.fill(t, a, 11)
	want := a.Set(11, 0)
	repaired, complete := 0, 0
	list := editsOf(now, older, all)
	for _, e := range list {
		records := maps.Clone(now)
		maps.Copy(records, e.changes)
		maps.DeleteFunc(records, func(_ string, v []byte) bool { return v == nil })
		d.write(t, records)
		book, err := trustjournal.Open(t.Context(), d.Open, nil)
		if _, ok := e.changes["format"]; ok && errors.Is(err, trustjournal.ErrFormat) {
			continue // refused, with an error
		}
		if err != nil {
			t.Fatalf("%s: %v", e.name, err)
		}
		snapshot, err := book.Snapshot(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", e.name, err)
		}
		if book.Repaired() != "" {
			repaired++
		}
		state := snapshot.State()
		switch {
		case state == nil && book.Repaired() == "":
			t.Errorf("%s: not enrolled, and not repaired", e.name)
		case state != nil && state.Fingerprint != a.Fingerprint:
			t.Errorf("%s: another root", e.name)
		case state.Complete():
			complete++
			if !bytes.Equal(state.RawTimestamp, want.Timestamp) || !bytes.Equal(state.RawBundle, want.Bundle) || !bytes.Equal(state.RawStatus, want.Status) {
				t.Errorf("%s: another set", e.name)
			}
			checkShards(t, e.name, snapshot)
		}
		revoked := "revoked/" + core.String()
		if seen, err := snapshot.Remembered(core); err != nil || seen != (records[revoked] != nil) {
			t.Errorf("%s: revocation remembered %v, %v", e.name, seen, err)
		}
		// The device is as usable as before: the documents can be fetched again.
		if state != nil {
			if _, err := book.Apply(t.Context(), a.Set(12, 1), a.List.Bytes()); err != nil {
				t.Errorf("%s: the next set: %v", e.name, err)
			}
		}
		d.after(t, book)
		again := d.open(t)
		if again.Repaired() != "" {
			t.Errorf("%s: damaged again after the repair: %s", e.name, again.Repaired())
		}
		d.after(t, again)
	}
	t.Logf("%d edits, %d repaired, complete after %d", len(list), repaired, complete)
	if repaired < len(list)/4 || complete < 20 {
		t.Error("the test proves too little")
	}
}

// checkShards fails if a shard that is not the signed one counts.
func checkShards(t *testing.T, name string, s *trustbook.Snapshot) {
	t.Helper()
	damaged := s.Damaged(1 << 16)
	for number, hash := range s.State().Shards {
		shard, err := s.Shard(uint16(number))
		good := err == nil && shard != nil && shard.Hash() == hash
		if good == slices.Contains(damaged, uint16(number)) {
			t.Errorf("%s: shard %d is signed %v, damaged %v", name, number, good, damaged)
		}
	}
}

// newerFormat leaves a journal of a newer program as it is.
func newerFormat(t *testing.T, d Disk) {
	records := d.fill(t, trusttest.New(t, "a"), 10)
	records["format"] = []byte("tcode-trust-journal/2\n")
	records["news"] = []byte("x")
	d.write(t, records)
	if _, err := trustjournal.Open(t.Context(), d.Open, nil); !errors.Is(err, trustjournal.ErrFormat) {
		t.Errorf("Open = %v, want ErrFormat", err)
	}
	if got := d.read(t); !maps.EqualFunc(got, records, bytes.Equal) {
		t.Error("the journal of a newer program was changed")
	}
}

// forged puts documents of another authority under the pinned root, one kind after
// the other and all together.
func forged(t *testing.T, empty func(t *testing.T) Disk) {
	evil := empty(t).fill(t, trusttest.New(t, "evil"), 99)
	a := trusttest.New(t, "a")
	d := empty(t)
	good := d.fill(t, a, 10)
	kinds := []string{"timestamp", "bundle", "status", "pack/0", "shard/0"}
	for set := range 1 << len(kinds) {
		records := maps.Clone(good)
		for i, key := range kinds {
			if set&(1<<i) != 0 {
				records[key] = evil[key]
			}
		}
		d.write(t, records)
		book := d.open(t)
		snapshot, err := book.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if s := snapshot.State(); s == nil || s.Fingerprint != a.Fingerprint || s.Complete() && !bytes.Equal(s.RawBundle, good["bundle"]) {
			t.Errorf("forged %b: another state", set)
		}
		if set&7 != 0 && book.Repaired() == "" {
			t.Errorf("forged %b: not noticed", set)
		}
		d.after(t, book)
	}
}
