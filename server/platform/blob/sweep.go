package blob

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// leaving is the end of the names of files that an earlier version was about to remove.
const leaving = ".leaving"

// DiscardParts removes files that killed processes left half written before a time, and
// returns their number. Other buckets have no such files.
func (s *Store) DiscardParts(ctx context.Context, before time.Time) (n int, err error) {
	if s.dir == "" {
		return 0, nil
	}
	err = filepath.WalkDir(string(s.dir), func(path string, d fs.DirEntry, err error) error {
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
