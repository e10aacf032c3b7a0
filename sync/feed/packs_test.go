//go:build !js

package feed_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"tcode/offline/host/litedb"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
	"tcode/offline/trust/trusttest"
)

// grow gives a n shards.
func grow(a *trusttest.Authority, n int) {
	for number := range uint16(n) {
		if a.Shards[number] == nil {
			a.Shards[number] = &statuslist.Shard{}
			a.Shards[number].Set(number, statuslist.Suspended) // makes all shards different
		}
	}
}

// revoke changes entries and puts them into the next delta.
func revoke(a *trusttest.Authority, since uint64, entry uint16, shards ...uint16) {
	a.Delta, a.Since = nil, since
	for _, number := range shards {
		a.Shards[number].Set(entry, statuslist.Revoked)
		a.Delta = append(a.Delta, trust.DeltaEntry{Shard: number, Entry: entry, Value: statuslist.Revoked})
	}
}

// kinds returns the requests as short words.
func (s *server) kinds() string {
	var out []string
	packs := map[string]bool{}
	for _, hash := range s.set.Packs {
		packs[trust.RefTo(0, hash).SHA256.String()] = true
	}
	for _, name := range s.asked {
		switch {
		case strings.HasPrefix(name, "packs/"):
			name = "whole"
		case packs[name]:
			name = "pack"
		case name == trust.RefTo(0, s.set.Bundle).SHA256.String():
			name = "bundle"
		case name == trust.RefTo(0, s.set.Status).SHA256.String():
			name = "status"
		case name == s.Delta.Hash().String():
			name = "delta"
		case len(name) == 64:
			name = "shard"
		}
		out = append(out, name)
	}
	s.asked = nil
	return strings.Join(out, " ")
}

// same checks that the device holds each shard as published.
func (s *server) same(t *testing.T, d device) {
	t.Helper()
	snapshot, err := d.book.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for number, want := range s.Shards {
		if got, err := snapshot.Shard(number); err != nil || got == nil || *got != *want {
			t.Errorf("shard %d differs: %v", number, err)
		}
	}
}

