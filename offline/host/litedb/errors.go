package litedb

import (
	"errors"
	"fmt"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

var (
	// ErrDamaged means that the file is no longer a database, or that its pages
	// contradict each other.
	ErrDamaged = errors.New("database is damaged")
	// ErrNewerSchema means that a later version of the program wrote the file.
	ErrNewerSchema = errors.New("database was written by a newer version of this program")
	// ErrForeign means that the file belongs to another program, or to another
	// part of this one.
	ErrForeign = errors.New("file belongs to another application")
	// ErrSetting means that a setting on which durability depends is not in effect.
	ErrSetting = errors.New("database setting not in effect")
	// ErrFull means that the disk is full: even deleting rows fails then.
	ErrFull = errors.New("disk is full")
)

// code returns SQLite's extended result code in err's chain, or zero.
func code(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code()
	}
	return 0
}

// primary returns the part of an extended result code that names the class of error.
func primary(c int) int { return c & 0xff }

// IsUnique reports whether err is a violation of a UNIQUE or PRIMARY KEY rule.
func IsUnique(err error) bool {
	switch code(err) {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_ROWID:
		return true
	}
	return false
}

// IsUniqueIn is [IsUnique] for a rule of one table, which SQLite names in its message.
func IsUniqueIn(err error, table string) bool {
	return IsUnique(err) && strings.Contains(err.Error(), "UNIQUE constraint failed: "+table+".")
}

// IsConstraint reports whether err is a violation of any rule of the schema:
// UNIQUE, CHECK, NOT NULL, foreign key, or a rule that a trigger enforces.
func IsConstraint(err error) bool { return primary(code(err)) == sqlite3.SQLITE_CONSTRAINT }

// IsForeignKey reports whether err is a violation of a foreign key.
func IsForeignKey(err error) bool { return code(err) == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY }

// IsFull reports whether err means that the disk is full. SQLite also reports a
// full disk as a failure to extend the index of the write-ahead log.
func IsFull(err error) bool {
	c := code(err)
	return errors.Is(err, ErrFull) || primary(c) == sqlite3.SQLITE_FULL || c == sqlite3.SQLITE_IOERR_SHMSIZE
}

// IsBusy reports whether err means that another connection held the lock for
// longer than the busy timeout.
func IsBusy(err error) bool {
	switch primary(code(err)) {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return true
	}
	return false
}

// IsUnavailable reports whether the cause of err is the machine and not the
// request: the disk is full, failing or read-only, or another process holds the
// lock. The same call may succeed later.
func IsUnavailable(err error) bool {
	switch primary(code(err)) {
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN:
		return true
	}
	return IsFull(err) || IsBusy(err)
}

// IsReadOnly reports whether err means that the database, or its folder, cannot
// be written.
func IsReadOnly(err error) bool {
	switch primary(code(err)) {
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return true
	}
	return false
}

// IsDamaged reports whether err means that the file is damaged.
func IsDamaged(err error) bool {
	switch primary(code(err)) {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return true
	}
	return errors.Is(err, ErrDamaged) || code(err) == sqlite3.SQLITE_IOERR_SHORT_READ
}

// IsInconsistent reports whether a constant statement of the program failed
// because the file has other tables, columns or values than the program wrote:
// a missing table, a violated rule, a value of another type.
func IsInconsistent(err error) bool {
	switch primary(code(err)) {
	case sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_FORMAT:
		return true
	}
	return err != nil && strings.Contains(err.Error(), "sql: Scan error on column")
}

// classify wraps a driver error in the sentinel of this package for it, if
// there is one.
func classify(err error) error {
	switch {
	case err == nil:
		return nil
	case IsDamaged(err) && !errors.Is(err, ErrDamaged):
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	case IsFull(err) && !errors.Is(err, ErrFull):
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return err
}
