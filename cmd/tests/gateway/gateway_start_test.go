package gateway_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tcode/cmd/internal/cli"
	"tcode/cmd/internal/world"
)

// TestToldAtStart: a gateway logs once what is dangerous about its settings: plain HTTP and metrics at
// addresses for other machines, variables that set nothing, a proxy that it does not trust.
func TestToldAtStart(t *testing.T) {
	t.Parallel()
	const plain, metrics, misspelt, proxy = "plain HTTP at an address", "metrics need no key", "TCODE_ADR", "all clients behind it share"
	all := []string{plain, metrics, misspelt, proxy}
	for _, tt := range []struct {
		name string
		env  []string
		args []string
		want []string
	}{
		{"open", []string{"TCODE_ADR=x"}, []string{"--addr", "0.0.0.0:0", "--metrics-addr", "0.0.0.0:0"}, all},
		{"behind a proxy", nil, []string{"--addr", "0.0.0.0:0", "--trusted-proxy", "127.0.0.1"}, nil},
		{"on loopback", nil, []string{"--addr", "127.0.0.1:0", "--metrics-addr", "127.0.0.1:0"}, []string{proxy}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			log := logOfVisit(t, tt.env, tt.args)
			for _, said := range all {
				want := 0
				for _, w := range tt.want {
					want += strings.Count(w, said)
				}
				if got := strings.Count(log, said); got != want {
					t.Errorf("%q is logged %d times, want %d:\n%s", said, got, want, log)
				}
			}
		})
	}
}

// TestNoGateway: every command ends with a code of its own where no gateway was begun, so that a
// supervisor does not start it again forever.
func TestNoGateway(t *testing.T) {
	t.Parallel()
	gateway := world.Program(t, "tcode-gateway")
	for _, args := range [][]string{{"serve", "--addr", "127.0.0.1:0"}, {"backup", "x.tar"}, {"tenant", "list"}} {
		data := filepath.Join(t.TempDir(), "data")
		cmd := exec.Command(gateway, append([]string{"--data", data}, args...)...)
		cmd.Dir = t.TempDir()
		out, err := cmd.CombinedOutput()
		if code := world.ExitCode(t, err); code != cli.CodeConfig || !strings.Contains(string(out), "tcode-gateway init") {
			t.Errorf("%v: exit code %d, %s", args, code, out)
		}
		if _, err := os.Stat(data); err == nil {
			t.Errorf("%v has made the folder", args)
		}
	}
}

// logOfVisit starts a gateway, sends it two requests of a proxy on this machine, ends it and returns
// its log.
func logOfVisit(t *testing.T, env, args []string) string {
	t.Helper()
	gateway, data := world.Program(t, "tcode-gateway"), filepath.Join(t.TempDir(), "data")
	if out, err := exec.Command(gateway, "--data", data, "init").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(gateway, append([]string{"--data", data, "--json", "serve"}, args...)...)
	for _, v := range os.Environ() { // tests have variables of their own
		if !strings.HasPrefix(v, "TCODE_") || strings.HasPrefix(v, "TCODE_CACHE=") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, env...)
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	line, err := bufio.NewReader(out).ReadBytes('\n')
	var ready struct{ URL string }
	if err != nil || json.Unmarshal(line, &ready) != nil {
		t.Fatalf("the gateway says %q: %v\n%s", line, err, log.String())
	}
	port := ready.URL[strings.LastIndexByte(ready.URL, ':')+1:]
	for range 2 {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:"+port+"/v1/tcode/document-types", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Forwarded-For", "203.0.113.7")
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, a.Body)
		a.Body.Close()
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	return log.String()
}
