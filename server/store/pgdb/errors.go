package pgdb

import (
	"database/sql/driver"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

// errLost: the connection ended. What a transaction did in it is undone, unless
// it was the commit that was under way.
var errLost = errors.New("the connection to the database server was lost")

// SQLSTATE codes (PostgreSQL manual, appendix A).
const (
	stateUnique        = "23505"
	stateSerialization = "40001"
	stateDeadlock      = "40P01"
	stateReadOnly      = "25006"
	stateLockTimeout   = "55P03"
)

// outages are classes of SQLSTATE, their first two characters, that lie in the
// server and not in what was asked: connections, resources, an operator who
// intervenes, errors of the system.
var outages = map[string]bool{"08": true, "53": true, "57": true, "58": true}

// state returns the SQLSTATE in err's chain, or "".
func state(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

// IsUnique reports whether err is a broken UNIQUE or PRIMARY KEY rule. The
// transaction it happened in is dead.
func IsUnique(err error) bool { return state(err) == stateUnique }

func isRetryable(err error) bool {
	s := state(err)
	return s == stateSerialization || s == stateDeadlock
}

// IsUnavailable reports whether err lies in the server or the way to it, and not
// in what was asked: the same may work later.
func IsUnavailable(err error) bool {
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true // whatever the server said
	}
	if s := state(err); s != "" {
		return outages[s[:min(2, len(s))]] || s == stateReadOnly || s == stateLockTimeout || isRetryable(err)
	}
	return errors.Is(err, errLost) || errors.Is(err, driver.ErrBadConn)
}
