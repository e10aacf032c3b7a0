package web_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/chromedp/chromedp"

	"tcode/scanner/web"
)

// camera gives the browser a camera that shows a test picture, and allows it.
var camera = []chromedp.ExecAllocatorOption{
	chromedp.Flag("use-fake-ui-for-media-stream", true), chromedp.Flag("use-fake-device-for-media-stream", true),
}

// seen is a frame in which the reader saw a symbol.
func seen(more map[string]any) map[string]any {
	out := map[string]any{"seen": map[string]any{"corners": [][2]int{{900, 500}, {1200, 520}, {1180, 820}, {880, 800}}, "modulePx": 7, "read": false}, "hint": "hold_still"}
	for k, v := range more {
		out[k] = v
	}
	return out
}

// TestCamera scans: hint, frame on the symbol, the answer, its word to screen readers, and back.
func TestCamera(t *testing.T) {
	t.Parallel()
	checker := axe(t)
	w := field()
	answer := w.Entries["scan-compare"]["answer"]
	var frames []any
	for range 40 {
		frames = append(frames, map[string]any{"seen": nil, "hint": "closer"})
	}
	for range 40 {
		frames = append(frames, seen(nil))
	}
	w.Replies["frame"] = append(frames, seen(map[string]any{"answer": answer}))
	p := open(t, w, camera...)
	for _, lang := range []string{"en", "ar"} {
		p.start(lang, ".view__hint .icon")
		eval[bool](p, checker)
		p.picture(lang + "-scan-look-390")
		p.wait(".found[points*=',']")
		p.picture(lang + "-scan-found-390")
		p.wait(".verdict--look")
		p.wait("#live:not(:empty)")
		if route := eval[string](p, `location.hash`); route != "#/answer/scan-compare" {
			t.Errorf("the answer is at %s", route)
		}
		if said := eval[string](p, `document.getElementById('live').textContent`); lang == "en" && said != "GENUINE STAMP, COMPARE. The stamp is real, the paper may not be: refuse it if one line below differs." {
			t.Errorf("screen readers hear %q", said)
		}
		// The camera is off without a page that shows it, and on again after.
		p.at("scan", ".view video")
	}
	p.clean()
}

// TestScanScreens checks the camera's screens with axe while the reader sees nothing, and a series.
func TestScanScreens(t *testing.T) {
	t.Parallel()
	checker := axe(t)
	for _, lang := range []string{"en", "ar"} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			w := field()
			p := open(t, w, camera...)
			p.start(lang, ".view__hint .icon")
			eval[bool](p, checker)
			p.accessible(lang + "-scan")
			p.at("enrol", ".view__hint .icon")
			p.accessible(lang + "-enrol-1")
			p.clean()

			w.Replies["frame"] = seen(map[string]any{"repeat": map[string]any{"scanId": "scan-compare", "agoMs": 60_000, "answer": w.Entries["scan-compare"]["answer"]}})
			p = open(t, w, camera...)
			p.start(lang, "#series")
			eval[bool](p, checker)
			eval[bool](p, `document.getElementById('series').click(), true`)
			p.wait(".mini--look")
			p.accessible(lang + "-scan-series")
			if text := eval[string](p, `document.querySelector('.mini').innerText`); lang == "en" && !strings.Contains(text, "already scanned") {
				t.Errorf("the strip says %q", text)
			}
			p.clean()
		})
	}
}

// TestHostileValues: what an issuer signed, a file is called, and a gateway says stays text.
func TestHostileValues(t *testing.T) {
	t.Parallel()
	evil := `"><img src=x onerror=window.hit=1><script>window.hit=1</script>` + "\u202e{issuer}{age}"
	s := prepared()["compare"]
	named := map[string]any{"code": evil, "name": evil}
	s["issuer"], s["document"], s["reference"], s["reason"], s["file"] = named, named, evil, evil, evil
	s["fields"] = []map[string]any{{"key": "k", "label": evil, "value": evil}}
	s["cautions"] = []map[string]any{{"code": "x", "text": evil}}
	w := field()
	w.Entries["evil"] = map[string]any{
		"entry":  map[string]any{"scanId": "evil", "seq": 1, "scannedAt": at(0), "state": "dead", "message": evil, "file": evil, "location": evil, "note": evil, "remark": evil, "headline": evil},
		"answer": answerOf("evil", s), "gateway": map[string]any{"verdict": evil, "findingText": evil, "receivedAt": at(0)},
	}
	w.Replies["history"] = map[string]any{"entries": []any{w.Entries["evil"]["entry"]}}
	p := open(t, w)
	p.start("en", "nav.tabs")
	for _, screen := range [][2]string{{"answer/evil", ".verdict__word"}, {"details/evil", ".checks"}, {"history", ".item"}, {"history/all/" + strings.ReplaceAll(`%22%3E%3Cimg%20src%3Dx%20onerror%3Dwindow.hit%3D1%3E`, " ", ""), ".item"}} {
		p.at(screen[0], screen[1])
		if n := eval[int](p, `document.querySelectorAll('#app img, #app script, #app iframe').length + (window.hit ? 1 : 0)`); n != 0 {
			t.Errorf("%s: a text has become an element", screen[0])
		}
		if wide := eval[int](p, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
			t.Errorf("%s is %d px too wide", screen[0], wide)
		}
	}
	if got := eval[string](p, `document.querySelector('.item__sub').textContent`); !strings.Contains(got, evil) {
		t.Errorf("%q is shown as %q", evil, got)
	}
	p.clean()
}

