package spool_test

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"tcode/server/platform/spool"
)

// descriptors returns the number of files below dir that this process has open.
func descriptors(t *testing.T, dir string) (n int) {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if to, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && strings.HasPrefix(to, dir+"/") {
			n++
		}
	}
	return n
}

// TestDescriptors: a file and the data appended to it take two descriptors and no name
// from the first moment, and none once both are closed.
func TestDescriptors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := open(t, dir)
	var files []*spool.File
	for n := range 3 {
		f, err := d.Put(make([]byte, n<<20))
		if err != nil {
			t.Fatal(err)
		}
		g, err := d.Append(f, []byte("more"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f, g)
	}
	if n := descriptors(t, dir); n != len(files) {
		t.Errorf("%d descriptors of %d files", n, len(files))
	}
	if left := names(t, dir); len(left) != 0 {
		t.Errorf("files with names: %q", left)
	}
	for _, f := range files {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	if n := descriptors(t, dir); n != 0 {
		t.Errorf("%d descriptors after all were closed", n)
	}
}

// TestFullDisk: data that does not fit is refused, leaves nothing behind and can be tried
// again.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("mount a small disk: %v", err)
		}
		t.Skipf("mount a small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	d := open(t, dir)
	f, err := d.Put(make([]byte, 1<<20+1<<19))
	if err != nil {
		t.Fatal(err)
	}
	u := spool.Bytes(make([]byte, 1<<20))
	_, second := u.File(d)
	_, appended := d.Append(f, make([]byte, 1<<20))
	for what, err := range map[string]error{"a second file": second, "more of the first": appended} {
		if !errors.Is(err, spool.ErrUnwritable) || !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%s on a full disk: %v", what, err)
		}
	}
	if n := descriptors(t, dir); n != 2 {
		t.Errorf("%d descriptors, want those of the file that was there", n)
	}
	if err := d.Writable(); err != nil { // there is room for a little
		t.Error(err)
	}
	fill, err := d.Put(make([]byte, 1<<19))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Writable(); !errors.Is(err, spool.ErrUnwritable) || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a folder without room: %v", err)
	}
	if err := fill.Close(); err != nil {
		t.Fatal(err)
	}
	w := d.Writer()
	_, err = w.Write(make([]byte, 1<<20))
	if !errors.Is(err, spool.ErrUnwritable) || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("an upload on a full disk: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if n := descriptors(t, dir); n != 2 {
		t.Errorf("%d descriptors after an upload did not fit", n)
	}
	g, err := d.Append(f, []byte("less"))
	if err != nil {
		t.Fatal(err)
	}
	check(t, f, make([]byte, 1<<20+1<<19))
	check(t, g, append(make([]byte, 1<<20+1<<19), "less"...))
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if f, err = u.File(d); err != nil {
		t.Fatal(err)
	}
	check(t, f, make([]byte, 1<<20))
	if err := u.Close(); err != nil {
		t.Error(err)
	}
}
