//go:build !js

package outbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"tcode/offline/host/litedb"
)

// OpenCopy opens a private copy, in memory, of the outbox at path, for a folder
// that cannot be written. It takes no lock and makes no file, and closing it
// discards the scans recorded in it. If there is no outbox, the copy is empty.
// The copy of a damaged outbox has the scans that Open would salvage; the
// newest of its repairs then names the outbox itself, which stays as it is.
func OpenCopy(ctx context.Context, path string) (*Outbox, error) {
	o, err := openCopy(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("outbox: %w", err)
	}
	return o, nil
}

func openCopy(ctx context.Context, path string) (*Outbox, error) {
	from := path
	if _, err := os.Stat(path + readySuffix); err == nil {
		from = path + readySuffix // a repair was interrupted: this is its result
	}
	want := readLast(path)
	file, log, err := litedb.ReadFiles(from)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	o, err := inMemory(ctx, file, log)
	if from != path {
		return o, err
	}
	reason, err := o.reason(ctx, path, want, err)
	if err == nil && reason == "" {
		return o, nil
	}
	if o.db != nil {
		err = errors.Join(err, o.db.Close())
	}
	if err != nil {
		return nil, err
	}
	if o, err = inMemory(ctx, nil, nil); err != nil {
		return nil, err
	}
	found := Repair{At: time.Now(), Aside: filepath.Base(path), Reason: reason}
	if err := gather(file, log).into(ctx, o.db, found, want); err != nil {
		return nil, errors.Join(err, o.db.Close())
	}
	return o, nil
}

// inMemory opens the bytes of an outbox. It returns the outbox even with an
// error.
func inMemory(ctx context.Context, file, log []byte) (*Outbox, error) {
	o := &Outbox{copied: true}
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return o, err
	}
	o.db, err = litedb.OpenMemory(ctx, file, log, litedb.Options{ApplicationID: ApplicationID, Migrations: files, QuickCheck: true})
	if err != nil {
		return o, err
	}
	return o, o.usable(ctx)
}

// BoundTo returns the scanner id of the device that the outbox belongs to,
// empty if it belongs to none yet.
func (o *Outbox) BoundTo(ctx context.Context) (scannerID string, err error) {
	err = o.db.Reader().QueryRowContext(ctx, `SELECT value FROM facts WHERE name = 'scanner_id'`).Scan(&scannerID)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("read scanner id: %w", err)
	}
	return scannerID, nil
}
