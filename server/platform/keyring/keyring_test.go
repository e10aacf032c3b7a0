package keyring_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
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

// tinkKeyset was made by tink-go 2.9.0. Its second key seals.
const tinkKeyset = `{"primaryKeyId":690311704,"key":[` +
	`{"keyData":{"typeUrl":"type.googleapis.com/google.crypto.tink.AesGcmKey",` +
	`"value":"GiDqgTynl5Wz7jDpbBjuTUB/hDSJCJhOOFxrbgewUfhq1A==","keyMaterialType":"SYMMETRIC"},` +
	`"status":"ENABLED","keyId":1691176615,"outputPrefixType":"TINK"},` +
	`{"keyData":{"typeUrl":"type.googleapis.com/google.crypto.tink.AesGcmKey",` +
	`"value":"GiCbG5iCX/RfZbOY+xbhRuMO8eV7eljr93rr9aWytfiFOA==","keyMaterialType":"SYMMETRIC"},` +
	`"status":"ENABLED","keyId":690311704,"outputPrefixType":"TINK"}]}`

// TestForm: keysets and sealed bytes have the form of Tink, and a keyset with one fault is
// none.
func TestForm(t *testing.T) {
	t.Parallel()
	r, err := keyring.Open(t.TempDir(), tinkKeyset)
	if err != nil {
		t.Fatal(err)
	}
	sealed, _ := hex.DecodeString("0129255218ce1ea99dfc5bbe23311e761349a107e424f9e8c6f6652f05dd561b919fe5dc41258c2747")
	if plain, err := r.Open(sealed, "ACME01", "key 1"); string(plain) != "a secret" || err != nil {
		t.Errorf("what Tink sealed: %q, %v", plain, err)
	}
	if _, anew, err := r.Reseal(sealed, "ACME01", "key 1"); anew || err != nil {
		t.Errorf("resealed %v, %v: the second key seals", anew, err)
	}
	for n := range sealed {
		if _, err := r.Open(sealed[:n], "ACME01", "key 1"); !errors.Is(err, keyring.ErrSealed) {
			t.Errorf("the first %d bytes: %v, want ErrSealed", n, err)
		}
	}
	for what, change := range map[string][2]string{
		"no key that seals":    {`"primaryKeyId":690311704`, `"primaryKeyId":1`},
		"a key twice":          {`"keyId":1691176615`, `"keyId":690311704`},
		"a short key":          {`GiCbG5iCX/RfZbOY+xbhRuMO8eV7eljr93rr9aWytfiFOA==`, `GiA=`},
		"another kind of key":  {`AesGcmKey`, `AesGcmSivKey`},
		"a key without prefix": {`TINK`, `RAW`},
		"a disabled key":       {`ENABLED`, `DISABLED`},
		"an unknown member":    {`"status"`, `"more":1,"status"`},
		"cut short":            {`]}`, ``},
		"something after it":   {`]}`, `]} x`},
	} {
		_, err := keyring.Open(t.TempDir(), strings.ReplaceAll(tinkKeyset, change[0], change[1]))
		if !errors.Is(err, keyring.ErrKeyset) || strings.Contains(err.Error(), "GiC") {
			t.Errorf("%s: %v, want ErrKeyset without a key", what, err)
		}
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
