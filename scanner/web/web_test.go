package web_test

//race:off the app in a browser

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"image/png"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"tcode/scanner/web"
)

func get(h http.Handler, method, target string, header ...string) *http.Response {
	q := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(header); i += 2 {
		q.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, q)
	return w.Result()
}

func body(t *testing.T, r *http.Response) []byte {
	t.Helper()
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestWithoutEngine: a program that was built without the engine names the command that builds it.
func TestWithoutEngine(t *testing.T) {
	t.Parallel()
	h := web.NewWith(web.Files(), fstest.MapFS{".gitignore": {Data: []byte("*")}})
	r := get(h, "GET", "/scan/")
	if text := string(body(t, r)); r.StatusCode != http.StatusServiceUnavailable || !strings.Contains(text, "go generate ./scanner/web") {
		t.Errorf("%d %s", r.StatusCode, text)
	}
}

// TestEncodings: each client gets the shortest encoding that it accepts, with a tag of its own.
func TestEncodings(t *testing.T) {
	t.Parallel()
	engine := field().engine(t)
	plain := append([]byte(wasm), make([]byte, 1000)...)
	engine["engine.wasm.gz"] = gzipped(t, plain)
	engine["engine.wasm.br"] = &fstest.MapFile{Data: []byte("brotli")}
	h := web.NewWith(web.Files(), engine)
	tags := map[string]bool{}
	for accept, want := range map[string]string{
		"": "", "gzip, deflate, br, zstd": "br", "gzip": "gzip", "br;q=0, gzip;q=0.5": "gzip", "br; q=0, gzip; q=0": "", "identity": "",
	} {
		r := get(h, "GET", "/scan/engine.wasm", "Accept-Encoding", accept)
		if got := r.Header.Get("Content-Encoding"); got != want || r.StatusCode != http.StatusOK || r.Header.Get("Content-Type") != "application/wasm" {
			t.Errorf("accepting %q: %d %q %s", accept, r.StatusCode, got, r.Header.Get("Content-Type"))
		}
		is := map[string][]byte{"": plain, "br": engine["engine.wasm.br"].Data, "gzip": engine["engine.wasm.gz"].Data}[want]
		if got := body(t, r); !bytes.Equal(got, is) || r.Header.Get("Content-Length") != strconv.Itoa(len(is)) {
			t.Errorf("accepting %q: %d bytes of %s, want %d", accept, len(got), r.Header.Get("Content-Length"), len(is))
		}
		tag := r.Header.Get("Etag")
		tags[tag] = true
		if again := get(h, "GET", "/scan/engine.wasm", "Accept-Encoding", accept, "If-None-Match", tag); again.StatusCode != http.StatusNotModified || len(body(t, again)) > 0 {
			t.Errorf("accepting %q: %d for its own tag", accept, again.StatusCode)
		}
	}
	if len(tags) != 3 {
		t.Errorf("%d tags for 3 encodings", len(tags))
	}
	engine["engine.wasm.gz"].Data = engine["engine.wasm.gz"].Data[:20]
	if broken := get(web.NewWith(web.Files(), engine), "GET", "/scan/engine.wasm"); broken.StatusCode != http.StatusInternalServerError {
		t.Errorf("an engine that is cut off: %d", broken.StatusCode)
	}
	r := get(h, "GET", "/scan/", "Accept-Encoding", "gzip")
	page, err := gzip.NewReader(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	if html, err := io.ReadAll(page); err != nil || !bytes.Contains(html, []byte("<!doctype html>")) {
		t.Errorf("the page: %v %.40s", err, html)
	}
}

// TestAnswers of the handler: methods, unknown names, sharing without a service worker, headers.
func TestAnswers(t *testing.T) {
	t.Parallel()
	h := web.NewWith(web.Files(), field().engine(t))
	for _, tt := range []struct {
		method, target string
		want           int
	}{
		{"GET", "/scan/", 200},
		{"HEAD", "/scan/js/main.js", 200},
		{"GET", "/behind/a/proxy/scan/css/app.css", 200},
		{"GET", "/scan", 308},
		{"GET", "/scan/../go.mod", 404},
		{"GET", "/scan/js", 404},
		{"GET", "/scan/.gitignore", 404},
		{"GET", "/scan/none", 404},
		{"PUT", "/scan/", 405},
		{"POST", "/scan/", 405},
		{"POST", "/scan/share", 303},
		{"GET", "/scan/share", 200},
		{"GET", "/scan/icon-512.png", 200},
	} {
		r := get(h, tt.method, tt.target)
		if r.StatusCode != tt.want {
			t.Errorf("%s %s: %d, want %d", tt.method, tt.target, r.StatusCode, tt.want)
		}
		policy := r.Header.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'; ") || strings.Contains(policy, "unsafe-inline") || strings.Contains(policy, "unsafe-eval'") != strings.Contains(policy, "'wasm-unsafe-eval'") || strings.Contains(policy, "http") {
			t.Errorf("%s: policy %q", tt.target, policy)
		}
		for _, name := range []string{"Permissions-Policy", "X-Content-Type-Options", "Referrer-Policy", "Cross-Origin-Opener-Policy"} {
			if r.Header.Get(name) == "" {
				t.Errorf("%s lacks %s", tt.target, name)
			}
		}
	}
	if img, err := png.Decode(get(h, "GET", "/scan/icon-192.png").Body); err != nil || img.Bounds().Dx() != 192 {
		t.Errorf("icon: %v", err)
	}
}

// TestRelease: sw.js lists every file with its hash, so that a change of any file is a new version.
func TestRelease(t *testing.T) {
	t.Parallel()
	list := func(engine fstest.MapFS) (string, map[string]string) {
		raw := body(t, get(web.NewWith(web.Files(), engine), "GET", "/scan/sw.js"))
		line, _, _ := bytes.Cut(raw, []byte("\n"))
		var r struct {
			Version string
			Files   map[string]string
		}
		if err := json.Unmarshal(bytes.TrimSuffix(bytes.TrimPrefix(line, []byte("const RELEASE = ")), []byte(";")), &r); err != nil {
			t.Fatal(err)
		}
		return r.Version, r.Files
	}
	engine := field().engine(t)
	version, files := list(engine)
	for _, name := range []string{"index.html", "js/main.js", "css/app.css", "text/ar.json", "engine.wasm", "engine-worker.js", "wasm_exec.js", "release.js", "manifest.webmanifest", "icon-192.png"} {
		if len(files[name]) != 64 {
			t.Errorf("%s is not in the list of %d files", name, len(files))
		}
	}
	if again, _ := list(engine); again != version {
		t.Error("the same files give another version")
	}
	engine["wasm_exec.js"].Data = []byte("// another")
	if other, _ := list(engine); other == version {
		t.Error("another file gives the same version")
	}
}

// TestTexts: all languages have the same texts with the same values, and every text is used and there.
func TestTexts(t *testing.T) {
	t.Parallel()
	texts := map[string]map[string]string{}
	code := ""
	err := fs.WalkDir(web.Files(), ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".json" && path.Ext(name) != ".js" {
			return err
		}
		raw, err := fs.ReadFile(web.Files(), name)
		if path.Ext(name) == ".js" {
			code += string(raw)
			return err
		}
		words := map[string]string{}
		texts[strings.TrimSuffix(path.Base(name), ".json")] = words
		return json.Unmarshal(raw, &words)
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(texts) != 5 {
		t.Fatalf("%d languages, want 5", len(texts))
	}
	value := regexp.MustCompile(`\{\w+\}|\|`)
	values := func(s string) []string { return slices.Sorted(slices.Values(value.FindAllString(s, -1))) }
	for lang, words := range texts {
		for key, text := range texts["en"] {
			if got, ok := words[key]; !ok || got == "" {
				t.Errorf("%s lacks %s", lang, key)
			} else if !slices.Equal(values(got), values(text)) {
				t.Errorf("%s: %s has %v, want %v", lang, key, values(got), values(text))
			}
		}
		for key := range words {
			if _, ok := texts["en"][key]; !ok {
				t.Errorf("%s has %s, which English lacks", lang, key)
			}
		}
	}
	used := map[string]bool{}
	for _, m := range regexp.MustCompile(`\bt[n]?\('([\w.]+)'|'((?:answer|enrol|first|hint|history|scan|status|trust|trouble|exported|advice|word|again|install|short|check)\.[\w.]+)'`).FindAllStringSubmatch(code, -1) {
		used[m[1]+m[2]] = true
	}
	for key := range used {
		if _, ok := texts["en"][key]; !ok && !strings.HasSuffix(key, ".") {
			t.Errorf("the code uses %s, which is no text", key)
		}
	}
}

// TestNoMarkupFromTexts: no code of the app turns a text into elements or code.
func TestNoMarkupFromTexts(t *testing.T) {
	t.Parallel()
	bad := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser|createContextualFragment|https?://[^w]`)
	n := 0
	err := fs.WalkDir(web.Files(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".js" && path.Ext(name) != ".html" {
			return err
		}
		raw, err := fs.ReadFile(web.Files(), name)
		n++
		if at := bad.FindIndex(raw); at != nil {
			t.Errorf("%s: %q", name, raw[at[0]:at[1]])
		}
		if lines := bytes.Count(raw, []byte("\n")); lines > 400 {
			t.Errorf("%s has %d lines", name, lines)
		}
		return err
	})
	if err != nil || n < 15 {
		t.Errorf("%d files: %v", n, err)
	}
}

// TestManifest: the hashes are those of the files that are served, all of them, and the built list is not one of them.
func TestManifest(t *testing.T) {
	t.Parallel()
	if m, err := web.NewFrom(fstest.MapFS{}).Manifest(); err == nil {
		t.Errorf("without an engine: %v", m)
	}
	engine := field().engine(t)
	engine["manifest.json"] = &fstest.MapFile{Data: []byte("{}")}
	app := web.NewFrom(engine)
	m, err := app.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range m.Files {
		sum := sha256.Sum256(body(t, get(app, "GET", "/scan/"+name)))
		if got := hex.EncodeToString(sum[:]); got != want {
			t.Errorf("%s has hash %s, want %s", name, got, want)
		}
	}
	if m.Engine != m.Files["engine.wasm"] || m.Files["sw.js"] == "" || m.Files["index.html"] == "" || m.Files["manifest.json"] != "" {
		t.Errorf("%v", m)
	}
	if about := string(body(t, get(app, "GET", "/scan/release.js"))); !strings.Contains(about, m.Version) || !strings.Contains(about, m.Engine) {
		t.Errorf("%s lacks version %s or engine %s", about, m.Version, m.Engine)
	}
}
