package blob_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"tcode/server/platform/blob"
)

func TestStreams(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := blob.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	data := bytes.Repeat([]byte("0123456789"), 1<<18)
	want, err := s.Put(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, want[:2], want)); err != nil {
		t.Fatal(err)
	}
	r := bytes.NewReader(data)
	r.Seek(7, 0) // PutFrom must still read from the start
	for range 2 {
		if got, err := s.PutFrom(t.Context(), r); err != nil || got != want {
			t.Fatalf("PutFrom = %q, %v, want %q", got, err, want)
		}
	}
	var out bytes.Buffer
	if err := s.CopyTo(t.Context(), &out, want); err != nil || !bytes.Equal(out.Bytes(), data) {
		t.Errorf("CopyTo: %d bytes, %v", out.Len(), err)
	}
	if err := os.WriteFile(filepath.Join(dir, want[:2], want), data[1:], 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.CopyTo(t.Context(), &out, want); !errors.Is(err, blob.ErrDamaged) {
		t.Errorf("a damaged file: %v", err)
	}
	if got, err := s.PutFrom(t.Context(), r); err != nil || got != want {
		t.Errorf("PutFrom over a damaged file = %q, %v", got, err)
	}
	out.Reset()
	if err := s.CopyTo(t.Context(), &out, want); err != nil || !bytes.Equal(out.Bytes(), data) {
		t.Errorf("healed: %d bytes, %v", out.Len(), err)
	}
	for _, name := range []string{"", "../x", want[:63] + "0"} {
		if err := s.CopyTo(t.Context(), &out, name); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("%q: %v", name, err)
		}
	}
}
