//go:build !js

package uplink_test

import (
	"context"
	"crypto/ed25519"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"tcode/offline/digest"
	"tcode/offline/trust"
	"tcode/sync/outbox"
	"tcode/sync/uplink"
	"tcode/sync/wire"
)

// Without the right receipt no scan is done, whatever the results are.
func TestReceiptMustVerify(t *testing.T) {
	t.Parallel()
	edit := func(change func(*wire.Reply)) func(http.Handler) http.Handler {
		return func(h http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				rec := httptest.NewRecorder()
				h.ServeHTTP(rec, r)
				reply, err := wire.DecodeReply(rec.Body.Bytes())
				if err != nil {
					panic(err)
				}
				change(&reply)
				raw, _ := reply.Encode()
				w.Header().Set(wire.HeaderBatchID, r.Header.Get(wire.HeaderBatchID))
				w.Write(raw)
			})
		}
	}
	foreign := signer(t, otherKey)
	for _, tt := range []struct {
		name   string
		change func(*wire.Reply)
	}{
		{"none", func(r *wire.Reply) { r.Receipt = "" }},
		{"text only", func(r *wire.Reply) { r.Receipt, _, _ = strings.Cut(r.Receipt, "\n\n") }},
		{"changed", func(r *wire.Reply) { r.Receipt = strings.Replace(r.Receipt, "items 2", "items 3", 1) }},
		{"for fewer", func(r *wire.Reply) { r.Results = r.Results[:1] }},
		{"for one that was refused", func(r *wire.Reply) { r.Results[0].Result = wire.Retry }},
		{"another key", func(r *wire.Reply) {
			text, _, _ := strings.Cut(r.Receipt, "\n\n")
			receipt, err := wire.ParseReceipt([]byte(text + "\n"))
			if err != nil {
				panic(err)
			}
			r.Receipt, _ = wire.SignReceipt(receipt, foreign)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, edit(tt.change), "ok 1", "ok 2")
			_, err := b.uplink(t).Flush(t.Context())
			if !errors.Is(err, uplink.ErrReceipt) {
				t.Errorf("Flush = %v, want ErrReceipt", err)
			}
			if got := b.states(t); got != "queued queued" {
				t.Errorf("scans are %s", got)
			}
		})
	}
}

func TestRetryAfterOutlivesTheProcess(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"90", "Fri, 20 Nov 2026 12:01:30 GMT", "99999999"} {
		busy := true
		b := setup(t, func(h http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if busy {
					w.Header().Set("Retry-After", value)
					w.WriteHeader(http.StatusServiceUnavailable)
					return
				}
				h.ServeHTTP(w, r)
			})
		}, "ok 1", "ok 2")
		now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
		b.cfg.Now = func() time.Time { return now }
		b.cfg.MaxItems = 1 // the second scan has not failed, but waits too
		if _, err := b.uplink(t).Flush(t.Context()); !errors.Is(err, uplink.ErrUnreachable) {
			t.Errorf("%s: Flush = %v", value, err)
		}
		busy = false
		now = now.Add(89 * time.Second)
		if rep, err := b.uplink(t).FlushNow(t.Context()); err != nil || rep.Sent != 0 {
			t.Errorf("%s: before its time %+v, %v", value, rep, err)
		}
		now = now.Add(time.Second)
		if value == "99999999" {
			now = now.Add(uplink.MaxRetryAfter)
		}
		if rep, err := b.uplink(t).FlushNow(t.Context()); err != nil || rep.Done != 2 {
			t.Errorf("%s: after its time %+v, %v", value, rep, err)
		}
	}
}

