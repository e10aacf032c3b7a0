package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tcode/cmd/internal/cli"
)

// TestToldToEnd: a gateway that gets SIGTERM at any moment of its start has not failed, and the next one starts in its folder.
func TestToldToEnd(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	ended, end := context.WithCancel(t.Context())
	end()
	var log bytes.Buffer
	if err := run(ended, []string{"serve", "--init", "--addr", "127.0.0.1:0", "--data", data}, cli.Streams{In: strings.NewReader(""), Out: io.Discard, Err: &log}); err != nil {
		t.Errorf("told before its start: %v\n%s", err, log.String())
	}
	for wait := range 12 {
		cmd := exec.Command("tcode-gateway", "serve", "--init", "--addr", "127.0.0.1:0", "--data", data)
		log.Reset()
		cmd.Stderr = &log
		check(t, cmd.Start())
		time.Sleep(time.Duration(wait) * 25 * time.Millisecond)
		check(t, cmd.Process.Signal(syscall.SIGTERM))
		err := cmd.Wait()
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); err != nil && (!ok || status.Signal() != syscall.SIGTERM) { // SIGTERM itself ends a program that does not handle signals yet
			t.Errorf("told after %d ms: %v\n%s", 25*wait, err, log.String())
		}
	}
}

// TestSecondGateway: a second gateway on one folder is refused while the first serves, and
// serves after the first was killed. Operators' commands work all the time.
func TestSecondGateway(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	serve := func() (*exec.Cmd, string, error) {
		cmd := exec.Command("tcode-gateway", "serve", "--init", "--addr", "127.0.0.1:0", "--data", data)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.StdoutPipe()
		check(t, err)
		check(t, cmd.Start())
		t.Cleanup(func() { cmd.Process.Kill() })
		if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
			err = cmd.Wait() // before the log is read
			return cmd, stderr.String(), err
		}
		return cmd, "", nil
	}
	first, log, err := serve()
	if err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	_, log, err = serve()
	if err == nil || !strings.Contains(log, fmt.Sprintf("process %d on ", first.Process.Pid)) || !strings.Contains(log, "PostgreSQL") {
		t.Errorf("a second gateway: %v\n%s", err, log)
	}
	for _, command := range []string{
		"tenant create --name Acme --reference ACME01", "user create --email a@acme.example", "key create --tenant ACME01 --name k", "signing-key rotate --tenant ACME01",
		"backup " + filepath.Join(t.TempDir(), "x.tar"), "fsck", "audit", "mirror " + filepath.Join(t.TempDir(), "mirror"), "keyset rotate",
	} {
		gateway(t, data, strings.Fields(command)...)
	}
	check(t, first.Process.Kill())
	first.Wait() //nolint:errcheck // it was killed
	if _, log, err := serve(); err != nil {
		t.Errorf("after kill -9: %v\n%s", err, log)
	}
}
