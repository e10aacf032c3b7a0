package gate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"net/http"
	"sync"

	"tcode/server/fault"
	"tcode/server/httpapi/bounded"
	"tcode/server/tenant"
)

// inFlight holds the requests with an Idempotency-Key that run now. The second of
// two equal requests to one gateway need not wait for the first. If two gateways
// get them, the unique index of the stored answers makes sure that only one
// changes anything. It is safe for concurrent use.
type inFlight struct {
	mu sync.Mutex // guards at
	at map[inFlightKey][sha256.Size]byte
}

type inFlightKey struct{ tenant, route, key string }

func newInFlight() *inFlight { return &inFlight{at: map[inFlightKey][sha256.Size]byte{}} }

// begin adds o until the caller calls end. It returns a CONFLICT fault if o runs
// already, and an IDEMPOTENCY_KEY_REUSED fault if a request with the same key and
// another body runs.
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

// An Attempt runs a creating request once.
type Attempt struct {
	// Record names the answer to store; nil: the client sent no key, and each
	// attempt makes a change.
	Record *tenant.IdempotencyRecord
	gate   *Gate
}

// Attempt begins a creating request. key is its Idempotency-Key or nil. If the
// gateway has answered the request before, answered is not nil, and the caller
// sends it unchanged. The caller calls end when its work is done, also after an
// error.
func (g *Gate) Attempt(ctx context.Context, key *string) (_ Attempt, answered *Replay, end func(), err error) {
	a, end := Attempt{gate: g}, func() {}
	if key == nil {
		return a, nil, end, nil
	}
	call := CallOf(ctx)
	route := call.route
	if call.Identity.Test {
		route = "test " + route // so that no live request gets the answer to a test request
	}
	a.Record = &tenant.IdempotencyRecord{
		Tenant: call.Identity.Tenant.Reference, Route: route, Key: *key, Digest: call.sum(),
	}
	if end, err = g.inFlight.begin(*a.Record); err != nil {
		return a, nil, nil, err
	}
	end = bounded.Held(ctx, end)
	answered, err = a.answered(ctx)
	if err != nil || answered != nil {
		end()
	}
	return a, answered, end, err
}

// answered returns the stored answer to the attempt, or nil.
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

// Failed returns the result of a failed attempt: the answer of another gateway to
// the same request, if there is one by now, or else cause.
func (a Attempt) Failed(ctx context.Context, cause error) (*Replay, error) {
	if answered, err := a.answered(ctx); err == nil && answered != nil {
		return answered, nil
	}
	return nil, cause
}

// A Replay is a stored answer, byte for byte.
type Replay struct{ kept tenant.IdempotencyRecord }

// Write writes the answer. Function headers derives from the body the headers
// that point to the created thing.
func (r *Replay) Write(w http.ResponseWriter, headers func(body []byte, h http.Header)) error {
	headers(r.kept.Body, w.Header())
	w.Header().Set("Content-Type", mediaJSON)
	w.Header().Set("Idempotent-Replayed", "true")
	w.WriteHeader(r.kept.Status)
	_, err := w.Write(append(bytes.TrimRight(r.kept.Body, "\n"), '\n'))
	return err
}
