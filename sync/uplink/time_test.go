//go:build !js

package uplink_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tcode/offline"
	"tcode/offline/trust"
	"tcode/sync/outbox"
	"tcode/sync/uplink"
	"tcode/sync/wire"
)

// TestReceiptProvesTime: a receipt proves the time, from its request on, even one for
// scans that were sent before. A receipt that an attacker has withheld proves nothing.
func TestReceiptProvesTime(t *testing.T) {
	t.Parallel()
	var kept []byte // the first answer, which the device never receives
	keepBack := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if kept == nil {
				rec := httptest.NewRecorder()
				next.ServeHTTP(rec, r)
				kept = rec.Body.Bytes()
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
	boot := offline.Boot{ID: "boot", At: time.Hour}
	for _, tt := range []struct {
		name   string
		wrap   func(http.Handler) http.Handler
		runs   int
		proofs int
	}{
		{"immediately", nil, 1, 1},
		{"the first answer was kept back", keepBack, 2, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := setup(t, tt.wrap, "ok 1", "ok 2")
			var proofs []offline.Proof
			b.cfg.Boot = func() offline.Boot { boot.At += time.Second; return boot }
			b.cfg.Proved = func(_ context.Context, _ trust.VerifierKey, p offline.Proof) error {
				proofs = append(proofs, p)
				return nil
			}
			before := time.Now().Truncate(time.Millisecond)
			u := b.uplink(t)
			asked := boot.At + time.Duration(tt.runs)*time.Second // of the last run
			for range tt.runs {
				u.FlushNow(t.Context()) //nolint:errcheck // the states tell
			}
			if got := b.states(t); got != "done done" {
				t.Fatalf("states %s", got)
			}
			if len(proofs) != tt.proofs {
				t.Fatalf("%d proofs, want %d", len(proofs), tt.proofs)
			}
			for _, p := range proofs {
				if p.Boot.At != asked || p.Boot.ID != "boot" || p.Time.Before(before) || p.Time.After(time.Now().Add(time.Second)) {
					t.Errorf("proof %+v, asked at %v", p, asked)
				}
			}
		})
	}
}

// TestReceiptOfAnotherCopy: a home folder that was restored from an older copy sends
// the same scans for the first time again. An attacker who has stored the first
// answer cannot make a proof of time of it, and no scan leaves the queue by it.
func TestReceiptOfAnotherCopy(t *testing.T) {
	t.Parallel()
	var kept []byte
	replay := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if kept == nil {
				rec := httptest.NewRecorder()
				next.ServeHTTP(rec, r)
				kept = rec.Body.Bytes()
				w.Header().Set(wire.HeaderBatchID, r.Header.Get(wire.HeaderBatchID))
				w.Write(kept)
				return
			}
			reply, err := wire.DecodeReply(kept)
			if err != nil {
				panic(err)
			}
			reply.BatchID = r.Header.Get(wire.HeaderBatchID)
			raw, _ := reply.Encode()
			w.Header().Set(wire.HeaderBatchID, reply.BatchID)
			w.Write(raw)
		})
	}
	b := setup(t, replay, "ok 1", "ok 2")
	backup, err := os.ReadFile(b.path)
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(b.path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	boot, proofs := offline.Boot{ID: "boot", At: time.Hour}, 0
	b.cfg.Boot = func() offline.Boot { boot.At += time.Second; return boot }
	b.cfg.Proved = func(context.Context, trust.VerifierKey, offline.Proof) error { proofs++; return nil }
	if _, err := b.uplink(t).Flush(t.Context()); err != nil || b.states(t) != "done done" || proofs != 1 {
		t.Fatalf("the first time: %s, %d proofs, %v", b.states(t), proofs, err)
	}
	b.o.Close()
	b.path = filepath.Join(t.TempDir(), "outbox.db")
	for name, raw := range map[string][]byte{b.path: backup, b.path + "-wal": log} {
		if err := os.WriteFile(name, raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if b.o, err = outbox.Open(t.Context(), b.path); err != nil {
		t.Fatal(err)
	}
	defer b.o.Close()
	b.cfg.Outbox = b.o
	if _, err := b.uplink(t).Flush(t.Context()); !errors.Is(err, uplink.ErrReceipt) || b.states(t) != "queued queued" || proofs != 1 {
		t.Errorf("with the answer of before: %s, %d proofs, %v", b.states(t), proofs, err)
	}
}
