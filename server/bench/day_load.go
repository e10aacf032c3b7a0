package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/ed25519"
	crand "crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"time"

	"github.com/google/uuid"

	"tcode/server/store/storetest"
	"tcode/sync/wire"
)

// stampOne makes a stamp. All its tries have one idempotency key.
func (d *day) stampOne(ctx context.Context, _ *rand.Rand) error {
	pdf, err := os.ReadFile(d.o.pdf)
	if err != nil {
		return err
	}
	m := &made{externalID: uuid.NewString()}
	body, err := json.Marshal(map[string]string{
		"name": "Diploma " + m.externalID, "documentTypeCode": "DIP", "externalId": m.externalID,
		"pdf": base64.StdEncoding.EncodeToString(fmt.Appendf(pdf, "\n%% %s\n", m.externalID)),
	})
	if err != nil {
		return err
	}
	var answer struct {
		Data struct{ ID, Reference string }
	}
	if err := d.do(ctx, http.MethodPost, "/v1/tcode/stamps", body, &answer, "x-api-key", d.key, "Idempotency-Key", m.externalID); err != nil {
		return err
	}
	m.id, m.reference = answer.Data.ID, answer.Data.Reference
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stamps[m.externalID] = m
	d.active = append(d.active, m)
	return nil
}

// pick takes an acknowledged stamp, to revoke it if take.
func (d *day) pick(random *rand.Rand, take bool) *made {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.active) < 3 {
		return nil
	}
	i := random.IntN(len(d.active))
	m := d.active[i]
	if take {
		d.active = append(d.active[:i], d.active[i+1:]...)
	}
	return m
}

// revokeOne revokes a stamp, and waits until that is published.
func (d *day) revokeOne(ctx context.Context, random *rand.Rand) error {
	m := d.pick(random, true)
	if m == nil {
		return errNothing
	}
	if err := d.do(ctx, http.MethodPost, "/v1/tcode/stamps/"+m.id+"/revoke", []byte(`{"reason":"a day's load"}`), nil, "x-api-key", d.key); err != nil {
		return err
	}
	d.mu.Lock()
	m.revokedAt = time.Now()
	d.revoked = append(d.revoked, m)
	d.mu.Unlock()
	d.watching.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		d.watchPublication(ctx, m)
	})
	return nil
}

// watchPublication sets the time when a revocation was published.
func (d *day) watchPublication(ctx context.Context, m *made) {
	with(ctx, func(h *host) error { //nolint:errcheck // a time that is missing is counted
		db := storetest.Raw(h, d.dir)
		var changed int64
		if err := db.QueryRowContext(ctx, `SELECT c.changed FROM shards c JOIN stamps s ON s.shard = c.number WHERE s.id = $1`, m.id).Scan(&changed); err != nil {
			return err
		}
		for ctx.Err() == nil {
			var published int64
			err := db.QueryRowContext(ctx, `SELECT c.published FROM shards c JOIN stamps s ON s.shard = c.number WHERE s.id = $1`, m.id).Scan(&published)
			if err == nil && published >= changed {
				d.mu.Lock()
				m.published = time.Now()
				d.mu.Unlock()
				return nil
			}
			time.Sleep(20 * time.Millisecond)
		}
		return ctx.Err()
	})
}

// syncSome sends a batch of scans of a new device, always the same bytes until a gateway
// has answered.
func (d *day) syncSome(ctx context.Context, random *rand.Rand) error {
	public, key, err := ed25519.GenerateKey(crand.Reader)
	if err != nil {
		return err
	}
	now := wire.TruncateMillis(time.Now())
	b := wire.Batch{ID: uuid.NewString(), ScannerID: wire.ScannerID(public), SentAt: now}
	for seq := range 1 + random.IntN(20) {
		m := d.pick(random, false)
		if m == nil {
			return errNothing
		}
		b.Items = append(b.Items, wire.Item{
			ScanID: uuid.Must(uuid.NewV7()).String(), Seq: uint64(seq + 1), Reference: m.reference, ScannedAt: now,
			OfflineVerdict: "unverified", Assurance: "none", Binding: "not_checked", TrustVersion: 1, Context: wire.Context{Location: "Gate 4"},
		})
	}
	raw, err := b.Encode()
	if err != nil {
		return err
	}
	device, signature, err := wire.SignBatch(b, key)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(raw); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	var reply json.RawMessage
	if err := d.do(ctx, http.MethodPost, wire.Path, packed.Bytes(), &reply, "Content-Encoding", "gzip", wire.HeaderBatchID, b.ID,
		wire.HeaderDeviceKey, device, wire.HeaderBatchSignature, signature); err != nil {
		return err
	}
	answer, err := wire.DecodeReply(reply)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range answer.Results {
		if r.Result == wire.Accepted || r.Result == wire.Duplicate {
			d.scans[r.ScanID] = true
		}
	}
	return nil
}

// lookUpOne looks a stamp up as the public does.
func (d *day) lookUpOne(ctx context.Context, random *rand.Rand) error {
	m := d.pick(random, false)
	if m == nil {
		return errNothing
	}
	return d.do(ctx, http.MethodGet, "/v1/tcode/verify/reference/"+m.reference, nil, nil)
}
