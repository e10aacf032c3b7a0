//go:build linux

package seeded_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tcode/offline/host/litedb"
)

// ends are what may hang when a gateway is told to end, with whether its end is still clean.
// The longest is first.
var ends = []struct {
	name  string
	hang  func(g *gateway)
	clean bool
}{
	{"the last resort", func(g *gateway) { g.seed("closing.always", "hang") }, false},
	{"last publication", func(g *gateway) { g.seed("last-publication.always", "hang") }, false},
	{"closing children", func(g *gateway) { g.seed("close-children.always", "hang") }, false},
	{"closing files", func(g *gateway) { g.seed("close-files.always", "hang") }, false},
	{"a request", hangingRequest, true},
	{"a receiver", silentReceiver, true},
	{"a slow client", slowClient, true},
	{"locked database", lockedDatabase, false},
	{"stopped child", stoppedChildren, true},
}

// TestEnd: SIGTERM ends a gateway, whatever hangs. It says by its exit code whether its end was
// clean. The gateways end concurrently: most of the time they wait.
func TestEnd(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	defer all.Wait()
	for _, e := range ends {
		g := newGateway(t)
		g.works()
		e.hang(g)
		all.Go(func() {
			if code := g.end(); (code == 0) != e.clean {
				t.Errorf("%s: exit code %d\n%s", e.name, code, g.said())
			}
		})
	}
}

// TestLives: an item that is as long as the process, or belongs to its begin or end, has a fault. The
// gateway ends within its limit, by itself or by SIGTERM, and works after its next start.
func TestLives(t *testing.T) {
	t.Parallel()
	of := asked(t)
	for kind, prepare := range lifelong {
		if !slices.Contains(of, kind) {
			continue
		}
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			args := []string{"--memory-max", "512"}
			if kind == "certificate-end" {
				args = append(args, authority(t)...)
			}
			g := newGateway(t, args...)
			for _, fault := range faults {
				g.end()
				if kind == "memory-watch" && fault == "memory" {
					continue // nothing else watches it
				}
				happened := g.seed(kind, fault)
				if g.serve() == nil && prepare != nil {
					prepare(g)
				}
				g.end()
				g.silent.Store(false)
				if !happened() {
					t.Errorf("%s, %s: no item of it", kind, fault)
					os.Remove(filepath.Join(g.seeds, kind)) //nolint:errcheck // it happens now
				}
				g.start()
			}
			g.works()
		})
	}
}

// hangingRequest has a request that hangs.
func hangingRequest(g *gateway) {
	happened := g.seed("request-listStamps", "hang")
	go g.send("GET", "/v1/tcode/stamps", nil)
	waitFor(g.t, happened)
}

// silentReceiver has a delivery to a receiver that takes the connection and never answers.
func silentReceiver(g *gateway) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(g.t, err)
	g.t.Cleanup(func() { listener.Close() })
	g.run("webhook", "create", "--tenant", "ACME01", "--webhooks-allow-private",
		"--url", "http://"+listener.Addr().String())
	g.stamp()
	conn, err := listener.Accept()
	must(g.t, err)
	g.t.Cleanup(func() { conn.Close() })
}

// slowClient sends a byte of a document now and then.
func slowClient(g *gateway) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(g.url, "http://"))
	must(g.t, err)
	g.t.Cleanup(func() { conn.Close() })
	fmt.Fprintf(conn, "POST /v1/tcode/stamps HTTP/1.1\r\nHost: x\r\nx-api-key: %s\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{", g.key)
	go func() {
		for err == nil {
			time.Sleep(100 * time.Millisecond)
			_, err = io.WriteString(conn, " ")
		}
	}()
}

// lockedDatabase holds the database as another process may.
func lockedDatabase(g *gateway) {
	db, err := litedb.Open(g.t.Context(), filepath.Join(g.data, "gateway.sqlite"), litedb.Options{MustExist: true})
	must(g.t, err)
	g.t.Cleanup(func() { db.Close() })
	// A change waits for publication, which the lock prevents.
	g.run("tenant", "create", "--name", "Other", "--reference", "OTHER1")
	var tx *sql.Tx
	tx, err = db.Writer().Begin()
	must(g.t, err)
	_, err = tx.Exec(`UPDATE secrets SET name = name`)
	must(g.t, err)
	g.t.Cleanup(func() { tx.Rollback() }) //nolint:errcheck // the test is over
}

// stoppedChildren stops the child processes while one shall stamp.
func stoppedChildren(g *gateway) {
	stopped := 0
	for _, pid := range childrenOf(g.t, g.cmd.Process.Pid) {
		must(g.t, syscall.Kill(pid, syscall.SIGSTOP))
		stopped++
	}
	if stopped == 0 {
		g.t.Fatal("the gateway has no child processes")
	}
	go g.stamp()
	time.Sleep(300 * time.Millisecond) // the upload arrives
}

// childrenOf returns the processes that a process started.
func childrenOf(t *testing.T, parent int) (list []int) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	must(t, err)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		after := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
		if len(after) > 1 && after[0] != "Z" && after[1] == strconv.Itoa(parent) {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			must(t, err)
			list = append(list, pid)
		}
	}
	return list
}

func waitFor(t *testing.T, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not come about")
		}
	}
}
