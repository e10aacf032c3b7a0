package durable_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"tcode/server/platform/durable"
)

// TestWriteFile: a file that several goroutines write concurrently always has the complete
// contents of one of them, and no part is left.
func TestWriteFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a")
	texts := [][]byte{bytes.Repeat([]byte("1"), 5000), bytes.Repeat([]byte("2"), 90), nil}
	var wg sync.WaitGroup
	for _, text := range texts {
		wg.Go(func() {
			for range 20 {
				if err := durable.WriteFile(path, text); err != nil {
					t.Error(err)
				}
				got, err := os.ReadFile(path)
				if err != nil || !bytes.Equal(got, texts[0]) && !bytes.Equal(got, texts[1]) && len(got) > 0 {
					t.Errorf("%d bytes, %v", len(got), err)
				}
			}
		})
	}
	wg.Wait()
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
	if names, err := filepath.Glob(path + "?*"); err != nil || len(names) > 0 {
		t.Errorf("left behind: %v, %v", names, err)
	}
}

// TestWriteFileFollowsLinks: a symbolic link remains one, and the file to which it leads
// is replaced. A link that leads nowhere is an error.
func TestWriteFileFollowsLinks(t *testing.T) {
	t.Parallel()
	dir, elsewhere := t.TempDir(), t.TempDir()
	path, target := filepath.Join(dir, "a"), filepath.Join(elsewhere, "b")
	if err := os.Symlink(target, path); err != nil {
		t.Skip(err) // users may make none on some systems
	}
	if err := durable.WriteFile(path, []byte("x")); err == nil || !strings.Contains(err.Error(), "leads to no file") {
		t.Errorf("a link to nowhere: %v", err)
	}
	err := os.WriteFile(target, []byte("old"), 0o640)
	if err := errors.Join(err, os.Chmod(target, 0o640)); err != nil { // whatever the umask
		t.Fatal(err)
	}
	if err := durable.WriteFile(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	link, err := os.Lstat(path)
	file, err2 := os.Lstat(target)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	if link.Mode()&fs.ModeSymlink == 0 || !file.Mode().IsRegular() || runtime.GOOS != "windows" && file.Mode().Perm() != 0o640 {
		t.Errorf("link %v, file %v", link.Mode(), file.Mode())
	}
	if got, err := os.ReadFile(target); err != nil || string(got) != "new" {
		t.Errorf("the file holds %q, %v", got, err)
	}
}

// TestWriteFileFails: a file that cannot be put in place leaves nothing.
func TestWriteFileFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(path, "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := durable.WriteFile(path, []byte("x")); err == nil {
		t.Error("a folder was replaced")
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 1 {
		t.Errorf("left behind: %v, %v", names, err)
	}
}

// TestLeftoversAreSwept: the file of a killed process is removed, and one that another process
// is writing is not.
func TestLeftoversAreSwept(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a")
	old, fresh := path+".1.part", path+".2.part"
	for _, name := range []string{old, fresh} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	long := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(old, long, long); err != nil {
		t.Fatal(err)
	}
	if err := durable.WriteFile(path, nil); err != nil {
		t.Fatal(err)
	}
	if names, err := filepath.Glob(path + "?*"); err != nil || len(names) != 1 || names[0] != fresh {
		t.Errorf("left are %v, %v; want %s", names, err, fresh)
	}
}

// TestWriteFileKeepsOwner: a replaced file keeps its owner and mode, and a new one belongs
// to the owner of its folder, whichever user writes it, usually an administrator.
func TestWriteFileKeepsOwner(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		return // files have the permissions of their folder there
	}
	path := filepath.Join(t.TempDir(), "a")
	write := func() (owner string) {
		t.Helper()
		if err := durable.WriteFile(path, []byte("text")); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		v := reflect.ValueOf(info.Sys()).Elem()
		return fmt.Sprintf("%d:%d %o", v.FieldByName("Uid").Uint(), v.FieldByName("Gid").Uint(), info.Mode().Perm())
	}
	write()
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if got := write(); !strings.HasSuffix(got, " 640") {
		t.Errorf("owner and mode %s, want mode 640", got)
	}
	if os.Geteuid() != 0 {
		return // only root can change a file's owner
	}
	if err := os.Chown(path, 65534, 65533); err != nil {
		t.Fatal(err)
	}
	if got, want := write(), "65534:65533 640"; got != want {
		t.Errorf("replaced: owner and mode %s, want %s", got, want)
	}
	if err := errors.Join(os.Chown(filepath.Dir(path), 65534, 65533), os.Remove(path)); err != nil {
		t.Fatal(err)
	}
	if got, want := write(), "65534:65533 600"; got != want {
		t.Errorf("new: owner and mode %s, want %s", got, want)
	}
}
