package web_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"

	"tcode/scanner/web"
)

// loadScript runs before the app. It taps the way to the camera as soon as it is there, and notes in ms since the begin of the
// navigation when that was, when the engine was ready, and when the camera's first picture was on the screen.
const loadScript = `(() => {
	const at = window.loaded = {};
	const note = (name) => { at[name] ??= performance.now(); };
	new MutationObserver(() => {
		const choice = [...document.querySelectorAll('.choice')].find((b) => b.textContent.includes('Scan documents anyway'));
		if (choice && !at.choice) { note('choice'); choice.click(); }
		const video = document.querySelector('video');
		if (video && !at.video) { note('video'); video.requestVideoFrameCallback(() => note('picture')); }
	}).observe(document, {childList: true, subtree: true});
	const ask = setInterval(async () => {
		if (!document.querySelector('script[src="js/main.js"]')) return;
		const {app} = await import('/scan/js/app.js').catch(() => ({}));
		if (app?.start) { note('engine'); at.boot = app.start.bootMs; clearInterval(ask); }
	}, 10);
})()`

// TestFirstLoad prints how long a phone that has never seen the app needs until its camera runs and its engine judges, with the program's own server and
// engine, and where the time goes. The processor is as fast as it is, and then four times slower (the page's thread; Chromium slows workers less).
func TestFirstLoad(t *testing.T) {
	if _, err := fs.Stat(web.BuiltFiles(), "engine.wasm.gz"); err != nil {
		missing(t, "the engine is not built: go generate ./scanner/web")
	}
	app := web.New()
	app.Built() // a server has answered before
	srv := httptest.NewServer(app)
	t.Cleanup(srv.Close)
	for _, rate := range []float64{1, 4} {
		t.Run(fmt.Sprintf("%gx", rate), func(t *testing.T) {
			p := openAt(t, srv.URL, camera...)
			if _, err := chromedp.Call(p.Context(), page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: loadScript}); err != nil {
				t.Fatal(err)
			}
			if _, err := chromedp.Call(p.Context(), emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: rate}); err != nil {
				t.Fatal(err)
			}
			p.Do(chromedp.Navigate(p.url + "/scan/"))
			p.Wait("video")
			var at struct{ Choice, Engine, Boot, Video, Picture float64 }
			const script = `(async () => { while (!(loaded.picture && loaded.engine)) await new Promise((ok) => setTimeout(ok, 10)); return JSON.stringify(loaded); })()`
			if err := json.Unmarshal([]byte(eval[string](p, script)), &at); err != nil {
				t.Fatal(err)
			}
			t.Logf("camera ready after %.0f ms: the engine after %.0f ms (%.0f ms after its worker began), the choice after %.0f ms, the first picture after %.0f ms",
				max(at.Engine, at.Picture), at.Engine, at.Boot, at.Choice, at.Picture)
			t.Log(eval[string](p, `JSON.stringify(performance.getEntriesByType('resource').map((r) => [r.name.split('/scan/')[1], r.startTime | 0, r.responseEnd | 0]))`))
			p.clean()
		})
	}
}
