package pgdb

import (
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	for conns, want := range map[int][2]int{0: {16, 8}, 24: {16, 8}, 6: {4, 2}, 1: {4, 2}, 10: {7, 3}, 100: {67, 33}} {
		scoped, public := split(conns)
		if scoped != want[0] || public != want[1] {
			t.Errorf("%d connections: %d and %d, want %d and %d", conns, scoped, public, want[0], want[1])
		}
	}
}

// TestUnavailable: what ends a session or a statement by the limits of patience.go is an
// outage, and not a mistake.
func TestUnavailable(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]bool{
		"25P03": true, // idle in a transaction
		"57P05": true, // idle
		"55P03": true, // waited for a lock
		"57014": true, // took too long
		"57P01": true, // ended by an administrator
		"25P02": false,
		"23505": false,
		"42601": false,
	} {
		if err := fmt.Errorf("commit: %w", &pgconn.PgError{Code: code}); IsUnavailable(err) != want {
			t.Errorf("%s is an outage: %v, want %v", code, !want, want)
		}
	}
}

// TestSilentServer: a server that accepts connections and says nothing is noticed.
func TestSilentServer(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = Open(t.Context(), Options{URL: fmt.Sprintf("postgres://%s/none?sslmode=disable&connect_timeout=1", l.Addr())})
	if !IsUnavailable(err) {
		t.Errorf("a server that says nothing: %v", err)
	}
}

// TestDial: a connection over the network ends when the server does not confirm what was
// sent to it.
func TestDial(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	conn, err := (&net.Dialer{Control: sendWithin(15 * time.Second)}).DialContext(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if ms, ok := userTimeout(t, conn); ok && ms != 15_000 {
		t.Errorf("TCP_USER_TIMEOUT is %d ms", ms)
	}
}
