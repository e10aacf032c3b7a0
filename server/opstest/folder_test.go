package opstest

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"tcode/server"
	"tcode/server/internal/harness"
	"tcode/server/platform/keyring"
	"tcode/server/store"
	"tcode/server/store/storetest"
)

// TestKeysetIsMissing: Open does not make a new master keyset in a folder that has
// lost its own. The new one could not open any key, and would block the old one.
func TestKeysetIsMissing(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		data := t.TempDir()
		cfg := server.Config{Init: true, Data: data, DatabaseURL: storetest.Begin(t, e, data).DatabaseURL}
		g, err := server.Open(t.Context(), cfg)
		must(t, err)
		must(t, g.Close())
		path, kept := filepath.Join(data, keyring.FileName), filepath.Join(t.TempDir(), "kept")
		must(t, os.Rename(path, kept))
		for range 2 {
			if _, err := server.Open(t.Context(), cfg); !errors.Is(err, server.ErrKeysetMissing) {
				t.Errorf("err = %v, want ErrKeysetMissing", err)
			}
		}
		if _, err := os.Stat(path); err == nil {
			t.Error("Open made a new keyset")
		}
		// Open fails with another gateway's keyset.
		other := server.Config{Init: true, Data: t.TempDir()}
		g, err = server.Open(t.Context(), other)
		must(t, err)
		must(t, g.Close())
		foreign, err := os.ReadFile(filepath.Join(other.Data, keyring.FileName))
		must(t, err)
		must(t, os.WriteFile(path, foreign, 0o600))
		if _, err := server.Open(t.Context(), cfg); !errors.Is(err, keyring.ErrSealed) {
			t.Errorf("err = %v, want ErrSealed", err)
		}
		must(t, os.Rename(kept, path))
		g, err = server.Open(t.Context(), cfg)
		must(t, err)
		must(t, g.Close())
	})
}

// TestFirstUseOfAFolder: gateways that begin one folder concurrently agree on its
// keyset.
//
//engine:sqlite its gateway runs on SQLite
func TestFirstUseOfAFolder(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	opened := make(chan error, 4)
	for range cap(opened) {
		go func() {
			g, err := server.Open(t.Context(), server.Config{Init: true, Data: data})
			if err == nil {
				err = g.Close()
			}
			opened <- err
		}()
	}
	for range cap(opened) {
		if err := <-opened; err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(data, store.FileName)); err != nil {
		t.Error(err)
	}
}

// TestFilesAreMissing: Open does not make a new files folder if the old one is
// missing, as on a file system that is not mounted: a later mount would hide the
// new files.
//
//engine:sqlite the files decide, not rows
func TestFilesAreMissing(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	r.Stamp(r.Tenant("ACME01"), "a")
	cfg := server.Config{Init: true, Data: r.Dir, DatabaseURL: storetest.Database(t, r.Dir).DatabaseURL}
	files := filepath.Join(r.Dir, "files")
	must(t, os.Rename(files, files+".away"))
	for _, with := range []string{"none", "an empty folder"} {
		if _, err := server.Open(t.Context(), cfg); !errors.Is(err, server.ErrFilesMissing) {
			t.Errorf("%s: err = %v, want ErrFilesMissing", with, err)
		}
		if _, err := os.Stat(files); err == nil && with == "none" {
			t.Error("Open made a new folder")
		}
		os.Mkdir(files, 0o700) // exists already the second time
	}
	must(t, os.Remove(files))
	must(t, os.Rename(files+".away", files))
	g, err := server.Open(t.Context(), cfg)
	must(t, err)
	must(t, g.Close())
}

// TestFolderIsOpen: the log warns of a data folder that every user may write to, and of
// no other.
//
//engine:sqlite the mode of the folder decides
func TestFolderIsOpen(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		return // the mode of a folder says nothing there
	}
	for _, mode := range []os.FileMode{0o700, 0o755, 0o777} {
		var log harness.LockedBuffer
		harness.Start(t, func(c *server.Config) {
			c.Log = slog.New(slog.NewJSONHandler(&log, nil))
			must(t, os.Chmod(c.Data, mode))
		})
		if warned := strings.Contains(log.String(), "may write to the data folder"); warned != (mode == 0o777) {
			t.Errorf("mode %o: warned %v", mode, warned)
		}
	}
}
