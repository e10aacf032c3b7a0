//go:build js

package idb_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"tcode/offline/host/idb"
	"tcode/offline/host/journal"
	"tcode/offline/host/journal/journaltest"
)

type place string

func (p place) Open(ctx context.Context) (journal.Journal, error) {
	return idb.Open(ctx, string(p), idb.Options{})
}

func newPlace(t *testing.T) journaltest.Place {
	return place(fmt.Sprintf("%s-%d", t.Name(), time.Now().UnixNano()))
}

func TestJournal(t *testing.T) {
	journaltest.Run(t, newPlace)
}

// TestBatches reads more records than one batch has.
func TestBatches(t *testing.T) {
	j, err := newPlace(t).Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	changes := map[string][]byte{}
	for i := range 256 * 3 {
		changes[fmt.Sprintf("%06d", i)] = []byte(fmt.Sprint(i))
	}
	if err := j.Commit(t.Context(), changes); err != nil {
		t.Fatal(err)
	}
	last, n := "", 0
	if err := j.Load(t.Context(), func(key string, value []byte) error {
		if key <= last || !bytes.Equal(value, changes[key]) {
			t.Errorf("record %q after %q: %q", key, last, value)
		}
		last, n = key, n+1
		return nil
	}); err != nil || n != len(changes) {
		t.Errorf("%d records of %d, %v", n, len(changes), err)
	}
}

// TestAsk: the owner hears that another wants the journal, and the other gets it.
func TestAsk(t *testing.T) {
	name := string(newPlace(t).(place))
	asked := make(chan struct{}, 1)
	j, err := idb.Open(t.Context(), name, idb.Options{Asked: func() { asked <- struct{}{} }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := idb.Open(t.Context(), name, idb.Options{}); !errors.Is(err, journal.ErrOwned) {
		t.Errorf("a second owner: %v", err)
	}
	idb.Ask(name)
	<-asked
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if j, err = idb.Open(t.Context(), name, idb.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
}

// TestRemoved: after the browser removed the database, no commit succeeds.
func TestRemoved(t *testing.T) {
	p := newPlace(t)
	j, err := p.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	remove(t, string(p.(place)))
	if err := j.Commit(t.Context(), map[string][]byte{"a": {1}}); !errors.Is(err, journal.ErrBroken) {
		t.Errorf("commit to a removed database: %v", err)
	}
}

// TestNewer: a database of a later version is not opened, and stays as it is.
func TestNewer(t *testing.T) {
	name := string(newPlace(t).(place))
	upgrade(t, name, 2)
	if _, err := idb.Open(t.Context(), name, idb.Options{}); err == nil || !strings.Contains(err.Error(), "VersionError") {
		t.Errorf("open: %v", err)
	}
	upgrade(t, name, 3) // nothing holds it
}

// TestBlocked: while another holds an older version, Open ends with its context.
func TestBlocked(t *testing.T) {
	name := string(newPlace(t).(place))
	release := hold(t, name)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if j, err := idb.Open(ctx, name, idb.Options{}); err == nil {
		_ = j.Close()
		t.Error("a journal opened on a database that does not have its store")
	} else if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("open: %v", err)
	}
	release()
}

// TestRound is one round of the kills. The program writes "round N" when round N is committed, or with MODE=during while the
// browser commits it; the test that runs it kills Chromium then. The round that begins checks what the ones before left.
func TestRound(t *testing.T) {
	mode := os.Getenv("MODE")
	if mode == "" {
		return // not one of those runs
	}
	ctx := context.Background()
	j, err := idb.Open(ctx, "rounds-"+mode, idb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := journaltest.Records(ctx, j)
	if err != nil {
		t.Fatal(err)
	}
	round := os.Getenv("ROUND")
	fmt.Println("kept " + whole(t, all) + ".")
	changes := map[string][]byte{}
	for i := range 20 {
		changes[fmt.Sprintf("%s/%d", round, i)] = bytes.Repeat([]byte(round+","), 2000)
	}
	if mode == "during" {
		go func() { _ = j.Commit(ctx, changes) }()
		runtime.Gosched()
	} else if err := j.Commit(ctx, changes); err != nil {
		t.Fatal(err)
	}
	fmt.Println("round " + round)
	t.Error("not killed")
}

// whole returns the rounds that are kept, as " 1 2 3 ", and fails if one is there in part.
func whole(t *testing.T, all map[string][]byte) string {
	parts := map[string]int{}
	for key, value := range all {
		round, _, _ := strings.Cut(key, "/")
		parts[round]++
		if !bytes.Equal(value, bytes.Repeat([]byte(round+","), 2000)) {
			t.Errorf("%s has other bytes", key)
		}
	}
	kept := " "
	for round, n := range parts {
		if n != 20 {
			t.Errorf("%d records of round %s, want 20", n, round)
		}
		kept += round + " "
	}
	return kept
}
