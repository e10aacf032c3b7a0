package booktest

import (
	"context"
	"errors"
	"sync"
	"testing"

	"tcode/offline/digest"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
	"tcode/offline/trust/trusttest"
	"tcode/offline/trustbook"
)

func remember(t *testing.T, d *device) {
	a := trusttest.New(t, "a")
	d.enrol(t, a)
	s := d.snapshot(t)
	core := digest.SHA256{1}
	if err := d.Remember(t.Context(), core, core); err != nil {
		t.Fatal(err)
	}
	if err := d.Remember(t.Context()); err != nil {
		t.Fatal(err)
	}
	check := func(name string, s *trustbook.Snapshot) {
		t.Helper()
		if got, err := s.Remembered(core); !got || err != nil {
			t.Errorf("snapshot %s: %v, %v", name, got, err)
		}
		if got, err := s.Remembered(digest.SHA256{2}); got || err != nil {
			t.Errorf("snapshot %s remembers too much: %v, %v", name, got, err)
		}
	}
	check("taken before", s)
	d.restart(t)
	check("after a restart", d.snapshot(t))
	if err := d.Remember(t.Context(), digest.SHA256{3}, core); err != nil {
		t.Fatal(err)
	}
	d.apply(t, a.Set(11, 1))
	check("after an update", d.snapshot(t))
	a.Rotate("new-online")
	changes := d.apply(t, trust.Update{Roots: a.Roots})
	check("after a new online key", d.snapshot(t))
	if !changes.Reset || changes.Forget || d.snapshot(t).State().Complete() {
		t.Errorf("after a new online key: %+v", changes)
	}
	// The holder of a stolen online key may have called any stamp revoked.
	a.Forget("third-online")
	changes = d.apply(t, trust.Update{Roots: a.Roots})
	s = d.snapshot(t)
	if got, _ := s.Remembered(core); got || !changes.Forget || s.State().Complete() {
		t.Errorf("after a root that says so: remembered %v, %+v", got, changes)
	}
	if shard, _ := s.Shard(0); shard != nil {
		t.Error("a shard of the old online key stayed")
	}
	d.restart(t)
	if got, _ := d.snapshot(t).Remembered(core); got {
		t.Error("remembered again after a restart")
	}
	// Recovery from a fast-forward removes the floors too.
	d.apply(t, a.Set(3, 0))
	if got := d.version(t); got != 3 {
		t.Errorf("version %d after the reset, want 3", got)
	}
}

// What was final stays, whatever a later set says, also under another online key.
func finalStays(t *testing.T, d *device) {
	a := trusttest.New(t, "a")
	a.List = statuslist.NewSurvivors([]statuslist.Mark{{1}})
	a.Shards[1] = new(statuslist.Shard)
	a.Shards[0].Set(7, statuslist.Revoked)
	a.Shards[1].Set(8, statuslist.Replaced)
	a.Shards[1].Set(9, statuslist.Suspended)
	d.enrol(t, a)
	key := d.snapshot(t).State().Bundle.Keys[0]
	marks := []digest.SHA256{trust.EntryMark(0, 7), trust.EntryMark(1, 8), trust.KeyMark(key), trust.EntryMark(1, 9)}
	check := func(when string, want ...bool) {
		t.Helper()
		for i, m := range marks {
			if got, err := d.snapshot(t).Remembered(m); got != want[i] || err != nil {
				t.Errorf("%s: mark %d is remembered: %v, %v", when, i, got, err)
			}
		}
	}
	check("before", false, false, false, false)
	a.Shards[0].Set(7, statuslist.None)
	a.Shards[1].Set(9, statuslist.None)
	if changes := d.apply(t, a.Set(11, 1)); changes.Undone != 1 {
		t.Errorf("%d facts undone, want 1", changes.Undone)
	}
	check("after a set without one", true, false, false, false)
	a.Rotate("new-online")
	a.List = nil
	d.apply(t, trust.Update{Roots: a.Roots})
	d.restart(t)
	check("after a new online key", true, false, true, false)
	delete(a.Shards, 1)
	d.apply(t, a.Set(3, 2))
	d.restart(t)
	check("after its first set", true, true, true, false)
	if shard, _ := d.snapshot(t).Shard(1); shard != nil {
		t.Error("a shard of the old online key stayed")
	}
	// A thief of the online key can neither take back without end, nor fill the device.
	full := new(statuslist.Shard)
	for i := range full {
		full[i] = 0x55
	}
	a.Shards[0], a.Shards[1] = full, full
	d.apply(t, a.Set(4, 3))
	a.Shards[0], a.Shards[1] = new(statuslist.Shard), new(statuslist.Shard)
	if _, err := d.Apply(t.Context(), a.Set(5, 4)); !errors.Is(err, trust.ErrUndone) || d.version(t) != 4 {
		t.Errorf("131,072 facts taken back: %v, version %d", err, d.version(t))
	}
	a.Forget("third-online")
	d.apply(t, trust.Update{Roots: a.Roots})
	d.apply(t, a.Set(2, 5))
	check("after a root that says so", false, false, false, false)
}