func TestDuplicateAndConflict(t *testing.T) {
	t.Parallel()
	b := setup(t, nil, "ok 1", "ok 2")
	e, err := b.o.Get(t.Context(), b.ids[0])
	if err != nil {
		t.Fatal(err)
	}
	b.g.rows[b.ids[0]] = e.Digest            // an earlier reply was lost
	b.g.rows[b.ids[1]] = digest.SHA256{0xff} // another scan has this id
	rep, err := b.uplink(t).Flush(t.Context())
	if err != nil || rep.Done != 2 || rep.Duplicate != 1 || rep.Conflict != 1 {
		t.Errorf("Flush = %+v, %v", rep, err)
	}
	e, err = b.o.Get(t.Context(), b.ids[1])
	if err != nil || !e.Conflict || e.State != outbox.Done {
		t.Errorf("conflict: %+v, %v", e, err)
	}
}

func TestFlushNeedsLockAndTrust(t *testing.T) {
	t.Parallel()
	b := setup(t, nil, "ok 1")
	l, err := b.o.LockSync()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.uplink(t).Flush(t.Context()); !errors.Is(err, outbox.ErrSyncing) {
		t.Errorf("Flush during another = %v, want ErrSyncing", err)
	}
	if err := l.Unlock(); err != nil {
		t.Fatal(err)
	}
	b.cfg.Online = func(context.Context) (trust.VerifierKey, error) { return trust.VerifierKey{}, nil }
	if _, err := b.uplink(t).Flush(t.Context()); !errors.Is(err, uplink.ErrNoTrust) {
		t.Errorf("Flush without trust = %v, want ErrNoTrust", err)
	}
	if got := b.states(t); got != "queued" || b.g.batches != 0 {
		t.Errorf("scan is %s, %d batches sent", got, b.g.batches)
	}
	b.cfg.Online, b.cfg.Key = online(onlineKey), otherKey
	if err := b.o.Bind(t.Context(), wire.ScannerID(deviceKey.Public().(ed25519.PublicKey))); err != nil {
		t.Fatal(err)
	}
	if _, err := b.uplink(t).Flush(t.Context()); !errors.Is(err, outbox.ErrOtherDevice) {
		t.Errorf("Flush of another device = %v, want ErrOtherDevice", err)
	}
}

// Run sends scans that are recorded while it runs.
//
//race:on the loop runs concurrently with scans and requests
func TestRun(t *testing.T) {
	t.Parallel()
	b := setup(t, nil, "ok 1")
	b.cfg.Poll = time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done, first := 0, true
	err := b.uplink(t).Run(ctx, func(r uplink.Report, err error) {
		if err != nil {
			t.Errorf("round: %v", err)
		}
		if done += r.Done; first {
			first = false
			if err := b.o.Record(ctx, scan("ok 2", time.Now()), scan("ok 3", time.Now())); err != nil {
				t.Error(err)
			}
		}
		if done == 3 {
			cancel()
		}
	})
	if err != nil || done != 3 {
		t.Errorf("Run = %v after %d scans", err, done)
	}
}

// After a stop in the middle of a request, the scans are queued and nothing waits.
//
//race:on the request is ended by another goroutine
func TestStopDuringRequest(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	b := setup(t, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if ctx.Err() == nil {
				io.Copy(io.Discard, r.Body) // otherwise the server would not see the device hang up
				cancel()
				<-r.Context().Done()
				return
			}
			h.ServeHTTP(w, r)
		})
	}, "ok 1")
	if _, err := b.uplink(t).Flush(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Flush = %v, want context.Canceled", err)
	}
	if rep, err := b.uplink(t).Flush(t.Context()); err != nil || rep.Done != 1 {
		t.Errorf("next Flush = %+v, %v", rep, err)
	}
}

func TestLoadKey(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "device.key")
	a, err := uplink.LoadKey(path)
	if err != nil {
		t.Fatal(err)
	}
	b, err := uplink.LoadKey(path)
	if err != nil || !a.Equal(b) {
		t.Errorf("second LoadKey gives another key (%v)", err)
	}
	st, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != fs.FileMode(0o600) {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".device-key-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := os.WriteFile(path, []byte("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := uplink.LoadKey(path); !errors.Is(err, uplink.ErrKey) {
		t.Errorf("LoadKey of rubbish = %v, want ErrKey", err)
	}
}
