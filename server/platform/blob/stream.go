package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"
)

// PutFrom is [Store.Put] for data too large for memory: it reads r twice from its start,
// once for the name.
func (s *Store) PutFrom(ctx context.Context, r io.ReadSeeker) (string, error) {
	name, err := nameFrom(r)
	if err != nil {
		return "", fmt.Errorf("put file: %w", err)
	}
	return name, s.put(ctx, name, func() error { return s.write(ctx, r, name) })
}

// PutNamed is [Store.Put] for all of r under a known name: it reads r once
// and does not check the name. With a wrong name, each reader gets
// [ErrDamaged].
func (s *Store) PutNamed(ctx context.Context, name string, r *io.SectionReader) error {
	if !validName(name) {
		return fmt.Errorf("put file: %w", ErrNotFound)
	}
	return s.put(ctx, name, func() error { return s.write(ctx, io.NewSectionReader(r, 0, r.Size()), name) })
}

// put stores a file that write writes, unless it exists already.
func (s *Store) put(ctx context.Context, name string, write func() error) error {
	err := s.CopyTo(ctx, io.Discard, name)
	if err == nil {
		// The file exists and is complete. Another request may have written it a moment ago, so it
		// is synced anyway.
		err = s.touch(name)
	}
	if errors.Is(err, ErrNotFound) || errors.Is(err, ErrDamaged) {
		err = write()
	}
	if err == nil {
		err = s.sync(name)
	}
	if err != nil {
		return fmt.Errorf("put file %s: %w", name, unwritable(ctx, err))
	}
	return nil
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

func (s *Store) write(ctx context.Context, r io.ReadSeeker, name string) error {
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return s.bucket.Upload(ctx, key(name), r, &blob.WriterOptions{ContentType: "application/octet-stream"})
}

// Open returns a file that can be read from any position, after checking that it is
// complete: the file is read twice, and is never in memory. The caller closes it. Errors
// are those of [Store.Get].
func (s *Store) Open(ctx context.Context, name string) (io.ReadSeekCloser, error) {
	if err := s.CopyTo(ctx, io.Discard, name); err != nil {
		return nil, err
	}
	r, err := s.bucket.NewReader(ctx, key(name), nil)
	if gcerrors.Code(err) == gcerrors.NotFound { // removed a moment ago
		return nil, fmt.Errorf("%s: %w", name, ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("get file %s: %w", name, err)
	}
	return r, nil
}

// CopyTo writes the bytes of a file to w as they are read. The error is
// [ErrNotFound], also for a malformed name, or, after the last byte,
// [ErrDamaged].
func (s *Store) CopyTo(ctx context.Context, w io.Writer, name string) error {
	if !validName(name) {
		return ErrNotFound
	}
	sum := sha256.New()
	err := s.bucket.Download(ctx, key(name), io.MultiWriter(w, sum), nil)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return fmt.Errorf("%s: %w", name, ErrNotFound)
	}
	if err != nil {
		return fmt.Errorf("get file %s: %w", name, err)
	}
	if hex.EncodeToString(sum.Sum(nil)) != name {
		return fmt.Errorf("%s: %w", name, ErrDamaged)
	}
	return nil
}
