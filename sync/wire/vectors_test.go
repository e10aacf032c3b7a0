package wire_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"testing"

	"tcode/sync/wire"
)

// vectors were written by a Python and a Node program from FORMAT.md alone.
type vectors struct {
	ScannerID string `json:"scannerId"`
	Items     []struct {
		Item      json.RawMessage `json:"item"`
		Canonical string          `json:"canonical"`
		Digest    string          `json:"digest"`
	} `json:"items"`
	BatchDigest    string `json:"batchDigest"`
	FirstTwoDigest string `json:"firstTwoDigest"`
	BatchID        string `json:"batchId"`
	SentAt         string `json:"sentAt"`
	SignedMessage  string `json:"signedMessage"`
	DeviceSeed     string `json:"deviceSeed"`
	DeviceKey      string `json:"deviceKey"`
	Signature      string `json:"signature"`
}

// wantItems detects an empty file: no vectors must not count as a pass.
const wantItems = 4

func readVectors(tb testing.TB) (vectors, wire.Batch) {
	tb.Helper()
	raw, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		tb.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	var v vectors
	if err := dec.Decode(&v); err != nil {
		tb.Fatal(err)
	}
	if len(v.Items) != wantItems {
		tb.Fatalf("found %d items, want %d", len(v.Items), wantItems)
	}
	items := make([]json.RawMessage, len(v.Items))
	for i, it := range v.Items {
		items[i] = it.Item
	}
	body, err := json.Marshal(map[string]any{
		"batchId": v.BatchID, "scannerId": v.ScannerID, "sentAt": v.SentAt, "items": items,
	})
	if err != nil {
		tb.Fatal(err)
	}
	b, err := wire.DecodeBatch(body)
	if err != nil {
		tb.Fatal(err)
	}
	return v, b
}

func TestVectors(t *testing.T) {
	t.Parallel()
	v, b := readVectors(t)
	for i, it := range b.Items {
		if got := hex.EncodeToString(it.AppendCanonical(nil)); got != v.Items[i].Canonical {
			t.Errorf("item %d: canonical form\n%s, want\n%s", i, got, v.Items[i].Canonical)
		}
		if d := it.Digest(); d.String() != v.Items[i].Digest {
			t.Errorf("item %d: digest %s, want %s", i, d, v.Items[i].Digest)
		}
	}
	if d := b.Digest(); d.String() != v.BatchDigest {
		t.Errorf("batch digest %s, want %s", d, v.BatchDigest)
	}
	two := b
	two.Items = b.Items[:2]
	if d := two.Digest(); d.String() != v.FirstTwoDigest {
		t.Errorf("digest of the first two %s, want %s", d, v.FirstTwoDigest)
	}
}

func TestVectorSignature(t *testing.T) {
	t.Parallel()
	v, b := readVectors(t)
	seed, err := hex.DecodeString(v.DeviceSeed)
	if err != nil {
		t.Fatal(err)
	}
	key := ed25519.NewKeyFromSeed(seed)
	if got := wire.ScannerID(key.Public().(ed25519.PublicKey)); got != v.ScannerID {
		t.Errorf("ScannerID = %s, want %s", got, v.ScannerID)
	}
	// Ed25519 is deterministic, so the signature must equal the other implementation's.
	deviceKey, signature, err := wire.SignBatch(b, key)
	if err != nil || deviceKey != v.DeviceKey || signature != v.Signature {
		t.Errorf("SignBatch = %s, %s, %v; want %s, %s", deviceKey, signature, err, v.DeviceKey, v.Signature)
	}
	if err := wire.VerifyBatch(b, v.DeviceKey, v.Signature); err != nil {
		t.Errorf("VerifyBatch = %v", err)
	}
}

func TestVerifyBatchRefuses(t *testing.T) {
	t.Parallel()
	v, good := readVectors(t)
	other := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{9}, 32))
	tests := []struct {
		name           string
		change         func(b *wire.Batch)
		key, signature string
		want           error
	}{
		{"untouched", func(*wire.Batch) {}, v.DeviceKey, v.Signature, nil},
		{"unsigned", func(*wire.Batch) {}, "", "", wire.ErrUnsigned},
		{"key only", func(*wire.Batch) {}, v.DeviceKey, "", wire.ErrSignature},
		{"signature only", func(*wire.Batch) {}, "", v.Signature, wire.ErrSignature},
		{"line break in key", func(*wire.Batch) {}, v.DeviceKey[:20] + "\n" + v.DeviceKey[20:], v.Signature, wire.ErrSignature},
		{"other batch id", func(b *wire.Batch) { b.ID = "other" }, v.DeviceKey, v.Signature, wire.ErrSignature},
		{"other time", func(b *wire.Batch) { b.SentAt = b.SentAt.Add(1e6) }, v.DeviceKey, v.Signature, wire.ErrSignature},
		{"item changed", func(b *wire.Batch) { b.Items[3].Context.Note += "." }, v.DeviceKey, v.Signature, wire.ErrSignature},
		{"item dropped", func(b *wire.Batch) { b.Items = b.Items[1:] }, v.DeviceKey, v.Signature, wire.ErrSignature},
		{"items swapped", func(b *wire.Batch) { b.Items[0], b.Items[1] = b.Items[1], b.Items[0] }, v.DeviceKey, v.Signature, wire.ErrSignature},
		{"other scanner", func(b *wire.Batch) { b.ScannerID = wire.ScannerID(other.Public().(ed25519.PublicKey)) }, v.DeviceKey, v.Signature, wire.ErrSignature},
	}
	for _, tt := range tests {
		b := good
		b.Items = append([]wire.Item(nil), good.Items...)
		tt.change(&b)
		if err := wire.VerifyBatch(b, tt.key, tt.signature); !errors.Is(err, tt.want) {
			t.Errorf("%s: VerifyBatch = %v, want %v", tt.name, err, tt.want)
		}
	}
	if _, _, err := wire.SignBatch(good, other); !errors.Is(err, wire.ErrSignature) {
		t.Errorf("SignBatch in another's name = %v, want ErrSignature", err)
	}
}
