package gateway_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"tcode/cmd/internal/world"
	"tcode/server"
	"tcode/server/issue/stamp"
	"tcode/server/platform/spool"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// BenchmarkStamping measures the stamps that a gateway makes a second, with
// everything: the revision, the signature, files and rows on disk, and with proof the
// drawing of the place before, the finished page read back, and read as poor scans.
//
//	go test ./cmd/tests/gateway -run '^$' -bench Stamping -benchtime 200x
func BenchmarkStamping(b *testing.B) {
	for _, kind := range []struct {
		name     string
		readback stamp.Readback // nil: the gateway's own
	}{{"with-proof", nil}, {"without-proof", storetest.Readback{}}} {
		for _, name := range []string{"letter.pdf", "diploma.pdf", "scanned.pdf", "contract.pdf"} {
			b.Run(kind.name+"/"+name, func(b *testing.B) {
				stamping(b, kind.readback, world.Document(b, name))
			})
		}
	}
}

func stamping(b *testing.B, readback stamp.Readback, pdf []byte) {
	g, err := server.Open(b.Context(), server.Config{Init: true, Data: b.TempDir(), Readback: readback})
	if err != nil {
		b.Fatal(err)
	}
	defer g.Close()
	if _, err := g.Tenants.CreateTenant(b.Context(), "Acme", "ACME01"); err != nil {
		b.Fatal(err)
	}
	key, err := g.Tenants.CreateKey(b.Context(), "ACME01", tenant.KeyOptions{Name: "bench"})
	if err != nil {
		b.Fatal(err)
	}
	id, err := g.Tenants.Authenticate(b.Context(), key.Secret)
	if err != nil {
		b.Fatal(err)
	}
	var serial atomic.Int64
	one := func() error {
		_, err := g.Stamps.Create(b.Context(), id, stamp.Request{Name: fmt.Sprint("n", serial.Add(1)), DocumentTypeCode: "DIP", PDF: spool.Bytes(pdf)})
		return err
	}
	if err := one(); err != nil { // the children start
		b.Fatal(err)
	}
	b.ResetTimer()
	start := time.Now()
	b.SetParallelism(2)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := one(); err != nil {
				b.Error(err)
			}
		}
	})
	b.ReportMetric(float64(b.N)/time.Since(start).Seconds(), "stamps/s")
}
