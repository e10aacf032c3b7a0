package apitest

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"tcode/server"
	"tcode/server/httpapi"
	"tcode/server/internal/harness"
	"tcode/server/tenant"
	"tcode/sync/wire"
)

// TestEveryDeclaredStatus makes every operation answer every status that
// openapi.yaml declares for it. The recorder compares each answer with the schema
// of that status.
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
				t.Errorf("%s is declared, and %s %s answers %d: %.300s", name, a.Request.Method, a.Request.URL.Path, a.StatusCode, a.Raw)
				continue
			} else if tag := a.Header.Get("ETag"); status >= 400 && tag != "" {
				t.Errorf("%s: an error has the ETag %s", name, tag)
			}
			provoked++
		}
	}
	t.Logf("%d of %d declared statuses provoked", provoked, table)
}

// A provoker is a world with more gateways, on which requests fail.
type provoker struct {
	*world
	stopped string       // key of a suspended tenant
	dead    string       // id of a revoked stamp
	tight   *world       // each operation may be called once
	late    *world       // each request exceeds its time limit
	broken  *harness.Rig // its database is closed
}

func newProvoker(t *testing.T) *provoker {
	t.Helper()
	p := &provoker{}
	p.world = newWorld(t)
	p.stopped = p.Tenant("STOP01")
	if err := p.Admin.Tenants.Suspend(t.Context(), "STOP01"); err != nil {
		t.Fatal(err)
	}
	p.dead = p.FreshStamp()
	p.Want(p.Post(p.Key, "/v1/tcode/stamps/"+p.dead+"/revoke", nil), http.StatusNoContent)

	at := time.Now()
	p.tight = bare(harness.Start(t, func(c *server.Config) {
		c.Limits = &httpapi.Limits{LookupsPerMinute: 1, KeyLookupsPerMinute: 1, RequestsPerMinute: 1, ScansPerMinute: 1}
		c.Now = func() time.Time { return at } // no limit recovers
	}))
	p.tight.Key = p.tight.Tenant("ACME01")
	p.late = bare(harness.Start(t, func(c *server.Config) { c.Limits.Request = 1 }))
	p.late.Key = p.late.Tenant("ACME01")
	p.broken = harness.Broken(t)
	return p
}

// keylessGateway is a gateway that lost the online key of its trust root.
func keylessGateway(t *testing.T) *harness.Rig {
	t.Helper()
	data := t.TempDir()
	harness.DropOnlineKey(t, data)
	r := &harness.Rig{T: t, Dir: data}
	return r.Beside(func(*server.Config) {})
}

// provoke sends the operation a request that it should answer with the status.
func (p *provoker) provoke(id string, status int) harness.Answer {
	p.T.Helper()
	name := fmt.Sprintf("%s %d", id, status)
	for _, requests := range []map[string]func(*provoker) harness.Answer{special, specialTrust, specialBulk, specialManagement} {
		if do, ok := requests[name]; ok {
			return do(p)
		}
	}
	switch status {
	case 409: // the only other reason is a concurrent request
		return p.twoAtOnce(id)
	case 429:
		q := p.ask(id)
		if q.Key != "" {
			q.Key = p.tight.Key
		}
		p.tight.Do(q)
		return p.tight.Do(q)
	case 500:
		return p.broken.Do(p.ask(id))
	case 503:
		q := p.ask(id)
		if q.Key != "" {
			q.Key = p.late.Key
		}
		return p.late.Do(q)
	}
	return p.Do(p.general(id, status))
}

// general turns a good request into one that most operations answer with the
// status.
func (p *provoker) general(id string, status int) harness.Request {
	p.T.Helper()
	q := p.ask(id)
	op := operations()[id]
	switch status {
	case 400:
		q.Path = fill(op.path, "no-uuid")
	case 401:
		q.Key = ""
	case 403:
		q.Key = p.stopped
	case 404:
		q.Path = fill(op.path, anonymous)
	case 406:
		q.Header = http.Header{"Accept": {"image/png"}}
	case 412:
		q.Header = http.Header{"If-Match": {`"another"`}}
	case 413:
		q.Body = strings.Repeat(" ", 2<<20)
	case 415:
		q.Header = http.Header{"Content-Type": {"text/html"}}
	case 304:
		q.Header = http.Header{"If-None-Match": {p.Do(q).Header.Get("ETag")}}
	}
	return q
}

// with changes the good request of an operation and sends it.
func with(id string, change func(p *provoker, q *harness.Request)) func(p *provoker) harness.Answer {
	return func(p *provoker) harness.Answer {
		p.T.Helper()
		q := p.ask(id)
		change(p, &q)
		return p.Do(q)
	}
}

