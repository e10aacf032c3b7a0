package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

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
