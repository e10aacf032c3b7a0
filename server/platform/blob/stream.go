package blob

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
)

// PutFrom is [Store.Put] for data too large for memory: it reads r twice from its start,
// once for the name.
func (s *Store) PutFrom(ctx context.Context, r io.ReadSeeker) (string, error) {
	name, err := nameFrom(r)
	if err != nil {
		return "", fmt.Errorf("put file: %w", err)
	}
	return name, s.put(ctx, name, 0, r)
}

// PutNamed is [Store.Put] for all of r under a known name: it reads r once
// and does not check the name. With a wrong name, each reader gets
// [ErrDamaged].
func (s *Store) PutNamed(ctx context.Context, name string, r *io.SectionReader) error {
	return s.PutCopy(ctx, name, 0, io.NewSectionReader(r, 0, r.Size()))
}

// PutCopy is PutNamed for a copy of a file, after the ones before it were condemned.
func (s *Store) PutCopy(ctx context.Context, name string, copy int, r io.ReadSeeker) error {
	if !validName(name) || copy < 0 {
		return fmt.Errorf("put file: %w", ErrNotFound)
	}
	return s.put(ctx, name, copy, r)
}

// put stores a copy of a file, unless it exists already.
func (s *Store) put(ctx context.Context, name string, copy int, r io.ReadSeeker) error {
	err := s.putOnce(ctx, name, key(name, copy), r)
	if err != nil {
		return fmt.Errorf("put file %s: %w", name, unwritable(ctx, err))
	}
	return nil
}

// large is the size of files for which the bucket is asked first.
const large = 4 << 20

// putOnce leaves it to the bucket to find out whether the file exists: nearly none does.
func (s *Store) putOnce(ctx context.Context, name, key string, r io.ReadSeeker) error {
	there, err := s.isLargeAndThere(ctx, key, r)
	if err != nil {
		return err
	}
	if !there {
		err = s.bucket.Put(ctx, key, r, Condition{New: true})
		if !errors.Is(err, ErrChanged) {
			return err
		}
	}
	err = s.whole(ctx, name, key)
	if err == nil && s.dir != "" {
		err = s.dir.touch(key)
	}
	if errors.Is(err, ErrNotFound) || errors.Is(err, ErrDamaged) {
		err = s.bucket.Put(ctx, key, r, Condition{})
	}
	return err
}

// isLargeAndThere reports whether a large file is in the bucket already: it is not sent for
// nothing.
func (s *Store) isLargeAndThere(ctx context.Context, key string, r io.ReadSeeker) (bool, error) {
	if s.dir != "" {
		return false, nil
	}
	if size, err := r.Seek(0, io.SeekEnd); err != nil || size < large {
		return false, err
	}
	for o, err := range s.bucket.List(ctx, key) {
		return o.Key == key, err
	}
	return false, nil
}

// whole returns nil if a key has all bytes of a file.
func (s *Store) whole(ctx context.Context, name, key string) error {
	r, err := s.bucket.Open(ctx, key, 0)
	if err != nil {
		return fmt.Errorf("get file %s: %w", name, err)
	}
	return s.drain(ctx, io.Discard, name, r)
}

func nameFrom(r io.ReadSeeker) (string, error) {
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, r); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// Open returns a file that can be read from any position. The caller closes it. Errors are
// those of [Store.Get]. In a folder, the whole file is checked first: it is read twice, and
// is never in memory. From a bucket, the file is read once: a small one is checked before
// Open returns. The last bytes of a larger one are held back until all are checked, so that
// no client gets a damaged file to its end. A reader of a part of a large file gets that part
// unchecked, except by the connection.
func (s *Store) Open(ctx context.Context, name string) (io.ReadSeekCloser, error) {
	if s.dir == "" {
		return s.openStream(ctx, name)
	}
	if err := s.CopyTo(ctx, io.Discard, name); err != nil {
		return nil, err
	}
	r, err := s.read(ctx, name, 0)
	if err != nil { // removed a moment ago
		return nil, fmt.Errorf("get file %s: %w", name, err)
	}
	return r.ReadCloser.(io.ReadSeekCloser), nil // a file
}

// CopyTo writes the bytes of a file to w as they are read. The error is
// [ErrNotFound], also for a malformed name, or, after the last byte,
// [ErrDamaged].
func (s *Store) CopyTo(ctx context.Context, w io.Writer, name string) error {
	if !validName(name) {
		return ErrNotFound
	}
	r, err := s.read(ctx, name, 0)
	if err != nil {
		return fmt.Errorf("get file %s: %w", name, err)
	}
	return s.drain(ctx, w, name, r)
}

