//go:build linux

package seeded_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"tcode/cmd/internal/cli"
	"tcode/offline/contain/containtest"
	"tcode/server/platform/blob/blobtest"
)

// A silentPeer is a server that takes connections and never answers.
type silentPeer struct {
	addr string
	had  chan struct{} // has a value after the first connection
}

func newSilentPeer(t *testing.T) *silentPeer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	s := &silentPeer{listener.Addr().String(), make(chan struct{}, 1)}
	held := make(chan net.Conn, 1000)
	go func() {
		defer close(held)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			held <- conn
			select {
			case s.had <- struct{}{}:
			default:
			}
		}
	}()
	t.Cleanup(func() {
		listener.Close()
		for conn := range held {
			conn.Close()
		}
	})
	return s
}

// wait waits for a connection.
func (s *silentPeer) wait(t *testing.T) {
	t.Helper()
	select {
	case <-s.had:
	case <-time.After(2 * time.Minute):
		t.Fatal("no program connects")
	}
}

// TestEndOfSilence: SIGTERM ends a gateway while a server that it needs takes connections and never
// answers.
func TestEndOfSilence(t *testing.T) {
	t.Parallel()
	t.Run("mail", func(t *testing.T) {
		t.Parallel()
		s := newSilentPeer(t)
		g := newGateway(t, "--smtp-url", "smtp://"+s.addr, "--mail-from", "office@acme.example",
			"--public-url", "https://tcode.acme.example")
		g.works()
		template := g.create("/v1/trust/templates", map[string]any{"name": "Diploma", "documentTypeCode": "DIP", "fields": []any{}})
		g.create("/v1/trust/issuances", map[string]any{
			"templateId": template, "recipientName": "Ada", "recipientEmail": "ada@acme.example",
			"documentTitle": "Diploma", "generatePdf": true, "fields": []any{},
		})
		s.wait(t)
		if code := g.end(); code != 0 {
			t.Errorf("exit code %d\n%s", code, g.log)
		}
	})
	t.Run("files", func(t *testing.T) {
		t.Parallel()
		store, asked, silent := fallingSilent(t)
		g := newGateway(t, "--blob-url", store)
		g.works()
		silent.Store(true)
		go g.stamp()
		<-asked
		if code := g.end(); code < 0 { // the request that is cut off holds the store: 1 is true
			t.Errorf("exit code %d\n%s", code, g.log)
		}
	})
}

// create makes a record and returns its id.
func (g *gateway) create(path string, body any) string {
	g.t.Helper()
	var made struct{ Data struct{ ID string } }
	status, answer := g.send("POST", path, body)
	if status != http.StatusCreated || json.Unmarshal(answer, &made) != nil {
		g.t.Fatalf("%s: %d %s", path, status, answer)
	}
	return made.Data.ID
}

// fallingSilent returns the address of a store for files that never answers once silent is set;
// asked has a value for each request after that.
func fallingSilent(t *testing.T) (address string, asked chan struct{}, silent *atomic.Bool) {
	t.Helper()
	bucket, err := url.Parse(blobtest.S3(t).URL)
	must(t, err)
	behind, err := url.Parse(bucket.Query().Get("endpoint"))
	must(t, err)
	asked, silent = make(chan struct{}, 1000), new(atomic.Bool)
	over := make(chan struct{})
	proxy := httputil.NewSingleHostReverseProxy(behind)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if silent.Load() {
			asked <- struct{}{}
			<-over
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { close(over); server.Close() })
	return blobtest.Address(bucket.Host, server.URL), asked, silent
}

// endsOnSignal sends SIGTERM to a program, which must end in the time that all programs have.
func endsOnSignal(t *testing.T, cmd *exec.Cmd, said *tail) {
	t.Helper()
	must(t, cmd.Process.Signal(syscall.SIGTERM))
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	begin := time.Now()
	select {
	case <-done:
		t.Logf("it ends after %v, exit code %d", time.Since(begin).Round(time.Millisecond), cmd.ProcessState.ExitCode())
		if cmd.ProcessState.ExitCode() < 0 {
			t.Errorf("the signal ended it: %v", cmd.ProcessState)
		}
	case <-time.After(cli.EndTime + time.Minute):
		t.Errorf("it goes on: %s", said)
	}
}

// begin starts a program until the test ends.
func begin(t *testing.T, env []string, name string, args ...string) (*exec.Cmd, *tail) {
	t.Helper()
	cmd, said := exec.Command(name, args...), &tail{}
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = said, said
	must(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill() }) //nolint:errcheck // it may have ended
	return cmd, said
}

