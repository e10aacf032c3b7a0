package certs

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"golang.org/x/crypto/acme/autocert"
)

// TestEndingCache: files are whole or absent, and none changes after close, although the
// renewals that write them go on and their contexts end at any time.
//
//race:on close meets writes
func TestEndingCache(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := &endingCache{dir: autocert.DirCache(dir)}
	var writers, first sync.WaitGroup
	first.Add(4)
	for w := range 4 {
		name := string(rune('a' + w))
		writers.Go(func() {
			for i := 0; ; i++ {
				ctx, cancel := context.WithCancel(t.Context())
				go cancel()
				data := bytes.Repeat([]byte{byte(i)}, 10_000)
				err := c.Put(ctx, name, data)
				if errors.Is(err, errEnded) {
					return
				}
				if got, _ := c.Get(t.Context(), name); err != nil || !bytes.Equal(got, data) {
					t.Errorf("%s holds %d bytes after Put: %v", name, len(got), err)
				}
				if i == 4 {
					first.Done()
				}
			}
		})
	}
	first.Wait() // each has written some times, whatever the scheduler prefers
	c.close()
	before := contents(t, dir)
	writers.Wait()
	if err := c.Delete(t.Context(), "a"); !errors.Is(err, errEnded) {
		t.Errorf("Delete after close: %v", err)
	}
	after := contents(t, dir)
	if len(before) != 4 || len(after) != 4 {
		t.Fatalf("%d files at close, %d later, want 4", len(before), len(after))
	}
	for name, data := range before {
		if after[name] != data {
			t.Errorf("%s changed after close", name)
		}
	}
}

func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, e := range list {
		raw, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Error(err)
		}
		got[e.Name()] = string(raw)
	}
	return got
}
