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

// BenchmarkOpen measures opening an outbox of 20,000 scans, with the check of
// every page.
func BenchmarkOpen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "outbox.db")
	o, err := outbox.Open(b.Context(), path)
	if err != nil {
		b.Fatal(err)
	}
	for range 40 {
		scans := make([]*outbox.Scan, 500)
		for i := range scans {
			scans[i] = scan(i)
		}
		if err := o.Record(b.Context(), scans...); err != nil {
			b.Fatal(err)
		}
	}
	if err := o.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		o, err := outbox.Open(b.Context(), path)
		if err != nil {
			b.Fatal(err)
		}
		if err := o.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
