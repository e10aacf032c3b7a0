package uplink_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"tcode/offline"
	"tcode/offline/trust"
)

// TestReceiptProvesTime: a receipt for a scan that leaves the device with this
// request proves the time, from the request on. One for scans that were sent
// before does not: somebody may have kept the first receipt back, as here.
func TestReceiptProvesTime(t *testing.T) {
	t.Parallel()
	var kept []byte // the first answer, which the device never gets
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
		{"at once", nil, 1, 1},
		{"the first answer was kept back", keepBack, 2, 0},
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
			asked := boot.At + time.Second
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
