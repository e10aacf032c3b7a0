// Package booktest holds each trustbook.Store, and the rules over it, to one set of
// tests. [Run] runs them on empty places:
//
//	booktest.Run(t, func(t *testing.T) booktest.Place { return booktest.Place{Open: ...} })
//
// The tests need no file and no network, so they run in a browser too.
package booktest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"tcode/offline/digest"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
	"tcode/offline/trust/trusttest"
	"tcode/offline/trustbook"
)

// A Place is where a store keeps its content.
type Place struct {
	// Open opens the store with the content that earlier ones left; at first the
	// place is empty. The suite closes each store before it opens the next, unless
	// Shared.
	Open   func(t testing.TB) trustbook.Store
	Shared bool // several stores may be open at the same time
	// Faults are the ways in which a commit can fail. If there are none, the suite
	// lets calls fail before and after their effect.
	Faults []Fault
}

// A Fault is a way in which a commit fails: Arm makes that commit fail which comes
// after so many others. Its call must return an error.
type Fault struct {
	Name string
	Arm  func(after int)
}

// Run tests stores at the places that empty returns; each call makes a new one.
func Run(t *testing.T, empty func(t *testing.T) Place) {
	for _, tt := range []struct {
		name string
		run  func(t *testing.T, d *device)
	}{
		{"NotEnrolled", notEnrolled},
		{"Reopen", reopen},
		{"RefuseAndKeep", refuseAndKeep},
		{"OneMoment", oneMoment},
		{"FloorStays", floorStays},
		{"Remember", remember},
		{"FinalStays", finalStays},
		{"Survivors", survivors},
		{"Pin", pin},
		{"ManyRoots", manyRoots},
		{"Attempt", attempt},
		{"ProofIsKept", proofIsKept},
		{"ProofLowers", proofLowers},
		{"ProofByOldKey", proofByOldKey},
		{"Confirm", confirm},
		{"ExportImport", exportImport},
		{"ImportRefuses", importRefuses},
		{"ImportRefusesPacks", importRefusesPacks},
		{"Restore", restore},
		{"Together", together},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.run(t, at(t, empty))
		})
	}
	t.Run("Faults", func(t *testing.T) {
		t.Parallel()
		faults(t, empty)
	})
}

// now is the clock of the devices in the suite.
func now() time.Time { return trusttest.Day0.Add(90*time.Minute + 7*time.Millisecond) }

// A device is a Book at a place, and a way to empty places for others.
type device struct {
	*trustbook.Book
	place Place
	empty func(t *testing.T) Place
}

// at returns a device at a new place.
func at(t *testing.T, empty func(t *testing.T) Place) *device {
	t.Helper()
	d := &device{place: empty(t), empty: empty}
	d.open(t)
	t.Cleanup(func() { d.Close() })
	return d
}

func (d *device) open(t *testing.T) {
	t.Helper()
	d.Book = trustbook.New(d.place.Open(t), now)
}

// restart closes the store and opens it again.
func (d *device) restart(t *testing.T) {
	t.Helper()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	d.open(t)
}

// other returns a device at another place.
func (d *device) other(t *testing.T) *device {
	t.Helper()
	return at(t, d.empty)
}

// enrol pins the root of a and applies its set 10.
func (d *device) enrol(t *testing.T, a *trusttest.Authority) {
	t.Helper()
	d.pin(t, a)
	d.apply(t, a.Set(10, 0))
}

func (d *device) pin(t *testing.T, a *trusttest.Authority) {
	t.Helper()
	s, err := trust.Pin(a.Roots, &a.Fingerprint)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Pin(t.Context(), s); err != nil {
		t.Fatal(err)
	}
}

