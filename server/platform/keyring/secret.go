package keyring

import (
	"context"
	"crypto/rand"
	"fmt"
)

// SecretStore keeps sealed secrets by name. Package store implements it.
type SecretStore interface {
	// PutSecret stores sealed under name unless there is one already, and returns the stored
	// one.
	PutSecret(ctx context.Context, name string, sealed []byte) ([]byte, error)
	// Secret returns nil if there is none.
	Secret(ctx context.Context, name string) ([]byte, error)
}

// Secret returns the gateway's own secret of that name, size random bytes made at first
// use. Gateways on one database share it.
func (r *Ring) Secret(ctx context.Context, st SecretStore, name string, size int) ([]byte, error) {
	return r.SecretFunc(ctx, st, name, func() ([]byte, error) {
		b := make([]byte, size)
		rand.Read(b)
		return b, nil
	})
}

// SecretFunc is Secret for secrets that are not only random bytes: generate is called at
// first use.
func (r *Ring) SecretFunc(ctx context.Context, st SecretStore, name string, generate func() ([]byte, error)) ([]byte, error) {
	sealed, err := st.Secret(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("secret %s: %w", name, err)
	}
	if sealed == nil {
		plain, err := generate()
		if err != nil {
			return nil, fmt.Errorf("secret %s: %w", name, err)
		}
		if sealed, err = r.Seal(plain, "", name); err != nil {
			return nil, err
		}
		// Another gateway may have been first: the stored secret counts.
		if sealed, err = st.PutSecret(ctx, name, sealed); err != nil {
			return nil, fmt.Errorf("secret %s: %w", name, err)
		}
	}
	return r.Open(sealed, "", name)
}
