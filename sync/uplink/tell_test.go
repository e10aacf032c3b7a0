//go:build !js

package uplink_test

import (
	"context"
	"crypto/ed25519"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"tcode/offline"
	"tcode/offline/trust"
	"tcode/sync/outbox"
	"tcode/sync/uplink"
	"tcode/sync/wire"
)

// TestTell: only a receipt that covers a clock event marks it as told. No scan
// waits for one, whatever its outcome is.
func TestTell(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(b wire.Batch, r *wire.Reply) (status int){
		"no receipt":           func(_ wire.Batch, r *wire.Reply) int { r.Receipt = ""; return 200 },
		"another key":          func(b wire.Batch, r *wire.Reply) int { r.Receipt = sign(t, b, r, otherKey); return 200 },
		"about no clock event": func(b wire.Batch, r *wire.Reply) int { b.Clock = nil; r.Receipt = sign(t, b, r, onlineKey); return 200 },
		"about another event": func(b wire.Batch, r *wire.Reply) int {
			b.Clock = append([]wire.ClockEvent(nil), b.Clock...)
			b.Clock[0].Scans++
			r.Receipt = sign(t, b, r, onlineKey)
			return 200
		},
		"of another request": func(b wire.Batch, r *wire.Reply) int {
			b.ID = "another"
			r.Receipt = sign(t, b, r, onlineKey)
			return 200
		},
		"refused":   func(wire.Batch, *wire.Reply) int { return 400 },
		"too large": func(wire.Batch, *wire.Reply) int { return 413 },
		"forbidden": func(wire.Batch, *wire.Reply) int { return 403 },
		"broken":    func(wire.Batch, *wire.Reply) int { return 500 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			honest := false
			b := setup(t, func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					rec := httptest.NewRecorder()
					body := readBody(t, r)
					next.ServeHTTP(rec, rebuilt(r, body))
					batch, err := readBatch(rebuilt(r, body))
					if err != nil {
						t.Error(err)
					}
					w.Header().Set(wire.HeaderBatchID, batch.ID)
					if honest || len(batch.Clock) == 0 {
						w.Write(rec.Body.Bytes())
						return
					}
					reply, err := wire.DecodeReply(rec.Body.Bytes())
					if err != nil {
						t.Error(err)
					}
					w.WriteHeader(spoil(batch, &reply))
					raw, _ := reply.Encode()
					w.Write(raw)
				})
			}, "ok 1", "ok 2")
			var proofs int
			boot := offline.Boot{ID: "boot", At: time.Hour}
			b.cfg.Boot = func() offline.Boot { boot.At += time.Second; return boot }
			b.cfg.Proved = func(context.Context, trust.VerifierKey, offline.Proof) error { proofs++; return nil }
			for range wire.MaxClockEvents + 1 { // two batches
				if _, ok, err := b.o.Correct(t.Context(), outbox.ClockEvent{Kind: outbox.ClockConfirmed, At: time.Now()}); err != nil || !ok {
					t.Fatal(ok, err)
				}
			}
			rep, err := b.uplink(t).Flush(t.Context())
			if b.states(t) != "done done" || rep.Told != 0 || proofs != 1 {
				t.Errorf("with a spoiled answer: scans %s, %+v, %d proofs, %v", b.states(t), rep, proofs, err)
			}
			if untold, err := b.o.Untold(t.Context()); err != nil || len(untold) != wire.MaxClockEvents {
				t.Errorf("%d are not told, %v", len(untold), err)
			}
			honest = true
			if rep, err := b.uplink(t).Flush(t.Context()); err != nil || rep.Told != wire.MaxClockEvents+1 || rep.Sent != 0 || proofs != 3 {
				t.Errorf("then: %+v, %d proofs, %v", rep, proofs, err)
			}
			for id, n := range b.g.heard {
				if n != 1 {
					t.Errorf("event %s had %d effects", id, n)
				}
			}
			if rep, err := b.uplink(t).Flush(t.Context()); err != nil || rep.Batches != 0 || len(b.g.heard) != wire.MaxClockEvents+1 {
				t.Errorf("with nothing to tell: %+v, %d heard, %v", rep, len(b.g.heard), err)
			}
		})
	}
}

// sign returns a receipt for b by that key.
func sign(t *testing.T, b wire.Batch, r *wire.Reply, key ed25519.PrivateKey) string {
	t.Helper()
	receipt, _ := wire.NewReceipt(b, r.Results, time.Now())
	raw, err := wire.SignReceipt(receipt, signer(t, key))
	if err != nil {
		t.Error(err)
	}
	return raw
}

func readBody(t *testing.T, r *http.Request) []byte {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
	}
	return body
}

// TestTellWaits: an event that cannot be sent now is not sent again immediately.
func TestTellWaits(t *testing.T) {
	t.Parallel()
	requests := 0
	b := setup(t, func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { requests++; w.WriteHeader(http.StatusBadGateway) })
	})
	if _, _, err := b.o.Correct(t.Context(), outbox.ClockEvent{Kind: outbox.ClockConfirmed, At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	u := b.uplink(t)
	if _, err := u.Flush(t.Context()); !errors.Is(err, uplink.ErrUnreachable) {
		t.Error(err)
	}
	for range 5 {
		if _, err := u.Flush(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if requests != 1 {
		t.Errorf("%d requests without a wait", requests)
	}
}