func (d *device) apply(t *testing.T, u trust.Update, lists ...[]byte) trust.Changes {
	t.Helper()
	changes, err := d.Apply(t.Context(), u, lists...)
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

func (d *device) snapshot(t *testing.T) *trustbook.Snapshot {
	t.Helper()
	s, err := d.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (d *device) version(t *testing.T) uint64 {
	t.Helper()
	return d.snapshot(t).State().Timestamp.Version
}

func (d *device) export(t *testing.T) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := d.Export(t.Context(), &file); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// look describes everything that a device holds.
func (d *device) look(t *testing.T) string {
	t.Helper()
	s := d.snapshot(t)
	attempt, err := d.LastAttempt(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("proof %v attempt %v\n", s.Proof(), attempt)
	for i := range 8 {
		seen, err := s.Remembered(digest.SHA256{byte(i)})
		if err != nil {
			t.Fatal(err)
		}
		text += fmt.Sprint(seen, " ")
	}
	state := s.State()
	if state == nil {
		return text + "not enrolled"
	}
	e, err := d.Enrolment(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	saved := state.Save()
	text += fmt.Sprintf("%v\n%q %q %q %q\n%x\nfloor %v ahead %d missing %v\n", e, saved.Roots, saved.Timestamp, saved.Bundle, saved.Status, saved.Packs, saved.Floor, saved.Ahead, s.Missing())
	for number, hash := range state.Shards {
		shard, err := s.Shard(uint16(number))
		if err != nil || shard == nil || shard.Hash() != hash {
			t.Errorf("shard %d is not the signed one: %v", number, err)
		}
	}
	return text
}

func notEnrolled(t *testing.T, d *device) {
	a := trusttest.New(t, "a")
	if d.snapshot(t).State() != nil {
		t.Error("a new device trusts a root")
	}
	if _, err := d.Apply(t.Context(), a.Set(1, 0)); !errors.Is(err, trustbook.ErrNotEnrolled) {
		t.Errorf("Apply = %v, want ErrNotEnrolled", err)
	}
	if _, err := d.Enrolment(t.Context()); !errors.Is(err, trustbook.ErrNotEnrolled) {
		t.Errorf("Enrolment = %v, want ErrNotEnrolled", err)
	}
	if err := d.Export(t.Context(), io.Discard); !errors.Is(err, trustbook.ErrNothing) {
		t.Errorf("Export = %v, want ErrNothing", err)
	}
}

func reopen(t *testing.T, d *device) {
	a := trusttest.New(t, "a")
	a.Shards[0].Set(7, statuslist.Revoked)
	d.enrol(t, a)
	if err := d.SetGateway(t.Context(), "https://gate.example"); err != nil {
		t.Fatal(err)
	}
	want := d.look(t)
	d.restart(t)
	if got := d.look(t); got != want {
		t.Errorf("after the restart:\n%s\nbefore:\n%s", got, want)
	}
	s := d.snapshot(t)
	shard, err := s.Shard(0)
	if err != nil || shard.Get(7) != statuslist.Revoked {
		t.Errorf("shard 0: %v", err)
	}
	if shard, err := s.Shard(1); shard != nil || err != nil {
		t.Errorf("shard 1 = %v, %v; want none", shard, err)
	}
	e, err := d.Enrolment(t.Context())
	if err != nil || e.Gateway != "https://gate.example" || e.Fingerprint != a.Fingerprint || !e.PinnedAt.Equal(now()) {
		t.Errorf("Enrolment = %+v, %v", e, err)
	}
}

func refuseAndKeep(t *testing.T, d *device) {
	a, b := trusttest.New(t, "a"), trusttest.New(t, "b")
	d.enrol(t, a)
	d.apply(t, a.Set(20, 5))
	mixed := a.Set(30, 6)
	mixed.Bundle = a.Set(31, 6).Bundle
	torn := a.Set(30, 6)
	other := new(statuslist.Shard)
	other.Set(5, statuslist.Revoked)
	torn.Shards[0] = other.Deflate()
	want := d.look(t)
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
		if _, err := d.Apply(t.Context(), tt.u); !errors.Is(err, tt.want) {
			t.Errorf("%s: Apply = %v, want %v", tt.name, err, tt.want)
		}
		if got := d.look(t); got != want {
			t.Errorf("%s: the device holds\n%s\nbefore\n%s", tt.name, got, want)
		}
	}
	d.restart(t)
	if got := d.look(t); got != want {
		t.Error("a refused set was kept")
	}
}

func oneMoment(t *testing.T, d *device) {
	a := trusttest.New(t, "a")
	d.enrol(t, a)
	old := d.snapshot(t)
	if d.snapshot(t) != old {
		t.Error("an unchanged state was read and verified again")
	}
	a.Shards[0].Set(7, statuslist.Revoked)
	writer := d
	if d.place.Shared { // another process
		writer = &device{place: d.place}
		writer.open(t)
		defer writer.Close()
	}
	writer.apply(t, a.Set(11, 1))
	shard, err := old.Shard(0)
	if err != nil || shard.Get(7) != statuslist.None || old.State().Timestamp.Version != 10 {
		t.Errorf("the old snapshot changed: %v", err)
	}
	shard, err = d.snapshot(t).Shard(0)
	if err != nil || shard.Get(7) != statuslist.Revoked {
		t.Errorf("the new snapshot is old: %v", err)
	}
}

func attempt(t *testing.T, d *device) {
	if got, err := d.LastAttempt(t.Context()); err != nil || got != (trustbook.Attempt{}) {
		t.Errorf("LastAttempt = %+v, %v", got, err)
	}
	if err := d.NoteAttempt(t.Context(), trusttest.Day0, nil); err != nil {
		t.Fatal(err)
	}
	if err := d.NoteAttempt(t.Context(), trusttest.Day0.Add(3600e9), trust.ErrRollback); err != nil {
		t.Fatal(err)
	}
	d.restart(t)
	got, err := d.LastAttempt(t.Context())
	want := trustbook.Attempt{At: trusttest.Day0.Add(3600e9), Error: trust.ErrRollback.Error(), Refreshed: trusttest.Day0}
	if err != nil || got != want {
		t.Errorf("LastAttempt = %+v, %v; want %+v", got, err, want)
	}
}
