package build

//race:off it compiles the engine

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Most bytes of the engine on its way to a phone.
const (
	mostBrotli = 1_890_000
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

// TestJoinSegments: gaps of zeros are filled up to the maximum, and what is no module of Go's linker is an error.
func TestJoinSegments(t *testing.T) {
	t.Parallel()
	head := []byte("\x00asm\x01\x00\x00\x00")
	module := func(sections ...[]byte) []byte { return bytes.Join(append([][]byte{head}, sections...), nil) }
	section := func(kind byte, content ...byte) []byte {
		return append(binary.AppendUvarint([]byte{kind}, uint64(len(content))), content...)
	}
	code := section(10, 0)
	// "ab" at 63, "c" at 66, "d" at 64 + 4096 + 3: one byte too far; "e" before them.
	apart := section(11, 4,
		0, 0x41, 0x3f, 0x0b, 2, 'a', 'b',
		0, 0x41, 0xc2, 0x00, 0x0b, 1, 'c',
		0, 0x41, 0xc4, 0x20, 0x0b, 1, 'd',
		0, 0x41, 0x01, 0x0b, 1, 'e')
	joined := section(11, 3,
		0, 0x41, 0x3f, 0x0b, 4, 'a', 'b', 0, 'c',
		0, 0x41, 0xc4, 0x20, 0x0b, 1, 'd',
		0, 0x41, 0x01, 0x0b, 1, 'e')
	got, err := joinSegments(module(code, apart, code))
	if want := module(code, joined, code); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%x, %v, want %x", got, err, want)
	}
	for name, data := range map[string][]byte{
		"empty":             nil,
		"cut off":           module(code, apart)[:30],
		"of another memory": module(section(11, 1, 2, 0, 0x41, 0x00, 0x0b, 1, 'a')),
		"passive":           module(section(11, 1, 1, 1, 'a')),
		"an expression":     module(section(11, 1, 0, 0x23, 0x00, 0x0b, 1, 'a')),
		"too few":           module(section(11, 2, 0, 0x41, 0x01, 0x0b, 1, 'a')),
		"too many":          module(section(11, 0, 0, 0x41, 0x01, 0x0b, 1, 'a')),
	} {
		if got, err := joinSegments(data); err == nil {
			t.Errorf("%s: %x, want an error", name, got)
		}
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
