//go:build !js

package uplink_test

//race:off SQLite is Go here: the detector would watch its memory

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tcode/sync/outbox"
	"tcode/sync/transport/nethttp"
	"tcode/sync/uplink"
	"tcode/sync/wire"
)

// A bundle is one device with real files and a real server.
type bundle struct {
	g    *gateway
	o    *outbox.Outbox
	cfg  uplink.Config
	ids  []string
	path string
}

// setup records one scan for each text; wrap, if not nil, is between the
// device and the gateway.
func setup(t *testing.T, wrap func(http.Handler) http.Handler, texts ...string) *bundle {
	t.Helper()
	g := newGateway(t)
	var h http.Handler = g
	if wrap != nil {
		h = wrap(g)
	}
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	b := &bundle{g: g, path: filepath.Join(t.TempDir(), "outbox.db")}
	var err error
	if b.o, err = outbox.Open(t.Context(), b.path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.o.Close() })
	b.cfg = uplink.Config{Outbox: b.o, Transport: nethttp.New(nil), Gateway: srv.URL + "/v1/", Key: deviceKey, Online: online(onlineKey)}
	var scans []*outbox.Scan
	for _, text := range texts {
		scans = append(scans, scan(text, time.Now()))
	}
	if err := b.o.Record(t.Context(), scans...); err != nil {
		t.Fatal(err)
	}
	for _, s := range scans {
		b.ids = append(b.ids, s.ScanID)
	}
	return b
}

func (b *bundle) uplink(t *testing.T) *uplink.Uplink {
	t.Helper()
	u, err := uplink.New(b.cfg)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// states lists the state of each scan in order.
func (b *bundle) states(t *testing.T) string {
	t.Helper()
	var all []string
	for _, id := range b.ids {
		e, err := b.o.Get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(e.State))
	}
	return strings.Join(all, " ")
}

func TestFlush(t *testing.T) {
	t.Parallel()
	b := setup(t, nil, "ok 1", "bad 2", "ok 1")
	rep, err := b.uplink(t).Flush(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(uplink.Report{Batches: 1, Sent: 3, Done: 2, Dead: 1}, rep); d != "" {
		t.Errorf("report (-want +got):\n%s", d)
	}
	if got := b.states(t); got != "done dead done" {
		t.Errorf("scans are %s", got)
	}
	e, err := b.o.Get(t.Context(), b.ids[0])
	if err != nil || e.Result.Verdict != "valid" || e.ReceivedAt.IsZero() {
		t.Errorf("gateway's verdict %+v, %v", e.Result, err)
	}
	rs, err := b.o.Receipts(t.Context(), 0, 10)
	if err != nil || len(rs) != 1 {
		t.Fatal(rs, err)
	}
	v, err := signer(t, onlineKey).Key().NoteVerifier()
	if err != nil {
		t.Fatal(err)
	}
	if r, err := wire.OpenReceipt(rs[0].Note, v); err != nil || r != rs[0].Receipt || r.Count != 2 {
		t.Errorf("stored receipt %+v, %v", r, err)
	}
	// Nothing is sent twice.
	if rep, err := b.uplink(t).Flush(t.Context()); err != nil || rep != (uplink.Report{}) {
		t.Errorf("second flush %+v, %v", rep, err)
	}
}

func TestFlushSplitsIntoBatches(t *testing.T) {
	t.Parallel()
	texts := make([]string, 25)
	for i := range texts {
		texts[i] = fmt.Sprintf("ok %d", i)
	}
	b := setup(t, nil, texts...)
	b.cfg.MaxItems = 10
	rep, err := b.uplink(t).Flush(t.Context())
	if err != nil || rep.Batches != 3 || rep.Done != 25 || b.g.most != 10 {
		t.Errorf("Flush = %+v, %v; largest batch %d", rep, err, b.g.most)
	}
}

// A scan that makes the gateway refuse every batch with it is sent alone and
// waits, because nothing in the refusal is signed; the others arrive.
func TestPoisonIsIsolated(t *testing.T) {
	t.Parallel()
	b := setup(t, nil, "ok 1", "ok 2", "ok 3", "poison 4", "ok 5", "ok 6", "ok 7")
	rep, err := b.uplink(t).Flush(t.Context())
	if err != nil || rep.Done != 6 || rep.Dead != 0 || rep.Refused != 1 {
		t.Errorf("Flush = %+v, %v", rep, err)
	}
	if got := b.states(t); got != "done done done queued done done done" {
		t.Errorf("scans are %s", got)
	}
	e, err := b.o.Get(t.Context(), b.ids[3])
	if err != nil || e.Code != "VALIDATION_FAILED" || e.Message == "" {
		t.Errorf("refused scan says %q %q, %v", e.Code, e.Message, err)
	}
}

// A proxy with a small body limit does not know our batch id.
func TestSmallerBatchesFor413(t *testing.T) {
	t.Parallel()
	texts := make([]string, 40)
	for i := range texts {
		texts[i] = fmt.Sprintf("ok %d", i)
	}
	b := setup(t, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.ContentLength > 1200 {
				w.WriteHeader(http.StatusRequestEntityTooLarge)
				return
			}
			h.ServeHTTP(w, r)
		})
	}, texts...)
	rep, err := b.uplink(t).Flush(t.Context())
	if err != nil || rep.Done != 40 || rep.Dead != 0 {
		t.Errorf("Flush = %+v, %v", rep, err)
	}
}

