package world

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"tcode/offline/host/sandbox"
	"tcode/server"
	"tcode/server/platform/durable"
	"tcode/testdata/corpus"
)

// Main runs the tests of a package, or the work of a child process of a gateway that a test
// serves. A TestMain calls it and does nothing else.
func Main(m *testing.M) {
	sandbox.Main(server.Roles()...)
	corpus.Root() // before a test changes the working folder
	os.Exit(m.Run())
}

// Path returns the absolute path of a file of this tree, which is named from the module's top.
func Path(name string) string { return filepath.Join(corpus.Root(), filepath.FromSlash(name)) }

// Program returns the path of one of our programs, built from this tree: tcode, tcode-demo,
// tcode-gateway or tcode-scan.
func Program(t testing.TB, name string) string {
	t.Helper()
	dir, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, name)
}

// programs builds the programs once, and returns their folder. The folder remains, so that the
// next test program, or another one at the same time, finds them up to date: go build links
// nothing then. A program that has become old is replaced as a whole.
var programs = sync.OnceValues(func() (string, error) {
	dir, err := programFolder(corpus.Root())
	if err != nil {
		return "", err
	}
	release, err := lock(filepath.Join(dir, "lock"))
	if err != nil {
		return "", err
	}
	defer release() //nolint:errcheck // the end of the process releases it too
	if err := dropOld(dir); err != nil {
		return "", err
	}
	// A build that was killed has left its files.
	left, err := filepath.Glob(filepath.Join(dir, "go-build*"))
	if err != nil {
		return "", err
	}
	for _, name := range left {
		if err := os.RemoveAll(name); err != nil {
			return "", err
		}
	}
	cmd := exec.Command("go", "build", "-o", dir+string(filepath.Separator),
		"./cmd/tcode", "./cmd/tcode-demo", "./cmd/tcode-gateway", "./cmd/tcode-scan")
	cmd.Dir = corpus.Root()
	// go build links below GOTMPDIR and renames, which is one step within a file system.
	cmd.Env = append(os.Environ(), "GOTMPDIR="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return dir, readFolders(corpus.Root())
})

// readFolders reads each folder of a tree. go test then runs a test again if a file of the tree
// has changed: it keeps results, and does not see which files go build has read.
func readFolders(root string) error {
	return filepath.WalkDir(root, func(_ string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // it was for a short time
			return nil
		case err == nil && (d.Name() == ".git" || d.Name() == "node_modules") && d.IsDir():
			return filepath.SkipDir
		}
		return err
	})
}

// programFolder makes the folder for the programs of the checkout at root, which this user
// alone can read: below the user's cache, or the folder for temporary files if there is none.
func programFolder(root string) (string, error) {
	sum := sha256.Sum256([]byte(root))
	name := hex.EncodeToString(sum[:8])
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("tcode-programs-%d-%s", os.Getuid(), name))
	if cache, err := os.UserCacheDir(); err == nil {
		dir = filepath.Join(cache, "tcode", "programs", name)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	if err := os.Chmod(dir, 0o700); err != nil { // it is another user's
		return "", err
	}
	info, err := os.Lstat(dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is no folder", dir)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, checkoutFile), []byte(root), 0o600)
	}
	return dir, err
}

// checkoutFile is in each folder for programs, and names the checkout.
const checkoutFile = "checkout"

// dropOld removes the folders beside dir whose checkouts are gone.
func dropOld(dir string) error {
	files, err := filepath.Glob(filepath.Join(filepath.Dir(dir), "*", checkoutFile))
	for _, file := range files {
		root, gone := os.ReadFile(file)
		if gone == nil {
			_, gone = os.Stat(string(root))
		}
		if errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, os.RemoveAll(filepath.Dir(file)))
		}
	}
	return err
}

// lock waits for the lock of the file name.
func lock(name string) (release func() error, err error) {
	for {
		release, err = durable.Hold(name, time.Now())
		var held *durable.HeldError
		if !errors.As(err, &held) {
			return release, err
		}
		time.Sleep(50 * time.Millisecond)
	}
}
