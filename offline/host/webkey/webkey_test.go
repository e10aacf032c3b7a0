//go:build js

package webkey

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"errors"
	"fmt"
	"os"
	"syscall/js"
	"testing"
	"time"

	"tcode/offline/host/webapi"
)

func newName(t *testing.T) string {
	return fmt.Sprintf("%s-%d", t.Name(), time.Now().UnixNano())
}

// both runs a test on a key of WebCrypto and on a sealed one.
func both(t *testing.T, test func(t *testing.T, name string, make func(context.Context) (js.Value, error))) {
	t.Run("native", func(t *testing.T) { test(t, newName(t), generate) })
	t.Run("sealed", func(t *testing.T) { test(t, newName(t), seal) })
}

func opened(t *testing.T, name string, make func(context.Context) (js.Value, error)) *Key {
	t.Helper()
	k, err := open(t.Context(), name, make)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestSignatures(t *testing.T) {
	both(t, func(t *testing.T, name string, make func(context.Context) (js.Value, error)) {
		k := opened(t, name, make)
		if !k.Fresh() || k.Sealed() != (t.Name() == "TestSignatures/sealed") {
			t.Errorf("fresh %t, sealed %t", k.Fresh(), k.Sealed())
		}
		public := k.Public().(ed25519.PublicKey)
		for _, message := range [][]byte{nil, {0}, []byte("scans"), []byte(newName(t))} {
			signature, err := k.Sign(nil, message, crypto.Hash(0))
			if err != nil || !ed25519.Verify(public, message, signature) {
				t.Errorf("signature of %q: %v", message, err)
			}
			if ed25519.Verify(public, append([]byte{1}, message...), signature) {
				t.Error("a signature holds for another message")
			}
		}
		for _, opts := range []crypto.SignerOpts{crypto.SHA512, &ed25519.Options{Context: "x"}} {
			if _, err := k.Sign(nil, []byte("scans"), opts); !errors.Is(err, ErrHash) {
				t.Errorf("%v: %v", opts, err)
			}
		}
		again := opened(t, name, make)
		if again.Fresh() || !again.public.Equal(public) {
			t.Error("the second Open has another key")
		}
	})
}

// stored returns the object in the database, as any script of the origin can.
func stored(t *testing.T, name string) (db, kept js.Value) {
	t.Helper()
	db, err := webapi.OpenStore(t.Context(), name, version, store)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Call("close") })
	if kept, err = load(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	return db, kept
}

// TestSecret: the browser gives no script the private key, in any format.
func TestSecret(t *testing.T) {
	both(t, func(t *testing.T, name string, make func(context.Context) (js.Value, error)) {
		sealed := opened(t, name, make).Sealed()
		_, kept := stored(t, name)
		secret := kept.Get("privateKey")
		if sealed {
			secret = kept.Get("key")
		}
		for _, format := range []string{"raw", "jwk", "pkcs8"} {
			out, err := call(t.Context(), "exportKey", format, secret)
			if e, ok := errors.AsType[*webapi.Error](err); !ok || out.Truthy() || e.Name != "InvalidAccessError" && e.Name != "NotSupportedError" {
				t.Errorf("%s: %v, %v", format, out, err)
			}
		}
	})
}

// TestConcurrent: those that open it first at the same time have one key.
func TestConcurrent(t *testing.T) {
	both(t, func(t *testing.T, name string, make func(context.Context) (js.Value, error)) {
		keys := [4]*Key{}
		done := [4]chan error{}
		for i := range keys {
			done[i] = newDone()
			go func() {
				var err error
				keys[i], err = open(t.Context(), name, make)
				done[i] <- err
			}()
		}
		fresh := 0
		for i := range keys {
			if err := <-done[i]; err != nil {
				t.Fatal(err)
			}
			if !keys[i].public.Equal(keys[0].public) {
				t.Error("two keys")
			}
			if keys[i].Fresh() {
				fresh++
			}
		}
		if fresh != 1 {
			t.Errorf("%d made the key", fresh)
		}
	})
}

func newDone() chan error { return make(chan error, 1) }

// TestDamaged: a stored object that is no whole key is an error, and no reason to make another key.
func TestDamaged(t *testing.T) {
	both(t, func(t *testing.T, name string, make func(context.Context) (js.Value, error)) {
		opened(t, name, make)
		db, kept := stored(t, name)
		readable, err := call(t.Context(), "generateKey", map[string]any{"name": "Ed25519"}, true, []any{"sign", "verify"})
		if err != nil {
			t.Fatal(err)
		}
		broken := js.Global().Get("Object").Call("assign", js.ValueOf(map[string]any{}), kept)
		broken.Set("public", webapi.Array(ed25519.NewKeyFromSeed(webapi.Bytes(webapi.Array(newSeed()))).Public().(ed25519.PublicKey)))
		broken.Set("publicKey", readable.Get("publicKey"))
		for what, object := range map[string]js.Value{
			"no object": js.ValueOf(7), "empty": js.ValueOf(map[string]any{}), "readable": readable, "other public key": broken,
		} {
			tx := db.Call("transaction", store, "readwrite")
			tx.Call("objectStore", store).Call("put", object, record)
			if err := webapi.Finished(t.Context(), tx); err != nil {
				t.Fatal(err)
			}
			if k, err := open(t.Context(), name, make); !errors.Is(err, ErrKey) {
				t.Errorf("%s: %v, %v", what, k, err)
			}
		}
	})
}

func newSeed() []byte { return []byte("0123456789abcdef0123456789abcdef") }

// TestKept prints the public keys, which the test that runs it compares after restarts of the browser.
func TestKept(t *testing.T) {
	if os.Getenv("KEPT") == "" {
		return // not one of those runs
	}
	native, err := Open(t.Context(), "kept")
	if err != nil {
		t.Fatal(err)
	}
	sealed := opened(t, "kept-sealed", seal)
	fmt.Printf("key %x %x %t %t.\n", native.public, sealed.public, native.Sealed(), sealed.Sealed())
	fmt.Println("shown")
}
