package app_test

import (
	"bytes"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"tcode/cmd/internal/world"
	"tcode/scanner/web/phonetest"
)

// onVerifyPage are the answers of /verify about the documents that the demo leaves behind: those of tcode-scan.
var onVerifyPage = map[string]string{
	"letter.pdf": "valid", "contract.pdf": "valid", "arabic.pdf": "valid", "rotated.pdf": "valid", "scanned.pdf": "valid",
	"invoice.pdf": "contents", "diploma.pdf": "revoked", "diploma-scan.png": "revoked", "diploma-photo.jpg": "revoked",
	"letter-scan.png": "compare", "letter-photo.jpg": "compare", "contract-scan.png": "compare", "contract-photo.jpg": "compare",
	"arabic-scan.png": "compare", "arabic-photo.jpg": "compare", "rotated-scan.png": "compare", "rotated-photo.jpg": "compare",
	"scanned-scan.png": "compare", "scanned-photo.jpg": "compare", "invoice-scan.png": "compare", "invoice-photo.jpg": "compare",
	"added-to-after-stamping.pdf": "revoked", "changed-after-stamping.pdf": "other_file", "stamp-pasted-on-another.pdf": "other_file",
	"page-repainted-in-the-revision.pdf": "other_file", "forged-payload.pdf": "forged", "altered-payload.png": "forged",
}

// dropScript drops a file on the page, and waits for the answers. The bytes come from the test by the protocol of the
// browser's tools, not by its network.
const dropScript = `(async () => {
	const files = new DataTransfer();
	files.items.add(new File([Uint8Array.from(atob(BYTES), (c) => c.charCodeAt(0))], NAME));
	const answers = document.getElementById('answers');
	document.getElementById('drop').dispatchEvent(new DragEvent('drop', {dataTransfer: files, bubbles: true, cancelable: true}));
	for (const end = Date.now() + 90000; answers.hasAttribute('aria-busy') && Date.now() < end;) await new Promise((ok) => setTimeout(ok, 10));
	return [...answers.querySelectorAll('.verdict')].map((e) => e.classList[2]).join('+') + (answers.textContent.includes(NAME) ? '' : ' of another file');
})()`

// A network stands between a browser and a gateway, and notes all that the browser sends, its workers too.
type network struct {
	*httptest.Server
	mu   sync.Mutex
	sent []string // method, path and body
	size int      // bytes of bodies
}

func newNetwork(t *testing.T, gateway string) *network {
	t.Helper()
	to, err := url.Parse(gateway)
	if err != nil {
		t.Fatal(err)
	}
	n := &network{}
	pass := httputil.NewSingleHostReverseProxy(to)
	n.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		n.mu.Lock()
		n.sent, n.size = append(n.sent, r.Method+" "+r.URL.RequestURI()+" "+string(body)), n.size+len(body)
		n.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		pass.ServeHTTP(w, r)
	}))
	t.Cleanup(n.Close)
	return n
}

// log returns what was sent since the last call.
func (n *network) log() (sent []string, size int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	sent, size = n.sent, n.size
	n.sent, n.size = nil, 0
	return sent, size
}

// harmless are the requests of the page about which no file decides.
var harmless = regexp.MustCompile(`^GET /(scan/(icon\.svg|engine-worker\.js|wasm_exec\.js|engine\.wasm)|verify(/\w+\.js)?|v1/reference-data/trust-store/\S+|favicon\.ico) $`)

// droppedOnPage drops the documents of the demo on /verify: each gets the right answer, and no byte of them is sent. The page
// is a guest of the engine: it leaves nothing in the browser, and the gateway hears of no scan. dir is the folder of the demo.
func droppedOnPage(t *testing.T, p *phonetest.Phone, gateway, dir string) {
	t.Helper()
	n := newNetwork(t, gateway)
	p.On(n.URL + "/scan/icon.svg") // the place of the app, without the app
	p.Do(chromedp.Navigate(n.URL + "/verify"))
	drop := func(name string, data []byte) string {
		return phonetest.Eval[string](p, strings.NewReplacer("BYTES", phonetest.Quoted(base64.StdEncoding.EncodeToString(data)), "NAME", phonetest.Quoted(name)).Replace(dropScript))
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.*"))
	if err != nil || len(files) != len(onVerifyPage) {
		t.Fatalf("%d files, want %d: %q %v", len(files), len(onVerifyPage), files, err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		if got := drop(name, world.ReadFile(t, file)); got != onVerifyPage[name] {
			t.Errorf("%s: %s, want %s", name, got, onVerifyPage[name])
		}
	}
	sent, size := n.log()
	if size != 0 {
		t.Errorf("%d bytes were sent", size)
	}
	for _, request := range sent {
		if !harmless.MatchString(request) {
			t.Errorf("the page has sent %s", request)
		}
	}
	// The fingerprint of a file is sent if it has no stamp.
	if got := drop("none.pdf", []byte("%PDF-1.4\n% nothing is stamped here\n")); got != "no_tcode" {
		t.Errorf("a file without a stamp: %s", got)
	}
	if sent, size := n.log(); size != len(`{"hash":""}`)+64 || strings.Contains(strings.Join(sent, ""), "stamped") {
		t.Errorf("a file without a stamp: %d bytes in %q", size, sent)
	}
	const left = `(async () => {
		const names = (await indexedDB.databases()).map((d) => d.name).concat(await caches.keys(), Object.keys(localStorage), Object.keys(sessionStorage), document.cookie || []);
		for await (const name of (await navigator.storage.getDirectory()).keys()) names.push(name);
		for (const r of await navigator.serviceWorker.getRegistrations()) names.push(r.scope);
		return names.join(' ');
	})()`
	if names := phonetest.Eval[string](p, left); names != "" {
		t.Errorf("the page has left in the browser: %s", names)
	}
	for _, wrong := range p.Wrong() {
		t.Error(wrong)
	}
}
