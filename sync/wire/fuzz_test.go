package wire_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/sync/wire"
)

// FuzzDecodeBatch: no input panics; every refusal names its place; an accepted
// batch is also JSON for the standard library, survives its own encoding, and
// has one canonical form per item.
func FuzzDecodeBatch(f *testing.F) {
	_, b := readVectors(f)
	raw, err := b.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add([]byte(ok(item(scanID, `,"seq":3,"context":{"latitudeE6":1,"longitudeE6":2}`))))
	f.Add([]byte(`{"payload":"1xEA","context":{"scannerId":"gate-4","location":"\ud83d\ude00"}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		b, err := wire.DecodeBatch(raw)
		if err != nil {
			if _, ok := errors.AsType[*wire.FieldError](err); !ok {
				t.Fatalf("error %T names no field", err)
			}
			return
		}
		if !json.Valid(raw) {
			t.Fatal("accepted invalid JSON")
		}
		forms := map[string]wire.Item{}
		for _, it := range b.Items {
			key := string(it.AppendCanonical(nil))
			if other, twice := forms[key]; twice {
				t.Fatalf("one canonical form for two items: %v, %v", it, other)
			}
			forms[key] = it
		}
		if b.Single {
			return // the gateway adds the members that this form lacks
		}
		again, err := b.Encode()
		if errors.Is(err, wire.ErrTooLarge) {
			return // our spelling is longer than the client's
		}
		if err != nil {
			t.Fatalf("does not encode: %v", err)
		}
		b2, err := wire.DecodeBatch(again)
		if err != nil {
			t.Fatalf("own encoding refused: %v", err)
		}
		b.Ignored = nil
		if d := cmp.Diff(b, b2); d != "" {
			t.Fatalf("round trip (-first +second):\n%s", d)
		}
		if b.Digest() != b2.Digest() {
			t.Fatal("the digest changed on the way")
		}
	})
}

// FuzzItemDigest: the canonical form is injective. Two items that differ in any
// member differ in their form.
func FuzzItemDigest(f *testing.F) {
	f.Add("a", "b", uint64(1), "c", "d", uint64(2), "e", int32(3), int32(4), true)
	f.Fuzz(func(t *testing.T, id, payload string, seq uint64, verdict, location string, version uint64, note string, lat, lon int32, located bool) {
		it := wire.Item{
			ScanID: id, Seq: seq, Payload: payload, OfflineVerdict: verdict, TrustVersion: version,
			Context: wire.Context{Location: location, Note: note, Coordinates: located, LatitudeE6: lat, LongitudeE6: lon},
		}
		form := it.AppendCanonical(nil)
		if !located {
			it.Context.LatitudeE6, it.Context.LongitudeE6 = 0, 0
		}
		moved := []wire.Item{it, it, it, it, it}
		moved[0].Payload, moved[0].Reference = "", payload
		moved[1].OfflineVerdict, moved[1].Assurance = "", verdict
		moved[2].Context.Location, moved[2].Context.Note = note, location
		moved[3].Seq, moved[3].TrustVersion = version, seq
		moved[4].Context.Coordinates = !located
		for i, m := range moved {
			if same := bytes.Equal(m.AppendCanonical(nil), form); same != (m == it) {
				t.Fatalf("change %d: same form %v, same item %v", i, same, m == it)
			}
		}
	})
}

// FuzzDecodeReply: no input panics, and an accepted reply survives its own
// encoding.
func FuzzDecodeReply(f *testing.F) {
	f.Add([]byte(`{"data":{"batchId":"b","receivedAt":"2026-11-20T19:41:00Z","receipt":"x","results":[{"scanId":"a","result":"accepted"}]}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := wire.DecodeReply(raw)
		if err != nil {
			if !errors.Is(err, wire.ErrReply) {
				t.Fatalf("error %v is no ErrReply", err)
			}
			return
		}
		again, err := r.Encode()
		if err != nil {
			t.Fatal(err)
		}
		r2, err := wire.DecodeReply(again)
		if err != nil && !errors.Is(err, wire.ErrTooLarge) {
			t.Fatalf("own encoding refused: %v", err)
		}
		if err == nil && !cmp.Equal(r, r2) {
			t.Fatal(cmp.Diff(r, r2))
		}
	})
}

// FuzzParseReceipt: each receipt has one text.
func FuzzParseReceipt(f *testing.F) {
	_, b := readVectors(f)
	r, _ := wire.NewReceipt(b, results(b, wire.Accepted), b.SentAt)
	f.Add(r.Text())
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := wire.ParseReceipt(text)
		if err != nil {
			if !errors.Is(err, wire.ErrReceipt) {
				t.Fatalf("error %v is no ErrReceipt", err)
			}
			return
		}
		if !bytes.Equal(r.Text(), text) {
			t.Fatalf("%q is not the one text %q", text, r.Text())
		}
	})
}
