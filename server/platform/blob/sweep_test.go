package blob_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tcode/server/platform/blob"
)

func TestDiscardParts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	name, err := s.Put(t.Context(), []byte("whole"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.PutCopy(t.Context(), name, 1, bytes.NewReader([]byte("whole"))); err != nil {
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
	if item, err := s.Stat(t.Context(), name); err != nil || item.Copy != 1 {
		t.Errorf("Stat = %+v, %v", item, err)
	}
}

// TestAddresses: what names no store is refused before any request, and credentials have no
// place in an address.
func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"", "files", "/files", "file://host/files", "file:///files?x=1", "s3://", "s3:///prefix", "gs://", "azblob:///prefix", "http://host/files",
		"gs://bucket", "azblob://container?account=files", "s3://bucket?endpoint=ftp://storage.example",
		"s3://bucket?endpoint=https://key:secret@storage.example", "s3://bucket?endpoint=https://storage.example/path",
		"s3://key:secret@bucket", "s3://bucket#x", "s3://bucket?unknown=1", "s3://bucket?path_style=maybe", "s3://bucket?region=a&region=b", "s3://%zz",
	} {
		_, err := blob.OpenURL(t.Context(), address)
		if !errors.Is(err, blob.ErrAddress) && (err == nil || address != "s3://bucket?path_style=maybe") {
			t.Errorf("%q: %v, want ErrAddress", address, err)
		} else if text := err.Error(); strings.Contains(text, "secret") || errors.Is(err, blob.ErrAddress) && !strings.Contains(text, "s3://BUCKET[/PREFIX]") {
			t.Errorf("%q: the error is %q", address, text)
		}
	}
}
