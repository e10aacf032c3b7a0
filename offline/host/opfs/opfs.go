//go:build js

package opfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall/js"
	"time"

	"tcode/offline/host/journal"
	"tcode/offline/host/webapi"
)

// ErrUnsupported means that this browser, or this kind of window, has no private files, or none that answer immediately.
var ErrUnsupported = errors.New("the browser has no private file system")

const (
	chunk = 256 << 10             // bytes that one call moves
	wait  = 50 * time.Millisecond // before another try to own a file
	tries = 60
	names = 3 // of a file: a browser that has lost a file, and not its name, neither opens nor removes it
)

// A File is a file with its only handle. It is a logjournal.File. One goroutine at a time uses it.
type File struct {
	handle js.Value
	at     js.Value // options of read and write
	array  js.Value // memory of the browser: chunk bytes
}

// Open opens the file of that name, and makes it if there is none. Names have any characters. If another worker has it, Open waits
// some seconds, because a browser closes the files of a worker that has ended a little later; then the error is
// journal.ErrOwned. It is [ErrUnsupported] if there are no such files, and journal.ErrFull if there is no room for one.
func Open(ctx context.Context, name string) (*File, error) {
	dir, err := directory(ctx)
	if err != nil {
		return nil, fmt.Errorf("open the file %s: %w", name, err)
	}
	var handle js.Value
	for i := range names {
		handle, err = find(ctx, dir, legal(name, i))
		if e, ok := errors.AsType[*webapi.Error](err); !ok || e.Name != "NotFoundError" {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open the file %s: %w", name, err)
	}
	f := &File{handle: handle, at: js.Global().Get("Object").New(), array: js.Global().Get("Uint8Array").New(chunk)}
	if size, err := webapi.Try(func() js.Value { return handle.Call("getSize") }); err != nil || size.Type() != js.TypeNumber {
		_ = f.Close() // in early versions getSize returns a promise
		return nil, fmt.Errorf("open the file %s: %w: getSize does not answer immediately", name, ErrUnsupported)
	}
	return f, nil
}

// directory returns the directory of this origin.
func directory(ctx context.Context) (js.Value, error) {
	storage := js.Global().Get("navigator").Get("storage")
	if storage.IsUndefined() || storage.Get("getDirectory").IsUndefined() {
		return js.Undefined(), ErrUnsupported
	}
	dir, err := webapi.Await(ctx, func() js.Value { return storage.Call("getDirectory") })
	return dir, asUnsupported(err)
}

// asUnsupported returns an error of the browser, as ErrUnsupported if it refuses private files always: WebKitGTK has the functions
// and no files behind them.
func asUnsupported(err error) error {
	if e, ok := errors.AsType[*webapi.Error](err); ok && (e.Name == "SecurityError" || e.Name == "NotSupportedError") {
		return fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	return err
}

// find returns the handle of a file.
func find(ctx context.Context, dir js.Value, legal string) (js.Value, error) {
	entry, err := webapi.Await(ctx, func() js.Value { return dir.Call("getFileHandle", legal, map[string]any{"create": true}) })
	if err != nil {
		return entry, asFull(asUnsupported(err))
	}
	if entry.Get("createSyncAccessHandle").IsUndefined() {
		return entry, ErrUnsupported
	}
	return own(ctx, entry)
}

// legal returns the ith name of a file, which every browser takes: other characters than letters, digits and hyphens become
// hexadecimal digits.
func legal(name string, i int) string {
	const digits = "0123456789abcdef"
	b := []byte{'f', '0' + byte(i), '-'}
	for i := range len(name) {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-':
			b = append(b, c)
		default:
			b = append(b, '.', digits[c>>4], digits[c&15])
		}
	}
	return string(b)
}

// own waits for the only handle of a file.
func own(ctx context.Context, entry js.Value) (js.Value, error) {
	for try := 1; ; try++ {
		handle, err := webapi.Await(ctx, func() js.Value { return entry.Call("createSyncAccessHandle") })
		e, ok := errors.AsType[*webapi.Error](err)
		taken := ok && e.Name == "NoModificationAllowedError"
		switch {
		case err == nil:
			return handle, nil
		case taken && try == tries:
			return handle, journal.ErrOwned
		case !taken:
			return handle, asFull(asUnsupported(err))
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return js.Undefined(), ctx.Err()
		}
	}
}

// asFull returns an error of the browser, as journal.ErrFull if it means that.
func asFull(err error) error {
	if e, ok := errors.AsType[*webapi.Error](err); ok && e.Name == "QuotaExceededError" {
		return fmt.Errorf("%w: %w", journal.ErrFull, err)
	}
	return err
}

// move calls a method on the next bytes, and returns how many it took.
func (f *File) move(method string, n int, off int64) (int, error) {
	f.at.Set("at", float64(off))
	view := f.array
	if n < chunk {
		view = f.array.Call("subarray", 0, n)
	}
	moved, err := webapi.Try(func() js.Value { return f.handle.Call(method, view, f.at) })
	if err != nil {
		return 0, asFull(err)
	}
	return moved.Int(), nil
}

// ReadAt reads len(b) bytes at off.
func (f *File) ReadAt(b []byte, off int64) (read int, err error) {
	for read < len(b) {
		n, err := f.move("read", min(chunk, len(b)-read), off+int64(read))
		if err != nil {
			return read, err
		}
		if n == 0 {
			return read, io.EOF
		}
		js.CopyBytesToGo(b[read:read+n], f.array)
		read += n
	}
	return read, nil
}

// WriteAt writes b at off.
func (f *File) WriteAt(b []byte, off int64) (written int, err error) {
	for written < len(b) {
		part := b[written:min(written+chunk, len(b))]
		js.CopyBytesToJS(f.array, part)
		n, err := f.move("write", len(part), off+int64(written))
		if err != nil {
			return written, err
		}
		if n == 0 {
			return written, io.ErrShortWrite
		}
		written += n
	}
	return written, nil
}

// Truncate makes the file that long.
func (f *File) Truncate(size int64) error {
	_, err := webapi.Try(func() js.Value { return f.handle.Call("truncate", float64(size)) })
	return asFull(err)
}

// Size returns the length of the file.
func (f *File) Size() (int64, error) {
	size, err := webapi.Try(func() js.Value { return f.handle.Call("getSize") })
	if err != nil {
		return 0, err
	}
	return int64(size.Float()), nil
}

// Flush returns when the bytes are on the disk.
func (f *File) Flush() error {
	_, err := webapi.Try(func() js.Value { return f.handle.Call("flush") })
	return asFull(err)
}

// Close closes the handle: the file is free.
func (f *File) Close() error {
	_, err := webapi.Try(func() js.Value { return f.handle.Call("close") })
	return err
}
