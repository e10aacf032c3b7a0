//go:build unix

package opstest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"tcode/server/internal/harness"
	"tcode/sync/wire"
)

// A freezeStorm is the work of clients while gateways are frozen at random moments. Every
// client repeats a request, at any gateway, until it is confirmed.
type freezeStorm struct {
	*frozenWorld
	calm  context.Context
	tries atomic.Int64

	mu      sync.Mutex // guards the members below
	stamps  []confirmed
	scans   int
	slowest time.Duration
}

// A confirmed stamp.
type confirmed struct {
	id, reference string
	revoked       bool
}

// patient is the time after which a client asks another gateway. The first one may still
// answer it.
const patient = 3 * time.Second

// until repeats q at random gateways until good accepts the answer.
func (s *freezeStorm) until(q harness.Request, good func(harness.Answer) bool) harness.Answer {
	q.Key = s.key
	begun := time.Now()
	for time.Since(begun) < 2*time.Minute {
		s.tries.Add(1)
		g := s.gate[rand.IntN(len(s.gate))]
		answers := make(chan harness.Answer, 1)
		go func() {
			if a, err := g.Try(q); err == nil {
				answers <- a
			}
		}()
		select {
		case a := <-answers:
			if good(a) {
				s.mu.Lock()
				s.slowest = max(s.slowest, time.Since(begun))
				s.mu.Unlock()
				return a
			}
			if a.StatusCode == http.StatusInternalServerError {
				s.T.Errorf("%s %s: 500 %s", q.Method, q.Path, a.Raw)
			}
			time.Sleep(50 * time.Millisecond)
		case <-time.After(patient):
		}
	}
	s.T.Errorf("%s %s was never confirmed", q.Method, q.Path)
	return harness.Answer{Response: &http.Response{}}
}

// stamper stamps until the storm is over, and revokes every third stamp.
func (s *freezeStorm) stamper(n int) {
	for i := 0; s.calm.Err() == nil; i++ {
		name := fmt.Sprintf("storm %d %d", n, i)
		a := s.until(harness.Request{
			Method: "POST", Path: "/v1/tcode/stamps", Body: harness.StampBody(name), Header: http.Header{"Idempotency-Key": {name}},
		}, func(a harness.Answer) bool { return a.StatusCode == http.StatusCreated })
		if a.Data() == nil {
			return
		}
		st := confirmed{id: a.Data()["id"].(string), reference: a.Data()["reference"].(string)}
		if i%3 == 0 {
			st.revoked = s.until(harness.Request{Method: "POST", Path: "/v1/tcode/stamps/" + st.id + "/revoke", Body: map[string]any{}},
				func(a harness.Answer) bool { return a.StatusCode == http.StatusNoContent }).StatusCode == http.StatusNoContent
		}
		s.mu.Lock()
		s.stamps = append(s.stamps, st)
		s.mu.Unlock()
	}
}

// syncer sends scans of a device.
func (s *freezeStorm) syncer() {
	const scans = 5
	d := newTestDevice(s.T)
	for s.calm.Err() == nil {
		s.mu.Lock()
		known := slices.Clone(s.stamps)
		s.mu.Unlock()
		if len(known) == 0 {
			time.Sleep(50 * time.Millisecond)
			continue
		}
		q := d.sync(known[rand.IntN(len(known))].reference, scans)
		s.until(q, func(a harness.Answer) bool {
			if a.StatusCode != http.StatusOK {
				return false
			}
			reply, err := wire.DecodeReply(a.Raw)
			return err == nil && !slices.ContainsFunc(reply.Results, func(r wire.ItemResult) bool { return r.Result == wire.Retry })
		})
		s.mu.Lock()
		s.scans += scans
		s.mu.Unlock()
	}
}

// enough reports whether stamps were revoked and scans confirmed, which takes longer than the
// freezes on a busy machine.
func (s *freezeStorm) enough() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.scans > 0 && slices.ContainsFunc(s.stamps, func(c confirmed) bool { return c.revoked })
}

// freeze freezes a gateway at a random moment, for less or more than a session may stand
// still in a transaction.
func (s *freezeStorm) freeze() time.Duration {
	time.Sleep(time.Duration(rand.IntN(1500)) * time.Millisecond)
	p, d := s.proc[rand.IntN(len(s.proc))].Process, 500*time.Millisecond+time.Duration(rand.IntN(8000))*time.Millisecond
	must(s.T, p.Signal(syscall.SIGSTOP))
	time.Sleep(d)
	must(s.T, p.Signal(syscall.SIGCONT))
	return d
}

// frozenAtRandom: gateways that are frozen at any moment lose and double nothing.
// TCODE_FREEZES is the number of freezes.
func frozenAtRandom(t *testing.T) {
	const stampers = 3
	freezes := often(t, "TCODE_FREEZES", 1)
	calm, end := context.WithCancel(t.Context())
	s := &freezeStorm{frozenWorld: newFrozenWorld(t), calm: calm}
	var all sync.WaitGroup
	for n := range stampers {
		all.Go(func() { s.stamper(n) })
	}
	all.Go(s.syncer)
	var still time.Duration
	for range freezes {
		still += s.freeze()
	}
	for until := time.Now().Add(time.Minute); !s.enough() && time.Now().Before(until); {
		time.Sleep(20 * time.Millisecond)
	}
	end()
	all.Wait()
	s.compare(t)
	t.Logf("%d freezes of %v together, 3 gateways: %d stamps, %d scans confirmed in %d tries, the slowest after %v",
		freezes, still.Round(time.Second), len(s.stamps), s.scans, s.tries.Load(), s.slowest.Round(10*time.Millisecond))
}

// compare compares what was confirmed with what is there.
func (s *freezeStorm) compare(t *testing.T) {
	t.Helper()
	revoked := 0
	for _, st := range s.stamps {
		want := "valid"
		if st.revoked {
			want, revoked = "revoked", revoked+1
		}
		a := s.gate[0].Want(s.gate[0].Get("", "/v1/tcode/verify/reference/"+st.reference), http.StatusOK)
		if got := a.Data()["verdict"]; got != want {
			t.Errorf("%s is %v, want %s", st.reference, got, want)
		}
	}
	if revoked == 0 || s.scans == 0 {
		t.Errorf("%d revoked, %d scans: the test proves too little", revoked, s.scans)
	}
	for query, want := range map[string]int{
		`SELECT count(*) FROM stamps`: len(s.stamps), `SELECT count(DISTINCT name) FROM stamps`: len(s.stamps), `SELECT count(*) FROM stamps WHERE status = 'Revoked'`: revoked,
		`SELECT count(*) FROM scans`: s.scans, `SELECT count(DISTINCT scan_id) FROM scans`: s.scans, `SELECT count(*) FROM scan_conflicts`: 0,
	} {
		var got int
		must(t, s.db.QueryRow(query).Scan(&got))
		if got != want {
			t.Errorf("%s: %d, want %d", query, got, want)
		}
	}
	for end := time.Now().Add(slack * frozenBar); ; time.Sleep(20 * time.Millisecond) {
		var waits bool
		must(t, s.db.QueryRow(`SELECT wanted <> published FROM trust_head`).Scan(&waits))
		if !waits {
			break
		}
		if time.Now().After(end) {
			t.Fatal("changes are not published")
		}
	}
	s.check(len(s.stamps))
}
