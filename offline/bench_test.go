package offline_test

import (
	"testing"

	"tcode/offline"
	"tcode/offline/binding"
)

// BenchmarkVerify judges a valid stamp: one signature, one shard hash.
func BenchmarkVerify(b *testing.B) {
	raw, _ := seal(b, stamp())
	v := offline.New(base(), offline.Policy{})
	for b.Loop() {
		r := v.Verify(offline.Clock{Now: noon}, offline.Request{Payload: raw, Binding: binding.Match})
		if r.Verdict != offline.Valid {
			b.Fatal(r.Verdict)
		}
	}
}
