package litedb

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// ErrReading means that the write-ahead log could not be emptied, because another
// connection reads: call [DB.Compact] again later.
var ErrReading = errors.New("the log of the database is in use")

// Compact moves the write-ahead log into the file and empties the log. Before that it
// rewrites a file of at most so many bytes without any free space, so that no byte of a
// deleted row is left: VACUUM holds all writers for that time, and as much memory as the
// file is large. In a larger file it relies on [Options.SecureDelete].
func (db *DB) Compact(ctx context.Context, atMost int64) error {
	info, err := os.Stat(db.path)
	if err != nil {
		return fmt.Errorf("compact: %w", err)
	}
	if info.Size() <= atMost {
		if _, err := db.writer.ExecContext(ctx, "VACUUM"); err != nil {
			return fmt.Errorf("compact: %w", classify(err))
		}
	}
	var busy, frames, moved int
	if err := db.writer.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &frames, &moved); err != nil {
		return fmt.Errorf("compact: %w", classify(err))
	}
	if busy != 0 {
		return fmt.Errorf("compact: %w", ErrReading)
	}
	return nil
}
