package verify_test

import (
	"fmt"
	"testing"

	"tcode/server/store/storetest"
	"tcode/server/verify"
	"tcode/sync/wire"
)

func BenchmarkByPayload(b *testing.B) {
	d := storetest.New(b)
	st := d.Stamp(b, d.Tenant(b, "Acme", "ACME01"), "n")
	text := b64(st.Payload)
	b.ReportAllocs()
	for b.Loop() {
		if r, err := d.Verify.ByPayload(b.Context(), anyone, text); err != nil || r.Verdict != verify.Valid {
			b.Fatal(r.Verdict, err)
		}
	}
}

func BenchmarkByReference(b *testing.B) {
	d := storetest.New(b)
	ref := d.Stamp(b, d.Tenant(b, "Acme", "ACME01"), "n").Reference.String()
	b.ReportAllocs()
	for b.Loop() {
		if r, err := d.Verify.ByReference(b.Context(), anyone, ref); err != nil || r.Verdict != verify.Valid {
			b.Fatal(r.Verdict, err)
		}
	}
}

// BenchmarkSync syncs full batches of new scans, of 100 stamps in turn.
func BenchmarkSync(b *testing.B) {
	d := storetest.New(b)
	id := d.Tenant(b, "Acme", "ACME01")
	var payloads []string
	for i := range 100 {
		payloads = append(payloads, b64(d.Stamp(b, id, fmt.Sprint(i)).Payload))
	}
	dev := newDevice(b)
	for b.Loop() {
		b.StopTimer()
		items := make([]wire.Item, wire.MaxItems)
		for i := range items {
			items[i] = dev.item(payloads[i%len(payloads)], d.Clock.Now())
		}
		batch := dev.batch(d.Clock.Now(), items...)
		proof := dev.sign(b, batch)
		b.StartTimer()
		if _, err := d.Verify.Sync(b.Context(), batch, proof); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*wire.MaxItems)/b.Elapsed().Seconds(), "scans/s")
}