// refusedBatch makes the request a batch of a device that the operator refuses.
func refusedBatch(p *provoker, q *harness.Request) {
	_, key, _ := ed25519.GenerateKey(nil)
	b := wire.Batch{ID: "refused", ScannerID: wire.ScannerID(key.Public().(ed25519.PublicKey)), SentAt: wire.TruncateMillis(time.Now())}
	b.Items = []wire.Item{{ScanID: newID(p.T), Seq: 1, Reference: "TCR-0000000000000000", ScannedAt: b.SentAt}}
	body, err := b.Encode()
	public, signature, signing := wire.SignBatch(b, key)
	if err := errors.Join(err, signing, p.Admin.Verify.RefuseDevice(p.T.Context(), b.ScannerID, "lost")); err != nil {
		p.T.Fatal(err)
	}
	q.Body, q.Header = body, http.Header{wire.HeaderDeviceKey: {public}, wire.HeaderBatchSignature: {signature}}
}

func body(b any) func(*provoker, *harness.Request) {
	return func(_ *provoker, q *harness.Request) { q.Body = b }
}

func path(value string) func(*provoker, *harness.Request) {
	return func(_ *provoker, q *harness.Request) { q.Path = q.Path[:strings.LastIndexByte(q.Path, '/')+1] + value }
}

func query(value string) func(*provoker, *harness.Request) {
	return func(_ *provoker, q *harness.Request) { q.Path += "?" + value }
}

// deadStamp sends a request about the revoked stamp.
func deadStamp(p *provoker, q *harness.Request) {
	parts := strings.Split(q.Path, "/")
	parts[4] = p.dead
	q.Path = strings.Join(parts, "/")
}

func tooLarge(_ *provoker, q *harness.Request) { q.Body = strings.Repeat(" ", 36<<20) }

// twice sends the operation's request with one Idempotency-Key and two bodies.
func twice(id string, second func() any) func(p *provoker) harness.Answer {
	return func(p *provoker) harness.Answer {
		p.T.Helper()
		q := p.ask(id)
		q.Header = http.Header{"Idempotency-Key": {fmt.Sprint("twice ", harness.Serial())}}
		p.Do(q)
		q.Body = second()
		return p.Do(q)
	}
}

// special are the requests for statuses with special reasons.
var special = map[string]func(p *provoker) harness.Answer{
	"createStamp 400": with("createStamp", body(`{}`)),
	"createStamp 404": with("createStamp", body(harness.StampBody("t", "placementTemplateId", anonymous))),
	"createStamp 409": func(p *provoker) harness.Answer {
		q := p.ask("createStamp")
		p.Do(q)
		return p.Do(q)
	},
	"createStamp 413": with("createStamp", tooLarge),
	"createStamp 422": with("createStamp", body(map[string]any{
		"name": "n", "documentTypeCode": "DIP", "pdf": harness.PDFBase64("n"), "fields": []any{map[string]any{"key": "k", "value": "v"}},
	})),
	"listStamps 400":      with("listStamps", query("Page=0")),
	"downloadStamp 400":   with("downloadStamp", query("type=x")),
	"suspendStamp 409":    with("suspendStamp", deadStamp),
	"reactivateStamp 409": with("reactivateStamp", deadStamp),
	"replaceStamp 409":    with("replaceStamp", deadStamp),
	"replaceStamp 413":    with("replaceStamp", tooLarge),
	"replaceStamp 422": with("replaceStamp", func(_ *provoker, q *harness.Request) {
		q.Body = map[string]any{"pdf": harness.PDFBase64("n"), "documentTypeCode": "DIP", "tdocTemplateId": nil, "fields": []any{map[string]any{"key": "unknown", "value": "v"}}}
	}),
	"checkDuplicate 400":          with("checkDuplicate", body(`{}`)),
	"createPlacementTemplate 400": with("createPlacementTemplate", body(`{"name":"n","colour":"red"}`)),
	"createPlacementTemplate 422": twice("createPlacementTemplate", func() any { return placementBody() }),
	"previewPlacement 400":        with("previewPlacement", body(`{}`)),
	"previewPlacement 404":        with("previewPlacement", body(map[string]any{"pdf": harness.PDFBase64("n"), "placementTemplateId": anonymous})),
	"previewPlacement 406": with("previewPlacement", func(_ *provoker, q *harness.Request) {
		q.Header = http.Header{"Accept": {"text/html"}}
	}),
	"previewPlacement 413": with("previewPlacement", tooLarge),
	"previewPlacement 422": with("previewPlacement", body(map[string]any{
		"pdf": harness.PDFBase64("n"), "fields": []any{map[string]any{"key": "k", "value": "v"}},
	})),
	"createTdocTemplate 400": with("createTdocTemplate", body(`{}`)),
	"createTdocTemplate 422": twice("createTdocTemplate", func() any { return harness.TdocBody() }),
	"listTdocTemplates 400":  with("listTdocTemplates", query("includeArchived=perhaps")),
	"verifyByReference 400":  with("verifyByReference", path("x?a=%zz")),
	"verifyByHash 400":       with("verifyByHash", path("x?a=%zz")),
	"verifyPayload 400":      with("verifyPayload", body(`{"payload":"?"}`)),
	"syncScans 400":          with("syncScans", body(`{}`)),
	"syncScans 401": with("syncScans", func(_ *provoker, q *harness.Request) {
		q.Header = http.Header{wire.HeaderDeviceKey: {"AAAA"}, wire.HeaderBatchSignature: {"AAAA"}}
	}),
	"syncScans 403":         with("syncScans", refusedBatch),
	"listVerifications 400": with("listVerifications", query("Page=0")),
	"getDigitalTwin 400":    with("getDigitalTwin", path("x?a=%zz")),
	"showDigitalTwin 303":   with("showDigitalTwin", path("TCR-0000000000000000.")),
	"showDigitalTwin 404":   with("showDigitalTwin", path("x")),
	"listScans 400":         with("listScans", query("Page=0")),
	"verifyPublicKey 400":   with("verifyPublicKey", query("keyId=1")),
	"verifyPublicKey 404":   with("verifyPublicKey", query("tenantReference=NOBODY")),
	"verifyPublicKey 500": func(p *provoker) harness.Answer {
		return p.broken.Get("", "/v1/tcode/verify/public-key?tenantReference=ACME01")
	},
	"verifyPublicKey 503": func(p *provoker) harness.Answer {
		return p.late.Get("", "/v1/tcode/verify/public-key?tenantReference=ACME01")
	},
	"listPlacementTemplates 400": with("listPlacementTemplates", query("a=%zz")),
	"listTenants 400":            with("listTenants", query("a=%zz")),
	"listDocumentTypes 400":      with("listDocumentTypes", query("a=%zz")),
	"listPublicKeys 400":         with("listPublicKeys", query("a=%zz")),
	"getPublicKey 400":           with("getPublicKey", query("a=%zz")),
	"getPublicKey 404":           with("getPublicKey", path("NOBODY")),
	"getTrustRoot 400":           with("getTrustRoot", path("0")),
	"getTrustRoot 404":           with("getTrustRoot", path("9")),
	"getTrustTime 400":           with("getTrustTime", func(_ *provoker, q *harness.Request) { q.Path, _, _ = strings.Cut(q.Path, "?") }),
	"getTrustTime 503":           func(p *provoker) harness.Answer { return keylessGateway(p.T).Do(p.ask("getTrustTime")) },
	"getTrustPack 400":           with("getTrustPack", path("x")),
	"getTrustPack 404":           with("getTrustPack", path(strings.Repeat("0", 64))),
	"getTrustObject 400":         with("getTrustObject", path("x")),
	"getTrustObject 404":         with("getTrustObject", path(strings.Repeat("0", 64))),
	"getFile 206":                with("getFile", func(_ *provoker, q *harness.Request) { q.Header = http.Header{"Range": {"bytes=0-1"}} }),
	"getFile 416":                with("getFile", func(_ *provoker, q *harness.Request) { q.Header = http.Header{"Range": {"bytes=99999999-"}} }),
	"getFile 403":                with("getFile", func(_ *provoker, q *harness.Request) { q.Path += "&x=1" }),
	"getFile 404":                lostFile(func(string) error { return nil }),
	"getFile 500":                lostFile(func(path string) error { return os.Symlink(path, path) }),
	"getFile 503": func(p *provoker) harness.Answer {
		q := p.ask("getFile")
		return p.Beside(func(c *server.Config) { c.Limits.Request = 1 }).Do(q)
	},
	"readyz 503": func(p *provoker) harness.Answer { return p.broken.Get("", "/readyz") },
}

