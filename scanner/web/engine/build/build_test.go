package build

//race:off it compiles the engine

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Most bytes of the engine on its way to a phone.
const (
	mostBrotli = 1_900_000
	mostGzip   = 2_600_000
)

// TestSize: the engine that go generate has built is that of this source, and is short enough.
func TestSize(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join("..", "..", "built", "manifest.json"))
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("the engine is not built: go generate ./scanner/web")
		}
		t.Skip("the engine is not built: go generate ./scanner/web")
	}
	var manifest struct{ Files map[string]made }
	if err := json.Unmarshal(raw, &manifest); err != nil {
		t.Fatal(err)
	}
	engine, err := compile(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	sum, is := sha256.Sum256(engine), manifest.Files["engine.wasm"]
	if is.SHA256 != hex.EncodeToString(sum[:]) {
		t.Fatal("the built engine is that of another source: go generate ./scanner/web")
	}
	t.Logf("%d bytes, %d with brotli, %d with gzip", is.Bytes, is.Brotli, is.Gzip)
	if is.Brotli > mostBrotli || is.Gzip > mostGzip {
		t.Errorf("the engine has %d bytes with brotli, %d with gzip, want at most %d and %d", is.Brotli, is.Gzip, mostBrotli, mostGzip)
	}
}

// TestReproducible: a copy of the source in another folder gives the same bytes. With TCODE_FRESH=1 it is compiled without
// the cache of the first build, with the standard library, which takes minutes.
func TestReproducible(t *testing.T) {
	t.Parallel()
	here, err := compile(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	folder := copySource(t)
	var env []string
	if os.Getenv("TCODE_FRESH") == "1" {
		cache, err := os.MkdirTemp("", "tcode-cache-")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(cache) })
		env = append(env, "GOCACHE="+cache)
	}
	there, err := compile(t.Context(), folder, env...)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(here, there) {
		t.Errorf("%d bytes here, %d other ones from a copy of the source", len(here), len(there))
	}
}

// copySource copies the files of the module that the engine needs into a new folder.
func copySource(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	const files = `{{if .Module}}{{if .Module.Main}}{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}{{range .EmbedFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}{{end}}{{end}}`
	list, err := output(t.Context(), "", nil, "list", "-deps", "-f", files, "tcode/scanner/web/engine/wasm")
	if err != nil {
		t.Fatal(err)
	}
	root, err := output(t.Context(), "", nil, "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		t.Fatal(err)
	}
	root = strings.TrimSpace(root)
	for _, name := range append(strings.FieldsFunc(list, func(r rune) bool { return r == '\n' }), filepath.Join(root, "go.mod"), filepath.Join(root, "go.sum")) {
		path, err := filepath.Rel(root, name)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(folder, path)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, path), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}
