//go:build !js

package outbox

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"tcode/offline/host/litedb"
)

// ApplicationID marks an outbox in its file header: "TCOB".
const ApplicationID = 0x54434f42

//go:embed migrations/*.sql
var migrations embed.FS

// An Outbox is an open queue. It is safe for concurrent use.
type Outbox struct {
	db *litedb.DB

	copied bool // in memory: no file is written

	use  *os.File      // holds the shared use lock; nil for a copy
	last atomic.Uint64 // number in the side file
}

// Open opens the outbox at path and creates it if it does not exist. It sets a
// damaged file aside and salvages it (see [Outbox.Repairs]), or returns [ErrInUse]
// if another process has it open. Other errors are those of [litedb.Open].
func Open(ctx context.Context, path string) (*Outbox, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("outbox: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("outbox: %w", err)
	}
	for range 3 {
		o, reason, err := openOnce(ctx, path)
		if err != nil {
			return nil, fmt.Errorf("outbox: %w", err)
		}
		if reason == "" {
			return o, nil
		}
		if err := repairAlone(ctx, path, reason); err != nil {
			return nil, fmt.Errorf("outbox: repair: %w", err)
		}
	}
	return nil, fmt.Errorf("outbox: %w: a repair did not help", litedb.ErrDamaged)
}

// openOnce opens the file under the shared use lock, or returns the reason for
// a repair.
func openOnce(ctx context.Context, path string) (_ *Outbox, reason string, err error) {
	use, err := lockUse(ctx, path, false)
	if err != nil {
		return nil, "", err
	}
	o := &Outbox{use: use}
	defer func() {
		if err != nil || reason != "" {
			if o.db != nil {
				_ = o.db.Close()
			}
			_ = use.Close()
		}
	}()
	if _, err := os.Stat(path + readySuffix); err == nil {
		return nil, "a repair was interrupted", nil
	}
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, "", err
	}
	want := readLast(path)
	o.db, err = litedb.Open(ctx, path, litedb.Options{
		ApplicationID: ApplicationID, Migrations: files, Readers: 2, QuickCheck: true,
	})
	if err == nil {
		err = o.usable(ctx)
	}
	reason, err = o.reason(ctx, path, want, err)
	if err != nil || reason != "" {
		return nil, reason, err
	}
	o.last.Store(want)
	return o, "", nil
}

// repairAlone repairs once every other process has closed the outbox. If
// another process has repaired it meanwhile, it is repaired again at worst,
// which loses nothing.
func repairAlone(ctx context.Context, path, reason string) error {
	use, err := lockUse(ctx, path, true)
	if err != nil {
		return err
	}
	defer use.Close()
	if _, err := os.Stat(path + readySuffix); err == nil {
		return finishRepair(path)
	}
	return repair(ctx, path, reason, time.Now())
}

// usable checks that the tables accept a scan, so that a damaged schema is
// found before the first scan.
func (o *Outbox) usable(ctx context.Context) error {
	s, err := o.db.Writer().PrepareContext(ctx, insertScan)
	if err != nil {
		return err
	}
	return s.Close()
}

// Close closes the file.
func (o *Outbox) Close() error {
	if o.copied {
		return o.db.Close()
	}
	return errors.Join(o.db.Close(), o.use.Close())
}

// Path returns the absolute path of the file, empty for a copy.
func (o *Outbox) Path() string { return o.db.Path() }

// Bind ties the outbox to the device whose key has this scanner id. Later calls
// with another id fail with [ErrOtherDevice], because receipts and numbers
// would belong to another device.
func (o *Outbox) Bind(ctx context.Context, scannerID string) error {
	return o.suspect(o.write(ctx, func(r rows) error { return bind(r, scannerID) }))
}