// lostFile requests a file of a stamp after it has removed the file from the
// folder and called put with its path.
func lostFile(put func(path string) error) func(p *provoker) harness.Answer {
	return func(p *provoker) harness.Answer {
		p.T.Helper()
		a := p.Get(p.Key, "/v1/tcode/stamps/"+p.FreshStamp()+"/download")
		link := p.Want(a, http.StatusOK).Data()
		err := filepath.WalkDir(filepath.Join(p.Dir, "files"), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.Name() != link["sha256"] {
				return err
			}
			return errors.Join(os.Remove(path), put(path))
		})
		if err != nil {
			p.T.Fatal(err)
		}
		return p.Get("", strings.TrimPrefix(link["url"].(string), p.URL))
	}
}

// TestTestKeys: a stamp that a test key makes is always a test document.
func TestTestKeys(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	live := r.Tenant("ACME01")
	test, err := r.Admin.Tenants.CreateKey(t.Context(), "ACME01", tenant.KeyOptions{Name: "t", Test: true})
	if err != nil {
		t.Fatal(err)
	}
	marked := r.Want(r.Post(test.Secret, "/v1/tcode/stamps", harness.StampBody("a")), 201).Data()
	asked := r.Want(r.Post(live, "/v1/tcode/stamps", harness.StampBody("a", "modeType", "test")), 201).Data()
	plain := r.Want(r.Post(live, "/v1/tcode/stamps", harness.StampBody("a", "modeType", "standard")), 201).Data()
	if marked["test"] != true || asked["test"] != true || plain["test"] != false {
		t.Errorf("test: by key %v, by request %v, else %v", marked["test"], asked["test"], plain["test"])
	}
	a := r.Want(r.Get(test.Secret, "/v1/tcode/verify/reference/"+marked["reference"].(string)), 200)
	if a.Data()["test"] != true {
		t.Errorf("verification of a test document: %s", a.Raw)
	}
}
