package webhook_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"tcode/server/outbound/webhook"
	"tcode/server/outbound/webhook/post"
	"tcode/server/platform/jobs"
	"tcode/server/store"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

const acme = "ACME01"

// A world is a domain with a tenant and its webhooks.
type world struct {
	*storetest.Bundle
	id    tenant.Identity
	hooks *webhook.Service
}

func newWorld(t *testing.T, e storetest.Engine) *world {
	t.Helper()
	b := storetest.NewOn(t, e)
	return &world{b, b.Tenant(t, "Acme", acme), service(t, b, webhook.Config{Now: b.Clock.Now})}
}

// service returns the service of webhooks over b, with c, and sends over the network.
func service(t *testing.T, b *storetest.Bundle, c webhook.Config) *webhook.Service {
	t.Helper()
	c.Store, c.Ring, c.Tenants, c.Sender = b.DB, b.Ring, b.Tenants, sender(t, c.Now)
	return webhook.New(c)
}

// sender sends over the network.
func sender(t *testing.T, now func() time.Time) webhook.Sender {
	t.Helper()
	p := post.New(post.Config{AllowPrivate: true, Timeout: time.Second, Now: now})
	t.Cleanup(p.Close)
	return p
}

// create makes an endpoint.
func (w *world) create(t *testing.T, url string, events ...string) (webhook.Endpoint, string) {
	t.Helper()
	e, secret, err := w.hooks.Create(t.Context(), acme, url, events)
	if err != nil {
		t.Fatal(err)
	}
	return e, secret
}

// run sends the due deliveries of an endpoint.
func (w *world) run(t *testing.T, e webhook.Endpoint) {
	t.Helper()
	if err := w.hooks.Run(t.Context(), e.ID); err != nil {
		t.Fatal(err)
	}
}

// deliveries returns those of an endpoint, oldest first.
func (w *world) deliveries(t *testing.T, e webhook.Endpoint) []webhook.Delivery {
	t.Helper()
	ds, err := w.hooks.Deliveries(t.Context(), acme, e.ID, "", webhook.MaxList)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(ds)
	return ds
}

// state returns the endpoint as it is now.
func (w *world) state(t *testing.T, e webhook.Endpoint) webhook.Endpoint {
	t.Helper()
	list, err := w.hooks.List(t.Context(), acme)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list, func(x webhook.Endpoint) bool { return x.ID == e.ID })
	if i < 0 {
		t.Fatalf("webhook %s is gone", e.ID)
	}
	return list[i]
}

// A receiver keeps the deliveries that it gets. It is safe for concurrent use.
type receiver struct {
	URL string

	mu     sync.Mutex // guards the rest
	answer int
	got    []received
	times  map[string]int // by delivery
	hold   chan struct{}  // not nil: answers wait until it is closed
}

type received struct {
	delivery, signature string
	body                []byte
	event               struct {
		ID, Type, TenantReference string
		CreatedAt                 time.Time
		Data                      map[string]any
	}
}

func newReceiver(t *testing.T, answer int) *receiver {
	t.Helper()
	r := &receiver{answer: answer, times: map[string]int{}}
	s := httptest.NewServer(r)
	t.Cleanup(s.Close)
	r.URL = s.URL
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	x := received{delivery: q.Header.Get("TCode-Delivery"), signature: q.Header.Get(webhook.SignatureHeader), body: body}
	if err != nil || json.Unmarshal(body, &x.event) != nil || x.event.Type != q.Header.Get("TCode-Event") {
		http.Error(w, "no event", http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	r.got = append(r.got, x)
	r.times[x.delivery]++
	answer, hold := r.answer, r.hold
	r.mu.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-q.Context().Done():
		}
	}
	w.WriteHeader(answer)
}

func (r *receiver) set(answer int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

// all returns the deliveries received until now.
func (r *receiver) all() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

// count returns the number of deliveries received, and of those received more than once.
func (r *receiver) count() (deliveries, again int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, n := range r.times {
		if n > 1 {
			again++
		}
	}
	return len(r.times), again
}

// types returns the types of the events received, sorted, because their order is not fixed.
func (r *receiver) types() (out []string) {
	for _, x := range r.all() {
		out = append(out, x.event.Type)
	}
	slices.Sort(out)
	return out
}

// runner runs a service in the background until the test ends.
func runner(t *testing.T, db *store.DB, s *webhook.Service, atOnce int) {
	t.Helper()
	pool, engine := db.Background()
	r, err := jobs.NewRunner(jobs.Config{DB: pool, Engine: engine, Poll: 20 * time.Millisecond, Handlers: []jobs.Handler{
		{Kind: jobs.Webhook, AtOnce: atOnce, Timeout: -1, Work: s.Run, Due: s.Wake, Every: 20 * time.Millisecond},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		end, cancel := context.WithCancel(context.Background())
		cancel()
		if err := r.Stop(end); err != nil {
			t.Error(err)
		}
	})
}

// until waits for a condition.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("a minute later it does not hold: %s", what)
		}
	}
}
