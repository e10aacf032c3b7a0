package stamp_test

import (
	"testing"

	"tcode/server/store/storetest"
)

// BenchmarkCreate is the gateway's own part of a stamp: all but the PDF engine.
func BenchmarkCreate(b *testing.B) {
	d := storetest.New(b)
	id := d.Tenant(b, "Acme", "ACME01")
	for b.Loop() {
		d.Stamp(b, id, "n")
	}
}