// An answer without our batch id proves nothing.
func TestStrangersAnswer(t *testing.T) {
	t.Parallel()
	answer := func(status int, name, value string) func(http.Handler) http.Handler {
		return func(http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodPost {
					panic("a redirect was followed")
				}
				w.Header().Set(name, value)
				w.WriteHeader(status)
				fmt.Fprint(w, "<html>sign in</html>")
			})
		}
	}
	for _, tt := range []struct {
		name string
		wrap func(http.Handler) http.Handler
	}{
		{"portal", answer(200, "Content-Type", "text/html")},
		{"redirect", answer(302, "Location", "/login")},
		{"refusal", answer(403, wire.HeaderBatchID, "another")},
		{"bad request", answer(400, "X", "y")},
		{"too large, one scan", answer(413, "X", "y")},
		{"unavailable", answer(503, "X", "y")},
		{"gone", answer(410, "X", "y")},
		{"half a reply", func(h http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				rec := httptest.NewRecorder()
				h.ServeHTTP(rec, r)
				w.Header().Set(wire.HeaderBatchID, r.Header.Get(wire.HeaderBatchID))
				w.Header().Set("Content-Length", fmt.Sprint(rec.Body.Len()))
				w.Write(rec.Body.Bytes()[:rec.Body.Len()/2])
			})
		}},
		{"reply of another batch", func(h http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set(wire.HeaderBatchID, r.Header.Get(wire.HeaderBatchID))
				raw, _ := wire.Reply{BatchID: "another", ReceivedAt: time.Now()}.Encode()
				w.Write(raw)
			})
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, tt.wrap, "ok 1")
			rep, err := b.uplink(t).Flush(t.Context())
			if !errors.Is(err, uplink.ErrUnreachable) || rep.Done+rep.Dead != 0 {
				t.Errorf("Flush = %+v, %v; want ErrUnreachable", rep, err)
			}
			if got := b.states(t); got != "queued" {
				t.Errorf("scan is %s", got)
			}
		})
	}
}

func TestNoServer(t *testing.T) {
	t.Parallel()
	b := setup(t, nil, "ok 1", "ok 2")
	srv := httptest.NewServer(http.NotFoundHandler())
	srv.Close()
	good := b.cfg.Gateway
	b.cfg.Gateway = srv.URL
	if _, err := b.uplink(t).Flush(t.Context()); !errors.Is(err, uplink.ErrUnreachable) {
		t.Errorf("Flush = %v, want ErrUnreachable", err)
	}
	// When the network is back, a waiting person does not wait for backoff.
	b.cfg.Gateway = good
	if rep, err := b.uplink(t).FlushNow(t.Context()); err != nil || rep.Done != 2 {
		t.Errorf("FlushNow = %+v, %v", rep, err)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden} {
		var asked atomic.Int32
		b := setup(t, func(gateway http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if asked.Add(1) > 2 {
					gateway.ServeHTTP(w, r)
					return
				}
				w.Header().Set(wire.HeaderBatchID, r.Header.Get(wire.HeaderBatchID))
				fail(w, status, "FORBIDDEN", "device is blocked")
			})
		}, "ok 1", "ok 2")
		_, err := b.uplink(t).Flush(t.Context())
		refused, ok := errors.AsType[*uplink.RefusedError](err)
		if !ok || refused.Status != status || refused.Code != "FORBIDDEN" || refused.Message != "device is blocked" {
			t.Errorf("Flush = %v, want a refusal with %d", err, status)
		}
		if got := b.states(t); got != "queued queued" {
			t.Errorf("scans are %s", got)
		}
		// Scanning continues.
		if err := b.o.Record(t.Context(), scan("ok 3", time.Now())); err != nil {
			t.Error(err)
		}
		// Run reports the refusal, continues, and sends when the gateway accepts again.
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		told := 0
		err = b.uplink(t).Run(ctx, func(_ uplink.Report, err error) {
			if errors.As(err, &refused) {
				told++
			}
			if asked.Load() > 2 {
				cancel()
			}
		})
		cancel()
		if err != nil || told != 1 {
			t.Errorf("Run = %v, reported %d refusals, want 1", err, told)
		}
		if got := b.states(t); got != "done done" {
			t.Errorf("scans are %s after the refusal", got)
		}
	}
}
