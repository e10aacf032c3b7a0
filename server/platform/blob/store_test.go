package blob_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tcode/offline/digest"
	"tcode/server/platform/blob"
	"tcode/server/platform/blob/blobtest"
)

// TestStores: all kinds of store behave alike.
func TestStores(t *testing.T) {
	t.Parallel()
	prefixed := func(b blobtest.Bucket) blobtest.Bucket {
		b.URL = strings.Replace(b.URL, "://files", "://files/a/b", 1)
		return b
	}
	for kind, start := range map[string]func(t *testing.T) blobtest.Bucket{
		"folder": func(t *testing.T) blobtest.Bucket {
			return blobtest.Bucket{URL: "file://" + filepath.ToSlash(filepath.Join(t.TempDir(), "files"))}
		},
		"S3":     func(t *testing.T) blobtest.Bucket { return blobtest.S3(t) },
		"prefix": func(t *testing.T) blobtest.Bucket { return prefixed(blobtest.S3(t)) },
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			bucket := start(t)
			address := bucket.URL
			open := func() *blob.Store {
				s, err := blob.OpenURL(t.Context(), address)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { s.Close() })
				return s
			}
			t.Run("files", func(t *testing.T) { testFiles(t, open) })
			t.Run("ranges", func(t *testing.T) { testRanges(t, open()) })
			t.Run("concurrent", func(t *testing.T) { testConcurrent(t, open()) })
			t.Run("copies", func(t *testing.T) { testCopies(t, open()) })
			t.Run("notes", func(t *testing.T) { testNotes(t, open) })
			if bucket.Stop != nil {
				t.Run("unreachable", func(t *testing.T) { testUnreachable(t, bucket) })
			}
		})
	}
}

// noise returns bytes that are the same for the same seed.
func noise(seed uint64, n int) []byte {
	data := make([]byte, n)
	r := rand.NewChaCha8([32]byte{byte(seed)})
	r.Read(data)
	return data
}

func testFiles(t *testing.T, open func() *blob.Store) {
	s, other := open(), open()
	var names []string
	for i, size := range []int{0, 1, 300 << 10, 17 << 20} {
		data := noise(uint64(i), size)
		name, err := s.Put(t.Context(), data)
		if err != nil || name != digest.Of(data).String() {
			t.Fatalf("Put of %d bytes = %q, %v", size, name, err)
		}
		if again, err := other.PutFrom(t.Context(), bytes.NewReader(data)); err != nil || again != name {
			t.Errorf("PutFrom of %d bytes that are there = %q, %v", size, again, err)
		}
		if got, err := other.Get(t.Context(), name); err != nil || !bytes.Equal(got, data) {
			t.Errorf("Get = %d bytes, %v, want %d", len(got), err, size)
		}
		names = append(names, name)
	}
	none := strings.Repeat("0", 64)
	if _, err := s.Get(t.Context(), none); !errors.Is(err, blob.ErrNotFound) || blob.IsUnavailable(err) {
		t.Errorf("Get of no file: %v", err)
	}
	if there, err := s.Has(t.Context(), none); there || err != nil {
		t.Errorf("Has of no file = %v, %v", there, err)
	}
	if _, err := s.Open(t.Context(), none); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("Open of no file: %v", err)
	}
	var listed []string
	for item, err := range s.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if item.Copy != 0 || time.Since(item.Changed) > time.Hour {
			t.Errorf("listed as %+v", item)
		}
		listed = append(listed, item.Name)
	}
	if slices.Sort(names); !slices.Equal(listed, names) {
		t.Errorf("All = %v, want %v", listed, names)
	}
	if err := errors.Join(s.Withdraw(t.Context(), names[0]), s.Withdraw(t.Context(), none)); err != nil {
		t.Error(err)
	}
	if there, err := s.Has(t.Context(), names[0]); there || err != nil {
		t.Errorf("Has of a withdrawn file = %v, %v", there, err)
	}
	if err := s.Writable(t.Context()); err != nil {
		t.Errorf("Writable = %v", err)
	}
	// A wrong name stands for damage, which every reader finds, before or at the end.
	for i, size := range []int{10, 600 << 10} {
		wrong := digest.Of(noise(77+uint64(i), 5)).String()
		data := noise(3, size)
		if err := s.PutNamed(t.Context(), wrong, io.NewSectionReader(bytes.NewReader(data), 0, int64(size))); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Get(t.Context(), wrong); !errors.Is(err, blob.ErrDamaged) {
			t.Errorf("Get of a damaged file of %d bytes: %v", size, err)
		}
		f, err := s.Open(t.Context(), wrong)
		got := 0
		if err == nil {
			var raw []byte
			raw, err = io.ReadAll(f)
			got = len(raw)
			f.Close()
		}
		if !errors.Is(err, blob.ErrDamaged) || got >= size {
			t.Errorf("reader of a damaged file of %d bytes got %d, %v", size, got, err)
		}
		if whole := noise(77+uint64(i), 5); true {
			if _, err := s.Put(t.Context(), whole); err != nil {
				t.Fatal(err)
			}
			if got, err := s.Get(t.Context(), wrong); err != nil || !bytes.Equal(got, whole) {
				t.Errorf("the damage does not heal: %v", err)
			}
		}
	}
}

