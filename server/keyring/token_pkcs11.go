//go:build pkcs11

package keyring

import (
	"context"
	"crypto"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/ThalesGroup/crypto11"

	"tcode/offline/payload"
	"tcode/server/fault"
)

// tokenPrefix begins what is stored, sealed, of a key that a token keeps: its
// CKA_ID in hex follows. Private keys that are stored themselves are ASN.1 and
// begin with 0x30.
const tokenPrefix = "pkcs11:id="

// A Token makes and uses signing keys inside a PKCS #11 token: private halves
// never leave it. It is safe for concurrent use.
type Token struct {
	ctx *crypto11.Context
}

// OpenToken logs in to the token.
func OpenToken(c TokenConfig) (*Token, error) {
	ctx, err := crypto11.Configure(&crypto11.Config{Path: c.Module, TokenLabel: c.Label, Pin: c.PIN})
	if err != nil {
		return nil, fmt.Errorf("open token %s: %w", c.Label, err)
	}
	return &Token{ctx}, nil
}

// Close logs out.
func (t *Token) Close() error { return t.ctx.Close() }

// Default is ES256, which every token can.
func (*Token) Default() payload.Algorithm { return payload.ES256 }

// New makes a P-256 key pair in the token; Ed25519 is refused, which few tokens
// and not the library can.
func (t *Token) New(_ context.Context, alg payload.Algorithm, label string) (crypto.Signer, []byte, error) {
	if alg != payload.ES256 {
		var p fault.Fields
		p.Add("algorithm", "must be ES256: the keys are kept in a token")
		return nil, nil, p.Err()
	}
	id := make([]byte, 16)
	rand.Read(id)
	signer, err := t.ctx.GenerateECDSAKeyPairWithLabel(id, []byte(label), elliptic.P256())
	if err != nil {
		return nil, nil, fmt.Errorf("make key in token: %w", err)
	}
	return signer, []byte(tokenPrefix + hex.EncodeToString(id)), nil
}

// Open finds a key that New made.
func (t *Token) Open(kept []byte) (crypto.Signer, bool, error) {
	text, mine := strings.CutPrefix(string(kept), tokenPrefix)
	if !mine {
		return nil, false, nil
	}
	id, err := hex.DecodeString(text)
	if err != nil {
		return nil, true, fmt.Errorf("name of the key in the token: %w", err)
	}
	signer, err := t.ctx.FindKeyPair(id, nil)
	if err != nil {
		return nil, true, fmt.Errorf("find key in token: %w", err)
	}
	return signer, true, nil
}
