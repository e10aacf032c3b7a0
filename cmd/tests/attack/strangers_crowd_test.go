package attack_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	mrand "math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"tcode/sync/wire"
)

// strangers are clients without a key, at addresses of this machine.
type strangers struct {
	*honest
	addresses []string
	clients   []*http.Client
	payload   string                 // of the known stamp
	answers   map[string]map[int]int // by kind and status; 0: no answer
	mu        sync.Mutex             // guards answers
}

func newStrangers(h *honest, addresses int) *strangers {
	c := &strangers{honest: h, answers: map[string]map[int]int{}}
	for i := range addresses {
		at := fmt.Sprintf("127.%d.%d.1", 1+i/250, 1+i%250)
		c.addresses = append(c.addresses, at)
		c.clients = append(c.clients, clientAt(at))
	}
	var link struct{ Data struct{ URL string } }
	path := "/v1/tcode/stamps/" + h.paper.ID + "/download?type=payload"
	answer, err := h.tenant(h.T.Context(), http.MethodGet, path, nil)
	if err == nil {
		err = jsonInto(answer, &link)
	}
	if err != nil {
		h.T.Fatal(err)
	}
	c.payload = strings.TrimSpace(string(h.Fetch(h.Issuers[0], http.MethodGet, link.Data.URL, nil)))
	return c
}

// any returns a client of one of the first quarter of the addresses.
func (c *strangers) any() *http.Client { return c.clients[mrand.IntN((len(c.clients)+3)/4)] }

// run makes the strangers act until ctx ends.
func (c *strangers) run(ctx context.Context, all *sync.WaitGroup) {
	for name, act := range c.kinds() {
		for range 4 {
			all.Go(func() {
				for ctx.Err() == nil {
					c.note(name, act(ctx))
				}
			})
		}
	}
	// The other addresses take more connections than the gateway has room for.
	others := c.addresses[len(c.addresses)/4:]
	for i := range max(450, 4*len(others)) {
		at, hold := others[i%len(others)], holds[(i%len(others)+i/len(others))%len(holds)]
		all.Go(func() {
			for ctx.Err() == nil {
				c.note(hold.name, c.hold(ctx, at, hold))
				pause(ctx, time.Duration(mrand.IntN(1000))*time.Millisecond)
			}
		})
	}
}

func (c *strangers) note(kind string, status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.answers[kind] == nil {
		c.answers[kind] = map[int]int{}
	}
	c.answers[kind][status]++
}

func (c *strangers) report(t *testing.T) {
	for _, kind := range slices.Sorted(maps.Keys(c.answers)) {
		t.Logf("%-18s %v", kind, c.answers[kind])
	}
}

// kinds are what strangers do again and again; each returns the status of the answer.
func (c *strangers) kinds() map[string]func(context.Context) int {
	out := map[string]func(context.Context) int{
		"scans of a stamp":   func(ctx context.Context) int { return c.scans(ctx, c.paper.Reference, "", true) },
		"scans of none":      func(ctx context.Context) int { return c.scans(ctx, unknown(), "", true) },
		"forged scans":       func(ctx context.Context) int { return c.scans(ctx, "", c.forged(), true) },
		"claims of a stamp":  func(ctx context.Context) int { return c.scans(ctx, c.paper.Reference, "", false) },
		"claims of none":     func(ctx context.Context) int { return c.scans(ctx, unknown(), "", false) },
		"second scans":       c.again,
		"clock events":       c.clock,
		"sign-in":            c.signIn,
		"requests for a key": c.guess,
		"look-ups":           func(ctx context.Context) int { return c.get(ctx, c.lookUp()) },
		"pages":              func(ctx context.Context) int { return c.get(ctx, pick(openPages)) },
		"hashes": func(ctx context.Context) int {
			return c.post(ctx, "/v1/trust/verify/by-hash", map[string]any{"hash": randomHex()})
		},
		"payloads": func(ctx context.Context) int {
			return c.post(ctx, "/v1/tcode/verify", map[string]any{"payload": c.forged()})
		},
	}
	return out
}

// openPages are what a gateway shows to everyone.
var openPages = []string{
	"/", "/verify", "/docs/", "/docs/reference", "/openapi.yaml", "/scan/", "/source", "/console/signin",
	"/console/welcome/none", "/console/openid/start", "/console/", "/healthz", "/readyz", "/nothing",
}

