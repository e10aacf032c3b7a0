package server_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"tcode/server"
	"tcode/server/httpapi"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
	"tcode/sync/wire"
)

// TestEveryDeclaredStatus makes every operation answer every status that
// openapi.yaml declares for it. The recorder holds each answer against the
// schema of that status.
func TestEveryDeclaredStatus(t *testing.T) {
	t.Parallel()
	p := newProvoker(t)
	ops := operations()
	provoked, table := 0, 0
	for _, id := range p.there() {
		for code := range ops[id].Responses.Map() {
			status, _ := strconv.Atoi(code)
			name := id + " " + code
			table++
			if a := p.provoke(id, status); a.StatusCode != status {
				t.Errorf("%s is declared, and %s %s answers %d: %.300s", name, a.Request.Method, a.Request.URL.Path, a.StatusCode, a.raw)
				continue
			} else if tag := a.Header.Get("ETag"); status >= 400 && tag != "" {
				t.Errorf("%s: an error has the ETag %s of what it is not", name, tag)
			}
			provoked++
		}
	}
	t.Logf("%d of %d declared statuses provoked", provoked, table)
}

// A provoker is a world with more gateways, on which things go wrong.
type provoker struct {
	*world
	stopped string // key of a suspended tenant
	dead    string // id of a revoked stamp
	tight   *world // everything may be asked once
	late    *world // no request gets any time
	broken  *rig   // its database is closed
}

func newProvoker(t *testing.T) *provoker {
	t.Helper()
	p := &provoker{}
	p.world = newWorld(t)
	p.stopped = p.tenant("STOP01")
	if err := p.admin.Tenants.Suspend(t.Context(), "STOP01"); err != nil {
		t.Fatal(err)
	}
	p.dead = p.freshStamp()
	p.want(p.do(request{method: "POST", path: "/v1/tcode/stamps/" + p.dead + "/revoke", key: p.key}), http.StatusNoContent)

	at := time.Now()
	p.tight = &world{rig: start(t, func(c *server.Config) {
		c.Limits = &httpapi.Limits{LookupsPerMinute: 1, KeyLookupsPerMinute: 1, RequestsPerMinute: 1, ScansPerMinute: 1}
		c.Now = func() time.Time { return at } // no limit recovers
	})}
	p.tight.key = p.tight.tenant("ACME01")
	p.late = &world{rig: start(t, func(c *server.Config) { c.Limits.Request = 1 })}
	p.late.key = p.late.tenant("ACME01")
	p.broken = brokenGateway(t)
	return p
}

// beside is another gateway on the same data folder.
func (r *rig) beside(change func(*server.Config)) *rig {
	r.t.Helper()
	limits := httpapi.DefaultLimits()
	cfg := server.Config{Init: true, Data: r.dir, Readback: storetest.Readback{}, Limits: &limits, DatabaseURL: storetest.Database(r.t, r.dir).DatabaseURL}
	change(&cfg)
	g, err := server.Open(r.t.Context(), cfg)
	if err != nil {
		r.t.Fatal(err)
	}
	h, err := g.Handler()
	if err != nil {
		r.t.Fatal(err)
	}
	srv := httptest.NewServer(h)
	r.t.Cleanup(func() {
		srv.Close()
		if err := g.Close(); err != nil {
			r.t.Error(err)
		}
	})
	record.watch(strings.TrimPrefix(srv.URL, "http://"))
	return &rig{t: r.t, url: srv.URL, dir: r.dir, engine: r.engine}
}

