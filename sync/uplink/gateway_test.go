package uplink_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"tcode/offline/digest"
	"tcode/offline/trust"
	"tcode/sync/outbox"
	"tcode/sync/wire"
)

var (
	deviceKey = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, 32))
	onlineKey = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{2}, 32))
	otherKey  = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{3}, 32))
)

func signer(tb testing.TB, key ed25519.PrivateKey) *trust.Signer {
	tb.Helper()
	s, err := trust.NewSigner("gate.example/online", key)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// A mutation makes the gateway wrong on purpose: the model test must detect it.
type mutation string

const (
	noDedupe        mutation = "no dedupe"         // every delivery has an effect
	dedupeByPayload mutation = "dedupe by payload" // a second scan of the same paper is lost
	ackBeforeCommit mutation = "ack before commit" // receipt, then the rows are lost
	forgedEcho      mutation = "forged echo"       // every answer has the batch id
)

// A gateway is the other side: it decodes as the real one, keeps one row per
// scan, and signs receipts. Payloads that start with bad are rejected one by
// one, those that start with poison make it refuse their whole batch.
type gateway struct {
	online *trust.Signer
	bug    mutation
	now    func() time.Time
	cured  bool // poison is accepted like any other scan

	mu      sync.Mutex
	rows    map[string]digest.SHA256 // scan id -> digest
	effects map[string]int           // scan id -> number of effects
	papers  map[string]bool
	heard   map[string]int // clock event id -> number of effects
	batches int
	most    int // items in the largest batch so far
}

func newGateway(tb testing.TB) *gateway {
	return &gateway{online: signer(tb, onlineKey), now: time.Now, rows: map[string]digest.SHA256{}, effects: map[string]int{}, papers: map[string]bool{}, heard: map[string]int{}}
}

func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set(wire.HeaderBatchID, r.Header.Get(wire.HeaderBatchID))
	b, err := readBatch(r)
	if err != nil {
		fail(w, http.StatusBadRequest, "VALIDATION_FAILED", err.Error())
		return
	}
	reply, status := g.take(b, len(b.Items))
	if status != http.StatusOK {
		fail(w, status, "VALIDATION_FAILED", "a proxy did not like it")
		return
	}
	raw, err := reply.Encode()
	if err != nil {
		fail(w, http.StatusInternalServerError, "INTERNAL", err.Error())
		return
	}
	w.Write(raw)
}

var errRequest = errors.New("request violates the contract")

// readBatch decodes and authenticates a request by the contract.
func readBatch(r *http.Request) (wire.Batch, error) {
	if r.Method != http.MethodPost || r.URL.Path != wire.Path || r.Header.Get("Content-Encoding") != "gzip" || r.Header.Get("Content-Type") != "application/json" {
		return wire.Batch{}, errRequest
	}
	z, err := gzip.NewReader(r.Body)
	if err != nil {
		return wire.Batch{}, err
	}
	raw, err := io.ReadAll(io.LimitReader(z, wire.MaxBodyBytes+1))
	if err != nil {
		return wire.Batch{}, err
	}
	b, err := wire.DecodeBatch(raw)
	if err == nil && (b.ID != r.Header.Get(wire.HeaderBatchID) || len(b.Ignored) > 0) {
		err = errRequest
	}
	if err == nil {
		err = wire.VerifyBatch(b, r.Header.Get(wire.HeaderDeviceKey), r.Header.Get(wire.HeaderBatchSignature))
	}
	return b, err
}

// take stores the first n items of b, each at most once, and answers them.
func (g *gateway) take(b wire.Batch, n int) (wire.Reply, int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.batches++
	g.most = max(g.most, len(b.Items))
	for _, it := range b.Items {
		if kind(it) == "poison" && !g.cured {
			return wire.Reply{}, http.StatusBadRequest
		}
	}
	reply := wire.Reply{BatchID: b.ID, ReceivedAt: g.now()}
	for _, it := range b.Items[:n] {
		r := wire.ItemResult{ScanID: it.ScanID, Result: wire.Accepted, Verdict: "valid", VerdictAtScan: "valid"}
		held, twice := g.rows[it.ScanID]
		paper := g.bug == dedupeByPayload && g.papers[it.Payload]
		switch {
		case kind(it) == "bad":
			r = wire.ItemResult{ScanID: it.ScanID, Result: wire.Rejected, Code: "INVALID_PAYLOAD"}
		case twice && held != it.Digest():
			r.Result = wire.Conflict
		case paper, twice && g.bug != noDedupe:
			r.Result = wire.Duplicate
		case g.bug == ackBeforeCommit && g.batches%7 == 0: // signed, but lost in the crash
		default:
			g.rows[it.ScanID] = it.Digest()
			g.effects[it.ScanID]++
		}
		g.papers[it.Payload] = true
		reply.Results = append(reply.Results, r)
	}
	for _, e := range b.Clock {
		switch {
		case g.heard[e.ID] > 0 && g.bug != noDedupe:
		case g.bug == ackBeforeCommit && g.batches%7 == 0:
		default:
			g.heard[e.ID]++
		}
	}
	if receipt, ok := wire.NewReceipt(b, reply.Results, g.now()); ok {
		raw, err := wire.SignReceipt(receipt, g.online)
		if err != nil {
			return reply, http.StatusInternalServerError
		}
		reply.Receipt = raw
	}
	return reply, http.StatusOK
}

// kind returns the first word of the payload's bytes: ok, bad or poison.
func kind(it wire.Item) string {
	var raw []byte
	if json.Unmarshal([]byte(`"`+it.Payload+`"`), &raw) != nil {
		return ""
	}
	word, _, _ := bytes.Cut(raw, []byte(" "))
	return string(word)
}

func fail(w http.ResponseWriter, status int, code, message string) {
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"status": status, "code": code, "message": message})
}

// online returns a function that returns the key for verifying receipts.
func online(key ed25519.PrivateKey) func(context.Context) (trust.VerifierKey, error) {
	return func(context.Context) (trust.VerifierKey, error) {
		s, err := trust.NewSigner("gate.example/online", key)
		if err != nil {
			return trust.VerifierKey{}, err
		}
		return s.Key(), nil
	}
}

func scan(text string, at time.Time) *outbox.Scan {
	return &outbox.Scan{Payload: []byte(text), ScannedAt: at, Verdict: "valid", Assurance: "signature_and_status", Binding: "match", TrustVersion: 1}
}
