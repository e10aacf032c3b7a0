package outbox_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"tcode/sync/outbox"
)

// BenchmarkRecord measures one durable commit of 1, 20 or 500 scans.
func BenchmarkRecord(b *testing.B) {
	for _, n := range []int{1, 20, 500} {
		b.Run(fmt.Sprintf("scans=%d", n), func(b *testing.B) {
			o, err := outbox.Open(b.Context(), filepath.Join(b.TempDir(), "outbox.db"))
			if err != nil {
				b.Fatal(err)
			}
			defer o.Close()
			for b.Loop() {
				scans := make([]*outbox.Scan, n)
				for i := range scans {
					scans[i] = scan(i)
				}
				if err := o.Record(b.Context(), scans...); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
