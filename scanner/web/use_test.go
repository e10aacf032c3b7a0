package web_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

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
		p.Wait(".found[points*=',']")
		p.picture(lang + "-scan-found-390")
		p.Wait(".verdict--look")
		p.Wait("#live:not(:empty)")
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
			p.Wait(".mini--look")
			p.accessible(lang + "-scan-series")
			if text := eval[string](p, `document.querySelector('.mini').innerText`); lang == "en" && !strings.Contains(text, "already scanned") {
				t.Errorf("the strip says %q", text)
			}
			p.clean()
		})
	}
}

// TestGatewaysWord: the gateway saw the symbol of a changed file, and no file, so its good word is not green and does not say VALID.
func TestGatewaysWord(t *testing.T) {
	t.Parallel()
	p := open(t, field())
	p.start("en", "nav.tabs")
	for _, screen := range []string{"history", "answer/scan-not_genuine"} {
		p.at(screen, ".notice strong")
		notices := eval[string](p, `[...document.querySelectorAll('.notice')].filter((n) => n.textContent.includes('Gateway later')).map((n) => n.className + ' ' + n.innerText).join('|')`)
		if !strings.Contains(notices, "notice--look Gateway later: GENUINE STAMP, COMPARE") || !strings.Contains(notices, "saw the symbol alone") || strings.Contains(notices, "notice--accept") || strings.Contains(notices, "VALID") {
			t.Errorf("%s: %q", screen, notices)
		}
	}
	p.clean()
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

// TestLateScreens: a screen that is drawn anew after a wait does not take the place of the one that a
// person opened meanwhile.
func TestLateScreens(t *testing.T) {
	t.Parallel()
	const late = `Promise.all([import('/scan/js/app.js'), import('/scan/js/FILE.js')]).then(async ([{app}, screen]) => {
		const ask = app.engine.ask, held = [];
		app.engine.ask = (...a) => new Promise((ok, no) => held.push(() => ask.apply(app.engine, a).then(ok, no)));
		const drawn = screen.CALL;
		const before = document.getElementById('title');
		location.hash = '#/OTHER';
		await new Promise((ok) => setTimeout(ok, 0));
		app.engine.ask = ask;
		for (const go of held.splice(0)) go();
		await drawn;
		for (let i = 0; i < 20 && document.getElementById('title') === before; i++) await new Promise((ok) => setTimeout(ok, 50));
		await new Promise((ok) => setTimeout(ok, 300));
		return document.querySelector('[aria-current=page]').id + ' ' + location.hash;
	})`
	p := open(t, field())
	p.start("en", "nav.tabs")
	for _, tt := range []struct{ at, see, file, call, other string }{
		{"history", ".sync", "history", "refreshHistory(true)", "trust"},
		{"history", ".sync", "trust", "trust()", "history"},
		{"trust", "#language", "history", "history()", "trust"},
	} {
		p.at(tt.at, tt.see)
		script := strings.NewReplacer("FILE", tt.file, "CALL", tt.call, "OTHER", tt.other).Replace(late)
		if got, want := eval[string](p, script), "tab-"+tt.other+" #/"+tt.other; got != want {
			t.Errorf("%s of %s, while %s is opened: %s, want %s", tt.call, tt.file, tt.other, got, want)
		}
	}
	p.clean()
}

// TestOffline: after one visit the app opens with the server gone, and asks it for nothing that it needs.
// A later version waits for a tap.
func TestOffline(t *testing.T) {
	t.Parallel()
	w := field()
	first, second := w.engine(t), w.engine(t)
	second["engine.wasm.gz"] = gzipped(t, []byte(wasm+"\x00\x01x"))
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
	p.Do(chromedp.Navigate(srv.URL + "/scan/#/history"))
	p.Do(chromedp.Reload())
	p.Wait(".item")
	p.at("answer/scan-valid", ".verdict--accept")
	if n := requests.Load() - before; n > 1 { // the browser itself asks for sw.js at a navigation
		t.Logf("%d requests reached the server", n)
	}
	p.picture("en-offline")
	if policy := eval[string](p, `fetch('index.html').then((r) => r.headers.get('Content-Security-Policy'))`); !strings.HasPrefix(policy, "default-src 'none'") {
		t.Errorf("without a server the policy is %q", policy)
	}
	p.Wrong()
	p.Failed() // the browser logs that sw.js cannot be fetched

	gone.Store(false)
	version.Store(1)
	eval[bool](p, `navigator.serviceWorker.ready.then((r) => r.update()).then(() => true)`)
	p.at("trust", ".notice--info .button")
	const hash = `fetch('engine.wasm').then((r) => r.arrayBuffer()).then((b) => b.byteLength)`
	if n := eval[int](p, hash); n != len(wasm) {
		t.Errorf("the engine has %d bytes before the tap: the new version did not wait", n)
	}
	eval[bool](p, `window.old = true, document.querySelector('.notice--info .button').click(), true`)
	p.Wait("#language")
	const replaced = `new Promise((ok) => { const look = () => !window.old && document.querySelector('#language') ? ok(true) : setTimeout(look, 50); look(); })`
	waitFor(p, replaced)
	if n := eval[int](p, hash); n != len(wasm)+3 {
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
		if _, err = chromedp.Run(p.Context(), chromedp.Evaluate[bool](script, chromedp.EvalAwaitPromise)); err == nil {
			return
		}
	}
	p.t.Fatal(err)
}

// agree has the app check what was shared, which it names.
func (p *phone) agree(name string) {
	p.t.Helper()
	p.Wait("#dialog[open]")
	said := eval[string](p, `document.getElementById('dialog').innerText`)
	if !strings.Contains(said, name) || !strings.Contains(said, "a web page shared this") {
		p.t.Errorf("the page says %q about %s", said, name)
	}
	eval[bool](p, `document.querySelector('#dialog .button--main').click(), true`)
}

// TestShared: documents that another app shares are judged if the person agrees, one after the other, and leave the
// phone at no time.
func TestShared(t *testing.T) {
	t.Parallel()
	w := field()
	w.Replies["file"] = map[string]any{"answer": w.Entries["scan-valid"]["answer"]}
	p := open(t, w)
	p.start("en", "nav.tabs")
	eval[bool](p, `navigator.serviceWorker.ready.then(() => new Promise((ok) => { const look = () => navigator.serviceWorker.controller ? ok(true) : setTimeout(look, 20); look(); }))`)
	const share = `(() => { const form = new FormData(); form.append('documents', new File(['%PDF-1.7'], 'Zeugnis № 1.pdf', {type: 'application/pdf'})); return fetch('share', {method: 'POST', body: form}).then((r) => r.redirected ? new URL(r.url).pathname : ''); })()`
	if path := eval[string](p, share); path != "/scan/" {
		t.Errorf("sharing leads to %q", path)
	}
	waiting := func(want int) {
		t.Helper()
		kept := eval[int](p, `caches.open('tcode-shared').then((c) => c.keys()).then((k) => k.length)`)
		if kept != want {
			t.Errorf("%d shared documents wait, want %d", kept, want)
		}
	}
	waiting(1)
	eval[bool](p, `location.hash = '#/shared', true`)
	p.Wait("#dialog[open]")
	eval[bool](p, `document.querySelector('#dialog .button').click(), true`) // cancel
	p.Wait(".choices")
	if n := eval[int](p, `document.querySelectorAll('.verdict').length`); n != 0 {
		t.Error("what the person did not agree to was judged")
	}
	waiting(0)
	eval[string](p, share)
	eval[bool](p, `location.hash = '#/shared', true`)
	p.agree("Zeugnis № 1.pdf")
	p.Wait(".verdict--accept")
	waiting(0)
	p.clean()
}

// TestLargeText: with letters of twice the size, and in landscape, nothing is wider than the window.
func TestLargeText(t *testing.T) {
	t.Parallel()
	p := open(t, field())
	for _, lang := range []string{"en", "de", "fr", "es", "ar"} {
		p.start(lang, "nav.tabs")
		for _, size := range [][3]int64{{320, 568, 100}, {390, 844, 200}, {844, 390, 100}} {
			p.Do(chromedp.EmulateViewport(size[0], size[1]))
			eval[bool](p, `document.documentElement.classList.toggle('large', `+map[bool]string{true: "true", false: "false"}[size[2] > 100]+`), document.documentElement.style.fontSize = document.documentElement.className ? '200%' : '', true`)
			for _, screen := range [][2]string{{"answer/scan-not_genuine", ".verdict"}, {"answer/scan-contents", ".verdict"}, {"answer/scan-unverified", ".verdict"}, {"details/scan-compare", ".checks"}, {"history", ".item"}, {"trust", "#language"}} {
				p.at(screen[0], screen[1])
				const beyond = `[...document.querySelectorAll('#app *')].filter((e) => { const r = e.getBoundingClientRect(); return ((r.right > innerWidth + 1 || r.left < -1) && e.children.length === 0 || e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== 'visible') && !e.closest('.chips, .vh'); }).map((e) => e.outerHTML.slice(0, 150)).join(' ')`
				const widest = `[...document.querySelectorAll('#app *')].filter((e) => !e.closest('.chips') && !e.classList.contains('vh')).reduce((w, e) => Math.max(w, e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== 'visible' && getComputedStyle(e).textOverflow !== 'ellipsis' ? e.scrollWidth - e.clientWidth : 0), document.documentElement.scrollWidth - innerWidth)`
				if wide := eval[int](p, widest); wide > 0 {
					t.Errorf("%s %v %s: %d px too wide: %s", lang, size, screen[0], wide, eval[string](p, beyond))
					p.picture("wide-" + lang + "-" + strings.ReplaceAll(screen[0], "/", "-"))
				}
			}
			if lang == "de" && size[2] > 100 || lang == "en" && size[0] == 844 {
				p.at("answer/scan-compare", ".verdict")
				p.picture(lang + "-large")
			}
		}
	}
	p.clean()
}

// TestDialogs are the questions of the app, with the keyboard alone.
func TestDialogs(t *testing.T) {
	t.Parallel()
	checker := axe(t)
	w := field()
	w.Replies["typed"] = map[string]any{"reference": "TCR-R9MC5QCNZXT6PPEZ", "entries": []any{w.Entries["scan-compare"]["entry"]}}
	p := open(t, w)
	p.start("en", ".choices")
	eval[bool](p, checker)
	eval[bool](p, `document.querySelectorAll('.choice')[2].click(), true`)
	p.Wait("dialog[open] #typed")
	p.accessible("en-type")
	p.Do(chromedp.SendKeys(chromedp.ID("typed"), "tcr-r9mc 5qcn zxt6 ppez\r"))
	p.Wait("dialog[open] .ref")
	p.accessible("en-reference")
	eval[bool](p, `document.getElementById('dialog').close(), true`)
	p.at("trust", "#language")
	eval[bool](p, `document.querySelector('.button--grave').click(), true`)
	p.Wait("dialog[open] #forget")
	p.accessible("en-forget")
	eval[bool](p, `document.getElementById('dialog').close(), true`)
	p.at("history", ".sync .button")
	eval[bool](p, `document.querySelector('.sync .button').click(), true`)
	p.Wait("dialog[open] h2")
	if text := eval[string](p, `document.getElementById('dialog').innerText`); !strings.Contains(text, "No answer from the gateway") {
		t.Errorf("sending without a network says %q", text)
	}
	p.clean()
}

// TestOneCamera: a visit asks for the camera once, whatever screens it goes through. A hidden page
// has it off.
func TestOneCamera(t *testing.T) {
	t.Parallel()
	p := open(t, field(), camera...)
	p.start("en", ".view__hint .icon")
	eval[bool](p, `(() => { const md = navigator.mediaDevices, ask = md.getUserMedia.bind(md); window.asked = 0; md.getUserMedia = (c) => { window.asked++; return ask(c).then((s) => (window.stream = s)); }; return true; })()`)
	for range 3 {
		p.at("answer/scan-valid", ".verdict")
		p.at("scan", ".view__hint .icon")
	}
	if n := eval[int](p, `window.asked`); n != 0 {
		t.Errorf("the camera was asked for %d times after the first", n)
	}
	hide := func(hidden string) {
		eval[bool](p, `Object.defineProperty(document, 'hidden', {value: `+hidden+`, configurable: true}), document.dispatchEvent(new Event('visibilitychange')), true`)
	}
	const off = `document.querySelector('video').srcObject.getTracks().every((t) => t.readyState === 'ended')`
	if eval[bool](p, off) {
		t.Error("the camera is off on its own screen")
	}
	hide("true")
	if !eval[bool](p, off) {
		t.Error("a hidden page keeps the camera on")
	}
	hide("false")
	waitFor(p, `new Promise((ok) => { const look = () => window.stream?.active && document.querySelector('video').srcObject === window.stream ? ok(true) : setTimeout(look, 20); look(); })`)
	p.clean()
}
