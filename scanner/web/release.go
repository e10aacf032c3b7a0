package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// A file is one file of the app in the encodings that browsers accept.
type file struct {
	kind   string            // media type
	hash   string            // SHA-256 of the plain form, in hexadecimal
	length int               // of the plain form, in bytes
	plain  []byte            // nil for a file that is kept compressed alone
	packed map[string][]byte // by content encoding: br, gzip; each shorter than the plain form
}

// A release is the whole app: all files by their path below /scan/.
type release struct {
	files   map[string]*file
	version string // first 12 digits of a hash over all paths and hashes
}

// A Manifest is a release in hashes: SHA-256 in hexadecimal. Two programs of the same source and the same Go have the same one.
type Manifest struct {
	Version string            `json:"version"` // as the app shows it
	Engine  string            `json:"engine"`  // of engine.wasm, as the app computes and shows it
	Files   map[string]string `json:"files"`   // by path below [Path]; the page itself is index.html
}

// errNoEngine means that the program was built without the engine.
var errNoEngine = errors.New("this program was built without the scanner's engine")

// engineName is the engine's file.
const engineName = "engine.wasm"

// engineNames are the files that the engine needs: itself, the support of the same Go, and the worker that runs both.
var engineNames = []string{engineName, "wasm_exec.js", "engine-worker.js"}

// kinds are the media types by file extension. A type from the system's tables could differ between machines.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".json": "application/json", ".webmanifest": "application/manifest+json", ".wasm": "application/wasm",
	".svg": "image/svg+xml", ".png": "image/png",
}

// newRelease reads the app and the engine. The error is errNoEngine if engine has none.
func newRelease(app, engine fs.FS) (*release, error) {
	r := &release{files: map[string]*file{}}
	if err := r.addAll(app); err != nil {
		return nil, err
	}
	if err := r.addAll(engine); err != nil {
		return nil, err
	}
	for _, name := range engineNames {
		if r.files[name] == nil {
			return nil, fmt.Errorf("%w: %s is missing", errNoEngine, name)
		}
	}
	for size, name := range iconNames {
		r.put(name, icon(size))
	}
	r.finish()
	return r, nil
}

// listName is a file next to the engine that says how it was built. No page needs it.
const listName = "manifest.json"

// addAll takes the files of a folder that browsers load: those of a kind in kinds. A file may lie there
// as NAME.gz in place of NAME, with NAME.br beside it.
func (r *release) addAll(files fs.FS) error {
	return fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		name, packed := strings.CutSuffix(name, ".gz")
		if err != nil || d.IsDir() || kinds[path.Ext(name)] == "" || name == listName {
			return err
		}
		if packed {
			return r.addPacked(files, name)
		}
		data, err := fs.ReadFile(files, name)
		r.put(name, data)
		return err
	})
}

// addPacked takes a file that is kept compressed alone.
func (r *release) addPacked(files fs.FS, name string) error {
	gz, err := fs.ReadFile(files, name+".gz")
	if err != nil {
		return err
	}
	f := &file{kind: kinds[path.Ext(name)], packed: map[string][]byte{"gzip": gz}}
	sum := sha256.New()
	n, err := f.unpack(sum)
	if err != nil {
		return fmt.Errorf("%s.gz: %w", name, err)
	}
	f.hash, f.length = hex.EncodeToString(sum.Sum(nil)), int(n)
	if br, err := fs.ReadFile(files, name+".br"); err == nil {
		f.packed["br"] = br
	}
	r.files[name] = f
	return nil
}

// unpack writes the plain form of a file that is kept compressed alone.
func (f *file) unpack(to io.Writer) (int64, error) {
	r, err := gzip.NewReader(bytes.NewReader(f.packed["gzip"]))
	if err != nil {
		return 0, err
	}
	return io.Copy(to, r)
}

// put adds one file. Text is compressed; pictures are already.
func (r *release) put(name string, data []byte) *file {
	sum := sha256.Sum256(data)
	f := &file{kinds[path.Ext(name)], hex.EncodeToString(sum[:]), len(data), data, map[string][]byte{}}
	if strings.HasPrefix(f.kind, "text/") || strings.Contains(f.kind, "json") || strings.Contains(f.kind, "svg") {
		if packed := gzipped(data); len(packed) < len(data) {
			f.packed["gzip"] = packed
		}
	}
	r.files[name] = f
	return f
}

func gzipped(data []byte) []byte {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return data
	}
	_, err = w.Write(data)
	if err := errors.Join(err, w.Close()); err != nil { // a buffer takes everything
		return data
	}
	return out.Bytes()
}

// finish computes the version, and writes it with the list of files into the two programs that need
// them: release.js for pages, sw.js for the service worker. A change of any file changes sw.js, which
// is how browsers notice a new version.
func (r *release) finish() {
	sum := sha256.New()
	list := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(r.files)) {
		f := r.files[name]
		fmt.Fprintf(sum, "%s %s\n", name, f.hash)
		if name != workerName {
			list[name] = f.hash
		}
	}
	r.version = hex.EncodeToString(sum.Sum(nil))[:12]
	engine := r.files[engineName]
	about := map[string]any{"version": r.version, "engine": map[string]any{"sha256": engine.hash, "bytes": engine.length}, "bytes": r.size()}
	module := r.put("release.js", []byte("export default "+asJSON(about)+";\n"))
	list["release.js"] = module.hash
	line := "const RELEASE = " + asJSON(map[string]any{"version": r.version, "files": list}) + ";\n"
	r.put(workerName, append([]byte(line), r.files[workerName].plain...))
}

// workerName is the service worker, which no phone keeps in its own list: the browser keeps it.
const workerName = "sw.js"

// size is what a first visit fetches, in bytes, by the shortest encodings.
func (r *release) size() int {
	n := 0
	for _, f := range r.files {
		least := f.length
		for _, p := range f.packed {
			least = min(least, len(p))
		}
		n += least
	}
	return n
}

// asJSON encodes maps of texts and numbers, which cannot fail. Members are in the order of their names.
func asJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}
