// Package journaltest holds the tests that every [journal.Journal] must pass. Call [Run] with a place where one can be opened,
// again and again.
package journaltest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"testing"

	"tcode/offline/host/journal"
)

// A Place is where a journal lies. Open opens it, as a new process does.
type Place interface {
	Open(ctx context.Context) (journal.Journal, error)
}

// Run runs the tests; each calls place for an empty place.
func Run(t *testing.T, place func(t *testing.T) Place) {
	for name, test := range map[string]func(*testing.T, Place){
		"commits": commits, "values": values, "several keys": several, "one owner": oneOwner, "lock": lock, "order": order,
		"cancelled": cancelled, "closed": closed,
	} {
		t.Run(name, func(t *testing.T) { test(t, place(t)) })
	}
}

// Records returns all records of j.
func Records(ctx context.Context, j journal.Journal) (map[string][]byte, error) {
	all := map[string][]byte{}
	err := j.Load(ctx, func(key string, value []byte) error {
		all[key] = append([]byte{}, value...)
		return nil
	})
	return all, err
}

func open(t *testing.T, p Place) journal.Journal {
	t.Helper()
	j, err := p.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func commit(t *testing.T, j journal.Journal, changes map[string][]byte) {
	t.Helper()
	if err := j.Commit(t.Context(), changes); err != nil {
		t.Fatal(err)
	}
}

func shut(t *testing.T, j journal.Journal) {
	t.Helper()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

func wants(t *testing.T, j journal.Journal, want map[string][]byte) {
	t.Helper()
	got, err := Records(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	if !maps.EqualFunc(got, want, bytes.Equal) {
		t.Errorf("records %q, want %q", got, want)
	}
}

func commits(t *testing.T, p Place) {
	j := open(t, p)
	wants(t, j, nil)
	commit(t, j, map[string][]byte{"a": []byte("1"), "b": []byte("2")})
	commit(t, j, map[string][]byte{"a": nil, "c": []byte("3"), "none": nil})
	commit(t, j, nil)
	want := map[string][]byte{"b": []byte("2"), "c": []byte("3")}
	wants(t, j, want)
	shut(t, j)
	j = open(t, p)
	defer shut(t, j)
	wants(t, j, want)
}

func values(t *testing.T, p Place) {
	long := bytes.Repeat([]byte{0, 255, 7}, 100_000)
	want := map[string][]byte{"empty": {}, "zero": {0}, "long": long, "key\x00\x01": []byte("k"), "ключ": []byte("u")}
	j := open(t, p)
	commit(t, j, want)
	shut(t, j)
	j = open(t, p)
	defer shut(t, j)
	wants(t, j, want)
}

func several(t *testing.T, p Place) {
	j := open(t, p)
	want := map[string][]byte{}
	for i := range 50 {
		changes := map[string][]byte{}
		for k := range 20 {
			changes[fmt.Sprintf("%d-%d", i, k)] = []byte{byte(i), byte(k)}
		}
		maps.Copy(want, changes)
		commit(t, j, changes)
	}
	shut(t, j)
	j = open(t, p)
	defer shut(t, j)
	wants(t, j, want)
}

func order(t *testing.T, p Place) {
	j := open(t, p)
	defer shut(t, j)
	commit(t, j, map[string][]byte{"b": {1}, "a": {1}, "c": {1}, "aa": {1}, "B": {1}})
	var keys string
	stop := errors.New("stop")
	err := j.Load(t.Context(), func(key string, _ []byte) error {
		keys += key + " "
		if key == "b" {
			return stop
		}
		return nil
	})
	if keys != "B a aa b " || !errors.Is(err, stop) {
		t.Errorf("Load shows %q and returns %v", keys, err)
	}
}

func oneOwner(t *testing.T, p Place) {
	j := open(t, p)
	if other, err := p.Open(t.Context()); !errors.Is(err, journal.ErrOwned) {
		t.Errorf("a second owner opens it: %v, %v", other, err)
	}
	shut(t, j)
	shut(t, open(t, p))
}

func lock(t *testing.T, p Place) {
	j := open(t, p)
	unlock, err := j.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.Lock(t.Context()); !errors.Is(err, journal.ErrLocked) {
		t.Errorf("taken twice: %v", err)
	}
	for range 2 { // the second time does nothing
		if err := unlock(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := j.Lock(t.Context()); err != nil {
		t.Errorf("given back, and not free: %v", err)
	}
	shut(t, j) // gives it back
	j = open(t, p)
	defer shut(t, j)
	if _, err := j.Lock(t.Context()); err != nil {
		t.Errorf("the lock survives its owner: %v", err)
	}
}

func cancelled(t *testing.T, p Place) {
	j := open(t, p)
	commit(t, j, map[string][]byte{"a": {1}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := j.Commit(ctx, map[string][]byte{"a": {2}, "b": {2}})
	if err != nil {
		if err := j.Commit(t.Context(), map[string][]byte{"c": {3}}); !errors.Is(err, journal.ErrBroken) {
			t.Errorf("after a failed commit: %v, want %v", err, journal.ErrBroken)
		}
	}
	shut(t, j)
	j = open(t, p)
	defer shut(t, j)
	got, err := Records(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	before, after := string(got["a"]) == "\x01" && len(got) == 1, string(got["a"]) == "\x02" && string(got["b"]) == "\x02" && len(got) == 2
	if !before && !after {
		t.Errorf("a part of a commit was kept: %q", got)
	}
}

func closed(t *testing.T, p Place) {
	j := open(t, p)
	shut(t, j)
	if err := j.Commit(t.Context(), map[string][]byte{"a": {1}}); err == nil {
		t.Error("a closed journal takes a commit")
	}
	if _, err := Records(t.Context(), j); err == nil {
		t.Error("a closed journal shows records")
	}
	if _, err := j.Lock(t.Context()); err == nil {
		t.Error("a closed journal gives a lock")
	}
	j = open(t, p)
	defer shut(t, j)
	wants(t, j, nil)
}
