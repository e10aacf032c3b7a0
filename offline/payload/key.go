package payload

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
)

const (
	ed25519KeyLen = ed25519.PublicKeySize // RFC 8032 section 5.1.5
	es256KeyLen   = 65                    // 04 ‖ x ‖ y, SEC 1 section 2.3.3
)

// A PublicKey is an issuer's key that may verify payloads. The zero value
// verifies nothing. Keys are values and can be compared with ==.
type PublicKey struct {
	alg Algorithm
	raw [es256KeyLen]byte // an Ed25519 key fills the first 32
}

// ParsePublicKey reads an Ed25519 key of 32 bytes (RFC 8032) or an ES256 key of
// 65 bytes (SEC 1, uncompressed). It refuses with [ErrPublicKey] another length,
// points that are not on the curve, the identity, and for Ed25519 also encodings
// that are not canonical (y >= p) and points of small order, for which everyone
// can sign. The error for an unknown algorithm is [ErrAlgorithm].
func ParsePublicKey(alg Algorithm, raw []byte) (PublicKey, error) {
	switch alg {
	case Ed25519:
		if len(raw) != ed25519KeyLen || !goodEd25519Point([ed25519KeyLen]byte(raw)) {
			return PublicKey{}, ErrPublicKey
		}
	case ES256:
		if _, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), raw); err != nil {
			return PublicKey{}, ErrPublicKey
		}
	default:
		return PublicKey{}, ErrAlgorithm
	}
	k := PublicKey{alg: alg}
	copy(k.raw[:], raw)
	return k, nil
}

// KeyOf returns the key of an [ed25519.PublicKey] or of a [*ecdsa.PublicKey] on
// P-256. The error is [ErrAlgorithm] for other types and curves and
// [ErrPublicKey] for bad points.
func KeyOf(pub crypto.PublicKey) (PublicKey, error) {
	switch pub := pub.(type) {
	case ed25519.PublicKey:
		return ParsePublicKey(Ed25519, pub)
	case *ecdsa.PublicKey:
		if pub == nil || pub.Curve != elliptic.P256() {
			return PublicKey{}, ErrAlgorithm
		}
		raw, err := pub.Bytes()
		if err != nil {
			return PublicKey{}, ErrPublicKey
		}
		return ParsePublicKey(ES256, raw)
	}
	return PublicKey{}, ErrAlgorithm
}

// Algorithm returns the key's algorithm, 0 for the zero key.
func (k PublicKey) Algorithm() Algorithm { return k.alg }

// Bytes returns a copy of the bytes that [ParsePublicKey] takes: 32 or 65
// bytes, none for the zero key.
func (k PublicKey) Bytes() []byte {
	switch k.alg {
	case Ed25519:
		return bytes.Clone(k.raw[:ed25519KeyLen])
	case ES256:
		return bytes.Clone(k.raw[:])
	}
	return nil
}

// Equal reports whether both are the same key of the same algorithm.
func (k PublicKey) Equal(other PublicKey) bool { return k == other }

// Crypto returns the key as an [ed25519.PublicKey] or [*ecdsa.PublicKey], for
// export as PEM or JWK; nil for the zero key.
func (k PublicKey) Crypto() crypto.PublicKey {
	switch k.alg {
	case Ed25519:
		return ed25519.PublicKey(k.Bytes())
	case ES256:
		if pub, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), k.raw[:]); err == nil {
			return pub
		}
	}
	return nil
}

// Verify reports whether sig is the key's signature over core. It is also false
// if core names another algorithm than the key's, and for an ES256 signature
// with s > n/2, so that no second signature can be derived from a first.
func (k PublicKey) Verify(core []byte, sig [SignatureLen]byte) bool {
	return names(core, k.alg) && k.VerifyMessage(ToSign(k.alg, core), sig)
}

// names reports whether core's second byte holds version 1 and alg.
func names(core []byte, alg Algorithm) bool {
	return len(core) >= 2 && core[1] == Version<<4|byte(alg)
}

// p256HalfOrder is n/2 rounded down, n the order of P-256, big-endian.
const p256HalfOrder = "\x7f\xff\xff\xff\x80\x00\x00\x00\x7f\xff\xff\xff\xff\xff\xff\xff" +
	"\xde\x73\x7d\x56\xd3\x8b\xcf\x42\x79\xdc\xe5\x61\x7e\x31\x92\xa8"