// A later document may be dated before an earlier one. The floor of the time stays.
func floorStays(t *testing.T, d *device) {
	a := trusttest.New(t, "a")
	d.pin(t, a)
	d.apply(t, a.Set(10, 5))
	d.apply(t, a.Set(11, 1))
	for range 2 {
		if s := d.snapshot(t).State(); s.Timestamp.Version != 11 || !s.Floor.Equal(trusttest.Day0.Add(5*3600e9)) {
			t.Errorf("version %d, floor %v; want 11, 5 hours", s.Timestamp.Version, s.Floor)
		}
		d.restart(t)
	}
}

func survivors(t *testing.T, d *device) {
	a := trusttest.New(t, "a")
	a.List = statuslist.NewSurvivors([]statuslist.Mark{{1}, {2}})
	d.enrol(t, a)
	hash := a.List.Hash().String()
	if got := d.snapshot(t).Missing(); len(got) != 1 || got[0] != hash {
		t.Errorf("Missing = %v, want %s", got, hash)
	}
	unnamed := statuslist.NewSurvivors([]statuslist.Mark{{9}})
	d.apply(t, trust.Update{}, a.List.Bytes(), unnamed.Bytes(), a.List.Bytes())
	d.restart(t)
	s := d.snapshot(t)
	list, ok := s.Survivors(hash)
	if !ok || !list.Contains(statuslist.Mark{2}) || len(s.Missing()) != 0 {
		t.Errorf("Survivors = %v, %v; missing %v", list, ok, s.Missing())
	}
	if _, ok := s.Survivors(unnamed.Hash().String()); ok {
		t.Error("a list that no key names was kept")
	}
	a.List = nil
	d.apply(t, a.Set(11, 1))
	d.restart(t)
	if _, ok := d.snapshot(t).Survivors(hash); ok {
		t.Error("a list that no key names any more stayed")
	}
}

