//go:build !js

package feed_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"tcode/offline"
	"tcode/offline/trust"
	"tcode/offline/trust/trusttest"
	"tcode/sync/feed"
	"tcode/sync/transport/nethttp"
)

// bootClock is a boot-time clock that tests set.
type bootClock struct {
	mu  sync.Mutex
	now offline.Boot
}

func (b *bootClock) read() offline.Boot {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}

func (b *bootClock) add(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now.At += d
}

// timed is an enrolled device that asks for the time. answer, if set, answers.
func timed(t *testing.T, s *trusttest.Authority, answer func(w http.ResponseWriter, nonce [32]byte), timeout time.Duration) (device, *bootClock, *server) {
	t.Helper()
	served := serve(t, s)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if raw, err := hex.DecodeString(r.URL.Query().Get("nonce")); r.URL.Path == feed.Path+"time" && err == nil && answer != nil {
			answer(w, [32]byte(raw))
			return
		}
		served.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	d := newDevice(t, front.URL)
	clock := &bootClock{now: offline.Boot{ID: "boot", At: time.Hour}}
	var err error
	if d.Feed, err = feed.New(feed.Config{Book: d.book, Transport: nethttp.New(nil), Gateway: front.URL, Boot: clock.read, Timeout: timeout}); err != nil {
		t.Fatal(err)
	}
	return d, clock, served
}

// TestProof: a run brings a proof that counts from the question on, and only the
// online key's answer to this nonce is one. The documents come in each case.
func TestProof(t *testing.T) {
	t.Parallel()
	a := trusttest.New(t, "a")
	note := func(nonce [32]byte, at time.Time) []byte {
		return a.Sign(trust.TimeNote{Nonce: nonce, Time: at}, a.Online)
	}
	now := trusttest.Day0.Add(time.Hour)
	var clock *bootClock
	var old []byte // an answer to an earlier question
	tests := []struct {
		name   string
		answer func(w http.ResponseWriter, nonce [32]byte)
		want   error // nil: a proof
	}{
		{"the gateway", func(w http.ResponseWriter, n [32]byte) { w.Write(note(n, now)) }, nil},
		{"a slow answer", func(w http.ResponseWriter, n [32]byte) { clock.add(40 * time.Second); w.Write(note(n, now)) }, nil},
		{"a replay", func(w http.ResponseWriter, n [32]byte) { w.Write(old) }, trust.ErrNonce},
		{"another key", func(w http.ResponseWriter, n [32]byte) {
			w.Write(a.Sign(trust.TimeNote{Nonce: n, Time: now}, a.Keeper))
		}, trust.ErrForeignKey},
		{"another time", func(w http.ResponseWriter, n [32]byte) {
			w.Write(bytes.Replace(note(n, now), []byte("time 2026"), []byte("time 2025"), 1))
		}, trust.ErrSignature},
		{"the timestamp", func(w http.ResponseWriter, n [32]byte) { w.Write(a.Set(10, 0).Timestamp) }, trust.ErrTypeLine},
		{"garbage", func(w http.ResponseWriter, n [32]byte) { w.Write([]byte("<html>")) }, trust.ErrTypeLine},
		{"endless", func(w http.ResponseWriter, n [32]byte) { w.Write(bytes.Repeat([]byte("x"), trust.MaxTimeNoteLen+1)) }, feed.ErrTooLarge},
		{"the machine was started anew", func(w http.ResponseWriter, n [32]byte) {
			clock.mu.Lock()
			clock.now.ID = "next"
			clock.mu.Unlock()
			w.Write(note(n, now))
		}, feed.ErrNoProof},
	}
	old = note([32]byte{1}, now)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var d device
			d, clock, _ = timed(t, a, tt.answer, 0)
			rep, err := d.Enrol(t.Context(), &a.Fingerprint)
			if err != nil || !d.state(t).Complete() {
				t.Fatalf("Enrol = %v", err)
			}
			s, err := d.book.Snapshot(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if !errors.Is(rep.ProofErr, tt.want) || (rep.ProofErr == nil) != (tt.want == nil) || s.Proof() != rep.Proof {
				t.Fatalf("proof %+v, stored %+v, %v; want %v", rep.Proof, s.Proof(), rep.ProofErr, tt.want)
			}
			want := offline.Proof{Time: now.Add(time.Second), Boot: offline.Boot{ID: "boot", At: time.Hour}}
			if tt.want == nil && rep.Proof != want {
				t.Errorf("proof %+v, want %+v", rep.Proof, want)
			}
		})
	}
}

