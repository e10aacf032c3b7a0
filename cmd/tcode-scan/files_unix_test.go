//go:build unix

package main

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// TestFolderOfOddThings: pipes, devices, and links that lead to them or in a circle, are no documents of a
// folder. A link to a document is one, and so is a link to nothing, which is reported later.
func TestFolderOfOddThings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	steps := []error{
		os.WriteFile(in("a.pdf"), nil, 0o600),
		syscall.Mkfifo(in("pipe.pdf"), 0o600),
		os.Symlink("a.pdf", in("b.pdf")),
		os.Symlink("pipe.pdf", in("c.pdf")),
		os.Symlink("/dev/zero", in("d.png")),
		os.Symlink("nothing", in("e.pdf")),
		os.Mkdir(in("folder.pdf"), 0o700),
		os.Symlink("..", in("folder.pdf/f.pdf")),
		os.Symlink(".", in("g.pdf")),
	}
	if i := slices.IndexFunc(steps, func(err error) bool { return err != nil }); i >= 0 {
		t.Fatal(steps[i])
	}
	got, err := expand([]string{dir})
	if want := []string{in("a.pdf"), in("b.pdf"), in("e.pdf")}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
}
