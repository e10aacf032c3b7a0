//go:build !js

package browserstore_test

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// stored returns the files of the profile in a folder whose name has part in it.
func stored(t *testing.T, profile, part string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(profile, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.Contains(name, part) {
			files = append(files, name)
		}
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in %s: %v", part, err)
	}
	return files
}

// logFile returns the file of the log that is in use.
func logFile(t *testing.T, profile string) string {
	t.Helper()
	for _, name := range stored(t, profile, "File System") {
		if b, err := os.ReadFile(name); err == nil && bytes.HasPrefix(b, []byte("TCODELOG")) {
			return name
		}
	}
	t.Fatal("no log in the profile")
	return ""
}

// change replaces the content of a file.
func change(t *testing.T, name string, f func(b []byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err == nil {
		err = os.WriteFile(name, f(b), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// noise changes n bytes from at on.
func noise(at, n int) func(b []byte) []byte {
	return func(b []byte) []byte {
		for range min(n, len(b)) {
			b[min(at, len(b)-1)+rand.N(max(1, len(b)-at))] ^= byte(1 + rand.N(255))
		}
		return b
	}
}

// TestDamage changes what Chromium keeps on the disk between runs: every acknowledged commit is there afterwards, and the report says
// which copy was rebuilt.
func TestDamage(t *testing.T) {
	t.Parallel()
	k := newKiller(t, "after", 2)
	remove := func(folder string) {
		if err := os.RemoveAll(filepath.Join(k.p.Profile(), "Default", folder)); err != nil {
			t.Fatal(err)
		}
	}
	each := func(part string, f func(b []byte) []byte) {
		for _, name := range stored(t, k.p.Profile(), part) {
			change(t, name, f)
		}
	}
	theLog := func(f func(b []byte) []byte) { change(t, logFile(t, k.p.Profile()), f) }
	tests := []struct {
		name   string
		damage func()
		want   string // begin of the report; empty: any
	}{
		{"nothing", func() {}, "two copies"},
		{"IndexedDB removed", func() { remove("IndexedDB") }, "two copies; database was rebuilt (it was empty"},
		{"files removed", func() { remove("File System") }, "two copies; log was rebuilt (it was empty"},
		{"log cut by a byte", func() { theLog(func(b []byte) []byte { return b[:len(b)-1] }) }, "two copies; log was rebuilt (it was older"},
		{"log cut in the middle", func() { theLog(func(b []byte) []byte { return b[:1024+(len(b)-1024)/2] }) }, "two copies; log was rebuilt ("},
		{"log without header", func() { theLog(func(b []byte) []byte { clear(b[:1024]); return b }) }, "two copies; log was rebuilt (the log is damaged"},
		{"log emptied", func() { theLog(func([]byte) []byte { return nil }) }, "two copies; log was rebuilt (it was empty"},
		{"a byte of the log", func() { theLog(func(b []byte) []byte { b[1200] ^= 4; return b }) }, "two copies; log was rebuilt (the log is damaged"},
		{"bytes of the log", func() { theLog(noise(1024, 20)) }, "two copies; log was rebuilt ("},
		{"log missing on the disk", func() { _ = os.Remove(logFile(t, k.p.Profile())) }, "two copies; log was rebuilt ("},
		// Chromium loses the next file of that name as well: until then the database is the only copy.
		{"nothing after that", func() {}, "two copies"},
		{"bytes of IndexedDB", func() { each("indexeddb.leveldb/0", noise(0, 50)) }, ""},
		{"IndexedDB cut", func() { each("indexeddb.leveldb/0", func(b []byte) []byte { return b[:len(b)/2] }) }, ""},
		{"manifest of IndexedDB", func() { each("indexeddb.leveldb/MANIFEST", noise(0, 50)) }, ""},
		{"IndexedDB without CURRENT", func() { each("indexeddb.leveldb/CURRENT", func([]byte) []byte { return nil }) }, ""},
		// Chromium may give up all files after these: the database is the only copy then.
		{"paths of the files", func() { each("Paths/", noise(0, 50)) }, ""},
		{"names of the files", func() { each("File System/Origins", noise(0, 50)) }, ""},
	}
	k.run()
	for _, tt := range tests {
		tt.damage()
		k.reports = map[string]int{}
		k.run()
		for report := range k.reports {
			t.Logf("%s: %s", tt.name, report)
			if !strings.HasPrefix(report, tt.want) {
				t.Errorf("%s: %s, want %s", tt.name, report, tt.want)
			}
		}
		if len(k.reports) == 0 {
			t.Errorf("%s: no report", tt.name)
		}
	}
	k.look()
}