// TestMirror: from a mirror that has no time, or does not answer when asked for
// it, only the proof is missing.
//
//race:on the mirror answers concurrently
func TestMirror(t *testing.T) {
	t.Parallel()
	a := trusttest.New(t, "a")
	d, _, _ := timed(t, a, nil, 0)
	rep, err := d.Enrol(t.Context(), &a.Fingerprint)
	if _, ok := errors.AsType[*feed.StatusError](rep.ProofErr); err != nil || !ok || !d.state(t).Complete() {
		t.Errorf("a static mirror: %v, %v", err, rep.ProofErr)
	}
	done := make(chan struct{})
	d, _, _ = timed(t, a, func(http.ResponseWriter, [32]byte) { <-done }, time.Second)
	t.Cleanup(func() { close(done) }) // before the servers close
	rep, err = d.Enrol(t.Context(), &a.Fingerprint)
	if err != nil || rep.ProofErr == nil || !d.state(t).Complete() {
		t.Errorf("a mirror that hangs: %v, %v", err, rep.ProofErr)
	}
}

// TestRootsAreCheckedInTurn: a wrong root ends the requests, from any server
// and at any speed, and earlier correct roots are stored.
func TestRootsAreCheckedInTurn(t *testing.T) {
	t.Parallel()
	s := serve(t, trusttest.New(t, "a"))
	d := enrolled(t, s)
	s.Rotate("")
	s.Rotate("new-online")
	s.hook = func(w http.ResponseWriter, name string) bool {
		if name == "root/1" || name == "root/2" || name == "root/3" || !strings.HasPrefix(name, "root/") {
			return false
		}
		w.Write([]byte("tcode-trust/1 root garbage\n"))
		return true
	}
	if _, err := d.Refresh(t.Context()); !errors.Is(err, trust.ErrTypeLine) {
		t.Errorf("Refresh = %v", err)
	}
	if got := strings.Join(s.asked, " "); got != "root/2 root/3 root/4" {
		t.Errorf("asked for %s", got)
	}
	if got := d.state(t).Root.Version; got != 3 {
		t.Errorf("root %d, want the 3 that are right", got)
	}
	// The same root again is not the next root.
	s.hook = func(w http.ResponseWriter, name string) bool {
		if name == "root/4" {
			w.Write(s.Roots[1])
		}
		return name == "root/4"
	}
	if _, err := d.Refresh(t.Context()); !errors.Is(err, trust.ErrVersion) {
		t.Errorf("Refresh = %v", err)
	}
}

// TestDeadline: one deadline bounds all requests together, and the outcome is
// recorded.
//
//race:on a timer ends the requests
func TestDeadline(t *testing.T) {
	t.Parallel()
	s := serve(t, trusttest.New(t, "a"))
	d := enrolled(t, s)
	done := make(chan struct{})
	t.Cleanup(func() { close(done) })
	s.hook = func(http.ResponseWriter, string) bool { <-done; return true }
	var err error
	if d.Feed, err = feed.New(feed.Config{Book: d.book, Transport: nethttp.New(nil), Gateway: s.url, Timeout: 100 * time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Refresh(t.Context()); !errors.Is(err, feed.ErrTimeout) {
		t.Errorf("Refresh = %v, want ErrTimeout", err)
	}
	if at, err := d.book.LastAttempt(t.Context()); err != nil || !strings.Contains(at.Error, feed.ErrTimeout.Error()) {
		t.Errorf("LastAttempt = %+v, %v", at, err)
	}
}

// TestProofEvery: a young proof of this start of the machine is enough; a proof
// of another start, an old one or none is not.
func TestProofEvery(t *testing.T) {
	t.Parallel()
	a := trusttest.New(t, "a")
	asked := 0
	d, clock, s := timed(t, a, func(w http.ResponseWriter, n [32]byte) {
		asked++
		w.Write(a.Sign(trust.TimeNote{Nonce: n, Time: trusttest.Day0.Add(time.Hour)}, a.Online))
	}, 0)
	if _, err := d.Enrol(t.Context(), &s.Fingerprint); err != nil {
		t.Fatal(err)
	}
	d.Feed = refeed(t, d, clock)
	for i, step := range []struct {
		after time.Duration
		boot  string
		want  int // number of questions
	}{{0, "boot", 1}, {14 * time.Minute, "boot", 1}, {time.Minute, "boot", 2}, {time.Second, "boot", 2}, {time.Second, "next", 3}, {time.Second, "next", 3}} {
		clock.mu.Lock()
		clock.now.At, clock.now.ID = clock.now.At+step.after, step.boot
		clock.mu.Unlock()
		rep, err := d.Refresh(t.Context())
		if err != nil || rep.ProofErr != nil || asked != step.want {
			t.Errorf("run %d: %d questions, want %d; %v, %v", i, asked, step.want, err, rep.ProofErr)
		}
	}
}

// refeed returns a feed of the device that asks for the time every 15 minutes.
func refeed(t *testing.T, d device, clock *bootClock) *feed.Feed {
	t.Helper()
	e, err := d.book.Enrolment(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f, err := feed.New(feed.Config{Book: d.book, Transport: nethttp.New(nil), Gateway: e.Gateway, Boot: clock.read, ProofEvery: 15 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return f
}