// lookUp returns the path of a look-up, of the stamp or of nothing.
func (c *strangers) lookUp() string {
	reference := pick([]string{c.paper.Reference, unknown()})
	return pick([]string{
		"/v1/tcode/verify/reference/" + reference, "/v1/tcode/verify/hash/" + randomHex(),
		"/v1/tcode/verify/document/" + reference + "/scans", "/v1/tcode/verify/history?reference=" + reference,
		"/v1/tcode/verify/digital-twin/" + reference, "/d/" + reference,
		"/v1/tcode/verify/public-key?tenantReference=" + c.Issuers[0].Reference,
		"/v1/trust/verify/by-reference?reference=" + reference,
		"/v1/trust/verify/history?reference=" + reference, "/v1/reference-data/public-keys",
		"/v1/reference-data/trust-store/timestamp", "/v1/reference-data/trust-store/root/1",
		"/v1/reference-data/trust-store/" + randomHex(), "/v1/reference-data/trust-store/packs/" + randomHex(),
		"/v1/reference-data/trust-store/time?nonce=" + randomHex(), "/v1/files/" + randomHex(),
	})
}

// get requests a path; a body of more than 1 MiB is not read to its end.
func (c *strangers) get(ctx context.Context, path string) int {
	status, _, _ := call(ctx, c.any(), http.MethodGet, c.url+path, http.Header{"Accept": {"text/html,*/*"}}, nil)
	return status
}

func (c *strangers) post(ctx context.Context, path string, body map[string]any) int {
	status, _, _ := call(ctx, c.any(), http.MethodPost, c.url+path,
		http.Header{"Content-Type": {"application/json"}}, asJSON(body))
	return status
}

// scans sends a full batch of a new device, or unsigned.
func (c *strangers) scans(ctx context.Context, reference, payload string, signed bool) int {
	d := newSender(c.any())
	items := make([]wire.Item, wire.MaxItems)
	for i := range items {
		it := d.item(reference)
		it.Payload, it.OfflineVerdict = payload, "not_found"
		it.Context.Note = strings.Repeat("\U0001F600", 100)
		it.Context.Location = strings.Repeat("x", wire.MaxLocationLen)
		items[i] = it
	}
	if !signed {
		d.key, d.id = nil, uuid.NewString()
	}
	status, _, _ := d.send(ctx, c.url, d.batch(items...))
	return status
}

// again sends two scans under each id.
func (c *strangers) again(ctx context.Context) (status int) {
	d := newSender(c.any())
	items := make([]wire.Item, wire.MaxItems/2)
	for i := range items {
		items[i] = d.item(c.paper.Reference)
	}
	for _, note := range []string{"first", "second"} {
		for i := range items {
			items[i].Context.Note = strings.Repeat(note, 80)
		}
		status, _, _ = d.send(ctx, c.url, d.batch(items...))
	}
	return status
}

// clock sends clock events.
func (c *strangers) clock(ctx context.Context) int {
	d := newSender(c.any())
	b := d.batch()
	for i := range wire.MaxClockEvents {
		b.Clock = append(b.Clock, wire.ClockEvent{
			ID: uuid.NewString(), Kind: wire.ClockEventConfirmed, At: b.SentAt, AfterSeq: uint64(i),
		})
	}
	status, _, _ := d.send(ctx, c.url, b)
	return status
}

// signIn tries passwords, passkeys and links.
func (c *strangers) signIn(ctx context.Context) int {
	form := url.Values{
		"email": {randomHex()[:20] + "@t.example"}, "password": {randomHex()}, "again": {randomHex()},
		"challenge": {randomHex()}, "answer": {"{}"}, "code": {"000000"}, "choice": {randomHex()},
	}
	path := pick([]string{"signin", "signin", "signin", "passkey", "choose", "code", "welcome/" + randomHex()})
	status, _, _ := call(ctx, c.any(), http.MethodPost, c.url+"/console/"+path,
		http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}, []byte(form.Encode()))
	return status
}

// guess sends requests that need a key, with a wrong one and with large bodies.
func (c *strangers) guess(ctx context.Context) int {
	header := http.Header{"X-Api-Key": {"tck_" + randomHex()[:8] + "_" + randomHex()}, "Content-Type": {"application/json"}}
	method, path := http.MethodPost, pick([]string{"/v1/tcode/stamps", "/v1/webhooks", "/v1/tcode/bulk-jobs"})
	if mrand.IntN(2) == 0 {
		method, path = http.MethodGet, pick([]string{"/v1/export", "/v1/audit", "/v1/usage", "/v1/devices"})
	}
	status, _, _ := call(ctx, c.any(), method, c.url+path, header, bytes.Repeat([]byte("["), 1<<20))
	return status
}

// forged returns the payload of the stamp with another byte.
func (c *strangers) forged() string {
	raw, err := base64.StdEncoding.DecodeString(c.payload)
	if err != nil || len(raw) == 0 {
		raw = []byte(c.payload)
	}
	raw = bytes.Clone(raw)
	raw[mrand.IntN(len(raw))] ^= 1
	return wire.PayloadString(raw)
}

// unknown returns a reference that no stamp has.
func unknown() string { return fmt.Sprintf("TCR-%016d", mrand.Uint64N(1e16)) }

func randomHex() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // it never fails
	return hex.EncodeToString(b[:])
}

func pick(list []string) string { return list[mrand.IntN(len(list))] }
