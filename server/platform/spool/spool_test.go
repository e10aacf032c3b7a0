package spool_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"tcode/server/platform/spool"
)

func open(t testing.TB, dir string) *spool.Folder {
	t.Helper()
	d, err := spool.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// check reads f and compares.
func check(t *testing.T, f *spool.File, want []byte) {
	t.Helper()
	got, err := io.ReadAll(f.Section())
	sum := sha256.Sum256(want)
	if err != nil || !bytes.Equal(got, want) || f.Size() != int64(len(want)) || f.SHA256() != hex.EncodeToString(sum[:]) {
		t.Errorf("%d bytes, size %d, SHA-256 %s, %v; want %d bytes of %x", len(got), f.Size(), f.SHA256(), err, len(want), sum)
	}
}

// names returns the names of the files in a folder.
func names(t *testing.T, dir string) (out []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		out = append(out, e.Name())
	}
	return out
}

func TestFiles(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "made", "anew")
	d := open(t, dir)
	long := bytes.Repeat([]byte("0123456789abcde"), 1<<18)
	for _, data := range [][]byte{nil, []byte("a"), long} {
		f, err := d.Put(data)
		if err != nil {
			t.Fatal(err)
		}
		check(t, f, data)
		for _, more := range [][]byte{[]byte("%%EOF\n"), nil, long} {
			g, err := d.Append(f, more)
			if err != nil {
				t.Fatal(err)
			}
			check(t, f, data)
			check(t, g, append(bytes.Clone(data), more...))
			h, err := d.Append(g, more)
			if err != nil {
				t.Fatal(err)
			}
			if err := g.Close(); err != nil {
				t.Error(err)
			}
			check(t, h, append(append(bytes.Clone(data), more...), more...)) // g is gone
			if err := h.Close(); err != nil {
				t.Error(err)
			}
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if _, err := d.Append(f, nil); !errors.Is(err, os.ErrClosed) {
			t.Errorf("appending to a closed file: %v", err)
		}
	}
	if left := names(t, dir); len(left) != 0 {
		t.Errorf("left behind: %q", left)
	}
}

// TestReadOnly: a process that gets the file behind a section can read it from its start
// and cannot write to it.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	f, err := open(t, t.TempDir()).Put([]byte("as it is"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	outer, at, n := f.Section().Outer()
	file, ok := outer.(*os.File)
	if !ok || at != 0 || n != f.Size() {
		t.Fatalf("a section of %T from %d, of %d bytes", outer, at, n)
	}
	if _, err := file.WriteAt([]byte("x"), 0); err == nil {
		t.Error("it can be written to")
	}
	check(t, f, []byte("as it is"))
}

// TestAppendAtOnce appends to one file many times concurrently.
func TestAppendAtOnce(t *testing.T) {
	t.Parallel()
	d := open(t, t.TempDir())
	data := bytes.Repeat([]byte{1, 2, 3}, 1<<18)
	f, err := d.Put(data)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			g, err := d.Append(f, []byte{byte(i)})
			if err != nil {
				t.Error(err)
				return
			}
			defer g.Close()
			check(t, g, append(bytes.Clone(data), byte(i)))
		})
	}
	wg.Wait()
}

func TestUpload(t *testing.T) {
	t.Parallel()
	d := open(t, t.TempDir())
	u := spool.Bytes([]byte("sent"))
	var files [4]*spool.File
	var wg sync.WaitGroup
	for i := range files {
		wg.Go(func() {
			var err error
			if files[i], err = u.File(d); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, f := range files {
		if f != files[0] || u.Size() != 4 {
			t.Error("an upload is to be one file")
		}
	}
	check(t, files[0], []byte("sent"))
	for range 2 {
		if err := u.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := u.File(d); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a closed upload: %v", err)
	}
	if _, err := io.ReadAll(files[0].Section()); !errors.Is(err, os.ErrClosed) {
		t.Errorf("its file: %v", err)
	}
	unused := spool.Bytes([]byte("refused"))
	var none *spool.Upload
	if none.Size() != 0 || none.Close() != nil || unused.Close() != nil {
		t.Error("an upload that is not on disk cannot be closed")
	}
}

// TestGone: an upload keeps its bytes if the folder is gone, and the error says what is
// wrong.
func TestGone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := open(t, filepath.Join(dir, "spool"))
	if err := os.Rename(filepath.Join(dir, "spool"), filepath.Join(dir, "away")); err != nil {
		t.Fatal(err)
	}
	u := spool.Bytes([]byte("sent"))
	defer u.Close()
	if _, err := u.File(d); !errors.Is(err, spool.ErrUnwritable) {
		t.Errorf("a folder that is gone: %v", err)
	}
	if err := os.Rename(filepath.Join(dir, "away"), filepath.Join(dir, "spool")); err != nil {
		t.Fatal(err)
	}
	f, err := u.File(d)
	if err != nil {
		t.Fatal(err)
	}
	check(t, f, []byte("sent"))
}

// TestSweep: files of killed processes are removed, and new or foreign ones
// stay.
func TestSweep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, age := range map[string]time.Duration{"work-1.tmp": 2 * time.Hour, "work-2.tmp": 0, "other": 2 * time.Hour} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	open(t, dir)
	if got := names(t, dir); len(got) != 2 || got[0] != "other" || got[1] != "work-2.tmp" {
		t.Errorf("left: %q", got)
	}
}

// TestWriter: data in several writes give the same file as in one; nothing is on the disk
// while it is small, and nothing remains there.
func TestWriter(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 256 << 10, 256<<10 + 1, 3 << 20} {
		for _, piece := range []int{777, 48 << 10, 4 << 20} {
			dir := t.TempDir()
			d := open(t, dir)
			data := make([]byte, size)
			for i := range data {
				data[i] = byte(i * i >> 7)
			}
			w := d.Writer()
			for rest := data; len(rest) > 0; rest = rest[min(piece, len(rest)):] {
				if n, err := w.Write(rest[:min(piece, len(rest))]); err != nil || n != min(piece, len(rest)) {
					t.Fatal(n, err)
				}
			}
			u, err := w.Upload()
			if err != nil || u.Size() != int64(size) {
				t.Fatalf("%d bytes, %v; want %d", u.Size(), err, size)
			}
			if err := w.Close(); err != nil { // this does not remove the upload
				t.Error(err)
			}
			f, err := u.File(d)
			if err != nil {
				t.Fatal(err)
			}
			check(t, f, data)
			g, err := d.Append(f, []byte("more"))
			if err != nil {
				t.Fatal(err)
			}
			check(t, g, append(data, "more"...))
			if err := errors.Join(g.Close(), u.Close(), u.Close()); err != nil {
				t.Error(err)
			}
			if _, err := u.File(d); !errors.Is(err, os.ErrClosed) {
				t.Errorf("file of a closed upload: %v", err)
			}
		}
	}
}

// TestScratch: what is written can be read again, under no name, and is gone once
// the file is closed. A folder without room for new work still gives one.
func TestScratch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := open(t, dir)
	d.Guard = func() error { return errors.New("no room") }
	s, err := d.Scratch()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.WriteString("written"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(s); err != nil || string(got) != "written" {
		t.Errorf("read %q, %v", got, err)
	}
	if left := names(t, dir); len(left) != 0 {
		t.Errorf("named %q", left)
	}
	if err := errors.Join(s.Close(), (*spool.Scratch)(nil).Close()); err != nil {
		t.Error(err)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Scratch(); !errors.Is(err, spool.ErrUnwritable) {
		t.Errorf("without its folder: %v", err)
	}
}
