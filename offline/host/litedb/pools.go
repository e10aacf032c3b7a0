package litedb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// busyTimeout is how long a statement waits for another process's lock. SQLite
// does not grant the lock in order: with four processes writing at full speed,
// the longest wait was 4.7 s of a 5 s timeout.
const busyTimeout = 15 * time.Second

// setting is one PRAGMA with the value that must be read back.
type setting struct{ name, value string }

// settings returns the PRAGMAs of every connection, in no particular order:
// the driver runs busy_timeout first.
func settings(readOnly bool) []setting {
	s := []setting{
		{"busy_timeout", strconv.FormatInt(busyTimeout.Milliseconds(), 10)},
		{"cell_size_check", "1"}, // a torn page gives an error and not a crash
		{"foreign_keys", "1"},
		{"journal_mode", "wal"},
		{"journal_size_limit", "8388608"}, // bytes; otherwise one long read leaves a huge log permanently
		{"synchronous", "2"},              // FULL
		{"temp_store", "2"},               // in memory: no data of a scan in /tmp
		{"trusted_schema", "0"},
		{"wal_autocheckpoint", "1000"}, // pages
	}
	if runtime.GOOS == "darwin" {
		// On macOS fsync reaches only the drive's own cache.
		s = append(s, setting{"checkpoint_fullfsync", "1"}, setting{"fullfsync", "1"})
	}
	if readOnly {
		s = append(s, setting{"query_only", "1"})
	}
	return s
}

// dsn writes path as an SQLite URI with the given settings. The driver's
// spelling is _pragma=name(value); it ignores others without an error.
func dsn(path string, ss []setting, extra url.Values) string {
	q := url.Values{}
	for k, v := range extra {
		q[k] = v
	}
	for _, s := range ss {
		q.Add("_pragma", s.name+"("+s.value+")")
	}
	p := filepath.ToSlash(path)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p // C:/x becomes file:///C:/x
	}
	u := url.URL{Scheme: "file", Path: p, RawQuery: q.Encode()}
	return u.String()
}

// openPools opens the writer, verifies its settings, migrates, and then opens
// the readers.
func openPools(ctx context.Context, path string, o Options, steps []migration) (_ *DB, err error) {
	var more []setting
	if o.SecureDelete {
		more = append(more, setting{"secure_delete", "1"})
	}
	w, err := openPool(ctx, path, false, 1, more...)
	if err != nil {
		return nil, err
	}
	db := &DB{path: path, writer: w}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Close())
		}
	}()
	if err := migrate(ctx, db, o, steps); err != nil {
		return nil, err
	}
	n := o.Readers
	if n <= 0 {
		n = DefaultReaders
	}
	if db.readers, err = openPool(ctx, path, true, n); err != nil {
		return nil, err
	}
	return db, nil
}

// openPool opens at most n connections and verifies the settings on one.
func openPool(ctx context.Context, path string, readOnly bool, n int, more ...setting) (*sql.DB, error) {
	extra := url.Values{"_txlock": {"immediate"}}
	if readOnly {
		extra = url.Values{"_txlock": {"deferred"}}
	}
	ss := append(settings(readOnly), more...)
	p, err := openDB(dsn(path, ss, extra))
	if err != nil {
		return nil, err
	}
	p.SetMaxOpenConns(n)
	p.SetMaxIdleConns(n) // opening a connection again costs the settings again
	if err := proveSettings(ctx, p, ss); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// proveSettings reads each setting back: the driver ignores a misspelt one, and
// file systems without shared memory refuse WAL.
func proveSettings(ctx context.Context, p *sql.DB, ss []setting) error {
	for _, s := range ss {
		var got string
		// The names are constants of settings, never input.
		if err := p.QueryRowContext(ctx, "PRAGMA "+s.name).Scan(&got); err != nil {
			return fmt.Errorf("read %s: %w", s.name, err)
		}
		if got != s.value {
			return fmt.Errorf("%w: %s is %q, want %q", ErrSetting, s.name, got, s.value)
		}
	}
	return nil
}

// A header is the data in a file's first page.
type header struct {
	applicationID int32
	userVersion   int
	tables        int
}

type rowQuerier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func readHeader(ctx context.Context, q rowQuerier) (h header, err error) {
	// The application id is read last, because it is written first: a process
	// that is creating the file at this moment must not look like a foreign one.
	if err = q.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&h.tables); err != nil {
		return h, err
	}
	if err = q.QueryRowContext(ctx, "PRAGMA user_version").Scan(&h.userVersion); err != nil {
		return h, err
	}
	return h, q.QueryRowContext(ctx, "PRAGMA application_id").Scan(&h.applicationID)
}

// check refuses a file of another program or of a newer version.
func (h header) check(o Options, steps []migration) error {
	fresh := h.tables == 0 && h.applicationID == 0 && h.userVersion == 0
	if o.ApplicationID != 0 && !fresh && h.applicationID != o.ApplicationID {
		return fmt.Errorf("%w: its id is %#x, ours %#x", ErrForeign, uint32(h.applicationID), uint32(o.ApplicationID))
	}
	if o.Migrations != nil && h.userVersion > len(steps) {
		return fmt.Errorf("%w: schema %d, newest known %d", ErrNewerSchema, h.userVersion, len(steps))
	}
	return nil
}

// probe reads the file without changing it: no journal mode, no id.
func probe(ctx context.Context, path string, o Options, steps []migration) (err error) {
	ms := strconv.FormatInt(busyTimeout.Milliseconds(), 10)
	p, err := openDB(dsn(path, []setting{{"busy_timeout", ms}}, nil))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	p.SetMaxOpenConns(1)
	h, err := readHeader(ctx, p)
	if err != nil {
		return err
	}
	if err := h.check(o, steps); err != nil {
		return err
	}
	if !o.QuickCheck {
		return nil
	}
	return quickCheck(ctx, p)
}

// quickCheck reads every page. It finds pages that contradict each other, but
// not a flipped bit inside a value (important rows have their own checksum).
func quickCheck(ctx context.Context, p *sql.DB) error {
	var verdict string
	if err := p.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return fmt.Errorf("quick_check: %w", err)
	}
	if verdict != "ok" {
		return fmt.Errorf("%w: %s", ErrDamaged, verdict)
	}
	return nil
}
