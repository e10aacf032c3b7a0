package blob_test

import (
	"bytes"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"tcode/server/platform/blob"
)

func open(t *testing.T, dir string) *blob.Store {
	t.Helper()
	s, err := blob.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestPutGet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	for _, data := range [][]byte{nil, []byte("a"), bytes.Repeat([]byte("pdf"), 1<<20)} {
		name, err := s.Put(t.Context(), data)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := s.Put(t.Context(), data); err != nil || again != name {
			t.Fatalf("second Put = %q, %v; want %q", again, err, name)
		}
		got, err := open(t, dir).Get(t.Context(), name)
		if err != nil || !bytes.Equal(got, data) {
			t.Fatalf("Get = %d bytes, %v; want %d", len(got), err, len(data))
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	for _, name := range []string{"", "..", "../../etc/passwd", strings.Repeat("A", 64), strings.Repeat("0", 64), strings.Repeat("0", 63) + "/"} {
		if _, err := s.Get(t.Context(), name); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("Get(%q) = %v, want ErrNotFound", name, err)
		}
	}
}

// TestDamageHeals: reading notices a file cut short by a power failure, and writing it
// again repairs it.
func TestDamageHeals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	data := []byte("the whole file")
	name, err := s.Put(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name[:2], name), data[:3], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), name); !errors.Is(err, blob.ErrDamaged) {
		t.Fatalf("Get = %v, want ErrDamaged", err)
	}
	if _, err := s.Put(t.Context(), data); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Get(t.Context(), name); err != nil || !bytes.Equal(got, data) {
		t.Fatalf("Get = %q, %v", got, err)
	}
}

func TestConcurrentPut(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	data := bytes.Repeat([]byte{7}, 1<<16)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			name, err := s.Put(t.Context(), data)
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := s.Get(t.Context(), name); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestURLSigner(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	clock := func() time.Time { return now }
	s := blob.NewURLSigner(bytes.Repeat([]byte{1}, 32), clock)
	other := blob.NewURLSigner(bytes.Repeat([]byte{2}, 32), clock)
	signed := func() url.Values {
		return s.Sign("GET", "/v1/files/ab", url.Values{"name": {"a.pdf"}, "type": {"application/pdf"}}, now.Add(time.Minute))
	}
	tests := []struct {
		name   string
		method string
		path   string
		change func(q url.Values)
		want   error
	}{
		{"as signed", "GET", "/v1/files/ab", func(url.Values) {}, nil},
		{"other method", "PUT", "/v1/files/ab", func(url.Values) {}, blob.ErrSignature},
		{"other path", "GET", "/v1/files/ac", func(url.Values) {}, blob.ErrSignature},
		{"changed name", "GET", "/v1/files/ab", func(q url.Values) { q.Set("name", "b.pdf") }, blob.ErrSignature},
		{"later expiry", "GET", "/v1/files/ab", func(q url.Values) { q.Set("expires", "9999999999") }, blob.ErrSignature},
		{"parameter added", "GET", "/v1/files/ab", func(q url.Values) { q.Set("x", "1") }, blob.ErrSignature},
		{"value added", "GET", "/v1/files/ab", func(q url.Values) { q.Add("name", "c.pdf") }, blob.ErrSignature},
		{"parameter gone", "GET", "/v1/files/ab", func(q url.Values) { q.Del("type") }, blob.ErrSignature},
		{"split over names", "GET", "/v1/files/ab", func(q url.Values) { q.Del("name"); q.Set("namea.pdf", "") }, blob.ErrSignature},
		{"two signatures", "GET", "/v1/files/ab", func(q url.Values) { q.Add("signature", "x") }, blob.ErrSignature},
		{"no signature", "GET", "/v1/files/ab", func(q url.Values) { q.Del("signature") }, blob.ErrSignature},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q := signed()
			tt.change(q)
			if err := s.Verify(tt.method, tt.path, q); !errors.Is(err, tt.want) {
				t.Errorf("Verify = %v, want %v", err, tt.want)
			}
		})
	}
	q := signed()
	if err := other.Verify("GET", "/v1/files/ab", q); !errors.Is(err, blob.ErrSignature) {
		t.Errorf("another key: %v, want ErrSignature", err)
	}
	now = now.Add(time.Minute)
	if err := s.Verify("GET", "/v1/files/ab", q); !errors.Is(err, blob.ErrExpired) {
		t.Errorf("a minute later: %v, want ErrExpired", err)
	}
}

// TestOpen: a file can be read from any position, and not at all if it is damaged.
func TestOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	data := []byte(strings.Repeat("0123456789", 1000))
	name, err := s.Put(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	f, err := s.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := f.Seek(0, io.SeekEnd); err != nil || n != int64(len(data)) {
		t.Errorf("%d bytes, %v; want %d", n, err, len(data))
	}
	if _, err := f.Seek(4321, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(f); err != nil || !bytes.Equal(got, data[4321:]) {
		t.Errorf("%d bytes from 4321 on, %v", len(got), err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name[:2], name), data[1:], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Open(t.Context(), name); !errors.Is(err, blob.ErrDamaged) {
		t.Errorf("a damaged file: %v", err)
	}
	for _, name := range []string{strings.Repeat("0", 64), "../" + name, ""} {
		if _, err := s.Open(t.Context(), name); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("%q: %v", name, err)
		}
	}
}