// TestPacks: the requests of a device when it enrols, when little and when much has
// changed, when it was away for a long time, and from a mirror without packs/ or delta.
func TestPacks(t *testing.T) {
	t.Parallel()
	a := trusttest.New(t, "a")
	grow(a, 130)
	s := serve(t, a)
	d := newDevice(t, s.url)
	without := func(kinds ...string) {
		s.hook = func(w http.ResponseWriter, name string) bool {
			for _, kind := range kinds {
				if kind == "whole" && strings.HasPrefix(name, "packs/") || kind == "delta" && name == s.Delta.Hash().String() {
					http.NotFound(w, nil)
					return true
				}
			}
			return false
		}
	}
	version := uint64(10)
	step := func(name, want string) {
		t.Helper()
		if _, err := d.Refresh(t.Context()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := s.kinds(); got != want {
			t.Errorf("%s: asked for %s; want %s", name, got, want)
		}
		s.same(t, d)
	}
	publish := func() { version++; s.publish(version, int(version)) }
	if _, err := d.Enrol(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if got := s.kinds(); got != "root/1 root/2 root/2 timestamp bundle status whole whole" {
		t.Errorf("Enrol asked for %s", got)
	}
	s.same(t, d)

	revoke(a, 10, 700, 3)
	publish()
	step("one revocation", "root/2 timestamp bundle status delta")
	revoke(a, 12, 701, 5, 129)
	publish()
	step("two, before the delta begins", "root/2 timestamp bundle status pack shard pack shard")
	many := make([]uint16, 0, 40)
	for n := range uint16(40) {
		many = append(many, n)
	}
	revoke(a, 11, 702, many...)
	publish()
	step("forty", "root/2 timestamp bundle status delta")
	revoke(a, 99, 703, many...)
	a.Since = 14
	publish()
	step("forty, before the delta begins", "root/2 timestamp bundle status pack whole")
	without("delta")
	revoke(a, 1, 704, 3)
	publish()
	step("a mirror without the delta", "root/2 timestamp bundle status delta pack shard")
	without("delta", "whole")
	revoke(a, 1, 705, many...)
	publish()
	step("a mirror without packs/", "root/2 timestamp bundle status delta pack whole"+strings.Repeat(" shard", 40))
	s.hook = nil
	grow(a, 300)
	revoke(a, 1, 706, 299)
	publish()
	// The delta has all but the first content of the new shards; the device
	// holds a part of pack 1.
	step("more shards", "root/2 timestamp bundle status delta pack whole whole")
}

// TestDamagedShardIsFetchedAgain: after any damage to a shard on this device,
// the next run fetches it again, even when nothing else is new.
func TestDamagedShardIsFetchedAgain(t *testing.T) {
	t.Parallel()
	a := trusttest.New(t, "a")
	grow(a, 5)
	s := serve(t, a)
	d := enrolled(t, s)
	for i, damage := range []string{
		`UPDATE shards SET deflated = x'00' WHERE number = 3`, `DELETE FROM shards WHERE number = 3`,
		`UPDATE shards SET deflated = (SELECT deflated FROM shards WHERE number = 2) WHERE number = 3`,
	} {
		db, err := litedb.Open(t.Context(), d.path, litedb.Options{MustExist: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, query := range []string{damage, `UPDATE facts SET value = value + 1 WHERE name = 'generation'`} {
			if _, err := db.Writer().Exec(query); err != nil {
				t.Fatal(err)
			}
		}
		db.Close()
		if i == 1 { // with a change of the same pack
			revoke(a, 10, 900, 1)
			s.publish(11, 1)
		}
		s.asked = nil
		rep, err := d.Refresh(t.Context())
		if err != nil || !slices.Contains(rep.Changes.Shards, 3) {
			t.Errorf("%s: %+v, %v", damage, rep.Changes, err)
		}
		if got, want := s.kinds(), []string{"root/2 timestamp shard", "root/2 timestamp bundle status delta shard", "root/2 timestamp shard"}[i]; got != want {
			t.Errorf("%s: asked for %s, want %s", damage, got, want)
		}
		s.same(t, d)
	}
}

// TestPackRefusals: the device refuses objects of a new set that the status
// does not name, and the old set stays unchanged.
func TestPackRefusals(t *testing.T) {
	t.Parallel()
	other := new(statuslist.Shard)
	other.Set(1, statuslist.Revoked)
	var old trust.Update
	for _, tt := range []struct {
		name, kind string
		fresh      bool // a device that holds nothing
		answer     func(s *server) []byte
		want       error
	}{
		{"delta of another status", "delta", false, func(*server) []byte { return trust.Delta{{Shard: 0, Entry: 1, Value: 1}}.Bytes() }, trust.ErrHash},
		{"delta that is none", "delta", false, func(*server) []byte { return []byte("<html>") }, trust.ErrHash},
		{"empty delta", "delta", false, func(*server) []byte { return nil }, trust.ErrHash},
		{"old pack", "pack", false, func(*server) []byte { return old.Packs[0] }, trust.ErrHash},
		{"pack of another number", "pack", false, func(s *server) []byte { return s.set.Packs[1] }, trust.ErrHash},
		{"pack cut short", "pack", false, func(s *server) []byte { return s.set.Packs[0][:len(s.set.Packs[0])-32] }, trust.ErrHash},
		{"whole pack without its last shard", "whole", true, func(s *server) []byte { return s.whole(127) }, trust.ErrHash},
		{"whole pack with a shard more", "whole", true, func(s *server) []byte { return s.whole(129) }, trust.ErrHash},
		{"whole pack that is no zlib", "whole", true, func(*server) []byte { return []byte("zzzz") }, trust.ErrHash},
		{"empty whole pack", "whole", true, func(*server) []byte { return nil }, trust.ErrHash},
		{"whole pack of one other shard", "whole", true, func(*server) []byte { return other.Deflate() }, trust.ErrHash},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := trusttest.New(t, "a")
			grow(a, 129)
			s := serve(t, a)
			old = s.set
			d := newDevice(t, s.url)
			before := uint64(0)
			if !tt.fresh {
				d, before = enrolled(t, s), 10
			}
			since := uint64(10)
			if tt.kind == "pack" {
				since = 11
			}
			revoke(a, since, 9, 2)
			s.publish(11, 1)
			done := false
			s.hook = func(w http.ResponseWriter, name string) bool {
				s.asked = []string{name}
				if done || s.kinds() != tt.kind {
					return false
				}
				done = true
				w.Write(tt.answer(s))
				return true
			}
			_, err := d.Enrol(t.Context(), nil)
			if !errors.Is(err, tt.want) || !done {
				t.Errorf("%v, want %v; asked for it: %v", err, tt.want, done)
			}
			if st := d.state(t); before == 0 && st.Complete() || before > 0 && st.Timestamp.Version != before {
				t.Error("the state has changed")
			}
			if _, err := d.Refresh(t.Context()); err != nil {
				t.Errorf("the next Refresh = %v", err)
			}
			s.same(t, d)
		})
	}
}

// TestLyingMirrorIsAskedOnce: the first shard that the packs do not name ends a
// run.
func TestLyingMirrorIsAskedOnce(t *testing.T) {
	t.Parallel()
	a := trusttest.New(t, "a")
	grow(a, 40)
	s := serve(t, a)
	d := enrolled(t, s)
	revoke(a, 11, 9, 1, 2, 3, 4, 5)
	s.publish(11, 1)
	lies := 0
	s.hook = func(w http.ResponseWriter, name string) bool {
		s.asked = []string{name}
		if s.kinds() == "shard" {
			lies++
			w.Write(new(statuslist.Shard).Deflate())
			return true
		}
		return false
	}
	if _, err := d.Refresh(t.Context()); !errors.Is(err, trust.ErrHash) || lies != 1 {
		t.Errorf("%v after %d shards, want ErrHash after one", err, lies)
	}
}

// whole returns the first n shards as a pack with its shards.
func (s *server) whole(n int) []byte {
	all := make([]*statuslist.Shard, n)
	for i := range all {
		all[i] = s.Shards[uint16(i)]
	}
	return statuslist.DeflateAll(all)
}
