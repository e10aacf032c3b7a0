package main

//race:off ./... whole programs

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"tcode/offline/host/sandbox"
	"tcode/server/pdfstamp"
	"tcode/server/picturepdf"
)

func TestMain(m *testing.M) {
	sandbox.Main(pdfstamp.Role(), picturepdf.Role())
	testscript.Main(m, map[string]func(){"tcode-gateway": main})
}

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Setenv("TCODE_DATA", env.WorkDir+"/data")
			env.Setenv("TCODE_CACHE", os.Getenv("TCODE_CACHE"))
			receivers(env)
			return nil
		},
	})
}

// gateway runs the real program and returns its output.
func gateway(t *testing.T, data string, args ...string) string {
	t.Helper()
	cmd := exec.Command("tcode-gateway", append(args, "--data", data)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, stderr.String())
	}
	return strings.TrimSpace(string(out))
}

// TestServe runs the program as an operator does: it prints its address, accepts
// a key that another process makes meanwhile, and ends normally on SIGTERM.
func TestServe(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	cmd := exec.Command("tcode-gateway", "serve", "--init", "--json", "--addr", "127.0.0.1:0", "--data", data)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	var ready struct{ URL, Docs string }
	if err != nil || json.Unmarshal(line, &ready) != nil || !strings.HasPrefix(ready.URL, "http://127.0.0.1:") {
		t.Fatalf("first line %q: %v\n%s", line, err, log.String())
	}
	gateway(t, data, "tenant", "create", "--name", "Acme", "--reference", "ACME01")
	key := gateway(t, data, "key", "create", "--tenant", "ACME01", "--name", "k")
	req, _ := http.NewRequest(http.MethodGet, ready.URL+"/v1/tcode/stamps", nil)
	req.Header.Set("x-api-key", key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(res.Body)
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("list with the new key: %d %s", res.StatusCode, body)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}
	for line := range strings.Lines(log.String()) {
		if !json.Valid([]byte(line)) {
			t.Errorf("log line is no JSON: %s", line)
		}
	}
	if strings.Contains(log.String(), key) {
		t.Error("the log holds the key")
	}
}
