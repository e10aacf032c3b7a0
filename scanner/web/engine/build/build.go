// Package build makes the engine of the scanner app: engine.wasm, compressed with brotli and with
// gzip, wasm_exec.js of the same Go, engine-worker.js, and manifest.json with their hashes.
// Call [Into]; the command in folder command does, for go generate:
//
//	source of this module ─▶ go build for WebAssembly ─▶ engine.wasm ─┬─▶ brotli ─┬─▶ folder
//	                                                                  └─▶ gzip ───┤
//	GOROOT ─▶ wasm_exec.js,  scanner/web/engine ─▶ engine-worker.js ──────────────┘
//
// The same source and the same Go give the same bytes on every machine.
package build

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"

	"tcode/offline/contain"
)

// ErrNoSource means that the engine cannot be built here: the go command or the source of this module is missing.
var ErrNoSource = errors.New("the engine cannot be built here")

// A made is one file of the manifest; sizes are in bytes. Only the engine is compressed.
type made struct {
	SHA256 string `json:"sha256"`
	Bytes  int    `json:"bytes"`
	Brotli int    `json:"brotli,omitempty"`
	Gzip   int    `json:"gzip,omitempty"`
}

// engineName is the engine's file. It is written compressed alone: programs embed these files, and
// serve its plain form to no browser that exists.
const engineName = "engine.wasm"

// steps is the number of steps of [Into]: the source is found, compiled, and compressed in two ways.
const steps = 4

// Into builds the engine of the module that the current folder is in, and writes all files into the folder to, which must
// exist. It calls told, which may be nil, after each of its steps, from any goroutine. The error is [ErrNoSource] where
// nothing can be built.
func Into(ctx context.Context, to string, told func(done, all int)) error {
	p := &progress{told: told}
	files, version, err := sources(ctx, p)
	if err != nil {
		return err
	}
	engine := files[engineName]
	var br, gz []byte
	g, _ := contain.WithContext(ctx)
	g.Go("brotli", func() (err error) {
		br, err = brotlied(engine)
		p.step()
		return err
	})
	g.Go("gzip", func() (err error) {
		gz, err = gzipped(engine)
		p.step()
		return err
	})
	if err := g.Wait(); err != nil {
		return fmt.Errorf("compress %s: %w", engineName, err)
	}
	manifest := struct {
		Go    string          `json:"go"`
		Files map[string]made `json:"files"`
	}{version, map[string]made{}}
	for name, data := range files {
		sum := sha256.Sum256(data)
		m := made{SHA256: hex.EncodeToString(sum[:]), Bytes: len(data)}
		if name == engineName {
			m.Brotli, m.Gzip = len(br), len(gz)
			err = errors.Join(write(to, name+".br", br), write(to, name+".gz", gz))
		} else {
			err = write(to, name, data)
		}
		if err != nil {
			return err
		}
		manifest.Files[name] = m
	}
	raw, err := json.MarshalIndent(manifest, "", "\t")
	if err != nil {
		return err
	}
	return write(to, "manifest.json", append(raw, '\n'))
}

// A progress counts the steps that are done.
type progress struct {
	told func(done, all int)
	mu   sync.Mutex
	done int
}

func (p *progress) step() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	if p.told != nil {
		p.told(p.done, steps)
	}
}

// brotlied returns data in brotli at its densest.
func brotlied(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w := brotli.NewWriterOptions(&b, brotli.WriterOptions{Quality: brotli.BestCompression, LGWin: 24})
	_, err := w.Write(data)
	err = errors.Join(err, w.Close()) // Close writes the rest
	return b.Bytes(), err
}

// gzipped returns data in gzip at its densest.
func gzipped(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(data)
	err = errors.Join(err, w.Close())
	return b.Bytes(), err
}

func write(to, name string, data []byte) error {
	return os.WriteFile(filepath.Join(to, name), data, 0o644)
}

// sources returns the plain files by name, and the version of Go.
func sources(ctx context.Context, p *progress) (files map[string][]byte, version string, err error) {
	env, err := output(ctx, "", nil, "env", "GOROOT", "GOVERSION")
	if err != nil {
		return nil, "", fmt.Errorf("%w: %w", ErrNoSource, err)
	}
	root, version, ok := strings.Cut(strings.TrimSpace(env), "\n")
	if !ok {
		return nil, "", fmt.Errorf("go env said %q", env)
	}
	folder, err := output(ctx, "", nil, "list", "-f", "{{.Dir}}", "tcode/scanner/web/engine")
	if err != nil {
		return nil, "", fmt.Errorf("%w: %w", ErrNoSource, err)
	}
	p.step()
	files = map[string][]byte{}
	for name, path := range map[string]string{
		"wasm_exec.js":     filepath.Join(root, "lib", "wasm", "wasm_exec.js"),
		"engine-worker.js": filepath.Join(strings.TrimSpace(folder), "engine-worker.js"),
	} {
		if files[name], err = os.ReadFile(path); err != nil {
			return nil, "", err
		}
	}
	if files[engineName], err = compile(ctx, ""); err != nil {
		return nil, "", err
	}
	p.step()
	return files, version, nil
}

// inlined are the packages in which the compiler inlines functions: those that read frames, and the
// arithmetic of signatures. Elsewhere calls remain, which makes the engine 0.3 MB shorter with gzip
// and no frame slower by more than a tenth.
var inlined = []string{
	"tcode/scanner/gray", "tcode/scanner/locate", "tcode/scanner/ecc200", "tcode/scanner/symbol",
	"math", "math/bits", "cmp", "slices", "encoding/binary", "crypto/internal/fips140/edwards25519/...",
}

// compile returns the engine as WebAssembly, of the module in the folder. env is added to the environment.
func compile(ctx context.Context, folder string, env ...string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "tcode-engine-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, engineName)
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-gcflags", "all=-l"}
	for _, name := range inlined {
		args = append(args, "-gcflags", name+"=")
	}
	if _, err := output(ctx, folder, env, append(args, "-o", file, "tcode/scanner/web/engine/wasm")...); err != nil {
		return nil, err
	}
	module, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return joinSegments(module)
}

// output runs the go command for WebAssembly in a folder and returns its output. Settings of the
// caller that change the program do not count.
func output(ctx context.Context, folder string, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOWASM=", "GOFLAGS=", "GOEXPERIMENT=", "CGO_ENABLED=0")
	cmd.Env = append(cmd.Env, env...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", args[0], err, bytes.TrimSpace(said.Bytes()))
	}
	return string(out), nil
}