// TestOffline: after one visit the app opens with the server gone, and asks it for nothing that it needs.
// A later version waits for a tap.
func TestOffline(t *testing.T) {
	t.Parallel()
	w := field()
	first, second := w.engine(t), w.engine(t)
	second["engine.wasm"] = &fstest.MapFile{Data: append(second["engine.wasm"].Data, 0, 1, 'x')}
	versions := []http.Handler{web.NewWith(web.Files(), first), web.NewWith(web.Files(), second)}
	var version, requests atomic.Int32
	var gone atomic.Bool
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if gone.Load() {
			panic(http.ErrAbortHandler)
		}
		versions[version.Load()].ServeHTTP(rw, r)
	}))
	t.Cleanup(srv.Close)
	p := openAt(t, srv.URL)
	p.start("en", "nav.tabs")
	if got := eval[string](p, `navigator.serviceWorker.ready.then((r) => new Promise((ok) => { const look = () => navigator.serviceWorker.controller ? ok(r.scope) : setTimeout(look, 20); look(); }))`); got != srv.URL+"/scan/" {
		t.Errorf("scope %s", got)
	}
	gone.Store(true)
	before := requests.Load()
	p.do(chromedp.Navigate(srv.URL + "/scan/#/history"))
	p.do(chromedp.Reload())
	p.wait(".item")
	p.at("answer/scan-valid", ".verdict--accept")
	if n := requests.Load() - before; n > 1 { // the browser itself asks for sw.js at a navigation
		t.Logf("%d requests reached the server", n)
	}
	p.picture("en-offline")
	if policy := eval[string](p, `fetch('index.html').then((r) => r.headers.get('Content-Security-Policy'))`); !strings.HasPrefix(policy, "default-src 'none'") {
		t.Errorf("without a server the policy is %q", policy)
	}
	p.mu.Lock()
	p.wrong = nil // the browser logs that sw.js cannot be fetched
	p.mu.Unlock()

	gone.Store(false)
	version.Store(1)
	eval[bool](p, `navigator.serviceWorker.ready.then((r) => r.update()).then(() => true)`)
	p.at("trust", ".notice--info .button")
	const hash = `fetch('engine.wasm').then((r) => r.arrayBuffer()).then((b) => b.byteLength)`
	if n := eval[int](p, hash); n != len(first["engine.wasm"].Data) {
		t.Errorf("the engine has %d bytes before the tap: the new version did not wait", n)
	}
	eval[bool](p, `window.old = true, document.querySelector('.notice--info .button').click(), true`)
	p.wait("#language")
	const replaced = `new Promise((ok) => { const look = () => !window.old && document.querySelector('#language') ? ok(true) : setTimeout(look, 50); look(); })`
	waitFor(p, replaced)
	if n := eval[int](p, hash); n != len(second["engine.wasm"].Data) {
		t.Errorf("the engine has %d bytes after the tap", n)
	}
	if kept := eval[int](p, `caches.open('tcode-files').then((c) => c.keys()).then((k) => k.length)`); kept > len(first)+80 {
		t.Errorf("%d files are kept: those of the old version stay", kept)
	}
	p.clean()
}

// waitFor evaluates a promise, again if the page was replaced meanwhile.
func waitFor(p *phone, script string) {
	p.t.Helper()
	var err error
	for range 20 {
		if _, err = chromedp.Run(p.ctx, chromedp.Evaluate[bool](script, chromedp.EvalAwaitPromise)); err == nil {
			return
		}
	}
	p.t.Fatal(err)
}
