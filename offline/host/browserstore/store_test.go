//go:build js

package browserstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall/js"
	"testing"
	"time"

	"tcode/offline/host/browserstore"
	"tcode/offline/host/idb"
	"tcode/offline/host/journal"
	"tcode/offline/host/journal/journaltest"
	"tcode/offline/host/trustjournal/trustjournaltest"
	"tcode/offline/host/twofold"
	"tcode/sync/outbox"
	"tcode/sync/outbox/outboxtest"
)

type place string

func (p place) Open(ctx context.Context) (journal.Journal, error) {
	j, r, err := browserstore.Open(ctx, string(p), idb.Options{})
	if err == nil && r.Count() != 2 {
		return nil, errors.New(r.String())
	}
	return j, err
}

func newPlace(t *testing.T) journaltest.Place {
	return place(fmt.Sprintf("%s-%d", t.Name(), time.Now().UnixNano()))
}

func TestJournal(t *testing.T) { journaltest.Run(t, newPlace) }

// outboxPlace is a place of an outbox in both copies.
type outboxPlace struct{ journaltest.Place }

func (p outboxPlace) Open(ctx context.Context) (outboxtest.Store, error) {
	j, err := p.Place.Open(ctx)
	if err != nil {
		return nil, err
	}
	return outbox.OpenBook(ctx, j)
}

// TestOutbox holds the scan history to its rules on both copies.
func TestOutbox(t *testing.T) {
	outboxtest.Run(t, func(t *testing.T) outboxtest.Place { return outboxPlace{newPlace(t)} })
}

// TestTrust holds the trust state to its rules on both copies.
func TestTrust(t *testing.T) {
	trustjournaltest.Run(t, func(t *testing.T) trustjournaltest.Disk {
		return trustjournaltest.Disk{Open: newPlace(t).Open}
	}, false)
}

// TestWithout: a browser without private files has one copy, and one that gets them has two.
func TestWithout(t *testing.T) {
	p := newPlace(t)
	prototype := js.Global().Get("StorageManager").Get("prototype")
	get := prototype.Get("getDirectory")
	prototype.Delete("getDirectory")
	j, r, err := browserstore.Open(t.Context(), string(p.(place)), idb.Options{})
	prototype.Set("getDirectory", get)
	if err != nil || r.Count() != 1 || !strings.HasPrefix(r.String(), "one copy; no log") {
		t.Fatalf("%s, %v", r, err)
	}
	if err := errors.Join(j.Commit(t.Context(), map[string][]byte{"a": {1}}), j.Close()); err != nil {
		t.Fatal(err)
	}
	j, r, err = browserstore.Open(t.Context(), string(p.(place)), idb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	all, err := journaltest.Records(t.Context(), j)
	if err != nil || r.Count() != 2 || len(all) != 1 {
		t.Errorf("%s, %d records, %v", r, len(all), err)
	}
}

// openRounds opens the journal of the rounds: both copies, or with COPIES=1 IndexedDB alone.
func openRounds(ctx context.Context) (journal.Journal, string, error) {
	if os.Getenv("COPIES") == "1" {
		j, err := idb.Open(ctx, "rounds", idb.Options{})
		return j, "one copy", err
	}
	j, r, err := browserstore.Open(ctx, "rounds", idb.Options{})
	return j, r.String(), err
}

// written is the value of both records of a commit.
func written(n int) []byte { return bytes.Repeat(fmt.Appendf(nil, "%d,", n), 20) }

// found returns how many commits are there, and fails if one is there in part or is missing before another.
func found(t *testing.T, j journal.Journal) int {
	all, err := journaltest.Records(context.Background(), j)
	if err != nil {
		t.Fatal(err)
	}
	n := len(all) / 2
	for i := 1; i <= n; i++ {
		for _, half := range []string{"a", "b"} {
			if key := fmt.Sprintf("%06d%s", i, half); !bytes.Equal(all[key], written(i)) {
				t.Errorf("%s has %q", key, all[key])
			}
		}
	}
	if len(all) != 2*n {
		t.Errorf("%d records", len(all))
	}
	return n
}

// TestRound is one round of the kills: it says how many commits are there, and commits without a pause until it is killed. With
// MODE=after it writes a line after each commit, and waits until it is read; otherwise it sends the number and goes on. With
// STOP it ends after that number.
func TestRound(t *testing.T) {
	mode := os.Getenv("MODE")
	if mode == "" {
		return // not one of those runs
	}
	ctx := context.Background()
	j, report, err := openRounds(ctx)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("report", report)
	n := found(t, j)
	fmt.Println("found", n)
	if mode == "look" {
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		return
	}
	for {
		n++
		if err := j.Commit(ctx, map[string][]byte{fmt.Sprintf("%06da", n): written(n), fmt.Sprintf("%06db", n): written(n)}); err != nil {
			t.Fatal(err)
		}
		if mode == "after" {
			fmt.Println("done", n)
			continue
		}
		js.Global().Call("fetch", fmt.Sprintf("/done?n=%d", n))
	}
}

// TestQuota: without room a commit fails with journal.ErrFull and is not kept, and the journal is usable when there is room again.
func TestQuota(t *testing.T) {
	if os.Getenv("QUOTA") == "" {
		return
	}
	p := newPlace(t)
	j, err := p.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	changes := func(i int) map[string][]byte { return map[string][]byte{fmt.Sprint(i): make([]byte, 300_000)} }
	for i := range 2 {
		if err := j.Commit(t.Context(), changes(i)); err != nil {
			t.Fatal(err)
		}
	}
	fmt.Println("quota small") // the test sets it
	kept := 2
	for ; kept < 30; kept++ {
		if err = j.Commit(t.Context(), changes(kept)); err != nil {
			break
		}
	}
	if !errors.Is(err, journal.ErrFull) {
		t.Fatalf("commit %d: %v", kept, err)
	}
	fmt.Println("full:", kept, err)
	fmt.Println("quota large")
	for i := range 3 {
		if err := j.Commit(t.Context(), changes(kept+i)); err != nil {
			t.Errorf("with room again: %v", err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	j, r, err := browserstore.Open(t.Context(), string(p.(place)), idb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if all, err := journaltest.Records(t.Context(), j); err != nil || len(all) != kept+3 || r != (twofold.Report{Copies: r.Copies}) || r.String() != "two copies" {
		t.Errorf("%d records, want %d; %v; %s", len(all), kept+3, err, r)
	}
}
