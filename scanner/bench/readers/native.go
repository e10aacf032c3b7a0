package readers

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"tcode/scanner/bench/pages"
	"tcode/scanner/gray"
)

// nativeProgram is the reader of zxing-cpp, in the Debian package zxing-cpp-tools.
const nativeProgram = "ZXingReader"

// HasNative reports whether the program of [NativeReader] is installed.
func HasNative() bool {
	_, err := exec.LookPath(nativeProgram)
	return err == nil
}

// NativeReader reads with zxing-cpp's own program, one process for each image, with its
// default options: turned, scaled and thorough.
func NativeReader(ctx context.Context, items []Item, tell func(Result)) error {
	if !HasNative() {
		return fmt.Errorf("%s: %w: install zxing-cpp-tools", nativeProgram, ErrPeer)
	}
	dir, err := os.MkdirTemp("", "tcode-bench-native-")
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
		tell(native(ctx, it.ID, file))
	}
	return nil
}

// native runs the program on one file. It prints the bytes of all symbols, or nothing.
func native(ctx context.Context, id, file string) Result {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, nativeProgram, "-bytes", "-format", "DataMatrix", file)
	start := time.Now()
	out, err := cmd.Output()
	r := Result{ID: id, WallMs: ms(time.Since(start))}
	if cmd.ProcessState != nil {
		r.CPUms = ms(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime())
	}
	if err == nil && len(out) > 0 {
		r.Read, r.Bytes = true, out
		for _, c := range out {
			r.Text += string(rune(c))
		}
	}
	return r
}
