package blob

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// touch keeps a file that is needed again from removal.
func (s *Store) touch(name string) error {
	if s.dir == "" {
		return nil
	}
	now := time.Now()
	err := os.Chtimes(s.path(name), now, now)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", name, ErrNotFound) // removed a moment ago
	}
	return err
}

// leaving is the name of a file during its last check.
const leaving = ".leaving"

// Discard removes a file that was not put, or put again, since before, and reports whether
// it did. It renames the file first: a concurrent Put either finds no file and writes it,
// or has touched it and gets it back.
func (s *Store) Discard(name string, before time.Time) (bool, error) {
	if !validName(name) || s.dir == "" {
		return false, ErrNotFound
	}
	path := s.path(name)
	old, err := isOld(path, before)
	if err == nil && !old {
		old, err = isOld(path+leaving, before) // a killed process has renamed it
		if err == nil && old {
			err = missing(os.Remove(path + leaving))
		}
		return err == nil && old, err
	}
	if err != nil {
		return false, err
	}
	if err := os.Rename(path, path+leaving); err != nil {
		return false, missing(err)
	}
	old, err = isOld(path+leaving, before)
	if err == nil && !old {
		return false, os.Rename(path+leaving, path)
	}
	return err == nil, errors.Join(err, os.Remove(path+leaving))
}

// isOld reports whether a file exists and was written before a time.
func isOld(path string, before time.Time) (bool, error) {
	info, err := os.Stat(path)
	if err != nil {
		return false, missing(err)
	}
	return info.ModTime().Before(before), nil
}

// missing returns nil for the error of a file that does not exist.
func missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// DiscardParts removes files that killed processes left half written before a time, and
// returns their number.
func (s *Store) DiscardParts(ctx context.Context, before time.Time) (n int, err error) {
	if s.dir == "" {
		return 0, nil
	}
	err = filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return missing(err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if !d.Type().IsRegular() || validName(d.Name()) || !strings.HasSuffix(path, leaving) && !strings.Contains(d.Name(), ".tmp") {
			return nil
		}
		old, err := isOld(path, before)
		if err == nil && old {
			n++
			err = missing(os.Remove(path))
		}
		return err
	})
	return n, err
}
