package payload_test

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"io"
	"math/big"
	"testing"

	"tcode/offline/payload"
)

// TestForgery flips each bit of 100 payloads and signs each with another key:
// none of these is accepted, and all of the untouched ones are.
func TestForgery(t *testing.T) {
	t.Parallel()
	for i, signer := range newSigners(t) {
		other := newSigners(t)[i]
		k, err := payload.KeyOf(signer.Public())
		if err != nil {
			t.Fatal(err)
		}
		t.Run(k.Algorithm().String(), func(t *testing.T) {
			t.Parallel()
			genuine, tried, want, accepted := 0, 0, 0, 0
			for n := range 50 { // of each algorithm
				p := sample(t)
				if n%2 == 1 {
					p.ExpiresAt = p.IssuedAt.AddDate(5, 0, 0)
					p.Fields = []payload.Field{{Key: "degree", Value: "BSc"}, {Key: "holder", Value: "Ada Lovelace"}}
				}
				if err := p.Seal(signer); err != nil {
					t.Fatal(err)
				}
				raw, err := p.Append(nil)
				if err != nil {
					t.Fatal(err)
				}
				if accepts(k, raw) {
					genuine++
				}
				want += len(raw)*8 + 1
				for bit := range len(raw) * 8 {
					raw[bit/8] ^= 1 << (bit % 8)
					tried++
					if accepts(k, raw) {
						accepted++
						t.Errorf("accepted with bit %d flipped: %x", bit, raw)
					}
					raw[bit/8] ^= 1 << (bit % 8)
				}
				if err := p.Seal(other); err != nil {
					t.Fatal(err)
				}
				forged, err := p.Append(nil)
				if err != nil {
					t.Fatal(err)
				}
				tried++
				if accepts(k, forged) {
					accepted++
					t.Errorf("accepted the signature of another key: %x", forged)
				}
			}
			if genuine != 50 || accepted != 0 || tried != want || want < 50*(108*8+1) {
				t.Errorf("accepted %d of 50 genuine, %d of %d forged", genuine, accepted, tried)
			}
		})
	}
}

// accepts verifies bytes with the key that it has looked up, as a verifier does.
func accepts(k payload.PublicKey, raw []byte) bool {
	p, err := payload.Parse(raw)
	return err == nil && k.Verify(payload.Core(raw), p.Signature)
}

func TestSealSetsAlgorithm(t *testing.T) {
	t.Parallel()
	for _, signer := range newSigners(t) {
		k, err := payload.KeyOf(signer.Public())
		if err != nil {
			t.Fatal(err)
		}
		for range 32 { // ES256 needs its s lowered in half of all runs
			p := sample(t)
			p.Algorithm = payload.Ed25519 + payload.ES256 - k.Algorithm() // the other one
			if err := p.Seal(signer); err != nil {
				t.Fatal(err)
			}
			core, err := p.AppendCore(nil)
			if err != nil {
				t.Fatal(err)
			}
			if p.Algorithm != k.Algorithm() || !k.Verify(core, p.Signature) {
				t.Fatalf("sealed as %v, does not verify as %v", p.Algorithm, k.Algorithm())
			}
		}
	}
}

// TestHighS: ES256 allows two signatures of one message; only the one with the
// low s counts.
func TestHighS(t *testing.T) {
	t.Parallel()
	signer := newSigners(t)[1]
	p := sample(t)
	if err := p.Seal(signer); err != nil {
		t.Fatal(err)
	}
	k, err := payload.KeyOf(signer.Public())
	if err != nil {
		t.Fatal(err)
	}
	core, err := p.AppendCore(nil)
	if err != nil {
		t.Fatal(err)
	}
	s := new(big.Int).SetBytes(p.Signature[32:])
	s.Sub(elliptic.P256().Params().N, s).FillBytes(p.Signature[32:])
	if k.Verify(core, p.Signature) {
		t.Error("accepted s > n/2")
	}
}

// A faulty signer has the public key and the signatures that the test sets.
type faulty struct {
	pub crypto.PublicKey
	sig []byte
	err error
}

func (f faulty) Public() crypto.PublicKey { return f.pub }

func (f faulty) Sign(io.Reader, []byte, crypto.SignerOpts) ([]byte, error) { return f.sig, f.err }

// An extended signer appends the number 1 to its DER sequence.
type extended struct{ crypto.Signer }

func (e extended) Sign(r io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	der, err := e.Signer.Sign(r, digest, opts)
	if err != nil {
		return nil, err
	}
	der[1] += 3
	return append(der, 0x02, 1, 1), nil
}

