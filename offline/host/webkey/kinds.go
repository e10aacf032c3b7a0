//go:build js

package webkey

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"syscall/js"

	"tcode/offline/host/webapi"
)

// generate makes a key pair of WebCrypto, or a sealed key where there is no Ed25519.
func generate(ctx context.Context) (js.Value, error) {
	pair, err := call(ctx, "generateKey", map[string]any{"name": "Ed25519"}, false, []any{"sign", "verify"})
	if e, ok := errors.AsType[*webapi.Error](err); ok && e.Name == "NotSupportedError" {
		return seal(ctx)
	}
	return pair, err
}

// call calls a function of WebCrypto.
func call(ctx context.Context, function string, args ...any) (js.Value, error) {
	return webapi.Await(ctx, func() js.Value { return js.Global().Get("crypto").Get("subtle").Call(function, args...) })
}

// native returns the key of a key pair of WebCrypto.
func native(ctx context.Context, pair js.Value) (*Key, error) {
	private := pair.Get("privateKey")
	if extractable := private.Get("extractable"); extractable.Type() != js.TypeBoolean || extractable.Bool() {
		return nil, errors.New("a program can read it")
	}
	public, err := call(ctx, "exportKey", "raw", pair.Get("publicKey"))
	if err != nil {
		return nil, fmt.Errorf("its public key: %w", err)
	}
	return &Key{public: webapi.Bytes(public), sign: func(ctx context.Context, message []byte) ([]byte, error) {
		signature, err := call(ctx, "sign", "Ed25519", private, webapi.Array(message))
		if err != nil {
			return nil, err
		}
		return webapi.Bytes(signature), nil
	}}, nil
}

// seal makes a seed, and returns the object with the seed encrypted.
func seal(ctx context.Context) (js.Value, error) {
	seed := make([]byte, ed25519.SeedSize)
	defer clear(seed)
	nonce := make([]byte, 12)
	for _, b := range [][]byte{seed, nonce} {
		if _, err := rand.Read(b); err != nil {
			return js.Undefined(), err
		}
	}
	key, err := call(ctx, "generateKey", map[string]any{"name": "AES-GCM", "length": 256}, false, []any{"encrypt", "decrypt"})
	if err != nil {
		return js.Undefined(), err
	}
	plain := webapi.Array(seed)
	defer plain.Call("fill", 0)
	hidden, err := call(ctx, "encrypt", map[string]any{"name": "AES-GCM", "iv": webapi.Array(nonce)}, key, plain)
	if err != nil {
		return js.Undefined(), err
	}
	public := ed25519.NewKeyFromSeed(seed).Public().(ed25519.PublicKey)
	return js.ValueOf(map[string]any{
		"key": key, "nonce": webapi.Array(nonce), "seed": hidden, "public": webapi.Array(public),
	}), nil
}

// unsealed returns the key of an object that seal made.
func unsealed(ctx context.Context, kept js.Value) (*Key, error) {
	for _, name := range []string{"key", "nonce", "seed", "public"} {
		if kept.Get(name).Type() != js.TypeObject {
			return nil, fmt.Errorf("it has no %s", name)
		}
	}
	open := func(ctx context.Context) (ed25519.PrivateKey, error) {
		plain, err := call(ctx, "decrypt", map[string]any{"name": "AES-GCM", "iv": kept.Get("nonce")}, kept.Get("key"), kept.Get("seed"))
		if err != nil {
			return nil, err
		}
		seed := webapi.Bytes(plain)
		defer clear(seed)
		js.Global().Get("Uint8Array").New(plain).Call("fill", 0)
		if len(seed) != ed25519.SeedSize {
			return nil, fmt.Errorf("its seed has %d bytes", len(seed))
		}
		return ed25519.NewKeyFromSeed(seed), nil
	}
	return &Key{public: webapi.Bytes(kept.Get("public")), sealed: true, sign: func(ctx context.Context, message []byte) ([]byte, error) {
		private, err := open(ctx)
		if err != nil {
			return nil, err
		}
		defer clear(private)
		return ed25519.Sign(private, message), nil
	}}, nil
}
