package payload

import (
	"crypto"
	"crypto/rand"
	"crypto/sha256"
	"math/big"
)

// The constant parts of RFC 9052's Sig_structure and COSE_Sign1, in CBOR.
const (
	cborContext    = "\x6aSignature1"   // text(10)
	cborEd25519    = "\x43\xa1\x01\x27" // bstr(3) {1: -8}, the protected header
	cborES256      = "\x43\xa1\x01\x26" // bstr(3) {1: -7}
	cborExternal   = "\x47TCode/1"      // bstr(7), external_aad
	cborSignature  = "\x58\x40"         // bstr(64)
	cborSigStruct  = "\x84"             // array(4)
	cborCOSESign1  = "\xd2\x84"         // tag(18) array(4)
	cborNoHeaders  = "\xa0"             // map(0), the unprotected header
	cborBytesMajor = 0x40               // major type 2
)

// ToSign returns the bytes that are signed: the Sig_structure of RFC 9052
// section 4.4 with context "Signature1", the protected header {1: algorithm},
// external_aad "TCode/1" and core as payload, in deterministic CBOR. It
// returns nil for an unknown algorithm.
func ToSign(alg Algorithm, core []byte) []byte {
	header := protectedHeader(alg)
	if header == "" {
		return nil
	}
	b := make([]byte, 0, len(cborSigStruct)+len(cborContext)+len(header)+len(cborExternal)+3+len(core))
	b = append(b, cborSigStruct...)
	b = append(b, cborContext...)
	b = append(b, header...)
	b = append(b, cborExternal...)
	return appendBytes(b, core)
}

// AppendCOSE appends p to b as a tagged COSE_Sign1 (RFC 9052 section 4.2, tag
// 18) whose payload is the core. A COSE library verifies it with "TCode/1" as
// external_aad. Its errors are those of [Payload.Append].
func AppendCOSE(b []byte, p Payload) ([]byte, error) {
	core, err := p.AppendCore(nil)
	if err != nil {
		return b, err
	}
	b = append(b, cborCOSESign1...)
	b = append(b, protectedHeader(p.Algorithm)...)
	b = append(b, cborNoHeaders...)
	b = appendBytes(b, core)
	b = append(b, cborSignature...)
	return append(b, p.Signature[:]...), nil
}

func protectedHeader(alg Algorithm) string {
	switch alg {
	case Ed25519:
		return cborEd25519
	case ES256:
		return cborES256
	}
	return ""
}

// appendBytes appends data as a CBOR byte string with the shortest head (RFC
// 8949 section 4.2.1). data is shorter than 64 KiB.
func appendBytes(b, data []byte) []byte {
	switch n := len(data); {
	case n < 24:
		b = append(b, cborBytesMajor|byte(n))
	case n < 1<<8:
		b = append(b, cborBytesMajor|24, byte(n))
	default:
		b = append(b, cborBytesMajor|25, byte(n>>8), byte(n))
	}
	return append(b, data...)
}

// Sign signs core with s, an Ed25519 or P-256 signer, whose key may be in a
// token or service. It returns the one of the two ES256 signatures that has s
// <= n/2. Sign verifies the result, so that a faulty signer cannot put an
// invalid stamp on paper: [ErrSigner]. The error is [ErrAlgorithm] if core
// names another algorithm than the signer's; it is s's own error if s fails.
func Sign(core []byte, s crypto.Signer) (sig [SignatureLen]byte, err error) {
	if s == nil {
		return sig, ErrSigner
	}
	key, err := KeyOf(s.Public())
	if err != nil {
		return sig, err
	}
	if !names(core, key.alg) {
		return sig, ErrAlgorithm
	}
	if sig, err = sign(ToSign(key.alg, core), key.alg, s); err != nil {
		return [SignatureLen]byte{}, err
	}
	if !key.Verify(core, sig) {
		return [SignatureLen]byte{}, ErrSigner
	}
	return sig, nil
}

func sign(msg []byte, alg Algorithm, s crypto.Signer) (sig [SignatureLen]byte, err error) {
	if alg == Ed25519 {
		raw, err := s.Sign(rand.Reader, msg, crypto.Hash(0))
		if err != nil {
			return sig, err
		}
		if len(raw) != SignatureLen {
			return sig, ErrSigner
		}
		return [SignatureLen]byte(raw), nil
	}
	digest := sha256.Sum256(msg)
	der, err := s.Sign(rand.Reader, digest[:], crypto.SHA256)
	if err != nil {
		return sig, err
	}
	return lowS(der)
}

// lowS converts the ASN.1 form of every P-256 [crypto.Signer] to r ‖ s, and
// replaces s by n - s if that is smaller.
func lowS(der []byte) (sig [SignatureLen]byte, err error) {
	// SEQUENCE { INTEGER r, INTEGER s } has at most 72 bytes, so lengths are short.
	if len(der) < 2 || der[0] != 0x30 || int(der[1]) != len(der)-2 {
		return sig, ErrSigner
	}
	r, rest := derInteger(der[2:])
	s, rest := derInteger(rest)
	if r == nil || s == nil || len(rest) != 0 {
		return sig, ErrSigner
	}
	half := new(big.Int).SetBytes([]byte(p256HalfOrder))
	if s.Cmp(half) > 0 {
		n := new(big.Int).Lsh(half, 1)
		n.Add(n, big.NewInt(1)) // n is odd
		s.Sub(n, s)
	}
	if r.BitLen() > 256 || s.Sign() <= 0 || s.BitLen() > 256 {
		return sig, ErrSigner
	}
	r.FillBytes(sig[:32])
	s.FillBytes(sig[32:])
	return sig, nil
}

// derInteger reads one positive INTEGER of at most 33 bytes; v is nil if there
// is none.
func derInteger(b []byte) (v *big.Int, rest []byte) {
	if len(b) < 2 || b[0] != 0x02 {
		return nil, nil
	}
	n := int(b[1])
	if n < 1 || n > 33 || len(b)-2 < n || b[2]&0x80 != 0 {
		return nil, nil
	}
	return new(big.Int).SetBytes(b[2 : 2+n]), b[2+n:]
}

// Seal sets the algorithm to that of s, signs, and sets the signature. On an
// error p is unchanged. Its errors are those of [Payload.AppendCore] and [Sign].
func (p *Payload) Seal(s crypto.Signer) error {
	if s == nil {
		return ErrSigner
	}
	key, err := KeyOf(s.Public())
	if err != nil {
		return err
	}
	sealed := *p
	sealed.Algorithm = key.alg
	core, err := sealed.AppendCore(make([]byte, 0, MinLen))
	if err != nil {
		return err
	}
	if sealed.Signature, err = Sign(core, s); err != nil {
		return err
	}
	*p = sealed
	return nil
}
