package pgdb

import (
	"cmp"
	"net"
	"time"

	"github.com/jackc/pgx/v5"
)

// patience are the settings of a session with which no gateway holds up another: of one that
// stands still in a transaction (a stopped process, a host that was cut off), the server
// ends the session after 5 seconds, and so releases its locks. Others wait for a lock a
// little longer than that. A transaction therefore never waits for anything but the server:
// all slow work is done before it begins. Times are in milliseconds.
var patience = map[string]string{
	"idle_in_transaction_session_timeout": "5000",
	"lock_timeout":                        "7000",
	// A statement of a change ends in milliseconds. One that does not has lost its index.
	"statement_timeout": "60000",
	// A session whose client's host is gone ends, also one that waits for the client to
	// read an answer. Over a socket of this machine these four have no effect.
	"tcp_keepalives_idle":     "5", // s
	"tcp_keepalives_interval": "2", // s
	"tcp_keepalives_count":    "3",
	"tcp_user_timeout":        "10000",
}

// patientRead ends the message that begins a transaction that only reads. Its reader may be
// slow (fsck reads a file for each row): it holds no lock for which a change waits.
const patientRead = "; set local idle_in_transaction_session_timeout = 60000; set local statement_timeout = 0"

// patienceOfLogin are those of the login role, which changes the schema. A step of a
// migration may take long, and so may the work between two of them. But a gateway that
// stands still there keeps no lock, of a table or of the session, for longer than a minute,
// and a migration that has to wait for a table fails: all others would wait behind it.
var patienceOfLogin = map[string]string{
	"idle_in_transaction_session_timeout": "60000",
	"idle_session_timeout":                "60000",
	"lock_timeout":                        patience["lock_timeout"],
	"tcp_keepalives_idle":                 patience["tcp_keepalives_idle"],
	"tcp_keepalives_interval":             patience["tcp_keepalives_interval"],
	"tcp_keepalives_count":                patience["tcp_keepalives_count"],
	"tcp_user_timeout":                    patience["tcp_user_timeout"],
}

const (
	// connectTime is the time in which a server must accept a connection, unless the URL has
	// another one (connect_timeout).
	connectTime = 5 * time.Second
	// vanished is the time after which a connection counts as lost whose server does not
	// confirm what was sent to it.
	vanished = 15 * time.Second
)

// bound bounds the time in which this machine notices that a server has vanished.
func bound(cfg *pgx.ConnConfig) {
	cfg.ConnectTimeout = cmp.Or(cfg.ConnectTimeout, connectTime)
	cfg.DialFunc = (&net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 5 * time.Second, Interval: 3 * time.Second, Count: 3},
		Control:         sendWithin(vanished),
	}).DialContext
}
