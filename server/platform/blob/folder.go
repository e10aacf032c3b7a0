package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"tcode/offline/digest"
	"tcode/server/platform/durable"
)

// A folder is a bucket of files. It keeps no versions: the version of a file is the digest of
// its bytes.
type folder string

// path returns the path of a file.
func (d folder) path(key string) string {
	return filepath.Join(string(d), filepath.FromSlash(key))
}

// Open opens a file.
func (d folder) Open(_ context.Context, key string, from int64) (*Object, error) {
	f, err := os.Open(d.path(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", key, ErrNotFound)
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		_, err = f.Seek(from, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Object{ReadCloser: f, Size: info.Size()}, nil
}

// Put writes a file under another name and renames it. A sweep removes what a killed process
// left, see [Store.DiscardParts].
func (d folder) Put(ctx context.Context, key string, r io.ReadSeeker, c Condition) error {
	name := d.path(key)
	if c.New && exists(name) {
		return ErrChanged
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.tmp")
	if err != nil {
		return err
	}
	_, err = r.Seek(0, io.SeekStart)
	if err == nil {
		_, err = io.Copy(f, contextReader{ctx, r})
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = d.replace(ctx, name, f.Name(), c)
	}
	if err != nil {
		return errors.Join(err, missing(os.Remove(f.Name())))
	}
	return d.syncNames(name)
}

// replace renames a file if a condition holds. A lock keeps other writers with a condition away.
func (d folder) replace(ctx context.Context, name, temporary string, c Condition) (err error) {
	if c != (Condition{}) {
		unlock, err := lock(ctx, filepath.Dir(name))
		if err != nil {
			return err
		}
		defer unlock() //nolint:errcheck // it ends with the process at the latest
		if c.New && exists(name) {
			return ErrChanged
		}
		if c.Version != "" {
			raw, err := os.ReadFile(name)
			if missing(err) != nil {
				return err
			}
			if err != nil || digest.Of(raw).String() != c.Version {
				return ErrChanged
			}
		}
	}
	return os.Rename(temporary, name)
}

// lock takes the lock of a folder, on systems that have one.
func lock(ctx context.Context, dir string) (unlock func() error, err error) {
	for {
		unlock, err := durable.LockDir(dir)
		switch {
		case errors.Is(err, errors.ErrUnsupported):
			return func() error { return nil }, nil
		case !errors.Is(err, durable.ErrLocked):
			return unlock, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
}

// A contextReader ends with its context.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

// Read reads on.
func (r contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// syncNames makes the name of a synced file survive a power cut. The file may be gone: a sweep may
// have removed it.
func (d folder) syncNames(name string) error {
	return errors.Join(durable.SyncDir(filepath.Dir(name)), durable.SyncDir(string(d)))
}

// touch says that a file is needed again, so that a sweep does not take it for an old one, and
// syncs it: another process may have written it a moment ago.
func (d folder) touch(key string) error {
	now, name := time.Now(), d.path(key)
	err := os.Chtimes(name, now, now)
	var f *os.File
	if err == nil {
		f, err = os.OpenFile(name, os.O_RDWR, 0)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", key, ErrNotFound) // removed a moment ago
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close(), d.syncNames(name))
}

// List reads only the folder that prefix names.
func (d folder) List(ctx context.Context, prefix string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		start := path.Dir(prefix + "x") // "." for no folder
		err := fs.WalkDir(os.DirFS(string(d)), start, func(key string, e fs.DirEntry, err error) error {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil || e.IsDir() || !strings.HasPrefix(key, prefix) {
				return missing(err)
			}
			info, err := e.Info()
			if err != nil {
				return missing(err)
			}
			if !yield(Entry{key, info.Size(), info.ModTime()}, nil) {
				return fs.SkipAll
			}
			return nil
		})
		if err != nil {
			yield(Entry{}, err)
		}
	}
}

// Remove removes a file.
func (d folder) Remove(_ context.Context, key string) error { return missing(os.Remove(d.path(key))) }

// Close does nothing.
func (folder) Close() error { return nil }

// missing returns nil for the error of a file that does not exist.
func missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
