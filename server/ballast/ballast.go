// Package ballast reserves space on the disk for work that must never fail. A file holds
// the space. When the disk is full, the file is removed, and the space is used for
// revocations, scans and publication; scans get a part of it ([File.Part]). Work that can wait
// (stamps, uploads, history) is refused until there is space for the file again. Call [New],
// then [File.Run].
//
//	Fill ─▶ held ──disk full: Release──▶ low ──room for twice the file: Fill──▶ held
package ballast

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"tcode/server/platform/durable"
	"tcode/server/platform/round"
)

// Name is the file's name in the data folder.
const Name = "ballast"

const (
	every = 5 * time.Second
	// share is the divisor of the free space for the largest file: a small disk has a small
	// file.
	share = 8
	// least is the smallest useful size of the file, in bytes.
	least = 256 << 10
	chunk = 1 << 20
)

// ErrLow means that the reserved space is in use, and work that can wait is refused.
var ErrLow = errors.New("the disk is nearly full: the remaining space is for revocations, scans and publication; free some space")

// A File is the ballast of a data folder. Several processes may have one for the
// same folder. It is safe for concurrent use. The nil File holds nothing and is
// never low.
type File struct {
	path string
	size int64 // wanted bytes
	log  *slog.Logger

	mu   sync.Mutex // guards the file, and the rest
	held int64      // bytes it has
	gave int64      // bytes it had when it was released; 0: it was not
	low  bool
}

// New returns the ballast of a folder, of size bytes. With 0 or less it creates no file
// and is never low, and it removes a file from another process. New itself changes
// nothing.
func New(dir string, size int64, log *slog.Logger) *File {
	f := &File{path: filepath.Join(dir, Name), size: max(size, 0), log: log}
	f.look()
	return f
}

// look reads the size of the file. It is called under mu, or by New.
func (f *File) look() {
	f.held = 0
	if info, err := os.Stat(f.path); err == nil {
		f.held = info.Size()
	}
}

// Release frees the reserved space on the disk, and reports whether there was any.
func (f *File) Release() bool {
	if f == nil {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.look()
	f.low = true
	if f.held == 0 || os.Remove(f.path) != nil {
		return false
	}
	f.gave, f.held = f.held, 0
	f.log.Error("the disk is full: reserved space is used", slog.Int64("size_bytes", f.gave))
	return true
}

// Fill creates the file, if there is enough free space. After a Release it needs twice as
// much, so that it does not take back the space that it has just freed.
func (f *File) Fill() error {
	if f == nil || f.size == 0 {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.look()
	if f.held >= f.size {
		f.low = false
		return nil
	}
	free, _, err := durable.Free(filepath.Dir(f.path))
	if err != nil {
		return fmt.Errorf("look for free space: %w", err)
	}
	want := min(f.size, (free+f.held)/share)
	if f.gave > 0 && free < 2*f.gave || want < least || f.held > 0 && want < 2*f.held {
		f.low = f.held == 0
		return nil
	}
	if err := f.write(want); err != nil {
		f.low = f.held == 0
		return fmt.Errorf("reserve space: %w", err)
	}
	if f.gave > 0 {
		f.log.Info("space is reserved again", slog.Int64("size_bytes", want))
	}
	f.held, f.gave, f.low = want, 0, false
	return nil
}

// write replaces the file with one that has blocks on the disk, not a hole.
func (f *File) write(size int64) (err error) {
	temp := f.path + ".tmp"
	file, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, file.Close()); err == nil {
			err = os.Rename(temp, f.path)
		}
		if err != nil {
			err = errors.Join(err, os.Remove(temp))
		}
	}()
	block := make([]byte, chunk)
	for done := int64(0); done < size; done += chunk {
		if _, err := file.Write(block[:min(chunk, size-done)]); err != nil {
			return err
		}
	}
	return file.Sync()
}

// Room returns [ErrLow] while the reserved space is in use.
func (f *File) Room() error {
	if f == nil || f.size == 0 {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.low {
		return ErrLow
	}
	return nil
}

// Part returns [ErrLow] while the reserved space is in use and less than keep eighths of it are
// left, for work that may use a part of it alone.
func (f *File) Part(keep int64) error {
	if f.Room() == nil {
		return nil
	}
	free, total, err := durable.Free(filepath.Dir(f.path))
	if err != nil {
		return fmt.Errorf("look for free space: %w", err)
	}
	f.mu.Lock()
	reserved := f.gave
	f.mu.Unlock()
	if reserved == 0 { // another process had reserved it
		reserved = min(f.size, total/share)
	}
	if free < reserved/8*keep {
		return ErrLow
	}
	return nil
}

// Bytes returns the current and the wanted size of the file.
func (f *File) Bytes() (held, wanted int64) {
	if f == nil {
		return 0, 0
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.held, f.size
}

// Run fills the file repeatedly until ctx ends.
func (f *File) Run(ctx context.Context) error {
	if f == nil || f.size == 0 {
		<-ctx.Done()
		return nil
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if err := round.Do(ctx, time.Minute, func(context.Context) error { return f.Fill() }); err != nil {
			f.log.WarnContext(ctx, "no space is reserved for a full disk", slog.Any("err", err))
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}
