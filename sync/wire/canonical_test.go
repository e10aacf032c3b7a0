package wire_test

import (
	"bytes"
	"testing"
	"time"

	"tcode/sync/wire"
)

// FuzzParseCanonical: what is read as the canonical form of an item is written as the very
// same bytes.
func FuzzParseCanonical(f *testing.F) {
	it := wire.Item{
		ScanID: "0198a3c2-5d1e-7c44-9a51-0f5c8e2b7d10", Seq: 7, Payload: "p", Reference: "r", ScannedAt: time.UnixMilli(1_700_000_000_123).UTC(), OfflineVerdict: "valid",
		Assurance: "none", Binding: "match", TrustVersion: 9, Context: wire.Context{Location: "gate", Coordinates: true, LatitudeE6: -1, LongitudeE6: 2, Note: "é"},
	}
	whole := it.AppendCanonical(nil)
	f.Add(whole)
	f.Add(wire.Item{}.AppendCanonical(nil))
	f.Add(whole[:len(whole)-1])
	f.Fuzz(func(t *testing.T, b []byte) {
		it, ok := wire.ParseCanonical(b)
		if !ok {
			return
		}
		if again := it.AppendCanonical(nil); !bytes.Equal(again, b) {
			t.Fatalf("%x is read as %+v, which is written as %x", b, it, again)
		}
	})
}

func TestParseCanonical(t *testing.T) {
	t.Parallel()
	it := wire.Item{ScanID: "a", Payload: "p", ScannedAt: time.UnixMilli(5).UTC(), Context: wire.Context{Coordinates: true, LatitudeE6: -52_520_008}}
	whole := it.AppendCanonical(nil)
	if got, ok := wire.ParseCanonical(whole); !ok || got != it {
		t.Errorf("%+v, %v", got, ok)
	}
	for n := range whole {
		if _, ok := wire.ParseCanonical(whole[:n]); ok {
			t.Errorf("the first %d bytes are read", n)
		}
	}
	if _, ok := wire.ParseCanonical(append(whole, 0)); ok {
		t.Error("a byte behind the end is read")
	}
}
