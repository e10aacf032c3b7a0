//go:build js

package browserstore_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"tcode/offline/host/browserstore"
	"tcode/offline/host/idb"
	"tcode/offline/host/journal"
)

// TestMeasure prints how long commits take, and how long it takes to open a journal with many records of 400 bytes and to read all of
// them.
func TestMeasure(t *testing.T) {
	records, err := strconv.Atoi(os.Getenv("RECORDS"))
	if err != nil {
		return // not that run
	}
	for _, kind := range []struct {
		name string
		open func(name string) (journal.Journal, error)
	}{
		{"IndexedDB alone", func(name string) (journal.Journal, error) { return idb.Open(t.Context(), name, idb.Options{}) }},
		{"both copies", func(name string) (journal.Journal, error) {
			j, _, err := browserstore.Open(t.Context(), name, idb.Options{})
			return j, err
		}},
	} {
		name := fmt.Sprintf("%s %d", kind.name, time.Now().UnixNano())
		j, err := kind.open(name)
		if err != nil {
			t.Fatal(err)
		}
		const commits = 200
		begin := time.Now()
		for i := range commits {
			commit(t, j, map[string][]byte{fmt.Sprintf("c%d", i): make([]byte, 400), "last": {byte(i)}})
		}
		each := time.Since(begin) / commits
		fill(t, j, records)
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		begin = time.Now()
		if j, err = kind.open(name); err != nil {
			t.Fatal(err)
		}
		opened := time.Since(begin)
		n := 0
		if err := j.Load(t.Context(), func(string, []byte) error { n++; return nil }); err != nil || n < records {
			t.Errorf("%d records, %v", n, err)
		}
		t.Logf("%s: %.2f ms a commit of 2 records; %d records opened in %v, and read in %v", kind.name, each.Seconds()*1000,
			n, opened.Round(time.Millisecond), (time.Since(begin) - opened).Round(time.Millisecond))
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func commit(t *testing.T, j journal.Journal, changes map[string][]byte) {
	t.Helper()
	if err := j.Commit(context.Background(), changes); err != nil {
		t.Fatal(err)
	}
}

// fill adds records of 400 bytes.
func fill(t *testing.T, j journal.Journal, records int) {
	changes := map[string][]byte{}
	for i := range records {
		changes[fmt.Sprintf("r%08d", i)] = bytes.Repeat([]byte{byte(i)}, 400)
		if len(changes) == 1000 || i == records-1 {
			commit(t, j, changes)
			clear(changes)
		}
	}
}
