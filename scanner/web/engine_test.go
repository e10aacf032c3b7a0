package web_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/chromedp/cdproto/emulation"

	"tcode/offline/payload"
	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
	"tcode/scanner/simulate"
	"tcode/scanner/web"
)

// stampSymbol returns the symbol of stampText.
func stampSymbol(t *testing.T) simulate.Symbol {
	t.Helper()
	data, size, err := payload.Codewords(stampText)
	if err != nil {
		t.Fatal(err)
	}
	s, ok := ecc200.SizeOf(size, size)
	if !ok {
		t.Fatalf("no symbol of %d modules", size)
	}
	dark, err := ecc200.Encode(data, s)
	if err != nil {
		t.Fatal(err)
	}
	return simulate.Symbol{Rows: size, Cols: size, Dark: dark}
}

// openEngine starts the engine's worker in a page without the app. files are served below /test/.
func openEngine(t *testing.T, files map[string][]byte) *phone {
	t.Helper()
	if _, err := fs.Stat(web.BuiltFiles(), "engine.wasm"); err != nil {
		missing(t, "the engine is not built: go generate ./scanner/web")
	}
	mux := http.NewServeMux()
	mux.Handle("/scan/", web.New())
	mux.HandleFunc("/test/{name}", func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(files[r.PathValue("name")]) // a browser that has gone needs nothing
	})
	mux.HandleFunc("/favicon.ico", func(http.ResponseWriter, *http.Request) {})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	p := openAt(t, srv.URL)
	p.Do(chromedp.Navigate(p.url + "/scan/icon.svg"))
	const script = `(() => {
		const worker = new Worker('engine-worker.js'), waiting = new Map();
		let last = 0;
		worker.onmessage = ({data}) => { waiting.get(data.id)?.(data); waiting.delete(data.id); };
		window.ask = (m, transfer = []) => new Promise((done) => { waiting.set(++last, done); worker.postMessage({...m, id: last}, transfer); });
		window.load = async (name) => (await fetch('/test/' + name)).arrayBuffer();
		return ask({op: 'start'}).then((r) => r.ok);
	})()`
	if !eval[bool](p, script) {
		t.Fatal("the engine does not start")
	}
	return p
}

// TestFrameTimes prints how long the engine needs for a frame of 1280x720 px, with a stamp, with text alone and on noise.
func TestFrameTimes(t *testing.T) {
	stamped := simulate.Clutter(1280, 720, 26, 5)
	simulate.Draw(stamped, stampSymbol(t), simulate.Place{X: 500, Y: 250, ModulePx: 5, Quiet: 2}, 0, 255)
	files := map[string][]byte{"stamp": stamped.Pix, "blank": gray.New(1280, 720).Pix}
	names := []string{"stamp", "blank"}
	for seed := range uint64(4) {
		name := fmt.Sprint("page-", seed)
		files[name], names = simulate.Clutter(1280, 720, 26, seed).Pix, append(names, name)
	}
	p := openEngine(t, files)
	for _, rate := range []float64{1, 4} {
		if _, err := chromedp.Call(p.Context(), emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: rate}); err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			script := fmt.Sprintf(`(async () => {
				const raw = await load(%q), out = [];
				for (let i = 0; i < 24; i++) {
					const r = await ask({op: 'frame', pixels: raw.slice(0), width: 1280, height: 720, format: 'gray'});
					out.push({ms: r.result.ms, whole: r.result.whole, read: !!r.result.answer});
				}
				return JSON.stringify(out);
			})()`, name)
			var all []struct {
				Ms          float64
				Whole, Read bool
			}
			if err := json.Unmarshal([]byte(eval[string](p, script)), &all); err != nil {
				t.Fatal(err)
			}
			var whole, part []float64
			for _, f := range all[4:] {
				if f.Read != (name == "stamp") {
					t.Errorf("%s: read %v", name, f.Read)
				}
				if f.Whole {
					whole = append(whole, f.Ms)
				} else {
					part = append(part, f.Ms)
				}
			}
			t.Logf("%gx %s: whole %s, part %s", rate, name, spread(whole), spread(part))
		}
	}
	p.clean()
}

// spread writes the median and the largest of times in ms.
func spread(ms []float64) string {
	if len(ms) == 0 {
		return "none"
	}
	slices.Sort(ms)
	return fmt.Sprintf("%.1f ms (at most %.1f, %d frames)", ms[len(ms)/2], ms[len(ms)-1], len(ms))
}
