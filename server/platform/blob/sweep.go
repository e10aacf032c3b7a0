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

// touch says that a file is needed again, so that a sweep does not take it for an old one.
func (s *Store) touch(key string) error {
	if s.dir == "" {
		return nil
	}
	now := time.Now()
	err := os.Chtimes(s.path(key), now, now)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", key, ErrNotFound) // removed a moment ago
	}
	return err
}

// leaving is the end of the names of files that an earlier version was about to remove.
const leaving = ".leaving"

// missing returns nil for the error of a file that does not exist.
func missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// DiscardParts removes files that killed processes left half written before a time, and
// returns their number. Buckets have no such files; a rule of the bucket may end uploads in
// parts that are not completed.
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
		info, err := os.Stat(path)
		if err == nil && info.ModTime().Before(before) {
			n++
			err = os.Remove(path)
		}
		return missing(err)
	})
	return n, err
}
