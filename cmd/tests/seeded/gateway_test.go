//go:build linux

// Package seeded_test runs the programs with faults in each kind of item: a panic, a hang, the end
// of the process, memory without end (offline/contain, Seed). The fault must cost that item alone,
// and SIGTERM must end the program.
package seeded_test

//race:off whole programs

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"tcode/cmd/internal/world"
	"tcode/offline/contain/containtest"
	"tcode/server"
	"tcode/server/tenant"
)

func TestMain(m *testing.M) { world.Main(m) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A gateway is a running program on a folder of its own.
type gateway struct {
	t           *testing.T
	args        []string // more flags
	data, seeds string
	url         string
	cmd         *exec.Cmd
	log         *tail
	done        chan error // the end of the process

	// The following are of furnish.
	admin         *server.Gateway // the same folder, as the operator's commands open it
	who           tenant.Identity
	key, template string
	welcome       string       // path of the link of a user
	browser       *http.Client // of the user, after signIn
	mail          string       // address of the server for mail
	mails, posts  atomic.Int32 // that arrived
	silent        atomic.Bool  // the server for mail waits with its answer
}

// tail keeps what a program says on stderr.
type tail struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write keeps a part.
func (l *tail) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// String returns all parts.
func (l *tail) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// said returns the last that the gateway said.
func (g *gateway) said() string {
	all := g.log.String()
	return all[max(0, len(all)-6000):]
}

// newGateway begins a gateway with a tenant and a key, and starts it.
func newGateway(t *testing.T, args ...string) *gateway {
	t.Helper()
	g := &gateway{t: t, data: filepath.Join(t.TempDir(), "data"), seeds: t.TempDir(), args: args}
	must(t, os.Mkdir(g.data, 0o700))
	g.furnish()
	g.start()
	return g
}

// run runs one command of the operator.
func (g *gateway) run(args ...string) string {
	g.t.Helper()
	cmd := exec.Command(containtest.Program(g.t, "tcode-gateway"), append(args, "--data", g.data)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		g.t.Fatalf("%v: %v\n%s", args, err, &stderr)
	}
	return string(out)
}

// start serves until the test ends.
func (g *gateway) start() {
	g.t.Helper()
	if err := g.serve(); err != nil {
		g.t.Fatalf("the gateway did not start: %v\n%s", err, g.said())
	}
}

// serve serves until the test ends. An error means that it ended before.
func (g *gateway) serve() error {
	g.t.Helper()
	g.log, g.done = &tail{}, make(chan error, 1)
	g.cmd = exec.Command(containtest.Program(g.t, "tcode-gateway"), append([]string{
		"serve", "--data", g.data, "--addr", "127.0.0.1:0", "--metrics-addr", "127.0.0.1:0", "--drain", "1s",
		"--lookups-per-minute", "0", "--key-lookups-per-minute", "0", "--requests-per-minute", "0",
		"--public-url", "http://127.0.0.1:1", "--smtp-url", g.mail, "--mail-from", "office@acme.example",
		"--webhooks-allow-private", "--json", "--log-format", "json",
	}, g.args...)...)
	g.cmd.Env = append(os.Environ(), "TCODE_SEED="+g.seeds)
	g.cmd.Stderr, g.cmd.SysProcAttr = g.log, &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := g.cmd.StdoutPipe()
	must(g.t, err)
	must(g.t, g.cmd.Start())
	cmd, done := g.cmd, g.done
	g.t.Cleanup(func() { cmd.Process.Kill() }) //nolint:errcheck // it may have ended
	line, err := bufio.NewReader(out).ReadBytes('\n')
	go func() { done <- cmd.Wait() }()
	var said struct{ URL string }
	if err == nil {
		err = json.Unmarshal(line, &said)
	}
	g.url = said.URL
	return err
}

// seed gives the next item of a kind a fault; happened reports whether an item had it.
func (g *gateway) seed(kind, fault string) (happened func() bool) {
	g.t.Helper()
	file := filepath.Join(g.seeds, kind)
	must(g.t, os.WriteFile(file, []byte(fault), 0o600))
	return func() bool {
		_, err := os.Stat(file)
		return os.IsNotExist(err)
	}
}

// send makes a request. The status is 0 without an answer.
func (g *gateway) send(method, path string, body any) (status int, answer []byte) {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	return g.sendFor(ctx, method, path, body)
}

// client takes the certificate of a gateway, whatever it is.
var client = &http.Client{
	Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}},
}

