package payload_test

import (
	"testing"

	"tcode/offline/payload"
)

// benchVectors returns the names of the measured vectors: one like nearly every
// stamp, and one with all optional parts.
func benchVectors() []string {
	return []string{"ed25519-minimal", "ed25519-everything", "es256-minimal"}
}

func BenchmarkParse(b *testing.B) {
	for _, name := range benchVectors() {
		raw := body(b, readVectors(b, name)[0])
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := payload.Parse(raw); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkVerify(b *testing.B) {
	for _, name := range benchVectors() {
		v := readVectors(b, name)[0]
		raw, k := body(b, v), key(b, v)
		core, sig := payload.Core(raw), [payload.SignatureLen]byte(raw[len(raw)-payload.SignatureLen:])
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if !k.Verify(core, sig) {
					b.Fatal("does not verify")
				}
			}
		})
	}
}

func BenchmarkEncodeText(b *testing.B) {
	raw := body(b, readVectors(b, "ed25519-minimal")[0])
	b.ReportAllocs()
	for b.Loop() {
		payload.EncodeText(raw)
	}
}

func BenchmarkDecodeText(b *testing.B) {
	text := readVectors(b, "ed25519-minimal")[0].Get("text")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := payload.DecodeText(text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCodewords(b *testing.B) {
	text := readVectors(b, "ed25519-minimal")[0].Get("text")
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := payload.Codewords(text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParsePublicKey(b *testing.B) {
	for _, name := range []string{"key-ed25519", "key-es256"} {
		v := readVectors(b, name)[0]
		raw := body(b, v)
		alg, err := payload.ParseAlgorithm(v.Get("algorithm"))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := payload.ParsePublicKey(alg, raw); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