// TestEndOfPrograms: SIGTERM ends each program while something that it waits for hangs.
func TestEndOfPrograms(t *testing.T) {
	t.Parallel()
	scan := containtest.Program(t, "tcode-scan")
	t.Run("scanner", func(t *testing.T) {
		t.Parallel()
		g := newGateway(t)
		g.works()
		home, dir := filepath.Join(t.TempDir(), "home"), t.TempDir()
		out, err := exec.Command(scan, "--home", home, "enrol", "--gateway", g.url).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		stamped := filepath.Join(dir, "stamped.pdf")
		must(t, os.WriteFile(stamped, g.stamped(), 0o600))
		if out, err = exec.Command(scan, "--home", home, "verify", stamped).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for _, args := range [][]string{{"sync"}, {"sync", "--follow"}, {"watch", dir, "--sync"}, {"trust", "refresh"}, {"enrol"}} {
			s := newSilentPeer(t)
			cmd, said := begin(t, nil, scan, append(args, "--home", home, "--gateway", "http://"+s.addr)...)
			s.wait(t)
			endsOnSignal(t, cmd, said)
		}
	})
	t.Run("app", func(t *testing.T) {
		t.Parallel()
		cmd, said := begin(t, nil, scan, "app", "--addr", "127.0.0.1:0")
		waitFor(t, func() bool { return said.String() != "" })
		at, err := url.Parse(strings.TrimSpace(said.String()))
		if err != nil || at.Host == "" {
			if os.Getenv("CI") != "" {
				t.Fatal(said)
			}
			t.Skip(said) // it was built without the engine of the app
		}
		for _, request := range []string{"GET /scan/ HTTP/1.1\r\n", "GET /scan/engine.wasm HTTP/1.1\r\nHost: x\r\n\r\n"} {
			conn, err := net.Dial("tcp", at.Host) // one says too little, the other reads too little
			must(t, err)
			defer conn.Close()
			_, err = io.WriteString(conn, request)
			must(t, err)
		}
		time.Sleep(300 * time.Millisecond) // they arrive
		endsOnSignal(t, cmd, said)
	})
	t.Run("tcode", func(t *testing.T) {
		t.Parallel()
		s := newSilentPeer(t)
		cmd, said := begin(t, []string{"TCODE_API_KEY=tk_test", "TCODE_CONFIG=" + filepath.Join(t.TempDir(), "none")},
			containtest.Program(t, "tcode"), "list", "--gateway", "http://"+s.addr)
		s.wait(t)
		endsOnSignal(t, cmd, said)
	})
	t.Run("demo", func(t *testing.T) {
		t.Parallel()
		seeds := t.TempDir()
		for _, kind := range []string{"request-createStamp", "child-pdfstamp"} {
			file := filepath.Join(seeds, kind)
			must(t, os.WriteFile(file, []byte("hang"), 0o600))
			cmd, said := begin(t, []string{"TCODE_SEED=" + seeds}, containtest.Program(t, "tcode-demo"))
			waitFor(t, func() bool { _, err := os.Stat(file); return os.IsNotExist(err) })
			endsOnSignal(t, cmd, said)
		}
	})
	t.Run("operator", func(t *testing.T) {
		t.Parallel()
		g := newGateway(t)
		g.works()
		lockedDatabase(g)
		s := newSilentPeer(t)
		gateway := containtest.Program(t, "tcode-gateway")
		cmd, said := begin(t, nil, gateway, "tenant", "create", "--name", "Late", "--reference", "LATE01", "--data", g.data)
		time.Sleep(time.Second) // it waits for the lock
		endsOnSignal(t, cmd, said)
		cmd, said = begin(t, nil, gateway, "mail", "test", "me@acme.example", "--data", g.data,
			"--smtp-url", "smtp://"+s.addr, "--mail-from", "office@acme.example")
		s.wait(t)
		endsOnSignal(t, cmd, said)
	})
}

// stamped returns a document with a stamp.
func (g *gateway) stamped() []byte {
	g.t.Helper()
	var at struct{ Data struct{ URL string } }
	_, answer := g.stamp()
	var made struct{ Data struct{ ID string } }
	must(g.t, json.Unmarshal(answer, &made))
	status, answer := g.send("GET", "/v1/tcode/stamps/"+made.Data.ID+"/download", nil)
	if status != http.StatusOK || json.Unmarshal(answer, &at) != nil {
		g.t.Fatalf("download: %d %s", status, answer)
	}
	link, err := url.Parse(at.Data.URL) // at the public address
	must(g.t, err)
	res, err := http.Get(g.url + link.RequestURI())
	must(g.t, err)
	defer res.Body.Close()
	var pdf tail
	_, err = pdf.b.ReadFrom(res.Body)
	must(g.t, err)
	return pdf.b.Bytes()
}
