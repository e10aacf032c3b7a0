package payload

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/sha256"
	"math/big"
)

// SignMessage signs a message that is not a payload with s, as [Sign] signs a
// core. msg must begin with a name of its format that begins no other message of
// these keys. Its first byte must differ from 0x84, the first byte of [ToSign].
func SignMessage(msg []byte, s crypto.Signer) (sig [SignatureLen]byte, err error) {
	if s == nil {
		return sig, ErrSigner
	}
	key, err := KeyOf(s.Public())
	if err != nil {
		return sig, err
	}
	if sig, err = sign(msg, key.alg, s); err != nil {
		return [SignatureLen]byte{}, err
	}
	if !key.VerifyMessage(msg, sig) {
		return [SignatureLen]byte{}, ErrSigner
	}
	return sig, nil
}

// VerifyMessage reports whether sig is the key's signature over msg, made by
// [SignMessage]. It is false for an ES256 signature with s > n/2.
func (k PublicKey) VerifyMessage(msg []byte, sig [SignatureLen]byte) bool {
	switch k.alg {
	case Ed25519:
		return ed25519.Verify(k.raw[:ed25519KeyLen], msg, sig[:])
	case ES256:
		if bytes.Compare(sig[32:], []byte(p256HalfOrder)) > 0 {
			return false
		}
		pub, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), k.raw[:])
		if err != nil {
			return false
		}
		digest := sha256.Sum256(msg)
		r, s := new(big.Int).SetBytes(sig[:32]), new(big.Int).SetBytes(sig[32:])
		return ecdsa.Verify(pub, digest[:], r, s)
	}
	return false
}
