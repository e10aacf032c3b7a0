package apitest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"tcode/server"
	"tcode/server/httpapi"
	"tcode/server/internal/harness"
	"tcode/server/store/storetest"
)

// auditRows is the number of rows of the log in TestLongTable: more than the buffers of two
// sockets hold.
const auditRows = 40_000

// TestLongTable: a client that reads a long table slowly gets all of it, although that takes
// longer than a request may. A table that fails in its middle breaks the connection, so that
// the client does not take the part for the whole.
func TestLongTable(t *testing.T) {
	t.Parallel()
	r := harness.Start(t, func(c *server.Config) {
		c.Limits = &httpapi.Limits{Request: time.Second}
		c.Timeouts = server.Timeouts{Write: 2 * time.Second}
	})
	key := r.Tenant("ACME01")
	db := storetest.Raw(t, r.Dir)
	numbers := fmt.Sprintf(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)`, auditRows)
	if _, err := db.Exec(numbers + ` INSERT INTO audit (at, actor, tenant, action, subject, detail, by_name, trace_id)
		SELECT 1000 + i, 'system', 'ACME01', 'stamp.revoke', '` + strings.Repeat("x", 100) + `', '{}', '', '' FROM n`); err != nil {
		t.Fatal(err)
	}
	table := func() (first string, rest io.Reader) {
		t.Helper()
		conn, err := net.Dial("tcp", strings.TrimPrefix(r.URL, "http://"))
		harness.Must(t, err)
		t.Cleanup(func() { conn.Close() })
		harness.Must(t, conn.(*net.TCPConn).SetReadBuffer(256<<10))
		fmt.Fprintf(conn, "GET /v1/audit?Action=stamp.revoke HTTP/1.1\r\nHost: tcode\r\nAccept: text/csv\r\nx-api-key: %s\r\n\r\n", key)
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		harness.Must(t, err)
		if res.StatusCode != http.StatusOK {
			t.Fatalf("answered %s", res.Status)
		}
		in := bufio.NewReader(res.Body)
		first, err = in.ReadString('\n')
		harness.Must(t, err)
		return first, in
	}
	_, rest := table()
	time.Sleep(3 * time.Second) // the time of the request is over
	raw, err := io.ReadAll(rest)
	if n := strings.Count(string(raw), "\r\n"); err != nil || n != auditRows {
		t.Errorf("a slow client has %d rows of %d: %v", n, auditRows, err)
	}

	_, rest = table()
	if _, err := db.Exec(`ALTER TABLE audit RENAME TO audit_gone`); err != nil {
		t.Fatal(err)
	}
	raw, err = io.ReadAll(rest)
	if n := strings.Count(string(raw), "\r\n"); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%d rows of %d end with %v, want a broken connection", n, auditRows, err)
	}
	_, err = db.Exec(`ALTER TABLE audit_gone RENAME TO audit`)
	harness.Must(t, err)
}
