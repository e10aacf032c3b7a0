//go:build js

package webkey

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"syscall/js"

	"tcode/offline/host/webapi"
)

const (
	version = 1 // of the database's layout
	store   = "keys"
	record  = "device"
)

var (
	// ErrKey means that the stored key is damaged, or does not sign as its public key says.
	ErrKey = errors.New("the device key is unusable")
	// ErrHash means that the caller wants a signature of a hash; a Key signs whole messages.
	ErrHash = errors.New("the device key signs messages, not hashes")
)

// A Key is the key of a device. It is safe for concurrent use.
type Key struct {
	public ed25519.PublicKey
	sealed bool
	fresh  bool
	sign   func(ctx context.Context, message []byte) ([]byte, error)
}

var _ crypto.Signer = (*Key)(nil)

// Public returns the key's ed25519.PublicKey.
func (k *Key) Public() crypto.PublicKey { return k.public }

// Sealed reports whether the browser has no Ed25519, so that the seed is decrypted for each signature.
func (k *Key) Sealed() bool { return k.sealed }

// Fresh reports whether Open made the key: no gateway knows it.
func (k *Key) Fresh() bool { return k.fresh }

// Sign signs message; opts must say that it is no hash, as for ed25519.PrivateKey. It must not be called by a callback of the
// browser, which it would wait for.
func (k *Key) Sign(_ io.Reader, message []byte, opts crypto.SignerOpts) ([]byte, error) {
	if opts != nil && opts.HashFunc() != 0 {
		return nil, ErrHash
	}
	if o, ok := opts.(*ed25519.Options); ok && o.Context != "" {
		return nil, ErrHash
	}
	signature, err := k.sign(context.Background(), message)
	if err != nil {
		return nil, fmt.Errorf("sign with the device key: %w", err)
	}
	return signature, nil
}

// Open returns the key in the database of that name of this origin, and makes one if there is none. Tabs that make it
// concurrently get the same.
func Open(ctx context.Context, database string) (*Key, error) {
	return open(ctx, database, generate)
}

func open(ctx context.Context, database string, generate func(context.Context) (js.Value, error)) (*Key, error) {
	db, err := webapi.OpenStore(ctx, database, version, store)
	if err != nil {
		return nil, fmt.Errorf("open the store of the device key: %w", err)
	}
	defer db.Call("close")
	kept, err := load(ctx, db)
	if err != nil {
		return nil, err
	}
	fresh := kept.IsUndefined()
	if fresh {
		made, err := generate(ctx)
		if err != nil {
			return nil, fmt.Errorf("make the device key: %w", err)
		}
		if fresh, err = add(ctx, db, made); err != nil {
			return nil, fmt.Errorf("store the device key: %w", err)
		}
		if kept, err = load(ctx, db); err != nil { // what is stored counts
			return nil, err
		}
	}
	k, err := use(ctx, kept)
	if err != nil {
		return nil, err
	}
	k.fresh = fresh
	return k, nil
}

// load returns the stored object, or undefined.
func load(ctx context.Context, db js.Value) (js.Value, error) {
	var request js.Value
	tx, err := webapi.Try(func() js.Value {
		tx := db.Call("transaction", store, "readonly")
		request = tx.Call("objectStore", store).Call("get", record)
		return tx
	})
	if err == nil {
		err = webapi.Finished(ctx, tx)
	}
	if err != nil {
		return js.Undefined(), fmt.Errorf("read the device key: %w", err)
	}
	return request.Get("result"), nil
}

// add stores a key, and reports false if there is one already.
func add(ctx context.Context, db, key js.Value) (bool, error) {
	tx, err := webapi.Try(func() js.Value {
		tx := db.Call("transaction", store, "readwrite", map[string]any{"durability": "strict"})
		tx.Call("objectStore", store).Call("add", key, record)
		return tx
	})
	if err != nil {
		return false, err
	}
	err = webapi.Finished(ctx, tx)
	if e, ok := errors.AsType[*webapi.Error](err); ok && e.Name == "ConstraintError" {
		return false, nil
	}
	return err == nil, err
}

// use returns the key of a stored object, after a signature of it was verified.
func use(ctx context.Context, kept js.Value) (*Key, error) {
	if kept.Type() != js.TypeObject {
		return nil, fmt.Errorf("%w: %s is stored", ErrKey, kept.Type())
	}
	var k *Key
	var err error
	if kept.Get("privateKey").Truthy() {
		k, err = native(ctx, kept)
	} else {
		k, err = unsealed(ctx, kept)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKey, err)
	}
	probe := []byte("tcode: does this key sign?")
	signature, err := k.sign(ctx, probe)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKey, err)
	}
	if len(k.public) != ed25519.PublicKeySize || !ed25519.Verify(k.public, probe, signature) {
		return nil, fmt.Errorf("%w: its signature is not of its public key", ErrKey)
	}
	return k, nil
}
