package blobtest

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// install builds a server of another module outside of this one, once for all runs, and
// returns its path.
func install(t testing.TB, name, module, version string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "tcode", "tools", name+"-"+version)
	program := filepath.Join(dir, name)
	if _, err := os.Stat(program); err == nil {
		return program
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "install", "-ldflags=-s -w", module+"@"+version)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOBIN="+dir, "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		missing(t, "%s cannot be built: %v\n%s", name, err, out)
	}
	return program
}

// missing ends a test that lacks a server: where all are there, that is a failure.
func missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") == "" {
		t.Skipf(format, args...)
	}
	t.Fatalf(format, args...)
}

// freeAddress returns an address of this machine at which nothing listens, and which tests that
// take any port of 127.0.0.1 do not take either before a server has it.
func freeAddress(t testing.TB) (addr, host, port string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.3:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	addr = l.Addr().String()
	host, port, err = net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	return addr, host, port
}

// run runs a server until the test ends, waits until it listens, and returns what ends it
// before.
func run(t testing.TB, addr string, cmd *exec.Cmd) (stop func()) {
	t.Helper()
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // it was killed, or its log tells why
		close(ended)
	}()
	stop = func() {
		_ = cmd.Process.Kill() // it may be dead
		<-ended
	}
	t.Cleanup(stop)
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			c.Close()
			return stop
		}
		select {
		case <-ended:
			t.Fatalf("%s ended\n%s", cmd, &log)
		default:
		}
		if time.Now().After(end) {
			stop()
			t.Fatalf("%s does not listen: %v\n%s", cmd, err, &log)
		}
	}
}
