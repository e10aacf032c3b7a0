package apitest

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"tcode/server/internal/harness"
	"tcode/server/store/storetest"
)

// twoAtOnce sends one creating request twice concurrently, with one
// Idempotency-Key, and returns the first answer. It locks the database meanwhile,
// so that neither request ends before the other begins.
func (p *provoker) twoAtOnce(id string) harness.Answer {
	p.T.Helper()
	q := p.ask(id)
	q.Header = http.Header{"Idempotency-Key": {fmt.Sprint("at once ", harness.Serial())}}
	unlock := lock(p.Rig)
	answers := make(chan harness.Answer, 2)
	for range 2 {
		go func() { answers <- p.Do(q) }()
	}
	first := <-answers
	unlock()
	if second := <-answers; second.StatusCode >= 300 {
		p.T.Errorf("%s twice concurrently: %d and %d %s, want one success", id, first.StatusCode, second.StatusCode, second.Raw)
	}
	return first
}

// lock keeps all other connections from writing, or from storing the answer to an
// Idempotency-Key, until unlock.
func lock(r *harness.Rig) (unlock func()) {
	r.T.Helper()
	conn, err := storetest.Raw(r.T, r.Dir).Conn(r.T.Context())
	if err != nil {
		r.T.Fatal(err)
	}
	statements := []string{"BEGIN IMMEDIATE"}
	if r.Engine == storetest.Postgres {
		statements = []string{"BEGIN", "LOCK TABLE once IN SHARE ROW EXCLUSIVE MODE"}
	}
	for _, s := range statements {
		if _, err := conn.ExecContext(r.T.Context(), s); err != nil {
			r.T.Fatal(err)
		}
	}
	return func() {
		_, err := conn.ExecContext(r.T.Context(), "ROLLBACK")
		if err := errors.Join(err, conn.Close()); err != nil {
			r.T.Error(err)
		}
	}
}

// TestTwoAtOnce: one of two concurrent requests with one Idempotency-Key runs, and
// the other gets 409 CONFLICT.
//
//race:on two requests share a key
func TestTwoAtOnce(t *testing.T) {
	t.Parallel()
	p := &provoker{}
	p.world = newWorld(t)
	if a := p.twoAtOnce("createStamp"); a.StatusCode != http.StatusConflict || a.Body["code"] != "CONFLICT" {
		t.Errorf("the other answers %d %s", a.StatusCode, a.Raw)
	}
}

// TestTwoGatewaysAtOnce: one of two concurrent requests with one Idempotency-Key at
// two gateways on one database runs, and both get its answer.
//
//race:on two gateways share a database
func TestTwoGatewaysAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h, err := w.Admin.Handler()
	if err != nil {
		t.Fatal(err)
	}
	second := httptest.NewServer(h)
	defer second.Close()
	harness.Watch(strings.TrimPrefix(second.URL, "http://"))
	for _, id := range w.there() {
		if op := operations()[id]; op.method != http.MethodPost || !op.protected || !takesIdempotencyKey(op) {
			continue
		}
		q := w.ask(id)
		q.Header = http.Header{"Idempotency-Key": {fmt.Sprint("two gateways ", harness.Serial())}}
		unlock := lock(w.Rig)
		answers := make(chan harness.Answer, 2)
		for _, url := range []string{w.URL, second.URL} {
			go func() { answers <- (&harness.Rig{T: t, URL: url}).Do(q) }()
		}
		time.AfterFunc(200*time.Millisecond, unlock) // by then both wait, or the second finds an answer
		a, b := <-answers, <-answers
		if a.StatusCode >= 300 || b.StatusCode >= 300 || withoutSecret(a) != withoutSecret(b) {
			t.Errorf("%s: %d and %d:\n%s\n%s", id, a.StatusCode, b.StatusCode, a.Raw, b.Raw)
		}
		if (a.Header.Get("Idempotent-Replayed") == "true") == (b.Header.Get("Idempotent-Replayed") == "true") {
			t.Errorf("%s: both or neither of the answers is a repeat", id)
		}
		if a.Header.Get("Location") == "" || a.Header.Get("Location") != b.Header.Get("Location") || a.Header.Get("ETag") != b.Header.Get("ETag") {
			t.Errorf("%s: the headers differ: %v and %v", id, a.Header, b.Header)
		}
	}
}

// withoutSecret returns an answer without the secret that only the first one has.
func withoutSecret(a harness.Answer) string {
	return secretMember.ReplaceAllString(string(a.Raw), "")
}

var secretMember = regexp.MustCompile(`"secret":("[^"]*"|null)`)

func takesIdempotencyKey(op operation) bool {
	return slices.ContainsFunc(op.params, func(p *openapi3.ParameterRef) bool { return p.Value.Name == "Idempotency-Key" })
}