func testRanges(t *testing.T, s *blob.Store) {
	for i, size := range []int{1000, 256 << 10, 256<<10 + 1, 900 << 10} {
		data := noise(20+uint64(i), size)
		name, err := s.Put(t.Context(), data)
		if err != nil {
			t.Fatal(err)
		}
		f, err := s.Open(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := f.Seek(0, io.SeekEnd); n != int64(size) || err != nil {
			t.Errorf("%d bytes, %v, want %d", n, err, size)
		}
		for _, from := range []int{0, 1, size / 2, size - 1, 0} {
			if _, err := f.Seek(int64(from), io.SeekStart); err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(f); err != nil || !bytes.Equal(got, data[from:]) {
				t.Errorf("%d bytes from %d of %d on, %v", len(got), from, size, err)
			}
		}
		if _, err := f.Seek(int64(size)-40, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		part := make([]byte, 20)
		if _, err := io.ReadFull(f, part); err != nil || !bytes.Equal(part, data[size-40:size-20]) {
			t.Errorf("a part of %d: %v", size, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func testConcurrent(t *testing.T, s *blob.Store) {
	data := noise(40, 100<<10)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			name, err := s.Put(t.Context(), data)
			if err == nil {
				_, err = s.Get(t.Context(), name)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// testCopies: a file survives the removal of the copies before its newest.
func testCopies(t *testing.T, s *blob.Store) {
	data := noise(50, 1000)
	name, err := s.Put(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	for _, copy := range []int{1, 10} {
		if err := s.PutCopy(t.Context(), name, copy, bytes.NewReader(data)); err != nil {
			t.Fatal(err)
		}
	}
	seen := 0
	for item, err := range s.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if item.Name == name {
			if seen++; item.Copy != 10 || item.Size != 1000 {
				t.Errorf("listed as %+v", item)
			}
		}
	}
	if seen != 1 {
		t.Errorf("listed %d times", seen)
	}
	for range 2 { // a removal may be repeated
		if err := s.Remove(t.Context(), name, 9); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Get(t.Context(), name); err != nil || !bytes.Equal(got, data) {
			t.Errorf("Get = %d bytes, %v", len(got), err)
		}
		if item, err := s.Stat(t.Context(), name); err != nil || item.Copy != 10 {
			t.Errorf("Stat = %+v, %v", item, err)
		}
	}
	if err := s.Remove(t.Context(), name, 10); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), name); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("Get of a removed file: %v", err)
	}
}

func testNotes(t *testing.T, open func() *blob.Store) {
	a, b := open(), open()
	if data, version, err := a.Note(t.Context(), "x"); data != nil || version != "" || err != nil {
		t.Errorf("Note of none = %q, %q, %v", data, version, err)
	}
	if err := a.SetNote(t.Context(), "x", []byte("1"), "no version"); !errors.Is(err, blob.ErrChanged) {
		t.Errorf("SetNote of none = %v", err)
	}
	if err := a.SetNote(t.Context(), "x", []byte("1"), ""); err != nil {
		t.Fatal(err)
	}
	if err := b.SetNote(t.Context(), "x", []byte("2"), ""); !errors.Is(err, blob.ErrChanged) {
		t.Errorf("a second new note: %v", err)
	}
	if err := b.ProveConditions(t.Context(), "x"); err != nil {
		t.Errorf("ProveConditions = %v", err)
	}
	// Each of many writers adds one; none overwrites another.
	const writers = 8
	var wg sync.WaitGroup
	for i := range writers {
		s := []*blob.Store{a, b}[i%2]
		wg.Go(func() {
			for {
				data, version, err := s.Note(t.Context(), "x")
				if err == nil {
					err = s.SetNote(t.Context(), "x", append(data, 'x'), version)
				}
				if err == nil {
					return
				}
				if !errors.Is(err, blob.ErrChanged) {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if data, _, err := b.Note(t.Context(), "x"); len(data) != 1+writers || err != nil {
		t.Errorf("Note = %q, %v", data, err)
	}
}

// testUnreachable: a bucket that does not answer is no request's fault, and no missing file.
// It stops the server.
func testUnreachable(t *testing.T, bucket blobtest.Bucket) {
	other, err := blob.OpenURL(t.Context(), strings.Replace(bucket.URL, "://files", "://others", 1))
	if err != nil {
		t.Fatal(err)
	}
	s, err := blob.OpenURL(t.Context(), bucket.URL)
	if err != nil {
		t.Fatal(err)
	}
	name, err := s.Put(t.Context(), []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	check := func(s *blob.Store) {
		t.Helper()
		var wg sync.WaitGroup
		for i, ask := range []func() error{
			func() error { _, err := s.Get(t.Context(), name); return err },
			func() error { _, err := s.Put(t.Context(), []byte("y")); return err },
			func() error { _, err := s.Has(t.Context(), name); return err },
			func() error { _, _, err := s.Note(t.Context(), "x"); return err },
			func() error { return s.SetNote(t.Context(), "x", nil, "") },
			func() error { return s.Writable(t.Context()) },
			func() error { _, err := s.Empty(t.Context()); return err },
		} {
			wg.Go(func() {
				if err := ask(); !blob.IsUnavailable(err) || errors.Is(err, blob.ErrNotFound) {
					t.Errorf("%d: %v", i, err)
				} else if text := err.Error(); strings.Contains(text, "upload_id=") || strings.Contains(text, "secret-of-the-test") {
					t.Errorf("%d: a secret in %v", i, err)
				}
			})
		}
		wg.Wait()
	}
	check(other) // there is no such bucket
	bucket.Stop()
	check(s)
}

// TestFolderOfURL: an address of a folder is that folder.
func TestFolderOfURL(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "files")
	s, err := blob.OpenURL(t.Context(), "file://"+filepath.ToSlash(dir))
	if err != nil {
		t.Fatal(err)
	}
	name, err := s.Put(t.Context(), []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, name[:2], name)); err != nil {
		t.Error(err)
	}
}
