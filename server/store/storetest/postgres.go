package storetest

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // registers the driver "pgx"

	"tcode/server/store"
)

// clusterScript runs a temporary cluster until its input ends, which happens
// when the test process ends, in whatever way. It prints the folder of the
// socket once the server answers. Collation is English, so that an order that
// should be by bytes shows when it is not. fsync is off, unless
// TCODE_TEST_FSYNC=on requests it for a measurement: no test needs data after a
// power cut. Without fsync the files are in memory, if there is enough of it: a
// database has some 700 files, and making and removing them on a disk takes eight
// times the CPU time.
const clusterScript = `set -eu
T=/tmp
if [ "${TCODE_TEST_FSYNC:-off}" = off ] && [ -w /dev/shm ] && [ "$(df -Pk /dev/shm | awk 'NR == 2 { print $4 }')" -ge 4000000 ]; then T=/dev/shm; fi
D=$(mktemp -d $T/tcode-pg-XXXXXX)
trap 'rm -rf "$D"' EXIT
"$B/initdb" -D "$D/data" -A trust -U postgres --no-sync -E UTF8 --locale-provider=icu --icu-locale=en-US --locale=C >"$D/log" 2>&1 || { cat "$D/log" >&2; exit 1; }
"$B/pg_ctl" -D "$D/data" -w -l "$D/log" -o "-c listen_addresses='' -c unix_socket_directories=$D -c fsync=${TCODE_TEST_FSYNC:-off} -c full_page_writes=${TCODE_TEST_FSYNC:-off} -c max_connections=400 -c shared_buffers=128MB -c autovacuum=off" start >/dev/null || { cat "$D/log" >&2; exit 1; }
echo "$D"
cat >/dev/null || true
"$B/pg_ctl" -D "$D/data" -m immediate stop >/dev/null
`

var errNoPostgres = errors.New("PostgreSQL is not installed (apt-get install postgresql)")

// clusterInput ends with this process. The variable prevents an earlier end: the garbage
// collector closes files without a reference.
var clusterInput io.WriteCloser

// cluster starts the cluster of this process, once.
var cluster = sync.OnceValues(func() (socket string, err error) {
	bins, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(bins) == 0 {
		return "", errors.Join(errNoPostgres, err)
	}
	slices.Sort(bins)
	bin := filepath.Dir(bins[len(bins)-1])
	script := "B=" + bin + "\n" + clusterScript
	cmd := exec.Command("sh", "-c", script)
	if os.Getuid() == 0 { // the server refuses to run as root
		cmd = exec.Command("su", "postgres", "-s", "/bin/sh", "-c", script)
	}
	cmd.Dir = "/"
	var complaints strings.Builder
	cmd.Stderr = &complaints
	if clusterInput, err = cmd.StdinPipe(); err != nil {
		return "", err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("start PostgreSQL: %w: %s", errors.Join(err, cmd.Wait()), complaints.String())
	}
	return strings.TrimSpace(line), nil
})

// template is the name of a database with the schema, made once: copying it is faster than
// migrating.
var template = sync.OnceValues(func() (name string, err error) {
	socket, err := cluster()
	if err != nil {
		return "", err
	}
	name = databaseName()
	if err := admin(socket, `CREATE DATABASE `+name); err != nil {
		return "", err
	}
	db, err := store.Open(context.Background(), store.Config{DatabaseURL: address(socket, name)})
	if err != nil {
		return "", err
	}
	return name, db.Close()
})

// postgresDatabase makes a database with the schema and returns its address. Without
// PostgreSQL it skips the test, or fails it where all tests must run.
func postgresDatabase(t testing.TB) string {
	t.Helper()
	from, err := template()
	if errors.Is(err, errNoPostgres) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	socket, _ := cluster()
	name := databaseName()
	if err := admin(socket, `CREATE DATABASE `+name+` TEMPLATE `+from+` STRATEGY file_copy`); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := admin(socket, `DROP DATABASE `+name+` WITH (FORCE)`); err != nil {
			t.Error(err)
		}
	})
	return address(socket, name)
}

// EmptyPostgres makes a database without any schema and returns its address.
func EmptyPostgres(t testing.TB) string {
	t.Helper()
	u, err := url.Parse(postgresDatabase(t)) // for its message when there is none
	if err != nil {
		t.Fatal(err)
	}
	socket, name := u.Query().Get("host"), databaseName()
	if err := admin(socket, `CREATE DATABASE `+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { admin(socket, `DROP DATABASE `+name+` WITH (FORCE)`) }) //nolint:errcheck // the cluster goes, too
	return address(socket, name)
}

func address(socket, database string) string {
	return "postgres:///" + database + "?" + url.Values{"host": {socket}, "user": {"postgres"}}.Encode()
}

// admin runs a statement outside of all databases.
func admin(socket, statement string) error {
	db, err := sql.Open("pgx", address(socket, "postgres"))
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}

// RawPostgres opens the database of an address, in addition to a gateway.
func RawPostgres(t testing.TB, address string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetConnMaxIdleTime(time.Second) // a test that polls may call it a thousand times
	return db
}

// ServerCPU returns the processor time that the server processes of this
// process's cluster have used so far, without ended ones. It returns zero without
// a cluster.
func ServerCPU(t testing.TB) (sum time.Duration) {
	t.Helper()
	if clusterInput == nil {
		return 0
	}
	socket, err := cluster()
	if err != nil {
		t.Fatal(err)
	}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	postmaster, err := os.ReadFile(filepath.Join(socket, "data", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, _, _ := strings.Cut(string(postmaster), "\n")
	for _, name := range stats {
		raw, err := os.ReadFile(name)
		if err != nil {
			continue // ended meanwhile
		}
		_, rest, _ := strings.Cut(string(raw), ") ")
		f := strings.Fields(rest) // from the third field on: state, ppid, ... (proc(5))
		if len(f) < 13 || f[1] != pid {
			continue
		}
		for _, ticks := range f[11:13] {
			n, _ := strconv.ParseInt(ticks, 10, 64)
			sum += time.Duration(n) * time.Second / 100
		}
	}
	return sum
}
