package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"tcode/sync/wire"
)

// devices is the number of devices that send batches concurrently.
const devices = 2

// syncAll sends one scan of each payload, as devices do: full batches, packed and signed.
// The time to make them is included. It fails unless each scan is accepted as new and
// found valid.
func syncAll(ctx context.Context, p *process, payloads []string) (s sample, err error) {
	before, err := p.cpu()
	if err != nil {
		return s, err
	}
	begin := time.Now()
	share := (len(payloads) + devices - 1) / devices
	latencies, errs := make([][]time.Duration, devices), make([]error, devices)
	var group sync.WaitGroup
	i := 0
	for mine := range slices.Chunk(payloads, share) {
		at := i
		group.Go(func() { latencies[at], errs[at] = device(ctx, p, mine) })
		i++
	}
	group.Wait()
	s.took = time.Since(begin)
	s.latencies = slices.Concat(latencies...)
	after, err := p.cpu()
	s.cpu = after - before
	return s, errors.Join(append(errs, err)...)
}

// device sends its scans, one batch after the other.
func device(ctx context.Context, p *process, payloads []string) (latencies []time.Duration, err error) {
	public, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", p.addr)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	in := bufio.NewReader(conn)
	seq := uint64(0)
	for mine := range slices.Chunk(payloads, wire.MaxItems) {
		b := wire.Batch{ID: uuid.NewString(), ScannerID: wire.ScannerID(public), SentAt: wire.TruncateMillis(time.Now())}
		for _, text := range mine {
			seq++
			b.Items = append(b.Items, wire.Item{
				ScanID: uuid.Must(uuid.NewV7()).String(), Seq: seq, Payload: text, ScannedAt: wire.TruncateMillis(time.Now()),
				OfflineVerdict: "valid", Assurance: "signature_and_status", Binding: "match", TrustVersion: 7,
				Context: wire.Context{Location: "Gate 4", Coordinates: true, LatitudeE6: -33_000_001, LongitudeE6: 151_000_001},
			})
		}
		raw, err := packed(b, key)
		if err != nil {
			return nil, err
		}
		begin := time.Now()
		if _, err := conn.Write(raw); err != nil {
			return nil, err
		}
		if err := accepted(in, len(b.Items)); err != nil {
			return nil, err
		}
		latencies = append(latencies, time.Since(begin))
	}
	return latencies, nil
}

// packed returns the request that a device makes for a batch.
func packed(b wire.Batch, key ed25519.PrivateKey) ([]byte, error) {
	raw, err := b.Encode()
	if err != nil {
		return nil, err
	}
	public, signature, err := wire.SignBatch(b, key)
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	z := gzip.NewWriter(&body)
	if _, err := z.Write(raw); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return post(wire.Path, body.Bytes(), "Content-Encoding: gzip", wire.HeaderBatchID+": "+b.ID,
		wire.HeaderDeviceKey+": "+public, wire.HeaderBatchSignature+": "+signature), nil
}

// errBusy means that the device must send the batch again later.
var errBusy = errors.New("answered 503")

// accepted reads the answer to a batch of n scans and checks it.
func accepted(in *bufio.Reader, n int) error {
	raw, err := replyTo(in)
	if err != nil {
		return err
	}
	return allAccepted(raw, n)
}

// replyTo reads the answer to a batch.
func replyTo(in *bufio.Reader) ([]byte, error) {
	res, err := http.ReadResponse(in, nil)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	var raw bytes.Buffer
	if _, err := raw.ReadFrom(res.Body); err != nil {
		return nil, err
	}
	switch res.StatusCode {
	case http.StatusOK:
		return raw.Bytes(), nil
	case http.StatusServiceUnavailable:
		return nil, errBusy
	}
	return nil, fmt.Errorf("answered %s: %.200s", res.Status, raw.Bytes())
}

// allAccepted checks that a reply accepts n scans as valid.
func allAccepted(raw []byte, n int) error {
	reply, err := wire.DecodeReply(raw)
	if err != nil {
		return fmt.Errorf("answered %.200s: %w", raw, err)
	}
	good := 0
	for _, r := range reply.Results {
		if r.Result == wire.Accepted && r.Verdict == "valid" {
			good++
		}
	}
	if good != n {
		return fmt.Errorf("%d of %d scans accepted and valid: %.200s", good, n, raw)
	}
	return nil
}