// brokenGateway is a gateway whose database has gone.
func brokenGateway(t *testing.T) *rig {
	t.Helper()
	g, err := server.Open(t.Context(), server.Config{Init: true, Data: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	h, err := g.Handler()
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	record.watch(strings.TrimPrefix(srv.URL, "http://"))
	return &rig{t: t, url: srv.URL}
}

// keylessGateway is a gateway that lost the online key of its trust root.
func keylessGateway(t *testing.T) *rig {
	t.Helper()
	data := t.TempDir()
	publishAndDropOnlineKey(t, data)
	r := &rig{t: t, dir: data}
	return r.beside(func(*server.Config) {})
}

// provoke sends the operation a request that it should answer with the status.
func (p *provoker) provoke(id string, status int) answer {
	p.t.Helper()
	name := fmt.Sprintf("%s %d", id, status)
	for _, requests := range []map[string]func(*provoker) answer{special, specialTrust, specialBulk} {
		if do, ok := requests[name]; ok {
			return do(p)
		}
	}
	switch status {
	case 409: // the only other reason is a request that runs
		return p.twoAtOnce(id)
	case 429:
		q := p.ask(id)
		if q.key != "" {
			q.key = p.tight.key
		}
		p.tight.do(q)
		return p.tight.do(q)
	case 500:
		return p.broken.do(p.ask(id))
	case 503:
		q := p.ask(id)
		if q.key != "" {
			q.key = p.late.key
		}
		return p.late.do(q)
	}
	return p.do(p.general(id, status))
}

// general turns a good request into one that most operations answer with the
// status.
func (p *provoker) general(id string, status int) request {
	p.t.Helper()
	q := p.ask(id)
	op := operations()[id]
	switch status {
	case 400:
		q.path = fill(op.path, "no-uuid")
	case 401:
		q.key = ""
	case 403:
		q.key = p.stopped
	case 404:
		q.path = fill(op.path, nobody)
	case 406:
		q.header = http.Header{"Accept": {"image/png"}}
	case 412:
		q.header = http.Header{"If-Match": {`"another"`}}
	case 413:
		q.body = strings.Repeat(" ", 2<<20)
	case 415:
		q.header = http.Header{"Content-Type": {"text/html"}}
	case 304:
		q.header = http.Header{"If-None-Match": {p.do(q).Header.Get("ETag")}}
	}
	return q
}

// with changes the good request of an operation and sends it.
func with(id string, change func(p *provoker, q *request)) func(p *provoker) answer {
	return func(p *provoker) answer {
		p.t.Helper()
		q := p.ask(id)
		change(p, &q)
		return p.do(q)
	}
}

func body(b any) func(*provoker, *request) { return func(_ *provoker, q *request) { q.body = b } }

func path(value string) func(*provoker, *request) {
	return func(_ *provoker, q *request) { q.path = q.path[:strings.LastIndexByte(q.path, '/')+1] + value }
}

func query(value string) func(*provoker, *request) {
	return func(_ *provoker, q *request) { q.path += "?" + value }
}

// deadStamp asks about the stamp that is revoked.
func deadStamp(p *provoker, q *request) {
	parts := strings.Split(q.path, "/")
	parts[4] = p.dead
	q.path = strings.Join(parts, "/")
}

func tooLarge(_ *provoker, q *request) { q.body = strings.Repeat(" ", 36<<20) }

// twice sends the operation's request with one Idempotency-Key and two bodies.
func twice(id string, second func() any) func(p *provoker) answer {
	return func(p *provoker) answer {
		p.t.Helper()
		q := p.ask(id)
		q.header = http.Header{"Idempotency-Key": {fmt.Sprint("twice ", serial.Add(1))}}
		p.do(q)
		q.body = second()
		return p.do(q)
	}
}

// special are the requests for statuses that have reasons of their own.
var special = map[string]func(p *provoker) answer{
	"createStamp 400": with("createStamp", body(`{}`)),
	"createStamp 404": with("createStamp", body(create("t", "placementTemplateId", nobody))),
	"createStamp 409": func(p *provoker) answer {
		q := p.ask("createStamp")
		p.do(q)
		return p.do(q)
	},
	"createStamp 413": with("createStamp", tooLarge),
	"createStamp 422": with("createStamp", body(map[string]any{
		"name": "n", "documentTypeCode": "DIP", "pdf": pdfOf("n"), "fields": []any{map[string]any{"key": "k", "value": "v"}},
	})),
	"listStamps 400":      with("listStamps", query("Page=0")),
	"downloadStamp 400":   with("downloadStamp", query("type=x")),
	"suspendStamp 409":    with("suspendStamp", deadStamp),
	"reactivateStamp 409": with("reactivateStamp", deadStamp),
	"replaceStamp 409":    with("replaceStamp", deadStamp),
	"replaceStamp 413":    with("replaceStamp", tooLarge),
	"replaceStamp 422": with("replaceStamp", func(_ *provoker, q *request) {
		q.body = map[string]any{"pdf": pdfOf("n"), "documentTypeCode": "DIP", "tdocTemplateId": nil, "fields": []any{map[string]any{"key": "unknown", "value": "v"}}}
	}),
	"checkDuplicate 400":          with("checkDuplicate", body(`{}`)),
	"createPlacementTemplate 400": with("createPlacementTemplate", body(`{"name":"n","colour":"red"}`)),
	"createPlacementTemplate 422": twice("createPlacementTemplate", func() any { return placementBody() }),
	"previewPlacement 400":        with("previewPlacement", body(`{}`)),
	"previewPlacement 404":        with("previewPlacement", body(map[string]any{"pdf": pdfOf("n"), "placementTemplateId": nobody})),
	"previewPlacement 406": with("previewPlacement", func(_ *provoker, q *request) {
		q.header = http.Header{"Accept": {"text/html"}}
	}),
	"previewPlacement 413": with("previewPlacement", tooLarge),
	"previewPlacement 422": with("previewPlacement", body(map[string]any{
		"pdf": pdfOf("n"), "fields": []any{map[string]any{"key": "k", "value": "v"}},
	})),
	"createTdocTemplate 400": with("createTdocTemplate", body(`{}`)),
	"createTdocTemplate 422": twice("createTdocTemplate", func() any { return tdocBody() }),
	"listTdocTemplates 400":  with("listTdocTemplates", query("includeArchived=perhaps")),
	"verifyByReference 400":  with("verifyByReference", path("x?a=%zz")),
	"verifyByHash 400":       with("verifyByHash", path("x?a=%zz")),
	"verifyPayload 400":      with("verifyPayload", body(`{"payload":"?"}`)),
	"syncScans 400":          with("syncScans", body(`{}`)),
	"syncScans 401": with("syncScans", func(_ *provoker, q *request) {
		q.header = http.Header{wire.HeaderDeviceKey: {"AAAA"}, wire.HeaderBatchSignature: {"AAAA"}}
	}),
	"listVerifications 400": with("listVerifications", query("Page=0")),
	"getDigitalTwin 400":    with("getDigitalTwin", path("x?a=%zz")),
	"showDigitalTwin 404":   with("showDigitalTwin", path("x")),
	"listScans 400":         with("listScans", query("Page=0")),
	"verifyPublicKey 400":   with("verifyPublicKey", query("keyId=1")),
	"verifyPublicKey 404":   with("verifyPublicKey", query("tenantReference=NOBODY")),
	"verifyPublicKey 500": func(p *provoker) answer {
		return p.broken.do(request{method: "GET", path: "/v1/tcode/verify/public-key?tenantReference=ACME01"})
	},
	"verifyPublicKey 503": func(p *provoker) answer {
		return p.late.do(request{method: "GET", path: "/v1/tcode/verify/public-key?tenantReference=ACME01"})
	},
	"listPlacementTemplates 400": with("listPlacementTemplates", query("a=%zz")),
	"listTenants 400":            with("listTenants", query("a=%zz")),
	"listDocumentTypes 400":      with("listDocumentTypes", query("a=%zz")),
	"listPublicKeys 400":         with("listPublicKeys", query("a=%zz")),
	"getPublicKey 400":           with("getPublicKey", query("a=%zz")),
	"getPublicKey 404":           with("getPublicKey", path("NOBODY")),
	"getTrustRoot 400":           with("getTrustRoot", path("0")),
	"getTrustRoot 404":           with("getTrustRoot", path("9")),
	"getTrustTime 400":           with("getTrustTime", func(_ *provoker, q *request) { q.path, _, _ = strings.Cut(q.path, "?") }),
	"getTrustTime 503":           func(p *provoker) answer { return keylessGateway(p.t).do(p.ask("getTrustTime")) },
	"getTrustPack 400":           with("getTrustPack", path("x")),
	"getTrustPack 404":           with("getTrustPack", path(strings.Repeat("0", 64))),
	"getTrustObject 400":         with("getTrustObject", path("x")),
	"getTrustObject 404":         with("getTrustObject", path(strings.Repeat("0", 64))),
	"getFile 206":                with("getFile", func(_ *provoker, q *request) { q.header = http.Header{"Range": {"bytes=0-1"}} }),
	"getFile 416":                with("getFile", func(_ *provoker, q *request) { q.header = http.Header{"Range": {"bytes=99999999-"}} }),
	"getFile 403":                with("getFile", func(_ *provoker, q *request) { q.path += "&x=1" }),
	"getFile 404":                lostFile(func(string) error { return nil }),
	"getFile 500":                lostFile(func(path string) error { return os.Symlink(path, path) }),
	"getFile 503": func(p *provoker) answer {
		q := p.ask("getFile")
		return p.beside(func(c *server.Config) { c.Limits.Request = 1 }).do(q)
	},
	"readyz 503": func(p *provoker) answer { return p.broken.do(request{method: "GET", path: "/readyz"}) },
}

// lostFile asks for a file of a stamp after it was taken from the folder and
// something else put there.
func lostFile(put func(path string) error) func(p *provoker) answer {
	return func(p *provoker) answer {
		p.t.Helper()
		a := p.do(request{method: "GET", path: "/v1/tcode/stamps/" + p.freshStamp() + "/download", key: p.key})
		link := p.want(a, http.StatusOK).data()
		err := filepath.WalkDir(filepath.Join(p.dir, "files"), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.Name() != link["sha256"] {
				return err
			}
			return errors.Join(os.Remove(path), put(path))
		})
		if err != nil {
			p.t.Fatal(err)
		}
		return p.do(request{method: "GET", path: strings.TrimPrefix(link["url"].(string), p.url)})
	}
}

// TestTestKeys: what a test key stamps is a test document, whatever it asks.
func TestTestKeys(t *testing.T) {
	t.Parallel()
	r := start(t)
	live := r.tenant("ACME01")
	test, err := r.admin.Tenants.CreateKey(t.Context(), "ACME01", tenant.KeyOptions{Name: "t", Test: true})
	if err != nil {
		t.Fatal(err)
	}
	marked := r.want(r.do(request{method: "POST", path: "/v1/tcode/stamps", key: test.Secret, body: create("a")}), 201).data()
	asked := r.want(r.do(request{method: "POST", path: "/v1/tcode/stamps", key: live, body: create("a", "modeType", "test")}), 201).data()
	plain := r.want(r.do(request{method: "POST", path: "/v1/tcode/stamps", key: live, body: create("a", "modeType", "standard")}), 201).data()
	if marked["test"] != true || asked["test"] != true || plain["test"] != false {
		t.Errorf("test: by key %v, by request %v, else %v", marked["test"], asked["test"], plain["test"])
	}
	a := r.want(r.do(request{method: "GET", path: "/v1/tcode/verify/reference/" + marked["reference"].(string), key: test.Secret}), 200)
	if a.data()["test"] != true {
		t.Errorf("verification of a test document: %s", a.raw)
	}
}
