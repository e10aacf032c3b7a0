package readers

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"tcode/scanner/bench/pages"
	"tcode/scanner/gray"
)

// WasmReader reads with zxing-wasm in node. dir is the folder of read.mjs with its
// node_modules. Without rgba, it passes pixels as gray PGM and asks for one symbol, which
// is the fastest way. With rgba, it passes the RGBA pixels of a canvas and uses the
// default options.
func WasmReader(dir string, rgba bool) Reader {
	return func(ctx context.Context, items []Item, tell func(Result)) error {
		if len(items) == 0 {
			return nil
		}
		if _, err := os.Stat(filepath.Join(dir, "node_modules", "zxing-wasm")); err != nil {
			return fmt.Errorf("zxing-wasm: %w: run npm ci in %s", ErrPeer, dir)
		}
		var list bytes.Buffer
		for _, it := range items {
			fmt.Fprintln(&list, it.File)
		}
		cmd := exec.CommandContext(ctx, "node", "read.mjs")
		if rgba {
			cmd.Args = append(cmd.Args, "rgba")
		}
		cmd.Dir, cmd.Stdin, cmd.Stderr = dir, &list, os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			return fmt.Errorf("zxing-wasm: %w", err)
		}
		if err := cmd.Start(); err != nil {
			return fmt.Errorf("zxing-wasm: %w: %w", ErrPeer, err)
		}
		told, err := wasmAnswers(out, items, tell)
		if werr := cmd.Wait(); werr != nil || err != nil || told != len(items) {
			return fmt.Errorf("zxing-wasm: %w: %d of %d images answered: %w", ErrPeer, told, len(items), firstError(ctx.Err(), err, werr))
		}
		return nil
	}
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return io.ErrUnexpectedEOF
}

// wasmAnswers turns lines of read.mjs, one for each item in order, into results.
func wasmAnswers(out io.Reader, items []Item, tell func(Result)) (told int, err error) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() && told < len(items) {
		var a struct {
			Text   string
			Bytes  []byte
			Read   bool
			CPUms  float64
			WallMs float64
		}
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			return told, fmt.Errorf("answer %q: %w", lines.Text(), err)
		}
		tell(Result{ID: items[told].ID, Read: a.Read, Text: a.Text, Bytes: a.Bytes, CPUms: a.CPUms, WallMs: a.WallMs})
		told++
	}
	return told, lines.Err()
}

// DmtxReader reads with libdmtx's dmtxread, which gives up after limit.
func DmtxReader(limit time.Duration) Reader {
	return func(ctx context.Context, items []Item, tell func(Result)) error {
		if _, err := exec.LookPath("dmtxread"); err != nil {
			return fmt.Errorf("dmtxread: %w: %w", ErrPeer, err)
		}
		return eachFile(ctx, items, func(id, file string) { tell(dmtxread(ctx, id, file, limit)) })
	}
}

// eachFile calls read with a PGM file of each item, until ctx ends.
func eachFile(ctx context.Context, items []Item, read func(id, file string)) error {
	dir, err := os.MkdirTemp("", "tcode-bench-peer-")
	if err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // the system clears its temporary folder too
	var img gray.Image
	for _, it := range items {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := pages.Load(it.File, &img); err != nil {
			return fmt.Errorf("load %s: %w", it.ID, err)
		}
		file := filepath.Join(dir, "image.pgm")
		if err := os.WriteFile(file, pages.PGM(&img), 0o600); err != nil {
			return fmt.Errorf("write image: %w", err)
		}
		read(it.ID, file)
	}
	return nil
}

// measured runs cmd and returns its output, with the times of the whole process.
func measured(id string, cmd *exec.Cmd) (Result, []byte, error) {
	start := time.Now()
	out, err := cmd.Output()
	r := Result{ID: id, WallMs: ms(time.Since(start))}
	if cmd.ProcessState != nil {
		r.CPUms = ms(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime())
	}
	return r, out, err
}

// dmtxread runs dmtxread on one file. The program exits with 1 when it reads nothing.
func dmtxread(ctx context.Context, id, file string, limit time.Duration) Result {
	ctx, cancel := context.WithTimeout(ctx, limit+20*time.Second) // it checks its clock rarely
	defer cancel()
	cmd := exec.CommandContext(ctx, "dmtxread", "-N1", "-m"+strconv.FormatInt(limit.Milliseconds(), 10), file)
	r, out, err := measured(id, cmd)
	if err == nil && len(out) > 0 {
		r.Read, r.Bytes = true, out
		for _, c := range out {
			r.Text += string(rune(c))
		}
	}
	return r
}
