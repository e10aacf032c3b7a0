package mkvectors_test

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"

	"tcode/offline/payload"
)

// badSignatures parse, and no key accepts them.
func badSignatures(made files, keys signers) error {
	if err := changedPayloads(made, keys); err != nil {
		return err
	}
	if err := wrongMessages(made, keys); err != nil {
		return err
	}
	return wrongES256(made, keys)
}

// addSigned adds a payload that is refused with class signature.
func addSigned(made files, name, comment string, s crypto.Signer, raw []byte) error {
	k, err := keyHeader(s)
	if err != nil {
		return err
	}
	return made.add("signature-"+name, vector("signature", comment, []header{k}, hexBody(raw)))
}

// changedPayloads were good before one bit was changed.
func changedPayloads(made files, keys signers) error {
	p := sample()
	p.ExpiresAt = lastSecond()
	p.Fields = []payload.Field{{Key: "holder", Value: "Ada Lovelace"}}
	if err := p.Seal(keys.ed); err != nil {
		return err
	}
	good, err := p.Append(nil)
	if err != nil {
		return err
	}
	n := len(good)
	for _, c := range []struct {
		name string
		at   int
		mask byte
	}{
		{"flag", 2, 0x80},
		{"flag-plain", 2, 0x04},
		{"issuer", 6, 0x01},
		{"key-sequence", 7, 0x02},
		{"reference", 8, 0x80},
		{"type", 19, 0x01},
		{"issued-at", 23, 0x01},
		{"status-index", 27, 0x01},
		{"expiry", 31, 0x01},
		{"field-key", 34, 0x01},
		{"field-value", 52, 0x20},
		{"fingerprint", n - 65, 0x01},
		{"r", n - 64, 0x01},
		{"s", n - 1, 0x01},
	} {
		raw := slices.Clone(good)
		raw[c.at] ^= c.mask
		comment := fmt.Sprintf("good but for bits 0x%02x of byte %d", c.mask, c.at)
		if err := addSigned(made, "changed-"+c.name, comment, keys.ed, raw); err != nil {
			return err
		}
	}
	// S + L is the same signature to a verifier that does not check the range.
	l, _ := new(big.Int).SetString("1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed", 16)
	raw := slices.Clone(good)
	s := littleEndian(raw[n-32:])
	copy(raw[n-32:], toLittleEndian(s.Add(s, l)))
	if err := addSigned(made, "ed25519-s-plus-order", "S + L in place of S", keys.ed, raw); err != nil {
		return err
	}
	core := good[:n-payload.SignatureLen]
	raw = append(slices.Clone(core), torsionSignature(keys.ed, payload.ToSign(payload.Ed25519, core))...)
	return addSigned(made, "ed25519-torsion", "a point of order 8 was added to R before it was signed: good with the cofactor only", keys.ed, raw)
}

func littleEndian(b []byte) *big.Int {
	b = slices.Clone(b)
	slices.Reverse(b)
	return new(big.Int).SetBytes(b)
}

func toLittleEndian(v *big.Int) []byte {
	b := v.FillBytes(make([]byte, 32))
	slices.Reverse(b)
	return b
}

// wrongMessages carry the right key's signature over something else.
func wrongMessages(made files, keys signers) error {
	c, err := core(func(*payload.Payload) {})
	if err != nil {
		return err
	}
	right := payload.ToSign(payload.Ed25519, c)
	replaced := func(old, with string) []byte {
		return bytes.Replace(right, []byte(old), []byte(with), 1)
	}
	hashed := sha256.Sum256(right)
	for _, m := range []struct {
		name, comment string
		key           ed25519.PrivateKey
		msg           []byte
	}{
		{"other-key", "signed by another key", keys.edOther, right},
		{"bare-core", "the core itself was signed, not the Sig_structure", keys.ed, c},
		{"no-external-aad", "signed with an empty external_aad", keys.ed, replaced("\x47TCode/1", "\x40")},
		{"other-external-aad", "signed with external_aad TCode/2", keys.ed, replaced("TCode/1", "TCode/2")},
		{"other-context", "signed with context Signature", keys.ed, replaced("\x6aSignature1", "\x69Signature")},
		{"other-protected-header", "signed with the protected header of ES256", keys.ed, replaced("\x43\xa1\x01\x27", "\x43\xa1\x01\x26")},
		{"empty-protected-header", "signed with an empty protected header", keys.ed, replaced("\x43\xa1\x01\x27", "\x40")},
		{"long-length", "core's length in two bytes instead of one", keys.ed, replaced("\x58\x2c", "\x59\x00\x2c")},
		{"prehashed", "the SHA-256 of the Sig_structure was signed", keys.ed, hashed[:]},
	} {
		if m.key.Equal(keys.ed) && bytes.Equal(m.msg, right) {
			return fmt.Errorf("%s: the message is the right one", m.name)
		}
		raw := append(slices.Clone(c), ed25519.Sign(m.key, m.msg)...)
		if err := addSigned(made, m.name, m.comment, keys.ed, raw); err != nil {
			return err
		}
	}
	// The payload says ES256, the key is Ed25519 and its signature right.
	c[1] = payload.Version<<4 | byte(payload.ES256)
	raw := append(slices.Clone(c), ed25519.Sign(keys.ed, payload.ToSign(payload.Ed25519, c))...)
	return addSigned(made, "algorithm-not-the-keys", "ES256 in the payload, an Ed25519 key with a good Ed25519 signature", keys.ed, raw)
}

