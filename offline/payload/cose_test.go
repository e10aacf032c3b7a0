package payload_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/veraison/go-cose"

	"tcode/offline/payload"
)

// TestGoCOSE: a COSE library without knowledge of TCode verifies the rebuilt
// COSE_Sign1 of every good vector, and refuses it after any change.
func TestGoCOSE(t *testing.T) {
	t.Parallel()
	algorithms := map[payload.Algorithm]cose.Algorithm{payload.Ed25519: cose.AlgorithmEdDSA, payload.ES256: cose.AlgorithmES256}
	seen := map[payload.Algorithm]int{}
	for _, v := range readVectors(t, "ed25519-", "es256-") {
		raw := body(t, v)
		p, err := payload.Parse(raw)
		if err != nil {
			t.Fatalf("%s: %v", v.Name, err)
		}
		message, err := payload.AppendCOSE(nil, p)
		if err != nil {
			t.Fatalf("%s: %v", v.Name, err)
		}
		verifier, err := cose.NewVerifier(algorithms[p.Algorithm], key(t, v).Crypto())
		if err != nil {
			t.Fatalf("%s: %v", v.Name, err)
		}
		var sign1 cose.Sign1Message
		if err := sign1.UnmarshalCBOR(message); err != nil {
			t.Fatalf("%s: not a COSE_Sign1: %v", v.Name, err)
		}
		core := payload.Core(raw)
		if !bytes.Equal(sign1.Payload, core) {
			t.Errorf("%s: payload %x, want %x", v.Name, sign1.Payload, core)
		}
		if alg, err := sign1.Headers.Protected.Algorithm(); err != nil || alg != algorithms[p.Algorithm] {
			t.Errorf("%s: algorithm %v, %v, want %v", v.Name, alg, err, algorithms[p.Algorithm])
		}
		if err := sign1.Verify([]byte("TCode/1"), verifier); err != nil {
			t.Errorf("%s: go-cose refuses it: %v", v.Name, err)
		}
		if again, err := sign1.MarshalCBOR(); err != nil || !bytes.Equal(again, message) {
			t.Errorf("%s: go-cose writes %x, %v, want %x", v.Name, again, err, message)
		}
		if sign1.Verify(nil, verifier) == nil {
			t.Errorf("%s: go-cose accepts it without external_aad", v.Name)
		}
		sign1.Payload[0] ^= 1
		if sign1.Verify([]byte("TCode/1"), verifier) == nil {
			t.Errorf("%s: go-cose accepts another payload", v.Name)
		}
		seen[p.Algorithm]++
	}
	if seen[payload.Ed25519] < 20 || seen[payload.ES256] < 5 {
		t.Errorf("saw %v, want both algorithms", seen)
	}
}

// TestGoCOSESigned: PublicKey.Verify accepts the signatures of a COSE library.
func TestGoCOSESigned(t *testing.T) {
	t.Parallel()
	for _, signer := range newSigners(t) {
		p := sample(t)
		k, err := payload.KeyOf(signer.Public())
		if err != nil {
			t.Fatal(err)
		}
		p.Algorithm = k.Algorithm()
		core, err := p.AppendCore(nil)
		if err != nil {
			t.Fatal(err)
		}
		alg := cose.AlgorithmEdDSA
		if strings.HasPrefix(k.Algorithm().String(), "ES") {
			alg = cose.AlgorithmES256
		}
		coseSigner, err := cose.NewSigner(alg, signer)
		if err != nil {
			t.Fatal(err)
		}
		accepted := 0
		for range 64 { // go-cose does not lower s: half of its ES256 signatures have s > n/2
			message := cose.Sign1Message{Headers: cose.Headers{Protected: cose.ProtectedHeader{cose.HeaderLabelAlgorithm: alg}}, Payload: core}
			if err := message.Sign(nil, []byte("TCode/1"), coseSigner); err != nil {
				t.Fatal(err)
			}
			if k.Verify(core, [payload.SignatureLen]byte(message.Signature)) {
				accepted++
			}
		}
		if alg == cose.AlgorithmEdDSA && accepted != 64 {
			t.Errorf("%v: accepted %d of 64", alg, accepted)
		}
		if alg == cose.AlgorithmES256 && (accepted == 0 || accepted == 64) {
			t.Errorf("%v: accepted %d of 64, want about half, those with s <= n/2", alg, accepted)
		}
	}
}
