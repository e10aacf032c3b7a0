package pgdb

import (
	"database/sql/driver"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

// errLost means that the connection ended. Its transaction is rolled back, unless the
// connection ended during the commit.
var errLost = errors.New("the connection to the database server was lost")

// SQLSTATE codes (PostgreSQL manual, appendix A).
const (
	stateUnique        = "23505"
	stateSerialization = "40001"
	stateDeadlock      = "40P01"
	stateReadOnly      = "25006"
	stateLockTimeout   = "55P03"
	stateIdle          = "25P03" // the session ended, see patience.go
	statePrivilege     = "42501"
)

// outages are classes of SQLSTATE, their first two characters, whose cause is the server
// and not the statement: connections, resources, an operator's intervention, errors of the
// system.
var outages = map[string]bool{"08": true, "53": true, "57": true, "58": true}

// state returns the SQLSTATE in err's chain, or "".
func state(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

// IsUnique reports whether err is a violation of a UNIQUE or PRIMARY KEY rule of a table. Its
// transaction cannot continue.
func IsUnique(err error, table string) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.Code == stateUnique && e.TableName == table
}

func isRetryable(err error) bool {
	s := state(err)
	return s == stateSerialization || s == stateDeadlock
}

// IsUnavailable reports whether the cause of err is the server or the connection to it,
// and not the statement: the same may work later.
func IsUnavailable(err error) bool {
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true // whatever the server answered
	}
	if s := state(err); s != "" {
		return outages[s[:min(2, len(s))]] || s == stateReadOnly || s == stateLockTimeout || s == stateIdle || isRetryable(err)
	}
	return errors.Is(err, errLost) || errors.Is(err, driver.ErrBadConn)
}
