package cache

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"tcode/offline/host/litedb"
)

// OpenCopy opens a private copy, in memory, of the trust store at path, for a
// folder that cannot be written. Everything applied, proven or remembered in
// the copy is lost when it is closed. If there is no store, the copy is empty.
// The copy of a damaged store has the data that Open would save; Repaired then
// names the store itself, which stays as it is.
func OpenCopy(ctx context.Context, path string) (*Cache, error) {
	file, log, err := litedb.ReadFiles(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("trust cache: %w", err)
	}
	c, err := openMemory(ctx, file, log)
	if err == nil || !damaged(err) {
		return c, err
	}
	reason := err.Error()
	if c, err = openMemory(ctx, nil, nil); err != nil {
		return nil, err
	}
	c.aside, c.reason = filepath.Base(path), reason
	if err := c.restore(ctx, carve(file, log)); err != nil {
		return nil, errors.Join(fmt.Errorf("trust cache: %w", err), c.Close())
	}
	return c, nil
}

func openMemory(ctx context.Context, file, log []byte) (*Cache, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	db, err := litedb.OpenMemory(ctx, file, log, litedb.Options{ApplicationID: ApplicationID, Migrations: files, QuickCheck: true})
	if err != nil {
		return nil, fmt.Errorf("trust cache: %w", err)
	}
	return intact(ctx, over(db))
}
