package keyring_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"

	"tcode/server/fault"
	"tcode/server/platform/durable"
	"tcode/server/platform/keyring"
)

// TestRotateKeyset: a rotated keyset still opens data of the old key, a running ring
// follows the file, and after pruning only resealed data opens.
func TestRotateKeyset(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	open := func() *keyring.Ring {
		t.Helper()
		r, err := keyring.Open(dir, "")
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	running, operator := open(), open()
	old, err := running.Seal([]byte("secret"), "ACME01", "ACME01-0")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := operator.Rotate(); err != nil || text != nil {
		t.Fatalf("Rotate = %q, %v", text, err)
	}
	if keys := running.Keys(); len(keys) != 2 || keys[0].Primary || !keys[1].Primary {
		t.Errorf("keys of the running ring %+v, want the new one to seal", keys)
	}
	if info, err := os.Stat(filepath.Join(dir, keyring.FileName)); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if _, err := running.Open(old, "ACME01", "ACME01-0"); err != nil {
		t.Errorf("what the old key sealed: %v", err)
	}
	anew, changed, err := operator.Reseal(old, "ACME01", "ACME01-0")
	if err != nil || !changed {
		t.Fatalf("Reseal: %v, %v", changed, err)
	}
	if _, changed, err := operator.Reseal(anew, "ACME01", "ACME01-0"); err != nil || changed {
		t.Errorf("resealed twice: %v, %v", changed, err)
	}
	if _, _, err := operator.Reseal(old, "OTHER1", "OTHER1-0"); !errors.Is(err, keyring.ErrSealed) {
		t.Errorf("another tenant's: %v, want ErrSealed", err)
	}
	// The running ring seals by the new key, so pruning does not lose the data.
	fresh, err := running.Seal([]byte("fresh"), "ACME01", "ACME01-1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := operator.Prune(); err != nil {
		t.Fatal(err)
	}
	for _, r := range []*keyring.Ring{running, operator, open()} {
		if _, err := r.Open(old, "ACME01", "ACME01-0"); !errors.Is(err, keyring.ErrSealed) {
			t.Errorf("the pruned key still opens: %v", err)
		}
		for id, sealed := range map[string][]byte{"ACME01-0": anew, "ACME01-1": fresh} {
			if _, err := r.Open(sealed, "ACME01", id); err != nil {
				t.Errorf("%s after pruning: %v", id, err)
			}
		}
	}
}

// TestRingFollowsEveryChange: a ring that was idle during two changes of the keyset sees
// the second change, although the file may then have the inode number of the first.
func TestRingFollowsEveryChange(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	running, err := keyring.Open(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	operator, err := keyring.Open(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if _, err := operator.Rotate(); err != nil {
			t.Fatal(err)
		}
		if _, err := operator.Prune(); err != nil {
			t.Fatal(err)
		}
		sealed, err := running.Seal([]byte("fresh"), "ACME01", "ACME01-1")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := operator.Open(sealed, "ACME01", "ACME01-1"); err != nil {
			t.Fatalf("the running ring sealed by a key that was pruned: %v", err)
		}
	}
}

// TestRotateIsExclusive: only one process at a time changes the keyset, and a killed one
// does not block others.
func TestRotateIsExclusive(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r, err := keyring.Open(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(dir, keyring.FileName+".new")
	if err := os.WriteFile(left, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	unlock, err := durable.LockDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Rotate(); !errors.Is(err, keyring.ErrRotating) || len(r.Keys()) != 1 {
		t.Errorf("Rotate = %v with %d keys, want ErrRotating", err, len(r.Keys()))
	}
	if raw, err := os.ReadFile(left); err != nil || string(raw) != "half" {
		t.Errorf("the other's file: %q, %v", raw, err)
	}
	if err := unlock(); err != nil { // as the system does when a process ends
		t.Fatal(err)
	}
	if _, err := r.Rotate(); err != nil || len(r.Keys()) != 2 {
		t.Errorf("Rotate = %v, %d keys", err, len(r.Keys()))
	}
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("left: %v", err)
	}
}

// TestRotateFromEnvironment: Rotate returns a keyset from the environment for the operator to put there.
func TestRotateFromEnvironment(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := keyring.Open(dir, ""); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, keyring.FileName))
	if err != nil {
		t.Fatal(err)
	}
	r, err := keyring.Open(t.TempDir(), string(text))
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := r.Seal([]byte("x"), "", "n")
	if err != nil {
		t.Fatal(err)
	}
	next, err := r.Rotate()
	if err != nil || len(r.Keys()) != 1 {
		t.Fatalf("Rotate changed the ring: %v", err)
	}
	r2, err := keyring.Open(t.TempDir(), string(next))
	if err != nil || len(r2.Keys()) != 2 {
		t.Fatalf("the new keyset: %v", err)
	}
	if _, err := r2.Open(sealed, "", "n"); err != nil {
		t.Error(err)
	}
}

// TestRotateKeepsOwner: a changed keyset keeps its owner, so that a gateway can still read
// it, and a ring whose file cannot be read says so.
func TestRotateKeepsOwner(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, keyring.FileName)
	running, err := keyring.Open(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := running.Ready(); err != nil {
		t.Errorf("Ready: %v", err)
	}
	operator, err := keyring.Open(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 { // other users cannot change a file's owner, and need not
		if err := os.Chown(path, 65534, 65534); err != nil {
			t.Fatal(err)
		}
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := operator.Rotate(); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(path)
	if err != nil || owner(after) != owner(before) || after.Mode() != before.Mode() {
		t.Errorf("owner %s, mode %v, %v; want %s, %v", owner(after), after.Mode(), err, owner(before), before.Mode())
	}
	sealed, err := operator.Seal([]byte("secret"), "ACME01", "ACME01-0")
	if err != nil {
		t.Fatal(err)
	}
	stranger, err := keyring.Open(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stranger.Open(sealed, "ACME01", "ACME01-0"); !errors.Is(err, keyring.ErrSealed) {
		t.Errorf("another keyset: %v, want ErrSealed", err)
	}
	running, err = keyring.Open(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := operator.Rotate(); err != nil {
		t.Fatal(err)
	}
	if sealed, err = operator.Seal([]byte("secret"), "ACME01", "ACME01-0"); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := running.Ready(); err == nil {
		t.Error("Ready = nil with a keyset that cannot be read")
	}
	if _, err := running.Open(sealed, "ACME01", "ACME01-0"); err == nil || fault.As(err).Kind != fault.Unavailable {
		t.Errorf("Open by a key that cannot be read: %v, want unavailable", err)
	}
}

// TestRotateFollowsLinks: a keyset in another place, behind a symbolic link, stays there,
// and gateways that use either name continue.
func TestRotateFollowsLinks(t *testing.T) {
	t.Parallel()
	kept, dir := t.TempDir(), t.TempDir()
	first, err := keyring.Open(kept, "")
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, keyring.FileName)
	if err := os.Symlink(filepath.Join(kept, keyring.FileName), link); err != nil {
		t.Skip(err) // users may make none on some systems
	}
	ring, err := keyring.Open(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ring.Rotate(); err != nil {
		t.Fatal(err)
	}
	sealed, err := ring.Seal([]byte("secret"), "ACME01", "ACME01-0")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v now, %v", info.Mode(), err)
	}
	if _, err := first.Open(sealed, "ACME01", "ACME01-0"); err != nil || len(first.Keys()) != 2 {
		t.Errorf("%d keys where the keyset is kept, %v", len(first.Keys()), err)
	}
}

// owner returns the user and the group of a file, or "" where files have none.
func owner(info os.FileInfo) string {
	v := reflect.Indirect(reflect.ValueOf(info.Sys()))
	if runtime.GOOS == "windows" {
		return ""
	}
	return fmt.Sprintf("%d:%d", v.FieldByName("Uid").Uint(), v.FieldByName("Gid").Uint())
}

// TestRotateOfUnreadable: a keyset that cannot be read now is not replaced by one without
// the keys added meanwhile.
func TestRotateOfUnreadable(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("files have no modes there")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, keyring.FileName)
	var rings [2]*keyring.Ring
	var err error
	for i := range rings {
		if rings[i], err = keyring.Open(dir, ""); err != nil {
			t.Fatal(err)
		}
	}
	_, err = rings[0].Rotate()
	sealed, sealErr := rings[0].Seal([]byte("fresh"), "ACME01", "ACME01-1")
	if err = errors.Join(err, sealErr, os.Chmod(path, 0o644)); err != nil {
		t.Fatal(err)
	}
	if _, err := rings[1].Rotate(); !errors.Is(err, keyring.ErrMode) {
		t.Errorf("err = %v, want ErrMode", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, r := range rings {
		if _, err := r.Open(sealed, "ACME01", "ACME01-1"); err != nil {
			t.Errorf("what the added key sealed: %v", err)
		}
	}
}
