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
	"strconv"
	"strings"
	"time"

	"tcode/offline/host/litedb"
)

// Side files of an outbox.
const (
	useSuffix     = ".use"     // shared lock of each process that has it open
	suspectSuffix = ".suspect" // damage was found while the outbox was open
	lastSuffix    = ".last"    // the last assigned number, in case the file loses it
	newSuffix     = ".salvage" // a salvaged file while it is written
	readySuffix   = ".salvaged"
)

// suspect marks the outbox so that the next Open repairs it, and returns err.
func (o *Outbox) suspect(err error) error {
	if err != nil && (IsDamaged(err) || litedb.IsInconsistent(err)) {
		if !o.copied {
			_ = os.WriteFile(o.db.Path()+suspectSuffix, []byte(err.Error()+"\n"), 0o600)
		}
		if !IsDamaged(err) {
			err = fmt.Errorf("%w: %w", errRow, err)
		}
	}
	return err
}

// mustChange returns an error for a statement that should have changed a row
// and did not.
func mustChange(res sql.Result, err error) error {
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n > 0 {
		return err
	}
	return errRow
}

// Check reads every page, index and row. [IsDamaged] is true for the error if
// it finds damage.
func (o *Outbox) Check(ctx context.Context) error {
	var verdict string
	err := o.db.Reader().QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&verdict)
	if err == nil && verdict != "ok" {
		err = fmt.Errorf("%w: %s", errRow, verdict)
	}
	if err == nil {
		err = o.db.CheckIndexes(ctx)
	}
	const step = 500 // rows
	for after, more := uint64(0), true; more && err == nil; {
		var rows []Entry
		rows, err = query(ctx, o.db.Reader(), `WHERE seq > $1 ORDER BY seq LIMIT $2`, int64(after), step)
		more = len(rows) == step
		for _, e := range rows {
			if after = e.Scan.Seq; e.Damaged && err == nil {
				err = fmt.Errorf("%w: scan %d", errRow, after)
			}
		}
	}
	if err == nil {
		_, err = clockEvents(ctx, o.db.Reader(), clockEvent)
	}
	if err = o.suspect(err); err != nil {
		return fmt.Errorf("check outbox: %w", err)
	}
	return nil
}

// keepLast stores the last number in a side file, so that a repair notices
// missing scans at the end of a damaged outbox. It is only a hint, so it is not
// synced on its own.
func (o *Outbox) keepLast(last uint64) {
	if !o.copied && last > o.last.Load() {
		o.last.Store(last)
		_ = os.WriteFile(o.db.Path()+lastSuffix, []byte(strconv.FormatUint(last, 10)+"\n"), 0o600)
	}
}

func readLast(path string) uint64 {
	raw, err := os.ReadFile(path + lastSuffix)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(raw)), 10, 53)
	if err != nil {
		return 0
	}
	return n
}

// reason returns why the outbox at path needs a repair, empty if it does not.
// The caller first has read the last number in the side file (want), so that a
// scan that another process records meanwhile does not matter, and then has
// opened the outbox, or has failed with err.
func (o *Outbox) reason(ctx context.Context, path string, want uint64, err error) (string, error) {
	switch {
	case err == nil:
	case litedb.IsDamaged(err), litedb.IsInconsistent(err), errors.Is(err, litedb.ErrForeign) && want > 0:
		return err.Error(), nil
	default:
		return "", err
	}
	if word, err := os.ReadFile(path + suspectSuffix); err == nil {
		return strings.TrimSpace(string(word)), nil
	}
	last, err := lastSeq(ctx, o.db.Reader())
	if err != nil {
		return err.Error(), nil //nolint:nilerr // the repair reports it
	}
	if last < want {
		return fmt.Sprintf("it ends at scan %d, and %d were recorded", last, want), nil
	}
	return "", nil
}

// repair sets the damaged file aside and puts a file with the salvaged scans in
// its place. The caller holds the use lock exclusively.
//
// A crash loses nothing: the new file is complete, under a temporary name,
// before anything of the old one is removed.
func repair(ctx context.Context, path, reason string, now time.Time) error {
	file, err := readIfAny(path)
	if err != nil {
		return err
	}
	log, err := readIfAny(path + "-wal")
	if err != nil {
		return err
	}
	aside := ""
	if len(file) > 0 || len(log) > 0 {
		base := strings.TrimSuffix(path, ".db") + ".damaged-" + now.UTC().Format("20060102T150405.000Z") + ".db"
		if err := errors.Join(writeSynced(base, file), writeSynced(base+"-wal", log)); err != nil {
			return fmt.Errorf("set aside: %w", err)
		}
		aside = filepath.Base(base)
	}
	fresh := path + newSuffix
	removeDB(fresh)
	if err := salvage(ctx, fresh, gather(file, log), Repair{At: now, Aside: aside, Reason: reason}, readLast(path)); err != nil {
		removeDB(fresh)
		return fmt.Errorf("salvage: %w", err)
	}
	if err := os.Rename(fresh, path+readySuffix); err != nil {
		return err
	}
	syncDir(filepath.Dir(path))
	return finishRepair(path)
}

// finishRepair puts the salvaged file in place, also after a crash.
func finishRepair(path string) error {
	ready := path + readySuffix
	if _, err := os.Stat(ready); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	// The old log must be removed first, because SQLite would read it as the
	// new file's.
	for _, name := range []string{path + "-wal", path + "-shm"} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	syncDir(filepath.Dir(path))
	if err := os.Rename(ready, path); err != nil {
		return err
	}
	syncDir(filepath.Dir(path))
	if err := os.Remove(path + suspectSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func removeDB(path string) {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		_ = os.Remove(path + suffix)
	}
}

func readIfAny(path string) ([]byte, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return raw, err
}

func writeSynced(path string, raw []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(raw)
	return errors.Join(err, f.Sync(), f.Close())
}

func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
