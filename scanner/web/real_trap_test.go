package web_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"tcode/scanner/web"
	"tcode/scanner/web/phonetest"
)

// seededEngine builds the engine with faults on demand (offline/contain, seed_js.go).
var seededEngine = sync.OnceValues(func() (fstest.MapFS, error) {
	dir, err := os.MkdirTemp("", "tcode-seeded-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	wasm := filepath.Join(dir, "engine.wasm")
	build := exec.Command("go", "build", "-tags", "seeded", "-o", wasm, "./engine/wasm")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	files := fstest.MapFS{}
	for name, path := range map[string]string{
		"engine.wasm": wasm, "engine-worker.js": "engine/engine-worker.js",
		"wasm_exec.js": filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"),
	} {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		files[name] = &fstest.MapFile{Data: data}
	}
	w := files["engine-worker.js"]
	w.Data = append([]byte(askForSeeds), w.Data...)
	return files, nil
})

// askForSeeds has the worker ask the server for the fault of an item.
const askForSeeds = `self.tcodeSeed = (name) => {
  if (!name.startsWith('engine-')) return '';
  const request = new XMLHttpRequest();
  request.open('GET', '/seed?name=' + encodeURIComponent(name), false);
  request.send();
  return request.responseText;
};
`

// patient returns the app's own files, with a page that waits shorter for a document.
func patient(t *testing.T) fs.FS {
	t.Helper()
	files := fstest.MapFS{}
	err := fs.WalkDir(web.Files(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(web.Files(), path)
		if path == "js/engine.js" {
			short := bytes.Replace(data, []byte("const PATIENCE = 120;"), []byte("const PATIENCE = 15;"), 1)
			if bytes.Equal(short, data) {
				t.Fatal("the page has no time limit for a document")
			}
			data = short
		}
		files[path] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// seedServer serves the app with the seeded engine; fault returns that of an item.
func seedServer(t *testing.T, fault func(name string) string) string {
	t.Helper()
	engine, err := seededEngine()
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", web.NewWith(patient(t), engine))
	mux.HandleFunc("GET /seed", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		fmt.Fprint(w, fault(r.URL.Query().Get("name")))
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv.URL
}

// realFaults are those of the engine, in the order in which a test has them.
var realFaults = []string{"panic", "exit", "stack", "trap", "memory", "hang"}

// TestRealTraps: files at which the engine panics, ends, traps, uses up its memory or never returns
// cost themselves. The page names each, and the next one is judged.
func TestRealTraps(t *testing.T) {
	t.Parallel()
	p := openAt(t, seedServer(t, func(name string) string {
		_, file, _ := strings.Cut(name, "@")
		for _, fault := range realFaults {
			if file == fault+".pdf" {
				return fault
			}
		}
		return ""
	}), phonetest.Whole...)
	p.start("en", ".choices")
	names := []string{}
	for _, fault := range realFaults {
		names = append(names, fault+".pdf")
	}
	p.share(names...)
	for _, name := range names {
		p.Wait("#dialog[open]")
		said := eval[string](p, `document.getElementById('dialog').innerText`)
		if !strings.Contains(said, name) || !strings.Contains(said, "nothing about the document") {
			t.Errorf("the page says %q about %s", said, name)
		}
		eval[bool](p, `document.getElementById('dialog').close(), true`)
	}
	p.share("good.pdf")
	if !eval[bool](p, `new Promise((ok) => { const look = () => document.body.innerText.includes('NO TCODE') ? ok(true) : setTimeout(look, 20); look(); })`) {
		t.Error("the next file has no answer")
	}
}

// share has the app judge PDFs without a symbol, as one that another app shares with it.
func (p *phone) share(names ...string) {
	p.t.Helper()
	eval[bool](p, fmt.Sprintf(`(async () => {
		location.hash = '#/history';
		const shared = await caches.open('tcode-shared'), headers = {'Content-Type': 'application/pdf'};
		for (const name of %q.split(' ')) {
			await shared.put('/scan/shared/' + name, new Response(%q, {headers: {...headers, 'X-Name': name}}));
		}
		await new Promise((ok) => setTimeout(ok, 200));
		location.hash = '#/shared';
		return true;
	})()`, strings.Join(names, " "), "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R>>\n"))
	p.agree(names[0])
}

// TestRealFrames: pictures of the camera at which the engine has such faults cost themselves. The page says so
// and goes on with the next ones.
func TestRealFrames(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	frames, left := 0, realFaults
	p := openAt(t, seedServer(t, func(name string) string {
		mu.Lock()
		defer mu.Unlock()
		if name != "engine-frame" {
			return ""
		}
		if frames++; frames%5 != 0 || len(left) == 0 {
			return ""
		}
		fault := left[0]
		left = left[1:]
		return fault
	}), camera...)
	p.start("en", ".choices")
	p.click(".choice", "Scan documents anyway")
	eval[bool](p, `window.said = new Set(), new MutationObserver(() => said.add(document.body.innerText)).observe(document.body, {subtree: true, childList: true, characterData: true}), true`)
	begin := time.Now()
	for last := 0; ; time.Sleep(100 * time.Millisecond) {
		mu.Lock()
		now, over := frames, len(left) == 0
		mu.Unlock()
		if !over {
			last = now
		} else if now > last+10 {
			break
		}
		if eval[bool](p, `document.getElementById('dialog')?.open ?? false`) { // of a panic, which ends no engine
			eval[bool](p, `document.getElementById('dialog').close(), true`)
		}
		if time.Since(begin) > 4*time.Minute {
			t.Fatalf("%d frames, and these faults were not tried: %v; the page says %q", now, left, eval[string](p, `document.body.innerText`))
		}
	}
	const failed = "The reader failed on a picture of the camera."
	if n := eval[int](p, fmt.Sprintf(`[...said].filter((s) => s.includes(%q)).length`, failed)); n == 0 {
		t.Error("the page does not say that the reader failed on pictures")
	}
	if text := eval[string](p, `document.body.innerText`); strings.Contains(text, "The reader has stopped") {
		t.Errorf("the page says %q", text)
	}
}
