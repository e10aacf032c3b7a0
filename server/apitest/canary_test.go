package apitest

import (
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"tcode/server"
	"tcode/server/internal/harness"
	"tcode/server/store/storetest"
)

// canaryHeaders are headers of a request that may carry a secret.
var canaryHeaders = []string{
	"X-Api-Key", "Authorization", "Cookie", "Idempotency-Key", "If-Match", "If-None-Match", "Traceparent", "Tracestate", "Baggage",
	"User-Agent", "Referer", "Origin", "X-Forwarded-For", "X-Request-Id", "Tcode-Batch-Id", "Tcode-Device-Key", "Tcode-Batch-Signature",
	"Content-Type", "Content-Encoding", "Accept", "Range",
}

// TestCanaries puts a different secret into each text of each request, each
// header, each part of a path and each parameter, valid and invalid ones. None of
// them may appear in the log, in an error or in the metrics.
func TestCanaries(t *testing.T) {
	t.Parallel()
	var log harness.LockedBuffer
	watch := make(chan net.Addr, 1)
	w := newWorld(t, func(c *server.Config) {
		c.Log = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		c.MetricsAddr, c.MetricsReady = "127.0.0.1:0", func(a net.Addr) { watch <- a }
	})
	c := &canaries{world: w, planted: map[string]string{}}
	for _, id := range w.there() {
		c.inBody(id)
		c.inParams(id)
		c.inHeaders(id)
	}
	for _, q := range []harness.Request{
		{Method: "GET", Path: "/" + c.plant("a path")},
		{Method: "GET", Path: "/v1/tcode/stamps/" + c.plant("a path of ours") + "/nothing"},
		{Method: "DELETE", Path: "/v1/tcode/verify/reference/" + c.plant("a path that takes no DELETE")},
		{Method: "GET", Path: "/openapi.json?" + c.plant("a parameter's name") + "=" + c.plant("a parameter")},
	} {
		c.send(q)
	}
	metrics := w.Want(w.Get("", "http://"+(<-watch).String()+"/metrics"), http.StatusOK)
	c.search("the metrics", string(metrics.Raw))
	c.search("the log", log.String())
	if !strings.Contains(log.String(), `"status":400`) {
		t.Error("the log lacks these requests")
	}
	t.Logf("%d secrets in %d answers", len(c.planted), c.sent)
}

// TestCanariesInFailures: the log has the reason of an internal error. Neither the
// log nor the answer shows the data of the request.
func TestCanariesInFailures(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		var log harness.LockedBuffer
		w := newWorldOn(t, e, func(c *server.Config) {
			c.Log = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		})
		c := &canaries{world: w, planted: map[string]string{}}
		for table, id := range map[string]string{
			"stamps": "createStamp", "placement_templates": "createPlacementTemplate", "tdoc_templates": "createTdocTemplate", "scans": "syncScans",
		} {
			repair := storetest.Break(t, w.Dir, table, "")
			c.inBody(id)
			repair()
		}
		c.search("the log", log.String())
		if got := strings.Count(log.String(), `"status":500`); got < 20 || !strings.Contains(log.String(), "broken") {
			t.Errorf("%d failures in the log, and their cause: %v", got, strings.Contains(log.String(), "broken"))
		}
	})
}

// A canaries plants secrets and looks for them.
type canaries struct {
	*world
	planted map[string]string // secret to its place
	sent    int
}

func (c *canaries) plant(where string) string {
	secret := fmt.Sprintf("cAnaRy%dzQ", harness.Serial())
	c.planted[secret] = where
	return secret
}

// send sends a request and searches its answer, if that is an error.
func (c *canaries) send(q harness.Request) {
	c.T.Helper()
	a := c.Do(q)
	c.sent++
	if a.StatusCode >= 400 {
		h := a.Header.Clone()
		h.Del("Tcode-Batch-Id") // echoed, so that a device knows the gateway
		c.search(fmt.Sprintf("the error %d of %s %s", a.StatusCode, q.Method, a.Request.URL.Path), string(a.Raw)+fmt.Sprint(h))
	}
}

// search fails the test for each secret in text.
func (c *canaries) search(where, text string) {
	c.T.Helper()
	if !strings.Contains(text, "cAnaRy") {
		return
	}
	for secret, from := range c.planted {
		if strings.Contains(text, secret) {
			i := strings.Index(text, secret)
			c.T.Errorf("%s shows the secret in %s: ...%s...", where, from, text[max(0, i-150):min(len(text), i+60)])
		}
	}
}

// inBody plants a secret in each member of the operation's body.
func (c *canaries) inBody(id string) {
	c.T.Helper()
	op := operations()[id]
	if op.body == nil {
		return
	}
	q := c.ask(id)
	raw := q.Body
	for _, path := range textMembers(op.body, nil) {
		where := id + " " + strings.Join(path, ".")
		for range 2 { // the second may be a duplicate of the first
			b := clone(raw).(map[string]any)
			c.freshen(id, b)
			set(b, path, c.plant(where))
			q.Body = b
			c.send(q)
			c.send(q)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(op.body.Properties)) {
		where := id + " " + name
		b := clone(raw).(map[string]any)
		b[name] = c.plant(where) // of the wrong type, or an unknown word, or invalid Base64
		q.Body = b
		c.send(q)
		b[name] = []any{map[string]any{"a": c.plant(where)}, c.plant(where)}
		c.send(q)
		b[name] = strings.Repeat(c.plant(where)+" ", 2000)
		c.send(q)
	}
	for _, text := range []string{`{"a":"%s"`, `"%s"`, `%s`, `[{"b":"%s"}]`, `{"a":"%s"} {}`, "{\"a\":\"%s\xff\"}"} {
		q.Body = fmt.Sprintf(text, c.plant(id+" as a whole"))
		c.send(q)
	}
}

// inParams plants a secret in each parameter of the path and of the query, and
// in an unknown one.
func (c *canaries) inParams(id string) {
	c.T.Helper()
	op := operations()[id]
	for _, p := range op.params {
		q := c.ask(id)
		secret := c.plant(id + " parameter " + p.Value.Name)
		switch {
		case p.Value.In == "query":
			q.Path += map[bool]string{true: "&", false: "?"}[strings.Contains(q.Path, "?")] + p.Value.Name + "=" + secret
		case p.Value.In == "path":
			q.Path = fill(op.path, secret)
		default:
			q.Header = http.Header{p.Value.Name: {secret}}
		}
		c.send(q)
	}
	q := c.ask(id)
	q.Path += map[bool]string{true: "&", false: "?"}[strings.Contains(q.Path, "?")] + "unknown=" + url.QueryEscape(c.plant(id+" unknown parameter"))
	c.send(q)
}

// inHeaders plants a secret in each header.
func (c *canaries) inHeaders(id string) {
	c.T.Helper()
	q := c.ask(id)
	for _, name := range canaryHeaders {
		q.Header = http.Header{name: {c.plant(id + " header " + name)}}
		c.send(q)
	}
}