// sendFor is send until the end of ctx.
func (g *gateway) sendFor(ctx context.Context, method, path string, body any) (int, []byte) {
	g.t.Helper()
	var raw []byte
	if body != nil {
		var err error
		raw, err = json.Marshal(body)
		must(g.t, err)
	}
	req, err := http.NewRequestWithContext(ctx, method, g.url+path, bytes.NewReader(raw))
	must(g.t, err)
	req.Header.Set("x-api-key", g.key)
	req.Header.Set("Content-Type", "application/json")
	req.Close = true
	res, err := client.Do(req)
	if err != nil {
		return 0, []byte(err.Error())
	}
	defer res.Body.Close()
	answer, _ := io.ReadAll(res.Body)
	return res.StatusCode, answer
}

// watch asks at the address of the metrics. The status is 0 without an answer.
func (g *gateway) watch(path string) (status int, answer []byte) {
	g.t.Helper()
	var base string
	waitFor(g.t, func() bool { // the log is written in the background
		for line := range strings.Lines(g.log.String()) {
			var l struct{ Msg, Addr string }
			if json.Unmarshal([]byte(line), &l) == nil && l.Msg == "metrics are served" {
				base = "http://" + l.Addr
			}
		}
		return base != "" || len(g.done) > 0
	})
	res, err := (&http.Client{Timeout: time.Minute}).Get(base + path)
	if err != nil {
		return 0, []byte(err.Error())
	}
	defer res.Body.Close()
	answer, _ = io.ReadAll(res.Body)
	return res.StatusCode, answer
}

// until asks /readyz until it answers status.
func (g *gateway) until(status int) {
	g.t.Helper()
	for end := time.Now().Add(90 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		got, answer := g.watch("/readyz")
		if got == status {
			return
		}
		if time.Now().After(end) {
			g.t.Fatalf("/readyz answers %d, want %d: %s\n%s", got, status, answer, g.said())
		}
	}
}

// stamp makes a stamp.
func (g *gateway) stamp() (status int, answer []byte) {
	g.t.Helper()
	return g.send("POST", "/v1/tcode/stamps", stampBody(g.t))
}

// works fails the test unless the gateway does what a tenant needs.
func (g *gateway) works() {
	g.t.Helper()
	g.until(http.StatusOK)
	if slices.Contains(g.args, "--acme") { // it has no certificate
		return
	}
	if status, answer := g.stamp(); status != http.StatusCreated {
		g.t.Errorf("a stamp: %d %s\n%s", status, answer, g.said())
	}
}

// end sends SIGTERM, unless it has ended, and returns the exit code; the test fails if the gateway
// does not end in the time that it says.
func (g *gateway) end() int {
	g.t.Helper()
	g.cmd.Process.Signal(syscall.SIGTERM) //nolint:errcheck // it may have ended
	return g.ended(server.Config{Drain: time.Second}.EndTime() + time.Minute)
}

// ended returns the exit code of a gateway that ends within a time.
func (g *gateway) ended(within time.Duration) int {
	g.t.Helper()
	select {
	case err := <-g.done:
		g.done <- err
		return g.cmd.ProcessState.ExitCode()
	case <-time.After(within):
		g.t.Errorf("the gateway goes on\n%s", g.said())
		g.cmd.Process.Signal(syscall.SIGQUIT) //nolint:errcheck // its stacks help
		return -1
	}
}
