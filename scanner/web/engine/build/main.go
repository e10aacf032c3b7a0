// Command build makes the engine of the scanner app: engine.wasm, wasm_exec.js of the same Go and
// engine-worker.js, each also compressed with brotli and gzip, and manifest.json with their hashes.
//
//	go run ./scanner/web/engine/build -o scanner/web/built
//
// The same source and the same Go give the same bytes on every machine.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/andybalholm/brotli"

	"tcode/scanner/web/engine/build/dense"
)

func main() {
	to := flag.String("o", "built", "folder for the files, which must exist")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := build(ctx, *to); err != nil {
		fmt.Fprintln(os.Stderr, "build the engine:", err)
		os.Exit(1)
	}
}

// A made is one file of the manifest; sizes are in bytes.
type made struct {
	SHA256 string `json:"sha256"`
	Bytes  int    `json:"bytes"`
	Brotli int    `json:"brotli"`
	Gzip   int    `json:"gzip"`
}

// build writes all files into the folder to.
func build(ctx context.Context, to string) error {
	files, version, err := sources(ctx)
	if err != nil {
		return err
	}
	manifest := struct {
		Go    string          `json:"go"`
		Files map[string]made `json:"files"`
	}{version, map[string]made{}}
	for name, data := range files {
		br, gz, err := compressed(data)
		if err != nil {
			return fmt.Errorf("compress %s: %w", name, err)
		}
		sum := sha256.Sum256(data)
		manifest.Files[name] = made{hex.EncodeToString(sum[:]), len(data), len(br), len(gz)}
		err = errors.Join(write(to, name, data), write(to, name+".br", br), write(to, name+".gz", gz))
		if err != nil {
			return err
		}
	}
	raw, err := json.MarshalIndent(manifest, "", "\t")
	if err != nil {
		return err
	}
	return write(to, "manifest.json", append(raw, '\n'))
}

func write(to, name string, data []byte) error {
	return os.WriteFile(filepath.Join(to, name), data, 0o644)
}

// sources returns the plain files by name, and the version of Go.
func sources(ctx context.Context) (files map[string][]byte, version string, err error) {
	env, err := output(ctx, "", nil, "env", "GOROOT", "GOVERSION")
	if err != nil {
		return nil, "", err
	}
	root, version, ok := strings.Cut(strings.TrimSpace(env), "\n")
	if !ok {
		return nil, "", fmt.Errorf("go env said %q", env)
	}
	folder, err := output(ctx, "", nil, "list", "-f", "{{.Dir}}", "tcode/scanner/web/engine")
	if err != nil {
		return nil, "", err
	}
	files = map[string][]byte{}
	for name, path := range map[string]string{
		"wasm_exec.js":     filepath.Join(root, "lib", "wasm", "wasm_exec.js"),
		"engine-worker.js": filepath.Join(strings.TrimSpace(folder), "engine-worker.js"),
	} {
		if files[name], err = os.ReadFile(path); err != nil {
			return nil, "", err
		}
	}
	files["engine.wasm"], err = compile(ctx, "")
	return files, version, err
}

// inlined are the packages in which the compiler inlines functions: those that read frames, and the
// arithmetic of signatures. Elsewhere calls remain, which makes the engine 0.3 MB shorter with gzip
// and no frame slower by more than a tenth.
var inlined = []string{
	"tcode/scanner/gray", "tcode/scanner/locate", "tcode/scanner/ecc200", "tcode/scanner/symbol", "tcode/scanner/fallback",
	"math", "math/bits", "cmp", "slices", "container/heap", "encoding/binary", "crypto/internal/fips140/edwards25519/...",
}

// compile returns the engine as WebAssembly, of the module in the folder. env is added to the environment.
func compile(ctx context.Context, folder string, env ...string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "tcode-engine-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "engine.wasm")
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-gcflags", "all=-l"}
	for _, name := range inlined {
		args = append(args, "-gcflags", name+"=")
	}
	if _, err := output(ctx, folder, env, append(args, "-o", file, "tcode/scanner/web/engine/wasm")...); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}

// output runs the go command for WebAssembly in a folder and returns its output. Settings of the
// caller that change the program do not count.
func output(ctx context.Context, folder string, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOWASM=", "GOFLAGS=", "GOEXPERIMENT=", "CGO_ENABLED=0")
	cmd.Env = append(cmd.Env, env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w", args[0], err)
	}
	return string(out), nil
}

// compressed returns data in both encodings, each at its densest.
func compressed(data []byte) (br, gz []byte, err error) {
	var b bytes.Buffer
	w := brotli.NewWriterOptions(&b, brotli.WriterOptions{Quality: brotli.BestCompression, LGWin: 24})
	_, err = w.Write(data)
	err = errors.Join(err, w.Close()) // Close writes the rest
	return b.Bytes(), dense.Gzip(data), err
}
