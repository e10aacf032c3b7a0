package durable_test

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"tcode/server/platform/durable"
)

// lockEnv makes this test program lock the folder that it names, say so, and wait for its end.
const lockEnv = "TCODE_TEST_LOCK"

func TestMain(m *testing.M) {
	if dir := os.Getenv(lockEnv); dir != "" {
		if _, err := durable.LockDir(dir); err != nil {
			panic(err)
		}
		os.Stdout.WriteString("locked\n")
		select {}
	}
	os.Exit(m.Run())
}

// TestLockDir: one process at a time has the lock of a folder, under whatever name, and a killed one gives it back.
func TestLockDir(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	dir, moved := filepath.Join(parent, "folder"), filepath.Join(parent, "moved")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), lockEnv+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill() // it may have ended
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if _, err := durable.LockDir(dir); !errors.Is(err, durable.ErrLocked) {
		t.Errorf("a locked folder: %v, want ErrLocked", err)
	}
	if err := os.Rename(dir, moved); err != nil {
		t.Fatal(err)
	}
	if _, err := durable.LockDir(moved); !errors.Is(err, durable.ErrLocked) {
		t.Errorf("a locked folder that was moved: %v, want ErrLocked", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	unlock, err := durable.LockDir(dir)
	if err != nil {
		t.Fatalf("another folder of that name: %v", err)
	}
	if err := errors.Join(unlock(), cmd.Process.Kill()); err != nil {
		t.Fatal(err)
	}
	cmd.Wait() //nolint:errcheck // it was killed
	for range 2 {
		unlock, err := durable.LockDir(moved)
		if err != nil {
			t.Fatalf("after its process was killed: %v", err)
		}
		if err := unlock(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := durable.LockDir(filepath.Join(parent, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no such folder: %v", err)
	}
}
