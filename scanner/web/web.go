package web

import (
	"embed"
	"errors"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

//go:embed all:app
var appFiles embed.FS

//go:embed all:built
var builtFiles embed.FS

// Path is where the app expects to be mounted on its host. All its own addresses are relative, so a
// proxy may put any path before it.
const Path = "/scan/"

// Missing is the answer of a program that was built without the engine.
const Missing = `The scanner app needs its engine, and this program was built without it.
Build the engine, then the program again:

	go generate ./scanner/web
	go build ./cmd/...
`

// policy forbids everything that the app does not need: other origins, inline scripts and styles,
// frames, forms. The engine is WebAssembly, which needs its own word.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; " +
	"img-src 'self' blob:; media-src 'self' blob:; connect-src 'self'; manifest-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// headers are those of every answer.
var headers = map[string]string{
	"Content-Security-Policy":      policy,
	"Permissions-Policy":           "camera=(self), geolocation=(self), microphone=(), usb=(), serial=(), payment=()",
	"X-Content-Type-Options":       "nosniff",
	"X-Frame-Options":              "DENY",
	"Referrer-Policy":              "no-referrer",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"X-Robots-Tag":                 "noindex",
}

// An App serves the scanner app. It is safe for concurrent use.
type App struct {
	release func() (*release, error) // compressed and hashed at the first request
}

// New returns the app of this program, to be mounted at [Path]. It does no work before the first request.
func New() *App { return newApp(sub(appFiles, "app"), sub(builtFiles, "built")) }

// NewFrom is [New] with the engine in a folder, as package build writes it, in place of the program's own.
func NewFrom(engine fs.FS) *App { return newApp(sub(appFiles, "app"), engine) }

func newApp(app, engine fs.FS) *App {
	return &App{sync.OnceValues(func() (*release, error) { return newRelease(app, engine) })}
}

func sub(files fs.FS, dir string) fs.FS {
	below, err := fs.Sub(files, dir)
	if err != nil {
		panic(err) // dir is a constant
	}
	return below
}

// Built reports whether the program has the engine.
func (a *App) Built() bool {
	_, err := a.release()
	return err == nil
}

// Manifest returns the hashes of all files that ServeHTTP answers with. The error says that the program has no engine.
func (a *App) Manifest() (Manifest, error) {
	r, err := a.release()
	if err != nil {
		return Manifest{}, err
	}
	m := Manifest{Version: r.version, Engine: r.files[engineName].hash, Files: map[string]string{}}
	for name, f := range r.files {
		m.Files[name] = f.hash
	}
	return m, nil
}

// ServeHTTP answers GET and HEAD below [Path]. A document that is shared to the app reaches the service
// worker on the phone. If it still arrives here, the body is not read, and the app opens.
func (a *App) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for name, value := range headers {
		w.Header().Set(name, value)
	}
	_, name, ok := strings.Cut(r.URL.Path, Path)
	if !ok {
		http.Redirect(w, r, "."+Path, http.StatusPermanentRedirect) // "/scan" without its slash
		return
	}
	all, err := a.release()
	if err != nil {
		status, text := http.StatusInternalServerError, err.Error()
		if errors.Is(err, errNoEngine) {
			status, text = http.StatusServiceUnavailable, Missing
		}
		http.Error(w, text, status)
		return
	}
	switch {
	case r.Method == http.MethodPost && name == "share":
		w.Header().Set("Connection", "close")
		w.Header().Set("Location", "./#/shared")
		w.WriteHeader(http.StatusSeeOther)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "the app is only read", http.StatusMethodNotAllowed)
		return
	case name == "" || name == "share":
		name = "index.html"
	}
	f := all.files[name]
	if f == nil {
		http.Error(w, "the app has no such file", http.StatusNotFound)
		return
	}
	f.serve(w, r)
}

// serve answers with the shortest encoding that the browser accepts. Caches ask again each time, and get
// 304: after an update no phone may mix the files of two versions.
func (f *file) serve(w http.ResponseWriter, r *http.Request) {
	body, length, tag := f.plain, f.length, f.hash[:24]
	encoding := ""
	for _, e := range []string{"br", "gzip"} {
		packed := f.packed[e]
		if packed != nil && len(packed) < length && accepts(r.Header.Get("Accept-Encoding"), e) {
			body, length, encoding = packed, len(packed), e
		}
	}
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("Cache-Control", "no-cache")
	h.Set("Vary", "Accept-Encoding")
	if encoding != "" {
		h.Set("Content-Encoding", encoding)
		tag += "-" + encoding
	}
	tag = `"` + tag + `"`
	h.Set("Etag", tag)
	if matches(r.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Length", strconv.Itoa(length))
	if r.Method != http.MethodGet {
		return
	}
	if body == nil { // an error of either means that the client has gone: the file was unpacked before
		_, _ = f.unpack(w)
	} else {
		_, _ = w.Write(body)
	}
}

// accepts reports whether an Accept-Encoding header allows encoding: named, and not with a weight of 0.
func accepts(header, encoding string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.TrimSpace(name) != encoding {
			continue
		}
		q, found := strings.CutPrefix(strings.ReplaceAll(weight, " ", ""), "q=")
		if !found {
			return true
		}
		v, err := strconv.ParseFloat(q, 64)
		return err == nil && v > 0
	}
	return false
}

// matches reports whether an If-None-Match header names tag.
func matches(header, tag string) bool {
	for part := range strings.SplitSeq(header, ",") {
		if part = strings.TrimPrefix(strings.TrimSpace(part), "W/"); part == tag || part == "*" {
			return true
		}
	}
	return false
}
