package opstest

import (
	"crypto/ed25519"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"

	"tcode/server/internal/harness"
	"tcode/sync/wire"
)

// A testDevice signs its batches.
type testDevice struct {
	t   *testing.T
	key ed25519.PrivateKey
	id  string
	seq uint64
}

func newTestDevice(t *testing.T) *testDevice {
	t.Helper()
	public, key, err := ed25519.GenerateKey(nil)
	must(t, err)
	return &testDevice{t: t, key: key, id: wire.ScannerID(public)}
}

// sync is the request with n scans of a reference.
func (d *testDevice) sync(reference string, n int) harness.Request {
	d.t.Helper()
	now := wire.TruncateMillis(time.Now())
	b := wire.Batch{ID: uuid.NewString(), ScannerID: d.id, SentAt: now}
	for range n {
		d.seq++
		b.Items = append(b.Items, wire.Item{
			ScanID: uuid.Must(uuid.NewV7()).String(), Seq: d.seq, Reference: reference, ScannedAt: now,
			OfflineVerdict: "valid", Assurance: "signature_and_status", Binding: "match",
		})
	}
	raw, err := b.Encode()
	must(d.t, err)
	key, signature, err := wire.SignBatch(b, d.key)
	must(d.t, err)
	return harness.Request{Method: "POST", Path: wire.Path, Body: raw, Header: http.Header{
		wire.HeaderBatchID: {b.ID}, wire.HeaderDeviceKey: {key}, wire.HeaderBatchSignature: {signature},
	}}
}
