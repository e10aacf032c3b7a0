package readers

import (
	"context"
	"fmt"
	"os/exec"
	"time"
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
	return eachFile(ctx, items, func(id, file string) { tell(native(ctx, id, file)) })
}

// native runs the program on one file. It prints the bytes of all symbols, or nothing.
func native(ctx context.Context, id, file string) Result {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, nativeProgram, "-bytes", "-format", "DataMatrix", file)
	r, out, err := measured(id, cmd)
	if err == nil && len(out) > 0 {
		r.Read, r.Bytes = true, out
		for _, c := range out {
			r.Text += string(rune(c))
		}
	}
	return r
}