func pin(t *testing.T, d *device) {
	a, b := trusttest.New(t, "a"), trusttest.New(t, "b")
	d.enrol(t, a)
	other, err := trust.Pin(b.Roots, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Pin(t.Context(), other); !errors.Is(err, trustbook.ErrOtherRoot) {
		t.Errorf("another root: %v, want ErrOtherRoot", err)
	}
	a.Rotate("")
	d.pin(t, a) // the same root, one version later
	d.restart(t)
	if s := d.snapshot(t).State(); s.Root.Version != 2 || !s.Complete() {
		t.Errorf("root %d, complete %v", s.Root.Version, s.Complete())
	}
	if err := d.Remember(t.Context(), digest.SHA256{1}); err != nil {
		t.Fatal(err)
	}
	if err := d.Unpin(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.restart(t)
	if got, _ := d.snapshot(t).Remembered(digest.SHA256{1}); got || d.snapshot(t).State() != nil {
		t.Error("still pinned, or revocations remembered")
	}
	if err := d.Pin(t.Context(), other); err != nil {
		t.Errorf("Pin after Unpin: %v", err)
	}
}

// A chain of any length is followed in one commit, and one that changes the online
// key on the way voids the documents before it.
func manyRoots(t *testing.T, d *device) {
	a := trusttest.New(t, "a")
	d.enrol(t, a)
	first, err := trust.Pin(a.Roots, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2*trust.MaxRootRun + 3 {
		a.Rotate("")
	}
	a.Rotate("new-online")
	a.Rotate("")
	long := d.other(t)
	if err := long.Restore(t.Context(), trustbook.Salvaged{Roots: byVersion(a.Roots)}, "lost"); err != nil {
		t.Fatal(err)
	}
	if got := long.snapshot(t).State().Root.Version; got != uint64(len(a.Roots)) {
		t.Errorf("root %d, want %d", got, len(a.Roots))
	}
	long.apply(t, a.Set(4, 0))
	if _, err := d.Import(t.Context(), file(long.export(t)), nil); err != nil {
		t.Fatal(err)
	}
	d.restart(t)
	s := d.snapshot(t).State()
	if s.Root.Version != uint64(len(a.Roots)) || s.Timestamp.Version != 4 || s.Fingerprint != first.Fingerprint {
		t.Errorf("root %d, version %d", s.Root.Version, s.Timestamp.Version)
	}
}

func byVersion(roots [][]byte) map[int][]byte {
	m := map[int][]byte{}
	for i, raw := range roots {
		m[i+1] = raw
	}
	return m
}

// The safe parts of a damaged store are kept: roots up to the first that does not
// verify, the gateway and remembered revocations.
func restore(t *testing.T, d *device) {
	a := trusttest.New(t, "a")
	a.Rotate("")
	a.Rotate("")
	roots := byVersion(a.Roots)
	roots[3] = append([]byte("x"), roots[3]...)
	core := digest.SHA256{5}
	x := trustbook.Salvaged{Roots: roots, Gateway: "https://gate.example", Remembered: []digest.SHA256{core}}
	if err := d.Restore(t.Context(), x, "the store was damaged"); err != nil {
		t.Fatal(err)
	}
	d.restart(t)
	s := d.snapshot(t)
	e, err := d.Enrolment(t.Context())
	if err != nil || s.State().Root.Version != 2 || e.Gateway != x.Gateway {
		t.Errorf("root %d, %+v, %v", s.State().Root.Version, e, err)
	}
	if seen, _ := s.Remembered(core); !seen {
		t.Error("a revocation was forgotten")
	}
	if at, err := d.LastAttempt(t.Context()); err != nil || at.Error != "the store was damaged" {
		t.Errorf("LastAttempt = %+v, %v", at, err)
	}
	lost := d.other(t)
	x.Roots = map[int][]byte{1: []byte("x"), 2: a.Roots[1]}
	if err := lost.Restore(t.Context(), x, "the store was damaged"); err != nil || lost.snapshot(t).State() != nil {
		t.Errorf("a device without a root: %v", err)
	}
	if seen, _ := lost.snapshot(t).Remembered(core); !seen {
		t.Error("a revocation was forgotten")
	}
}

// Several goroutines, and processes where the place allows them, that refresh
// concurrently end at the highest version, and the floor never goes back.
func together(t *testing.T, d *device) {
	a := trusttest.New(t, "a")
	d.enrol(t, a)
	devices := []*device{d, d}
	if d.place.Shared {
		devices[1] = &device{place: d.place}
		devices[1].open(t)
		defer devices[1].Close()
	}
	var wg sync.WaitGroup
	for i := range 12 {
		u := a.Set(uint64(11+i), i)
		d := devices[i%2]
		wg.Go(func() {
			if _, err := d.Apply(context.Background(), u); err != nil && !errors.Is(err, trust.ErrRollback) {
				t.Errorf("Apply: %v", err)
			}
			if _, err := d.Snapshot(context.Background()); err != nil {
				t.Errorf("Snapshot: %v", err)
			}
		})
	}
	wg.Wait()
	for _, d := range devices {
		s := d.snapshot(t).State()
		if s.Timestamp.Version != 22 || !s.Floor.Equal(trusttest.Day0.Add(11*3600e9)) {
			t.Errorf("version %d, floor %v; want 22, 11 hours", s.Timestamp.Version, s.Floor)
		}
	}
}
