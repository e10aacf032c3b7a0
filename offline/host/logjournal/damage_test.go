package logjournal_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"tcode/offline/host/journal"
	"tcode/offline/host/logjournal"
	"tcode/offline/host/logjournal/logtest"
)

// sample returns a log with a snapshot and commits behind it, and its states: [0] is that of the snapshot. The last place of bounds
// is the end of the file.
func sample(t testing.TB) (files [2][]byte, states []map[string][]byte, bounds []int) {
	t.Helper()
	var d logtest.Disk
	l := open(t, &d)
	state := map[string][]byte{}
	add := func(changes map[string][]byte) {
		if err := l.Commit(t.Context(), changes); err != nil {
			t.Fatal(err)
		}
		state = applied(state, changes)
	}
	note := func() {
		files = d.Files()
		states = append(states, state)
		bounds = append(bounds, len(files[0])+len(files[1]))
	}
	for i := range 5 {
		add(map[string][]byte{fmt.Sprint("old ", i): []byte("snapshot"), "same": {byte(i)}})
	}
	if err := l.Repair(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	note()
	for i := range 6 {
		add(map[string][]byte{fmt.Sprint("new ", i): fmt.Append(nil, "value ", i), "same": {byte(10 + i)}, fmt.Sprint("old ", i): nil})
		note()
	}
	return files, states, bounds
}

// outcome is how a log with one fault opens.
type outcome int

const (
	unseen  outcome = iota // all records are there
	torn                   // the last commit is missing
	damaged                // Damage
)

// judge opens a log with one fault, and checks that it shows only what was committed, and that it goes on.
func judge(t *testing.T, name string, files [2][]byte, states []map[string][]byte) outcome {
	t.Helper()
	var d logtest.Disk
	d.SetFiles(files)
	l := open(t, &d)
	got := records(t, l)
	for key, value := range got {
		if !slices.ContainsFunc(states, func(s map[string][]byte) bool { return string(s[key]) == string(value) }) {
			t.Errorf("%s: %q = %q was never committed", name, key, value)
		}
	}
	how := damaged
	last := len(states) - 1
	if damage := l.Damage(); damage != nil {
		before := d.Files()
		if err := l.Commit(t.Context(), map[string][]byte{"k": {1}}); !errors.As(err, new(*logjournal.Damage)) {
			t.Errorf("%s: a commit to a damaged log: %v", name, err)
		}
		if after := d.Files(); string(after[0]) != string(before[0]) || string(after[1]) != string(before[1]) {
			t.Errorf("%s: a damaged log was changed", name)
		}
		if err := l.Repair(t.Context(), map[string][]byte{"repaired": {1}}); err != nil {
			t.Errorf("%s: repair: %v", name, err)
		}
		got["repaired"] = []byte{1}
	} else {
		switch {
		case equal(got, states[last]):
			how = unseen
		case equal(got, states[last-1]):
			how = torn
		default:
			t.Errorf("%s: %q, and no damage is reported", name, got)
		}
	}
	if err := l.Commit(t.Context(), map[string][]byte{"k": {1}}); err != nil {
		t.Errorf("%s: commit: %v", name, err)
	}
	got["k"] = []byte{1}
	d.Kill()
	l = open(t, &d)
	if err := l.Damage(); err != nil || !equal(records(t, l), got) {
		t.Errorf("%s: opened again: %v, %q, want %q", name, err, records(t, l), got)
	}
	return how
}

// TestDamage makes one fault in each place of a log: a byte with another value, a file that ends there, and a sector of zeros.
func TestDamage(t *testing.T) {
	files, states, bounds := sample(t)
	slot := 1
	if len(files[slot]) == 0 {
		slot = 0
	}
	size, commits := len(files[slot]), len(states)-1
	lastAt := bounds[commits-1]
	count := map[string]map[outcome]int{}
	fault := func(kind string, at int, change func(b []byte) []byte) outcome {
		b := files
		b[slot] = change(slices.Clone(files[slot]))
		how := judge(t, fmt.Sprint(kind, " at ", at), b, states)
		if count[kind] == nil {
			count[kind] = map[outcome]int{}
		}
		count[kind][how]++
		return how
	}
	for at := range size {
		how := fault("byte", at, func(b []byte) []byte { b[at] ^= 1 << (at % 8); return b })
		want := damaged
		switch {
		case at < 1024 && at%512 >= 64:
			want = unseen
		case at >= lastAt:
			want = torn
		}
		if how != want {
			t.Errorf("byte %d: outcome %d, want %d", at, how, want)
		}
	}
	for at := lastAt; at < size; at++ {
		if how := fault("end", at, func(b []byte) []byte { return b[:at] }); how != torn {
			t.Errorf("end %d: outcome %d", at, how)
		}
	}
	for at := 1024; at+64 < lastAt; at += 16 {
		how := fault("zeros", at, func(b []byte) []byte { clear(b[at : at+64]); return b })
		if how != damaged {
			t.Errorf("zeros %d: outcome %d", at, how)
		}
	}
	for i := 1; i < commits; i++ {
		how := fault("commit removed", i, func(b []byte) []byte { return slices.Delete(b, bounds[i-1], bounds[i]) })
		if how != damaged {
			t.Errorf("commit %d: outcome %d", i, how)
		}
	}
	for kind, n := range count {
		t.Logf("%s: %d files without effect, %d with a torn commit, %d damaged", kind, n[unseen], n[torn], n[damaged])
	}
	if n := len(count); n != 4 {
		t.Errorf("%d kinds of faults", n)
	}
}

// TestKept: one damaged commit costs its own records alone, and Damage counts it.
func TestKept(t *testing.T) {
	files, states, bounds := sample(t)
	slot := 1
	if len(files[slot]) == 0 {
		slot = 0
	}
	files[slot][bounds[1]+40] ^= 1 // in the second commit
	var d logtest.Disk
	d.SetFiles(files)
	l := open(t, &d)
	want := maps.Clone(states[len(states)-1])
	delete(want, "new 1")
	want["old 1"] = []byte("snapshot") // its removal is lost
	if got := records(t, l); !equal(got, want) {
		t.Errorf("records %q, want %q", got, want)
	}
	var damage *logjournal.Damage
	if !errors.As(l.Damage(), &damage) || damage.Places != 1 || damage.Commits != 1 || damage.Header {
		t.Errorf("damage %+v", damage)
	}
}

// TestTwoTorn: two commits that do not verify at the end cannot be one torn commit.
func TestTwoTorn(t *testing.T) {
	files, _, bounds := sample(t)
	slot := 1
	if len(files[slot]) == 0 {
		slot = 0
	}
	for _, at := range bounds[len(bounds)-3 : len(bounds)-1] {
		files[slot][at+40] ^= 1
	}
	var d logtest.Disk
	d.SetFiles(files)
	if l := open(t, &d); l.Damage() == nil {
		t.Error("no damage")
	}
}

// TestInside: the bytes of a whole log are a value of another one, and no frame of them counts when that log is damaged.
func TestInside(t *testing.T) {
	files, _, _ := sample(t)
	inner := slices.Concat(files[0], files[1])
	var d logtest.Disk
	l := open(t, &d)
	if err := l.Commit(t.Context(), map[string][]byte{"document": inner}); err != nil {
		t.Fatal(err)
	}
	if err := l.Commit(t.Context(), map[string][]byte{"last": {1}}); err != nil {
		t.Fatal(err)
	}
	outer := d.Files()
	for _, at := range []int{1024, 1024 + 50} { // head and body of the first commit
		damaged := [2][]byte{slices.Clone(outer[0]), nil}
		damaged[0][at] ^= 1
		d.Kill()
		d.SetFiles(damaged)
		l = open(t, &d)
		if got := records(t, l); l.Damage() == nil || len(got) != 1 || got["last"] == nil {
			t.Errorf("fault at %d: %v, records %d", at, l.Damage(), len(got))
		}
	}
}

// TestFrozen opens a log that the first version of this package wrote.
func TestFrozen(t *testing.T) {
	const name = "testdata/version1.log"
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var d logtest.Disk
	d.SetFiles([2][]byte{nil, raw})
	l := open(t, &d)
	want := map[string][]byte{"same": {15}}
	for i := range 6 {
		want[fmt.Sprint("new ", i)] = fmt.Append(nil, "value ", i)
	}
	if got := records(t, l); l.Damage() != nil || l.Cut() != 0 || !equal(got, want) {
		t.Errorf("%v, cut %d, records %q", l.Damage(), l.Cut(), got)
	}
	if got := d.Files(); string(got[1]) != string(raw) {
		t.Error("opening changed it")
	}
}

// TestNewer: a log of a later version is refused and stays as it is.
func TestNewer(t *testing.T) {
	var d logtest.Disk
	open(t, &d)
	files := d.Files()
	d.Kill()
	logjournal.SetVersion(files[0], 2)
	d.SetFiles(files)
	if _, err := d.Open(); !errors.Is(err, logjournal.ErrNewer) {
		t.Errorf("open: %v", err)
	}
	if got := d.Files(); string(got[0]) != string(files[0]) || string(got[1]) != string(files[1]) {
		t.Error("it was changed")
	}
}

// FuzzOpen opens any two files: every outcome is a log that keeps what it shows.
func FuzzOpen(f *testing.F) {
	files, _, _ := sample(f)
	f.Add(files[0], files[1])
	f.Add(files[1], files[0])
	f.Add(files[1], files[1])
	f.Add(files[1][:1100], []byte{})
	f.Fuzz(func(t *testing.T, a, b []byte) {
		var d logtest.Disk
		d.SetFiles([2][]byte{a, b})
		l, err := d.Open()
		if err != nil {
			if !errors.Is(err, logjournal.ErrNewer) {
				t.Fatal(err)
			}
			return
		}
		shown := records(t, l)
		err = l.Commit(t.Context(), map[string][]byte{"fuzz": {1}})
		if damage := l.Damage(); damage != nil {
			if err == nil {
				t.Fatal("a damaged log takes commits")
			}
			err = l.Repair(t.Context(), map[string][]byte{"fuzz": {1}})
		}
		if err != nil {
			t.Fatal(err)
		}
		shown["fuzz"] = []byte{1}
		d.Kill()
		l = open(t, &d)
		if err := l.Damage(); err != nil || !equal(records(t, l), shown) {
			t.Fatalf("opened again: %v", err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Lock(t.Context()); !errors.Is(err, journal.ErrClosed) {
			t.Fatal(err)
		}
	})
}
