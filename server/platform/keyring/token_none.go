//go:build !pkcs11

package keyring

import (
	"context"
	"crypto"

	"tcode/offline/payload"
)

// A Token keeps signing keys inside a PKCS #11 token; this build has none.
type Token struct{}

// OpenToken returns [ErrNoPKCS11].
func OpenToken(TokenConfig) (*Token, error) { return nil, ErrNoPKCS11 }

// Close does nothing.
func (*Token) Close() error { return nil }

// Ready returns [ErrNoPKCS11].
func (*Token) Ready() error { return ErrNoPKCS11 }

// Default is ES256.
func (*Token) Default() payload.Algorithm { return payload.ES256 }

// New returns [ErrNoPKCS11].
func (*Token) New(context.Context, payload.Algorithm, string) (crypto.Signer, []byte, error) {
	return nil, nil, ErrNoPKCS11
}

// Open returns [ErrNoPKCS11].
func (*Token) Open([]byte) (crypto.Signer, bool, error) { return nil, false, ErrNoPKCS11 }
