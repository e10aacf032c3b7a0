package trust_test

import (
	"fmt"
	"testing"

	"tcode/offline/trust"
)

// BenchmarkParseBundle reads a bundle of 10,000 tenants with two keys each.
func BenchmarkParseBundle(b *testing.B) {
	r := newRepository(b)
	public := publicKey(b, "acme 0")
	r.bundle.Tenants, r.bundle.Keys = nil, nil
	for i := range 10_000 {
		ref := fmt.Sprintf("%06d", i)
		r.bundle.Tenants = append(r.bundle.Tenants, trust.Tenant{Reference: ref, Name: "A tenant with a name of thirty", State: trust.TenantActive})
		for seq := range uint8(2) {
			r.bundle.Keys = append(r.bundle.Keys, trust.Key{Tenant: ref, Seq: seq, Public: public, State: trust.KeySigning, ValidFrom: day0})
		}
	}
	r.publish()
	b.SetBytes(int64(len(r.rawBundle)))
	for b.Loop() {
		if _, err := trust.ParseBundle(r.fp, r.online.Key(), r.rawBundle); err != nil {
			b.Fatal(err)
		}
	}
}