func TestSignRefuses(t *testing.T) {
	t.Parallel()
	signers := newSigners(t)
	edPub, esPub := signers[0].Public(), signers[1].Public()
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	down := errors.New("token is not there")
	der := func(r, s []byte) []byte {
		b := append([]byte{0x30, byte(4 + len(r) + len(s)), 0x02, byte(len(r))}, r...)
		return append(append(b, 0x02, byte(len(s))), s...)
	}
	big33 := append([]byte{1}, make([]byte, 32)...)
	tests := []struct {
		name   string
		signer crypto.Signer
		alg    payload.Algorithm
		want   error
	}{
		{"none", nil, payload.Ed25519, payload.ErrSigner},
		{"RSA", rsaKey, payload.ES256, payload.ErrAlgorithm},
		{"P-384", p384, payload.ES256, payload.ErrAlgorithm},
		{"no public key", faulty{}, payload.Ed25519, payload.ErrAlgorithm},
		{"nil ECDSA key", faulty{pub: (*ecdsa.PublicKey)(nil)}, payload.ES256, payload.ErrAlgorithm},
		{"short Ed25519 key", faulty{pub: ed25519.PublicKey{1}}, payload.Ed25519, payload.ErrPublicKey},
		{"core of the other algorithm", signers[0], payload.ES256, payload.ErrAlgorithm},
		{"ES256 with an Ed25519 core", signers[1], payload.Ed25519, payload.ErrAlgorithm},
		{"its own error", faulty{pub: edPub, err: down}, payload.Ed25519, down},
		{"its own error, ES256", faulty{pub: esPub, err: down}, payload.ES256, down},
		{"no signature", faulty{pub: edPub}, payload.Ed25519, payload.ErrSigner},
		{"wrong signature", faulty{pub: edPub, sig: make([]byte, 64)}, payload.Ed25519, payload.ErrSigner},
		{"not DER", faulty{pub: esPub, sig: make([]byte, 64)}, payload.ES256, payload.ErrSigner},
		{"empty DER", faulty{pub: esPub, sig: []byte{0x30, 0}}, payload.ES256, payload.ErrSigner},
		{"half a DER", faulty{pub: esPub, sig: []byte{0x30, 3, 2, 1, 1}}, payload.ES256, payload.ErrSigner},
		{"wrong DER", faulty{pub: esPub, sig: der([]byte{1}, []byte{1})}, payload.ES256, payload.ErrSigner},
		{"DER with more", faulty{pub: esPub, sig: append(der([]byte{1}, []byte{1}), 0)}, payload.ES256, payload.ErrSigner},
		{"s is 0", faulty{pub: esPub, sig: der([]byte{1}, []byte{0})}, payload.ES256, payload.ErrSigner},
		{"negative r", faulty{pub: esPub, sig: der([]byte{0x80}, []byte{1})}, payload.ES256, payload.ErrSigner},
		{"r of 257 bits", faulty{pub: esPub, sig: der(big33, []byte{1})}, payload.ES256, payload.ErrSigner},
		{"s of 257 bits", faulty{pub: esPub, sig: der([]byte{1}, big33)}, payload.ES256, payload.ErrSigner},
		{"r of 34 bytes", faulty{pub: esPub, sig: der(make([]byte, 34), []byte{1})}, payload.ES256, payload.ErrSigner},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := sample(t)
			p.Algorithm = tt.alg
			core, err := p.AppendCore(nil)
			if err != nil {
				t.Fatal(err)
			}
			sig, err := payload.Sign(core, tt.signer)
			if !errors.Is(err, tt.want) || sig != ([64]byte{}) {
				t.Errorf("Sign = %x, %v, want %v", sig, err, tt.want)
			}
		})
	}
	// This is a good signature with a third number inside the sequence.
	p := sample(t)
	if err := p.Seal(extended{signers[1]}); !errors.Is(err, payload.ErrSigner) {
		t.Errorf("three numbers: %v, want %v", err, payload.ErrSigner)
	}
	if err := p.Seal(nil); !errors.Is(err, payload.ErrSigner) {
		t.Errorf("Seal(nil): %v, want %v", err, payload.ErrSigner)
	}
}

// TestZeroKey: a forgotten key must not accept anything.
func TestZeroKey(t *testing.T) {
	t.Parallel()
	var k payload.PublicKey
	if k.Verify(nil, [64]byte{}) || k.Verify([]byte{payload.Magic, 0x10}, [64]byte{}) {
		t.Error("the zero key verifies")
	}
	if k.Algorithm() != 0 || k.Bytes() != nil || k.Crypto() != nil {
		t.Errorf("zero key: %v %x %v", k.Algorithm(), k.Bytes(), k.Crypto())
	}
	if _, err := payload.ParsePublicKey(0, make([]byte, 32)); !errors.Is(err, payload.ErrAlgorithm) {
		t.Errorf("ParsePublicKey of algorithm 0: %v, want %v", err, payload.ErrAlgorithm)
	}
	if payload.ToSign(0, []byte("core")) != nil {
		t.Error("ToSign of algorithm 0 gives bytes")
	}
}

// TestKeyBytesAreOwn: changing the result of Bytes does not change the key.
func TestKeyBytesAreOwn(t *testing.T) {
	t.Parallel()
	for _, signer := range newSigners(t) {
		k, err := payload.KeyOf(signer.Public())
		if err != nil {
			t.Fatal(err)
		}
		before := k.Bytes()
		clear(k.Bytes())
		if !bytes.Equal(before, k.Bytes()) {
			t.Error("the key changed")
		}
	}
}

// TestToSignLengths: core's length is written in 0, 1 or 2 bytes (RFC 8949
// section 4.2.1), on both sides of each bound.
func TestToSignLengths(t *testing.T) {
	t.Parallel()
	for n, head := range map[int][]byte{
		0: {0x40}, 23: {0x57}, 24: {0x58, 24}, 255: {0x58, 255}, 256: {0x59, 1, 0}, 4417: {0x59, 0x11, 0x41},
	} {
		core := bytes.Repeat([]byte{0xEE}, n)
		want := append([]byte("\x84\x6aSignature1\x43\xa1\x01\x27\x47TCode/1"), append(head, core...)...)
		if got := payload.ToSign(payload.Ed25519, core); !bytes.Equal(got, want) {
			t.Errorf("ToSign of %d bytes = %x, want %x", n, got, want)
		}
	}
}
