package blob_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tcode/server/platform/blob"
)

func TestDiscard(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := blob.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	data := []byte("left behind")
	name, err := s.Put(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name[:2], name)
	yesterday := time.Now().Add(-24 * time.Hour)
	age := func() {
		t.Helper()
		if err := os.Chtimes(path, yesterday, yesterday); err != nil {
			t.Fatal(err)
		}
	}
	hourAgo := time.Now().Add(-time.Hour)
	if gone, err := s.Discard(name, hourAgo); gone || err != nil {
		t.Errorf("a new file: %v, %v", gone, err)
	}
	age()
	if _, err := s.Put(t.Context(), data); err != nil { // it is needed again
		t.Fatal(err)
	}
	if gone, err := s.Discard(name, hourAgo); gone || err != nil {
		t.Errorf("a file that was put again: %v, %v", gone, err)
	}
	age()
	if gone, err := s.Discard(name, hourAgo); !gone || err != nil {
		t.Errorf("an old file: %v, %v", gone, err)
	}
	if _, err := s.Get(t.Context(), name); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("it is still there: %v", err)
	}
	if gone, err := s.Discard(name, hourAgo); gone || err != nil {
		t.Errorf("a file that is not there: %v, %v", gone, err)
	}
	if _, err := s.Discard("../x", hourAgo); err == nil {
		t.Error("a name that is none was looked for")
	}
}

func TestDiscardParts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := blob.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	name, err := s.Put(t.Context(), []byte("whole"))
	if err != nil {
		t.Fatal(err)
	}
	part := filepath.Join(dir, name[:2], name+".123.tmp")
	left := filepath.Join(dir, name[:2], name+".leaving")
	for _, p := range []string{part, left} {
		if err := os.WriteFile(p, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := s.DiscardParts(t.Context(), time.Now().Add(-time.Hour)); n != 0 || err != nil {
		t.Errorf("%d new parts removed, %v", n, err)
	}
	if n, err := s.DiscardParts(t.Context(), time.Now().Add(time.Hour)); n != 2 || err != nil {
		t.Errorf("%d parts removed, %v, want 2", n, err)
	}
	if _, err := s.Get(t.Context(), name); err != nil {
		t.Error(err)
	}
}
