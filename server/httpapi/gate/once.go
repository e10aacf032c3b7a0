package gate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"net/http"
	"sync"

	"tcode/server/fault"
	"tcode/server/tenant"
)

// inFlight holds the requests with an Idempotency-Key that are at work now. That
// one of two at different gateways changes anything is settled by the unique
// index of the stored answers; here the second need not wait for the first. It
// is safe for concurrent use.
type inFlight struct {
	mu sync.Mutex // guards at
	at map[inFlightKey][sha256.Size]byte
}

type inFlightKey struct{ tenant, route, key string }

func newInFlight() *inFlight { return &inFlight{at: map[inFlightKey][sha256.Size]byte{}} }

// begin notes that o is at work, until end. It returns a CONFLICT fault if it
// is already, and an IDEMPOTENCY_KEY_REUSED fault if the key is at work for
// another body.
func (r *inFlight) begin(o tenant.IdempotencyRecord) (end func(), err error) {
	k := inFlightKey{o.Tenant, o.Route, o.Key}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch digest, busy := r.at[k]; {
	case busy && digest != o.Digest:
		return nil, fault.New(fault.Rejected, fault.CodeIdempotencyKeyReused, "this Idempotency-Key is used by another request")
	case busy:
		return nil, fault.New(fault.Conflict, fault.CodeConflict, "a request with this Idempotency-Key is still running")
	}
	r.at[k] = o.Digest
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.at, k)
	}, nil
}

// An Attempt is one try at a creating request.
type Attempt struct {
	// Record names the answer that is to be kept; nil: the client sent no key, and
	// each try counts.
	Record *tenant.IdempotencyRecord
	gate   *Gate
}

// Attempt begins a creating request. key is its Idempotency-Key or nil. The
// answer is not nil if the request was answered before: it is to be sent as it
// is. The caller calls end when the work is done, also after an error.
func (g *Gate) Attempt(ctx context.Context, key *string) (_ Attempt, answered *Replay, end func(), err error) {
	a, end := Attempt{gate: g}, func() {}
	if key == nil {
		return a, nil, end, nil
	}
	call := CallOf(ctx)
	route := call.route
	if call.Identity.Test {
		route = "test " + route // no live request gets the answer to a rehearsal
	}
	a.Record = &tenant.IdempotencyRecord{
		Tenant: call.Identity.Tenant.Reference, Route: route, Key: *key, Digest: call.sum(),
	}
	if end, err = g.inFlight.begin(*a.Record); err != nil {
		return a, nil, nil, err
	}
	answered, err = a.answered(ctx)
	if err != nil || answered != nil {
		end()
	}
	return a, answered, end, err
}

// answered returns the answer that is kept for the attempt, or nil.
func (a Attempt) answered(ctx context.Context) (*Replay, error) {
	if a.Record == nil {
		return nil, nil
	}
	kept, ok, err := tenant.Answered(ctx, a.gate.c.Idempotency, *a.Record, a.gate.c.Now())
	if err != nil || !ok {
		return nil, err
	}
	return &Replay{kept}, nil
}

// Failed returns what a failed attempt comes to: another gateway may have
// answered the same request meanwhile, and that answer is this one's too.
func (a Attempt) Failed(ctx context.Context, cause error) (*Replay, error) {
	if answered, err := a.answered(ctx); err == nil && answered != nil {
		return answered, nil
	}
	return nil, cause
}

// A Replay is a stored answer, byte for byte.
type Replay struct{ kept tenant.IdempotencyRecord }

// Write writes the answer. The headers that point at what was made follow from
// its body.
func (r *Replay) Write(w http.ResponseWriter, headers func(body []byte, h http.Header)) error {
	headers(r.kept.Body, w.Header())
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Idempotent-Replayed", "true")
	w.WriteHeader(r.kept.Status)
	_, err := w.Write(append(bytes.TrimRight(r.kept.Body, "\n"), '\n'))
	return err
}
