package trust

import (
	"crypto"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"tcode/offline/payload"
)

// MaxNameLen is the longest key name in bytes.
const MaxNameLen = 64

// A VerifierKey is an Ed25519 public key that signs trust documents, with the
// name in its signature lines. The zero VerifierKey is no key.
type VerifierKey struct {
	Name   string   // 1 to 64 of [A-Za-z0-9._/-]; by habit host/purpose
	Public [32]byte // RFC 8032 encoding
}

// NewVerifierKey checks a name and a key. It refuses keys of small order and
// keys in a non-canonical encoding. The error wraps ErrKey.
func NewVerifierKey(name string, public ed25519.PublicKey) (VerifierKey, error) {
	if !validName(name) {
		return VerifierKey{}, fmt.Errorf("%w: name %q", ErrKey, name)
	}
	if _, err := payload.ParsePublicKey(payload.Ed25519, public); err != nil {
		return VerifierKey{}, fmt.Errorf("%w: %s: %w", ErrKey, name, err)
	}
	return VerifierKey{Name: name, Public: [32]byte(public)}, nil
}

// ParseVerifierKey reads the encoding of C2SP signed-note:
// name+hash+base64(0x01 || key). It accepts only the text that
// [VerifierKey.String] returns. The error wraps ErrKey.
func ParseVerifierKey(s string) (VerifierKey, error) {
	name, rest, _ := strings.Cut(s, "+")
	_, encoded, _ := strings.Cut(rest, "+")
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(raw) != 1+ed25519.PublicKeySize {
		return VerifierKey{}, fmt.Errorf("%w: %.100q is not an Ed25519 verifier key", ErrKey, s)
	}
	k, err := NewVerifierKey(name, raw[1:])
	if err != nil {
		return VerifierKey{}, err
	}
	// Comparing the text checks the algorithm byte, the key hash, the spelling
	// of the hash and Base64's trailing bits in one step.
	if k.String() != s {
		return VerifierKey{}, fmt.Errorf("%w: %.100q is not written as %q", ErrKey, s, k.String())
	}
	return k, nil
}

// IsZero reports whether k is no key.
func (k VerifierKey) IsZero() bool { return k == VerifierKey{} }

// String returns the signed-note verifier key, name+hash+base64.
func (k VerifierKey) String() string {
	s, err := note.NewEd25519VerifierKey(k.Name, k.Public[:])
	if err != nil { // the type fixes the length
		return k.Name
	}
	return s
}

// NoteVerifier returns k for use with package note.
func (k VerifierKey) NoteVerifier() (note.Verifier, error) {
	v, err := note.NewVerifier(k.String())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKey, err)
	}
	return v, nil
}

func validName(name string) bool {
	if name == "" || len(name) > MaxNameLen {
		return false
	}
	for i := range len(name) {
		c := name[i]
		if !alphanumeric(c) && c != '.' && c != '_' && c != '/' && c != '-' {
			return false
		}
	}
	return true
}

func alphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// A Signer signs trust documents with an Ed25519 key that may be elsewhere (in
// a file, PKCS#11, a KMS). It is a [note.Signer]. It is safe for concurrent use
// if its crypto.Signer is.
type Signer struct {
	key    VerifierKey
	hash   uint32
	signer crypto.Signer
}

var _ note.Signer = (*Signer)(nil)

// NewSigner returns a Signer of that name. The error wraps ErrKey if key is
// not Ed25519 or the name is not usable.
func NewSigner(name string, key crypto.Signer) (*Signer, error) {
	public, ok := key.Public().(ed25519.PublicKey)
	if !ok {
		return nil, fmt.Errorf("%w: %T is not Ed25519", ErrKey, key.Public())
	}
	vk, err := NewVerifierKey(name, public)
	if err != nil {
		return nil, err
	}
	v, err := vk.NoteVerifier()
	if err != nil {
		return nil, err
	}
	return &Signer{key: vk, hash: v.KeyHash(), signer: key}, nil
}

// Key returns the public half.
func (s *Signer) Key() VerifierKey { return s.key }

// Name returns the key's name.
func (s *Signer) Name() string { return s.key.Name }

// KeyHash returns the key's hash as signed-note computes it.
func (s *Signer) KeyHash() uint32 { return s.hash }

// errSelfCheck says that an external key returned a wrong signature.
var errSelfCheck = errors.New("the key returned a signature that does not verify")

// Sign signs msg by RFC 8032 Ed25519, without pre-hash, and checks the result.
func (s *Signer) Sign(msg []byte) ([]byte, error) {
	sig, err := s.signer.Sign(nil, msg, crypto.Hash(0))
	if err != nil {
		return nil, fmt.Errorf("sign as %s: %w", s.key.Name, err)
	}
	if !ed25519.Verify(s.key.Public[:], msg, sig) {
		return nil, fmt.Errorf("sign as %s: %w", s.key.Name, errSelfCheck)
	}
	return sig, nil
}
