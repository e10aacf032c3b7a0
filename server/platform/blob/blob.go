// Package blob stores files by the SHA-256 of their bytes, in a folder or in a bucket, and makes
// short-lived addresses for them. Call [Open] or [OpenURL] first.
//
//	Put(bytes) ─▶ hash ─▶ written, synced ─▶ name      before the row that names it commits
//	Get(name)  ─▶ read ─▶ hash again ─▶ bytes, or ErrDamaged
//
//	ab/abcd...      a file
//	ab/abcd....1    the file again, as copy 1: the first was condemned (see below)
//	notes/NAME      a small text, changed under a condition
//
//	URLSigner.Sign(method, path, parameters, expires) ─▶ query string ─▶ Verify
//
// The content of a name never changes, so nothing is ever overwritten and a file may be
// cached forever. A sweep condemns a copy before it removes it, and nothing is written
// under the key of a condemned copy: a removal that comes late, of a process that was
// paused, or on its way through a network, hits nothing that is needed again.
package blob

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"tcode/offline/digest"
	"tcode/server/platform/durable"
)

// The reasons why a file is not available.
var (
	// ErrNotFound means that there is no file of that name.
	ErrNotFound = errors.New("no such file")
	// ErrDamaged means that the file's bytes do not have the hash in its name.
	ErrDamaged = errors.New("file does not have the bytes its name says")
	// ErrUnwritable means that files cannot be stored, whatever they contain: the disk is full
	// or read-only, or the folder is gone or belongs to another user.
	ErrUnwritable = errors.New("files cannot be stored")
	// ErrUnreachable means that the bucket gives no useful answer now.
	ErrUnreachable = errors.New("the store of files cannot be reached")
)

// IsUnavailable reports whether err is caused by the disk and not by the request. When
// nothing is stored, the error of a missing folder is the same as that of a missing
// file.
func IsUnavailable(err error) bool {
	for _, cause := range []error{
		ErrUnwritable, ErrUnreachable, syscall.ENOSPC, syscall.EROFS, syscall.EDQUOT,
	} {
		if errors.Is(err, cause) {
			return true
		}
	}
	return false
}

// unwritable marks err as an error of the disk, unless the request was cancelled.
func unwritable(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnwritable, err)
}

// Store keeps files. It is safe for concurrent use, also by several processes
// on one folder.
type Store struct {
	bucket Bucket
	dir    folder // "" for another bucket
	place  string // for messages

	proof proof
}

// Place returns the folder, or the bucket, for messages.
func (s *Store) Place() string { return s.place }

// Open returns the store in folder dir, which is made if missing (0700).
func Open(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open files: %w", err)
	}
	if err := durable.SyncDir(filepath.Dir(dir)); err != nil {
		return nil, fmt.Errorf("open files: %w", err)
	}
	return &Store{bucket: folder(dir), dir: folder(dir), place: dir}, nil
}

// Close closes the store.
func (s *Store) Close() error { return s.bucket.Close() }

// validName reports whether name is a SHA-256 in lower-case hex. Names come from clients,
// so no other name reaches the file system.
func validName(name string) bool {
	if len(name) != 2*sha256.Size {
		return false
	}
	for i := range len(name) {
		if c := name[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// Put stores data and returns its name, SHA-256 in hex, once it is durable. It reads and
// compares a file that exists already, so that a file cut short by a power failure is
// repaired.
func (s *Store) Put(ctx context.Context, data []byte) (string, error) {
	name := digest.Of(data).String()
	return name, s.put(ctx, name, 0, bytes.NewReader(data))
}

// Has reports whether a file is there, without reading it.
func (s *Store) Has(ctx context.Context, name string) (bool, error) {
	if !validName(name) {
		return false, nil
	}
	item, err := s.Stat(ctx, name)
	return item.Name != "", err
}

// Get returns the bytes of a file. The error is [ErrNotFound], also for a
// malformed name, or [ErrDamaged].
func (s *Store) Get(ctx context.Context, name string) ([]byte, error) {
	var out bytes.Buffer
	if err := s.CopyTo(ctx, &out, name); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
