package web_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/chromedp/cdproto/emulation"

	"tcode/scanner/gray"
	"tcode/scanner/simulate"
	"tcode/scanner/web"
)

// openEngine starts the engine's worker in a page without the app. files are served below /test/.
func openEngine(t *testing.T, files map[string][]byte) *phone {
	t.Helper()
	if _, err := fs.Stat(web.BuiltFiles(), "engine.wasm.gz"); err != nil {
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

// TestFrameTimes prints how long the engine needs for a frame of 1280x720 px, with a stamp, with text alone and on noise. TCODE_FRAMES is the
// number of frames of each kind, 24 otherwise.
func TestFrameTimes(t *testing.T) {
	stamped := simulate.Clutter(1280, 720, 26, 5)
	simulate.Draw(stamped, simulate.Stranger(), simulate.Place{X: 500, Y: 250, ModulePx: 5, Quiet: 2}, 0, 255)
	files := map[string][]byte{"stamp": stamped.Pix, "blank": gray.New(1280, 720).Pix}
	names := []string{"stamp", "blank"}
	for seed := range uint64(4) {
		name := fmt.Sprint("page-", seed)
		files[name], names = simulate.Clutter(1280, 720, 26, seed).Pix, append(names, name)
	}
	p := openEngine(t, files)
	frames := 24
	if n, err := strconv.Atoi(os.Getenv("TCODE_FRAMES")); err == nil && n > 0 {
		frames = n + 4
	}
	for _, rate := range []float64{1, 4} {
		if _, err := chromedp.Call(p.Context(), emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: rate}); err != nil {
			t.Fatal(err)
		}
		var every []float64
		for _, name := range names {
			script := fmt.Sprintf(`(async () => {
				const raw = await load(%q), out = [];
				for (let i = 0; i < %d; i++) {
					const r = await ask({op: 'frame', pixels: raw.slice(0), width: 1280, height: 720, format: 'gray'});
					out.push({ms: r.result.ms, read: !!r.result.answer});
				}
				return JSON.stringify(out);
			})()`, name, frames)
			type reply struct {
				Ms   float64
				Read bool
			}
			var all []reply
			if err := json.Unmarshal([]byte(eval[string](p, script)), &all); err != nil {
				t.Fatal(err)
			}
			var ms []float64
			read := 0
			for _, f := range all[4:] {
				if f.Read {
					read++
				}
				ms = append(ms, f.Ms)
			}
			if read > 0 != (name == "stamp") { // on a busy machine the time of some frames ends before
				t.Errorf("%s: %d frames were read", name, read)
			}
			every = append(every, ms...)
			t.Logf("%gx %s: %d read, %s", rate, name, read, spread(ms))
		}
		t.Logf("%gx all: %s", rate, spread(every))
	}
	p.clean()
}

// spread writes the median, the 95th percentile and the largest of times in ms.
func spread(ms []float64) string {
	slices.Sort(ms)
	return fmt.Sprintf("median %.1f ms, 95%% within %.1f ms, at most %.1f ms (%d frames)", ms[len(ms)/2], ms[len(ms)*95/100], ms[len(ms)-1], len(ms))
}
