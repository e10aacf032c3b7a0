package mkvectors_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"tcode/offline/payload"
)

// payloadVectors makes testdata/vectors/payload: five kinds of vectors, named
// by their prefix. offline/payload/FORMAT.md gives the meaning of each kind.
func payloadVectors() (files, error) {
	keys, err := newSigners()
	if err != nil {
		return nil, err
	}
	made := files{}
	for _, part := range []func(files, signers) error{
		goodPayloads, badPayloads, badSignatures, publicKeys, coseMessages,
		textForms, codewords, references,
	} {
		if err := part(made, keys); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// signers are the private keys of the vectors. They are public knowledge.
type signers struct {
	ed, edOther ed25519.PrivateKey
	es          rfc6979
}

func newSigners() (signers, error) {
	seed := func(name string) []byte {
		sum := sha256.Sum256([]byte("tcode vector key " + name))
		return sum[:]
	}
	es, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), seed("ES256"))
	if err != nil {
		return signers{}, err
	}
	return signers{
		ed:      ed25519.NewKeyFromSeed(seed("Ed25519")),
		edOther: ed25519.NewKeyFromSeed(seed("Ed25519 other")),
		es:      rfc6979{es},
	}, nil
}

// rfc6979 signs without randomness, so that the same vector has the same
// signature in every run.
type rfc6979 struct{ *ecdsa.PrivateKey }

func (s rfc6979) Sign(_ io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	return s.PrivateKey.Sign(nil, digest, opts)
}

// keyHeader is the header that names the public key of s.
func keyHeader(s crypto.Signer) (header, error) {
	k, err := payload.KeyOf(s.Public())
	if err != nil {
		return header{}, err
	}
	return header{"key", k.Algorithm().String() + " " + hex.EncodeToString(k.Bytes())}, nil
}

// sample is the payload that all others vary: nothing optional.
func sample() payload.Payload {
	p := payload.Payload{
		Issuer:       "ACME01",
		KeySeq:       1,
		Reference:    payload.Reference{0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0x55, 0xAA},
		DocumentType: "DIP",
		IssuedAt:     time.Date(2026, time.March, 14, 9, 26, 53, 0, time.UTC),
		Status:       payload.NewStatusIndex(2, 40961),
	}
	sum := sha256.Sum256([]byte("tcode vector document"))
	copy(p.Fingerprint[:], sum[:])
	return p
}

// goodPayloads are payloads that parse, verify and append back.
func goodPayloads(made files, keys signers) error {
	for _, tt := range append(basicPayloads(), boundPayloads()...) {
		for _, s := range []crypto.Signer{keys.ed, keys.es} {
			p := sample()
			tt.edit(&p)
			if err := p.Seal(s); err != nil {
				return fmt.Errorf("%s: %w", tt.name, err)
			}
			raw, err := p.Append(nil)
			if err != nil {
				return fmt.Errorf("%s: %w", tt.name, err)
			}
			if p.Algorithm == payload.ES256 && !tt.both {
				continue
			}
			k, err := keyHeader(s)
			if err != nil {
				return err
			}
			name := strings.ToLower(p.Algorithm.String()) + "-" + tt.name
			content := vector("ok", tt.comment, append([]header{k}, describe(p, raw)...), hexBody(raw))
			if err := made.add(name, content); err != nil {
				return err
			}
		}
	}
	return nil
}

// describe lists the values that a reader must find in the payload.
func describe(p payload.Payload, raw []byte) []header {
	hs := []header{
		{"algorithm", p.Algorithm.String()},
		{"test", fmt.Sprint(p.Test)},
		{"plain", fmt.Sprint(p.Plain)},
		{"issuer", p.Issuer},
		{"key-sequence", fmt.Sprint(p.KeySeq)},
		{"reference", p.Reference.String()},
		{"document-type", p.DocumentType},
		{"issued-at", p.IssuedAt.Format(time.RFC3339)},
		{"status-index", fmt.Sprintf("%d %d", p.Status.Shard(), p.Status.Entry())},
	}
	if !p.ExpiresAt.IsZero() {
		hs = append(hs, header{"expires-at", p.ExpiresAt.Format(time.RFC3339)})
	}
	for _, f := range p.Fields {
		if strings.ContainsFunc(f.Value, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf) }) {
			hs = append(hs, header{"field-hex", f.Key + "=" + hex.EncodeToString([]byte(f.Value))})
		} else {
			hs = append(hs, header{"field", f.Key + "=" + f.Value})
		}
	}
	hs = append(hs, header{"fingerprint", hex.EncodeToString(p.Fingerprint[:])})
	text := payload.EncodeText(raw)
	if _, side, err := payload.Codewords(text); err == nil {
		hs = append(hs, header{"side", fmt.Sprint(side)})
	} else {
		hs = append(hs, header{"side", "none"}) // fits no symbol
	}
	return append(hs, header{"text", text})
}
