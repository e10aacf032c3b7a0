package keyring_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"tcode/server/platform/keyring"
	"tcode/server/store"
)

func TestSealOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r, err := keyring.Open(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	plain := []byte("private key")
	sealed, err := r.Seal(plain, "ACME01", "ACME01-0")
	if err != nil || bytes.Contains(sealed, plain) {
		t.Fatalf("sealed %q, %v", sealed, err)
	}
	again, err := keyring.Open(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := again.Open(sealed, "ACME01", "ACME01-0"); err != nil || !bytes.Equal(got, plain) {
		t.Errorf("opened again: %q, %v", got, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, keyring.FileName))
	if err != nil {
		t.Fatal(err)
	}
	env, err := keyring.Open(t.TempDir(), string(text))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := env.Open(sealed, "ACME01", "ACME01-0"); err != nil || !bytes.Equal(got, plain) {
		t.Errorf("keyset from the environment: %q, %v", got, err)
	}
	other, err := keyring.Open(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Clone(sealed)
	damaged[len(damaged)-1] ^= 1
	tests := []struct {
		name       string
		ring       *keyring.Ring
		sealed     []byte
		tenant, id string
	}{
		{"another tenant", r, sealed, "OTHER1", "ACME01-0"},
		{"another key", r, sealed, "ACME01", "ACME01-1"},
		{"the same letters split elsewhere", r, sealed, "ACME01A", "CME01-0"},
		{"another keyset", other, sealed, "ACME01", "ACME01-0"},
		{"a bit flipped", r, damaged, "ACME01", "ACME01-0"},
		{"empty", r, nil, "ACME01", "ACME01-0"},
	}
	for _, tt := range tests {
		if _, err := tt.ring.Open(tt.sealed, tt.tenant, tt.id); !errors.Is(err, keyring.ErrSealed) {
			t.Errorf("%s: %v, want ErrSealed", tt.name, err)
		}
	}
}

func TestFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := keyring.Open(dir, ""); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, keyring.FileName)
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
	if runtime.GOOS != "windows" {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
		}
		if err := os.Chmod(path, 0o640); err != nil {
			t.Fatal(err)
		}
		if _, err := keyring.Open(dir, ""); !errors.Is(err, keyring.ErrMode) {
			t.Errorf("group-readable: %v, want ErrMode", err)
		}
	}
	for _, text := range []string{"{}", "x", "[1]"} {
		if _, err := keyring.Open(dir, text); !errors.Is(err, keyring.ErrKeyset) {
			t.Errorf("keyset %q: %v, want ErrKeyset", text, err)
		}
	}
	if _, err := keyring.Open(filepath.Join(dir, "missing"), ""); err == nil {
		t.Error("a missing folder is no error")
	}
}

// TestFirstUseRaces: gateways that start at the same time end up with one keyset and one secret.
func TestFirstUseRaces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, err := store.Open(t.Context(), store.Config{Path: filepath.Join(dir, store.FileName)})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const n = 8
	secrets := make([][]byte, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			r, err := keyring.Open(dir, "")
			if err != nil {
				t.Error(err)
				return
			}
			if secrets[i], err = r.Secret(t.Context(), db, "urls", 32); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, s := range secrets {
		if len(s) != 32 || !bytes.Equal(s, secrets[0]) {
			t.Errorf("secrets differ: %x and %x", s, secrets[0])
		}
	}
}
