package cache_test

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/offline/digest"
	"tcode/offline/host/cache"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
	"tcode/offline/trust/trusttest"
	"tcode/offline/trustbook"
)

func open(t *testing.T, path string) *cache.Cache {
	t.Helper()
	c, err := cache.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// enrolled returns a cache with a pinned root and set 10.
func enrolled(t *testing.T, a *trusttest.Authority) (*cache.Cache, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trust.db")
	c := open(t, path)
	pin(t, c, a)
	apply(t, c, a.Set(10, 0))
	return c, path
}

func pin(t *testing.T, c *cache.Cache, a *trusttest.Authority) {
	t.Helper()
	s, err := trust.Pin(a.Roots, &a.Fingerprint)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Pin(t.Context(), s); err != nil {
		t.Fatal(err)
	}
}

func apply(t *testing.T, c *cache.Cache, u trust.Update, lists ...[]byte) trust.Changes {
	t.Helper()
	changes, err := c.Apply(t.Context(), u, lists...)
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

func snapshot(t *testing.T, c *cache.Cache) *trustbook.Snapshot {
	t.Helper()
	s, err := c.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func version(t *testing.T, c *cache.Cache) uint64 {
	t.Helper()
	return snapshot(t, c).State().Timestamp.Version
}

func TestNotEnrolled(t *testing.T) {
	t.Parallel()
	a := trusttest.New(t, "a")
	c := open(t, filepath.Join(t.TempDir(), "trust.db"))
	if s := snapshot(t, c); s.State() != nil {
		t.Error("a new device trusts a root")
	}
	if _, err := c.Apply(t.Context(), a.Set(1, 0)); !errors.Is(err, trustbook.ErrNotEnrolled) {
		t.Errorf("Apply = %v, want ErrNotEnrolled", err)
	}
	if _, err := c.Enrolment(t.Context()); !errors.Is(err, trustbook.ErrNotEnrolled) {
		t.Errorf("Enrolment = %v, want ErrNotEnrolled", err)
	}
	if err := c.Export(t.Context(), io.Discard); !errors.Is(err, trustbook.ErrNothing) {
		t.Errorf("Export = %v, want ErrNothing", err)
	}
}

func TestApplySurvivesReopening(t *testing.T) {
	t.Parallel()
	a := trusttest.New(t, "a")
	a.Shards[0].Set(7, statuslist.Revoked)
	c, path := enrolled(t, a)
	if err := c.SetGateway(t.Context(), "https://gate.example"); err != nil {
		t.Fatal(err)
	}
	want := *snapshot(t, c).State()
	c.Close()
	c = open(t, path)
	s := snapshot(t, c)
	if d := cmp.Diff(want, *s.State(), cmp.AllowUnexported(want.Bundle.Keys[0].Public)); d != "" {
		t.Errorf("state (-before +after):\n%s", d)
	}
	shard, err := s.Shard(0)
	if err != nil || shard.Get(7) != statuslist.Revoked {
		t.Errorf("shard 0: %v", err)
	}
	if shard, err := s.Shard(1); shard != nil || err != nil {
		t.Errorf("shard 1 = %v, %v; want none", shard, err)
	}
	e, err := c.Enrolment(t.Context())
	if err != nil || e.Gateway != "https://gate.example" || e.Fingerprint != a.Fingerprint || e.PinnedAt.IsZero() {
		t.Errorf("Enrolment = %+v, %v", e, err)
	}
}

func TestApplyRefusesAndKeeps(t *testing.T) {
	t.Parallel()
	a, b := trusttest.New(t, "a"), trusttest.New(t, "b")
	c, _ := enrolled(t, a)
	apply(t, c, a.Set(20, 5))
	mixed := a.Set(30, 6)
	mixed.Bundle = a.Set(31, 6).Bundle
	torn := a.Set(30, 6)
	other := new(statuslist.Shard)
	other.Set(5, statuslist.Revoked)
	torn.Shards[0] = other.Deflate()
	for _, tt := range []struct {
		name string
		u    trust.Update
		want error
	}{
		{"rollback", a.Set(10, 0), trust.ErrRollback},
		{"same version, other content", a.Set(20, 6), trust.ErrConflict},
		{"another authority", b.Set(30, 6), trust.ErrForeignRoot},
		{"mix and match", mixed, trust.ErrHash},
		{"torn shard", torn, trust.ErrHash},
	} {
		if _, err := c.Apply(t.Context(), tt.u); !errors.Is(err, tt.want) {
			t.Errorf("%s: Apply = %v, want %v", tt.name, err, tt.want)
		}
		if got := version(t, c); got != 20 {
			t.Errorf("%s: version %d is held, want 20", tt.name, got)
		}
	}
}

// Two processes that refresh concurrently end at the higher version, in any
// order, and the floor never goes back.
func TestApplyTogether(t *testing.T) {
	t.Parallel()
	a := trusttest.New(t, "a")
	c1, path := enrolled(t, a)
	c2 := open(t, path)
	var wg sync.WaitGroup
	for i := range 12 {
		u := a.Set(uint64(11+i), i)
		c := []*cache.Cache{c1, c2}[i%2]
		wg.Go(func() {
			if _, err := c.Apply(context.Background(), u); err != nil && !errors.Is(err, trust.ErrRollback) {
				t.Errorf("Apply: %v", err)
			}
		})
	}
	wg.Wait()
	for _, c := range []*cache.Cache{c1, c2} {
		s := snapshot(t, c).State()
		if s.Timestamp.Version != 22 || !s.Floor.Equal(trusttest.Day0.Add(11*3600e9)) {
			t.Errorf("version %d, floor %v; want 22, 11 hours", s.Timestamp.Version, s.Floor)
		}
	}
}

func TestSnapshotIsOneMoment(t *testing.T) {
	t.Parallel()
	a := trusttest.New(t, "a")
	c, path := enrolled(t, a)
	old := snapshot(t, c)
	if snapshot(t, c) != old {
		t.Error("an unchanged state was read and verified again")
	}
	a.Shards[0].Set(7, statuslist.Revoked)
	apply(t, open(t, path), a.Set(11, 1)) // another process
	shard, err := old.Shard(0)
	if err != nil || shard.Get(7) != statuslist.None || old.State().Timestamp.Version != 10 {
		t.Errorf("the old snapshot changed: %v", err)
	}
	shard, err = snapshot(t, c).Shard(0)
	if err != nil || shard.Get(7) != statuslist.Revoked {
		t.Errorf("the new snapshot is old: %v", err)
	}
}

func TestRemember(t *testing.T) {
	t.Parallel()
	a := trusttest.New(t, "a")
	c, path := enrolled(t, a)
	s := snapshot(t, c)
	core := digest.SHA256{1}
	if err := c.Remember(t.Context(), core, core); err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*trustbook.Snapshot{"taken before": s, "of another process": snapshot(t, open(t, path))} {
		if got, err := s.Remembered(core); !got || err != nil {
			t.Errorf("snapshot %s: %v, %v", name, got, err)
		}
		if got, err := s.Remembered(digest.SHA256{2}); got || err != nil {
			t.Errorf("snapshot %s remembers too much: %v, %v", name, got, err)
		}
	}
	apply(t, c, a.Set(11, 1))
	if got, _ := snapshot(t, c).Remembered(core); !got {
		t.Error("forgotten by an update")
	}
	// The holder of a stolen online key may have called any stamp revoked.
	a.Rotate("new-online")
	changes := apply(t, c, trust.Update{Roots: a.Roots})
	s = snapshot(t, c)
	if got, _ := s.Remembered(core); got || !changes.Reset || s.State().Complete() {
		t.Errorf("after a new online key: remembered %v, %+v", got, changes)
	}
	if shard, _ := s.Shard(0); shard != nil {
		t.Error("a shard of the old online key stayed")
	}
	// Recovery from a fast-forward removes the floors too.
	apply(t, c, a.Set(3, 0))
	if got := version(t, c); got != 3 {
		t.Errorf("version %d after the reset, want 3", got)
	}
}

func TestSurvivors(t *testing.T) {
	t.Parallel()
	a := trusttest.New(t, "a")
	a.List = statuslist.NewSurvivors([]statuslist.Mark{{1}, {2}})
	c, _ := enrolled(t, a)
	hash := a.List.Hash().String()
	if got := snapshot(t, c).Missing(); len(got) != 1 || got[0] != hash {
		t.Errorf("Missing = %v, want %s", got, hash)
	}
	unnamed := statuslist.NewSurvivors([]statuslist.Mark{{9}})
	apply(t, c, trust.Update{}, a.List.Bytes(), unnamed.Bytes())
	s := snapshot(t, c)
	list, ok := s.Survivors(hash)
	if !ok || !list.Contains(statuslist.Mark{2}) || len(s.Missing()) != 0 {
		t.Errorf("Survivors = %v, %v; missing %v", list, ok, s.Missing())
	}
	if _, ok := s.Survivors(unnamed.Hash().String()); ok {
		t.Error("a list that no key names was kept")
	}
	a.List = nil
	apply(t, c, a.Set(11, 1))
	if _, ok := snapshot(t, c).Survivors(hash); ok {
		t.Error("a list that no key names any more stayed")
	}
}

func TestPin(t *testing.T) {
	t.Parallel()
	a, b := trusttest.New(t, "a"), trusttest.New(t, "b")
	c, _ := enrolled(t, a)
	other, err := trust.Pin(b.Roots, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Pin(t.Context(), other); !errors.Is(err, trustbook.ErrOtherRoot) {
		t.Errorf("another root: %v, want ErrOtherRoot", err)
	}
	a.Rotate("")
	pin(t, c, a) // the same root, one version later
	if s := snapshot(t, c).State(); s.Root.Version != 2 || !s.Complete() {
		t.Errorf("root %d, complete %v", s.Root.Version, s.Complete())
	}
	if err := c.Unpin(t.Context()); err != nil {
		t.Fatal(err)
	}
	if snapshot(t, c).State() != nil {
		t.Error("still pinned")
	}
	if err := c.Pin(t.Context(), other); err != nil {
		t.Errorf("Pin after Unpin: %v", err)
	}
}

// A store that does not verify is set aside: only the parts that verify alone
// are used.
func TestEditedStoreIsSetAside(t *testing.T) {
	t.Parallel()
	a := trusttest.New(t, "a")
	for name, query := range map[string]string{
		"bundle":    `UPDATE documents SET note = CAST(replace(CAST(note AS TEXT), 'Acme', 'Evil') AS BLOB) WHERE kind = 'bundle'`,
		"timestamp": `DELETE FROM documents WHERE kind = 'timestamp'`,
		"root":      `UPDATE roots SET note = CAST(replace(CAST(note AS TEXT), '2027', '2099') AS BLOB)`,
	} {
		c, path := enrolled(t, a)
		pinned := snapshot(t, c).State().Fingerprint
		if err := cache.Tamper(t.Context(), c, query); err != nil {
			t.Fatal(err)
		}
		again := open(t, path)
		if aside, reason := again.Repaired(); aside == "" || !strings.Contains(reason, trustbook.ErrState.Error()) {
			t.Errorf("%s: Repaired = %q, %q", name, aside, reason)
		}
		if s := snapshot(t, again).State(); s != nil && (s.Complete() || s.Fingerprint != pinned) {
			t.Errorf("%s: state %+v after the repair", name, s)
		}
	}
}

func TestAttempt(t *testing.T) {
	t.Parallel()
	c := open(t, filepath.Join(t.TempDir(), "trust.db"))
	if got, err := c.LastAttempt(t.Context()); err != nil || got != (trustbook.Attempt{}) {
		t.Errorf("LastAttempt = %+v, %v", got, err)
	}
	if err := c.NoteAttempt(t.Context(), trusttest.Day0, nil); err != nil {
		t.Fatal(err)
	}
	if err := c.NoteAttempt(t.Context(), trusttest.Day0.Add(3600e9), trust.ErrRollback); err != nil {
		t.Fatal(err)
	}
	got, err := c.LastAttempt(t.Context())
	want := trustbook.Attempt{At: trusttest.Day0.Add(3600e9), Error: trust.ErrRollback.Error(), Refreshed: trusttest.Day0}
	if err != nil || got != want {
		t.Errorf("LastAttempt = %+v, %v; want %+v", got, err, want)
	}
}
