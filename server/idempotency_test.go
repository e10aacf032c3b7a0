package server_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"tcode/server/store/storetest"
)

// twoAtOnce sends one creating request twice at once, with one Idempotency-Key,
// and returns the first answer. The database is locked meanwhile, so that
// neither can end before the other has begun.
func (p *provoker) twoAtOnce(id string) answer {
	p.t.Helper()
	q := p.ask(id)
	q.header = http.Header{"Idempotency-Key": {fmt.Sprint("at once ", serial.Add(1))}}
	unlock := p.lock()
	answers := make(chan answer, 2)
	for range 2 {
		go func() { answers <- p.do(q) }()
	}
	first := <-answers
	unlock()
	if second := <-answers; second.StatusCode >= 300 {
		p.t.Errorf("%s twice at once: %d and %d %s, want one success", id, first.StatusCode, second.StatusCode, second.raw)
	}
	return first
}

// lock keeps everybody else from writing, or from keeping the answer to an
// Idempotency-Key, until unlock.
func (r *rig) lock() (unlock func()) {
	r.t.Helper()
	conn, err := storetest.Raw(r.t, r.dir).Conn(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	statements := []string{"BEGIN IMMEDIATE"}
	if r.engine == storetest.Postgres {
		statements = []string{"BEGIN", "LOCK TABLE once IN SHARE ROW EXCLUSIVE MODE"}
	}
	for _, s := range statements {
		if _, err := conn.ExecContext(r.t.Context(), s); err != nil {
			r.t.Fatal(err)
		}
	}
	return func() {
		_, err := conn.ExecContext(r.t.Context(), "ROLLBACK")
		if err := errors.Join(err, conn.Close()); err != nil {
			r.t.Error(err)
		}
	}
}

// TestTwoAtOnce: of two simultaneous requests with one Idempotency-Key one runs
// and the other is told so; with two bodies the other is told that.
func TestTwoAtOnce(t *testing.T) {
	t.Parallel()
	p := &provoker{}
	p.world = newWorld(t)
	if a := p.twoAtOnce("createStamp"); a.StatusCode != http.StatusConflict || a.body["code"] != "CONFLICT" {
		t.Errorf("the other answers %d %s", a.StatusCode, a.raw)
	}
}

// TestTwoGatewaysAtOnce: of two simultaneous requests with one Idempotency-Key
// at two gateways on one database one is done, and both get its answer.
func TestTwoGatewaysAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h, err := w.admin.Handler()
	if err != nil {
		t.Fatal(err)
	}
	second := httptest.NewServer(h)
	defer second.Close()
	record.watch(strings.TrimPrefix(second.URL, "http://"))
	for _, id := range w.there() {
		if op := operations()[id]; op.method != http.MethodPost || !op.protected || !takesIdempotencyKey(op) {
			continue
		}
		q := w.ask(id)
		q.header = http.Header{"Idempotency-Key": {fmt.Sprint("two gateways ", serial.Add(1))}}
		unlock := w.lock()
		answers := make(chan answer, 2)
		for _, url := range []string{w.url, second.URL} {
			go func() { answers <- (&rig{t: t, url: url}).do(q) }()
		}
		time.AfterFunc(200*time.Millisecond, unlock) // by then both wait, or the second finds an answer
		a, b := <-answers, <-answers
		if a.StatusCode >= 300 || b.StatusCode >= 300 || string(a.raw) != string(b.raw) {
			t.Errorf("%s: %d and %d:\n%s\n%s", id, a.StatusCode, b.StatusCode, a.raw, b.raw)
		}
		if (a.Header.Get("Idempotent-Replayed") == "true") == (b.Header.Get("Idempotent-Replayed") == "true") {
			t.Errorf("%s: both or neither of the answers is a repeat", id)
		}
		if a.Header.Get("Location") == "" || a.Header.Get("Location") != b.Header.Get("Location") || a.Header.Get("ETag") != b.Header.Get("ETag") {
			t.Errorf("%s: the headers differ: %v and %v", id, a.Header, b.Header)
		}
	}
}

func takesIdempotencyKey(op operation) bool {
	return slices.ContainsFunc(op.params, func(p *openapi3.ParameterRef) bool { return p.Value.Name == "Idempotency-Key" })
}