// wrongES256 are forms of r and s that must not be accepted.
func wrongES256(made files, keys signers) error {
	p := sample()
	if err := p.Seal(keys.es); err != nil {
		return err
	}
	c, err := p.AppendCore(nil)
	if err != nil {
		return err
	}
	n := elliptic.P256().Params().N
	r, s := p.Signature[:32], new(big.Int).SetBytes(p.Signature[32:])
	num := func(v *big.Int) []byte { return v.FillBytes(make([]byte, 32)) }
	zero := make([]byte, 32)
	half := new(big.Int).Rsh(n, 1)
	reversed := func(b []byte) []byte { return toLittleEndian(new(big.Int).SetBytes(b)) }
	for _, m := range []struct {
		name, comment string
		r, s          []byte
	}{
		{"es256-high-s", "n - s in place of s: good mathematics, refused", r, num(new(big.Int).Sub(n, s))},
		{"es256-half-plus-one", "s just above n/2", r, num(half.Add(half, big.NewInt(1)))},
		{"es256-r-zero", "r is 0", zero, num(s)},
		{"es256-s-zero", "s is 0", r, zero},
		{"es256-both-zero", "r and s are 0", zero, zero},
		{"es256-r-order", "r is n", num(n), num(s)},
		{"es256-r-ones", "r is 2^256 - 1", slices.Repeat([]byte{0xFF}, 32), num(s)},
		{"es256-swapped", "s before r", num(s), r},
		{"es256-little-endian", "r and s with their lowest byte first", reversed(r), reversed(num(s))},
	} {
		raw := slices.Concat(c, m.r, m.s)
		if err := addSigned(made, m.name, m.comment, keys.es, raw); err != nil {
			return err
		}
	}
	// An Ed25519 payload under an ES256 key whose signature over it is good.
	c[1] = payload.Version<<4 | byte(payload.Ed25519)
	sig, err := signES256(keys.es, payload.ToSign(payload.ES256, c))
	if err != nil {
		return err
	}
	return addSigned(made, "es256-algorithm-not-the-keys", "Ed25519 in the payload, an ES256 key with a good ES256 signature", keys.es, append(c, sig...))
}

// signES256 signs any message; [payload.Sign] would refuse a core that names
// another algorithm.
func signES256(key rfc6979, msg []byte) ([]byte, error) {
	digest := sha256.Sum256(msg)
	der, err := key.Sign(nil, digest[:], crypto.SHA256)
	if err != nil {
		return nil, err
	}
	rLen := int(der[3])
	r := new(big.Int).SetBytes(der[4 : 4+rLen])
	s := new(big.Int).SetBytes(der[4+rLen+2:])
	n := elliptic.P256().Params().N
	if other := new(big.Int).Sub(n, s); other.Cmp(s) < 0 {
		s = other
	}
	return append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...), nil
}

// coseMessages are payloads rebuilt as tagged COSE_Sign1.
func coseMessages(made files, keys signers) error {
	for _, s := range []crypto.Signer{keys.ed, keys.es} {
		p := sample()
		p.Fields = []payload.Field{{Key: "holder", Value: "Ada Lovelace"}}
		if err := p.Seal(s); err != nil {
			return err
		}
		raw, err := p.Append(nil)
		if err != nil {
			return err
		}
		msg, err := payload.AppendCOSE(nil, p)
		if err != nil {
			return err
		}
		k, err := keyHeader(s)
		if err != nil {
			return err
		}
		headers := []header{k, {"payload", hex.EncodeToString(raw)}}
		name := "cose-" + p.Algorithm.String()
		if err := made.add(name, vector("ok", "tagged COSE_Sign1 of a payload", headers, hexBody(msg))); err != nil {
			return err
		}
	}
	return nil
}
