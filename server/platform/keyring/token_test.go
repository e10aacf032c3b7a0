//go:build pkcs11

package keyring_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/platform/keyring"
	"tcode/server/publish"
	"tcode/server/store"
	"tcode/server/tenant"
)

// softHSM makes a token in a new folder (Debian's softhsm2). The library reads its
// configuration once for each process, so all tests share it.
var softHSM = sync.OnceValues(func() (keyring.TokenConfig, error) {
	c := keyring.TokenConfig{Label: "tcode-test", PIN: "246810"}
	for _, path := range []string{"/usr/lib/softhsm/libsofthsm2.so", "/usr/lib64/softhsm/libsofthsm2.so", "/opt/homebrew/lib/softhsm/libsofthsm2.so"} {
		if _, err := os.Stat(path); err == nil {
			c.Module = path
		}
	}
	if c.Module == "" {
		return c, errors.New("no libsofthsm2.so: install softhsm2")
	}
	dir, err := os.MkdirTemp("", "softhsm")
	if err != nil {
		return c, err
	}
	conf := filepath.Join(dir, "softhsm2.conf")
	if err := os.Mkdir(filepath.Join(dir, "tokens"), 0o700); err != nil {
		return c, err
	}
	if err := os.WriteFile(conf, fmt.Appendf(nil, "directories.tokendir = %s/tokens\nlog.level = ERROR\n", dir), 0o600); err != nil {
		return c, err
	}
	if err := os.Setenv("SOFTHSM2_CONF", conf); err != nil {
		return c, err
	}
	out, err := exec.Command("softhsm2-util", "--init-token", "--free", "--label", c.Label, "--so-pin", "135790", "--pin", c.PIN).CombinedOutput()
	if err != nil {
		return c, fmt.Errorf("softhsm2-util: %w: %s", err, out)
	}
	return c, nil
})

func openToken(t *testing.T) *keyring.Token {
	t.Helper()
	c, err := softHSM()
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	token, err := keyring.OpenToken(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := token.Close(); err != nil {
			t.Error(err)
		}
	})
	return token
}

// TestTokenSigns: a key made in the token signs payloads that verify, also after the token
// was opened again, and its stored value is no private key.
func TestTokenSigns(t *testing.T) {
	token := openToken(t)
	signer, kept, err := token.New(t.Context(), payload.ES256, "ACME01-0")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(kept, []byte("pkcs11:id=")) || len(kept) != len("pkcs11:id=")+32 {
		t.Errorf("kept %q", kept)
	}
	public, err := payload.KeyOf(signer.Public())
	if err != nil {
		t.Fatal(err)
	}
	again, mine, err := openToken(t).Open(kept)
	if err != nil || !mine {
		t.Fatalf("open again: %v, %v", mine, err)
	}
	core := []byte{0xD7, 1<<4 | byte(payload.ES256)}
	for range 20 { // half of all ES256 signatures need a conversion to the low s
		sig, err := payload.Sign(core, again)
		if err != nil || !public.Verify(core, sig) {
			t.Fatalf("signature of the token does not verify: %v", err)
		}
	}
	if _, _, err := token.New(t.Context(), payload.Ed25519, "x"); !fault.Is(err, fault.Invalid) {
		t.Errorf("Ed25519: %v, want Invalid", err)
	}
	if _, mine, err := token.Open([]byte{0x30, 1, 2}); mine || err != nil {
		t.Errorf("a stored private key is taken for the token's: %v, %v", mine, err)
	}
	unknown := []byte("pkcs11:id=" + hex.EncodeToString(make([]byte, 16)))
	if _, mine, err := token.Open(unknown); !mine || err == nil {
		t.Errorf("unknown key: %v, %v", mine, err)
	}
}

// TestTokenComesBack: the fault says that a token is away, and a key that was in use
// before signs again when it is back.
func TestTokenComesBack(t *testing.T) {
	token := openToken(t)
	signer, kept, err := token.New(t.Context(), payload.ES256, "ACME01-9")
	if err != nil {
		t.Fatal(err)
	}
	core := []byte{0xD7, 1<<4 | byte(payload.ES256)}
	tokens := filepath.Join(filepath.Dir(os.Getenv("SOFTHSM2_CONF")), "tokens")
	if err := os.Rename(tokens, tokens+".away"); err != nil {
		t.Fatal(err)
	}
	unready := token.Ready()
	_, away := payload.Sign(core, signer)
	_, _, gone := token.Open(kept)
	if err := os.Rename(tokens+".away", tokens); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{"sign": away, "open": gone, "ready": unready} {
		if !fault.Is(err, fault.Unavailable) {
			t.Errorf("%s without the token: %v, want Unavailable", what, err)
		}
	}
	if err := token.Ready(); err != nil {
		t.Errorf("the token is back, and is not ready: %v", err)
	}
	public, err := payload.KeyOf(signer.Public())
	if err != nil {
		t.Fatal(err)
	}
	if sig, err := payload.Sign(core, signer); err != nil || !public.Verify(core, sig) {
		t.Errorf("the token is back, and does not sign: %v", err)
	}
}

// TestTenantKeysInToken: if the gateway has a token, tenants' keys live in it; older ones
// in memory continue, and a row moved to another tenant does not open.
func TestTenantKeysInToken(t *testing.T) {
	token := openToken(t)
	dir := t.TempDir()
	db, err := store.Open(t.Context(), store.Config{Path: filepath.Join(dir, store.FileName)})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ring, err := keyring.Open(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	memory := tenant.New(db, ring, nil, nil)
	if _, err := memory.CreateTenant(ctx, "Old", "OLDONE"); err != nil {
		t.Fatal(err)
	}
	tenants := tenant.New(db, ring, nil, nil, tenant.WithVault(token))
	if _, err := tenants.CreateTenant(ctx, "New", "NEWONE"); err != nil {
		t.Fatal(err)
	}
	for ref, want := range map[string]payload.Algorithm{"OLDONE": payload.Ed25519, "NEWONE": payload.ES256} {
		signer, seq, err := tenants.Signer(ctx, ref)
		if err != nil {
			t.Fatal(err)
		}
		if public, err := payload.KeyOf(signer.Public()); err != nil || public.Algorithm() != want || seq != 0 {
			t.Errorf("%s signs by %v, %v; want %v", ref, public.Algorithm(), err, want)
		}
	}
	// Without the token its keys cannot be used, and the fault says so.
	if _, _, err := memory.Signer(ctx, "NEWONE"); err == nil || !strings.Contains(err.Error(), "token") {
		t.Errorf("signer without the token: %v", err)
	}
	// The next key after a compromised Ed25519 key is one that the token can make.
	out, err := tenants.CompromiseSigningKey(ctx, "OLDONE", 0, time.Now())
	if err != nil || out.Next == nil || out.Next.Public.Algorithm() != payload.ES256 {
		t.Errorf("compromise: %+v, %v", out, err)
	}
	if _, err := publish.New(ctx, publish.Config{Store: db, Ring: ring}); err != nil {
		t.Error(err)
	}
}