// drain copies a file to w, closes it and compares it with its name.
func (s *Store) drain(ctx context.Context, w io.Writer, name string, r *Object) error {
	sum := sha256.New()
	_, err := io.Copy(io.MultiWriter(w, sum), r)
	if err := errors.Join(err, r.Close()); err != nil {
		return fmt.Errorf("get file %s: %w", name, err)
	}
	return check(name, sum)
}

func check(name string, sum hash.Hash) error {
	if hex.EncodeToString(sum.Sum(nil)) != name {
		return fmt.Errorf("%s: %w", name, ErrDamaged)
	}
	return nil
}

// held is the number of bytes of a file from a bucket that are checked before they are
// passed on: all of a small file, the last of a larger one.
const held = 256 << 10

// openStream opens a file of a bucket.
func (s *Store) openStream(ctx context.Context, name string) (io.ReadSeekCloser, error) {
	if !validName(name) {
		return nil, ErrNotFound
	}
	r, err := s.read(ctx, name, 0)
	if err != nil {
		return nil, fmt.Errorf("get file %s: %w", name, err)
	}
	if r.Size > held {
		return &stream{ctx: ctx, s: s, name: name, size: r.Size, r: r, sum: sha256.New()}, nil
	}
	var small bytes.Buffer
	if err := s.drain(ctx, &small, name, r); err != nil {
		return nil, err
	}
	return nopCloser{bytes.NewReader(small.Bytes())}, nil
}

type nopCloser struct{ *bytes.Reader }

func (nopCloser) Close() error { return nil }

// A stream is a large file that is read from a bucket.
type stream struct {
	ctx  context.Context // of the request that reads
	s    *Store
	name string
	size int64

	at   int64 // of the next byte for the reader
	r    *Object
	from int64     // of the next byte of r
	sum  hash.Hash // of all bytes of r so far; nil: r did not begin at the first
	tail []byte    // checked bytes at the end
}

// Seek sets the position of the next Read. It asks the bucket for nothing.
func (f *stream) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += f.at
	case io.SeekEnd:
		offset += f.size
	}
	if offset < 0 {
		return 0, errors.New("seek before the first byte")
	}
	f.at = offset
	return offset, nil
}

// Read reads on. A position that is not the end of what was read asks the bucket anew.
func (f *stream) Read(p []byte) (int, error) {
	if f.at >= f.size {
		return 0, io.EOF
	}
	if n := f.size - int64(len(f.tail)); f.tail != nil && f.at >= n {
		copied := copy(p, f.tail[f.at-n:])
		f.at += int64(copied)
		return copied, nil
	}
	if f.r == nil || f.from != f.at {
		if err := f.reopen(); err != nil {
			return 0, err
		}
	}
	if f.sum != nil && f.from >= f.size-held {
		if err := f.end(); err != nil {
			return 0, err
		}
		return f.Read(p)
	}
	if f.sum != nil {
		p = p[:min(int64(len(p)), f.size-held-f.from)]
	}
	n, err := f.r.Read(p)
	if f.sum != nil {
		f.sum.Write(p[:n])
	}
	f.at, f.from = f.at+int64(n), f.from+int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("get file %s: %w", f.name, err)
	} else if err != nil && f.at < f.size {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// end reads the last bytes, and checks all.
func (f *stream) end() error {
	tail, err := io.ReadAll(io.LimitReader(f.r, held+1))
	if err != nil {
		return fmt.Errorf("get file %s: %w", f.name, err)
	}
	f.sum.Write(tail)
	if err := check(f.name, f.sum); err != nil {
		return err
	}
	f.from, f.tail = f.size, tail
	return nil
}

func (f *stream) reopen() (err error) {
	if err := f.Close(); err != nil {
		return err
	}
	if f.r, err = f.s.read(f.ctx, f.name, f.at); err != nil {
		f.r = nil
		return fmt.Errorf("get file %s: %w", f.name, err)
	}
	f.from, f.sum, f.tail = f.at, nil, nil
	if f.at == 0 {
		f.sum = sha256.New()
	}
	return nil
}

// Close ends reading.
func (f *stream) Close() error {
	if f.r == nil {
		return nil
	}
	r := f.r
	f.r = nil
	return r.Close()
}
