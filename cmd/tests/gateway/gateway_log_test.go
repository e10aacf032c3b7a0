package gateway_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"testing"
	"time"

	"tcode/cmd/internal/world"
)

// TestReaderOfTheLog: a gateway whose log reader has ended, or has stalled,
// answers as before, and ends normally.
func TestReaderOfTheLog(t *testing.T) {
	t.Parallel()
	ends := []os.Signal{syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it, also for the gateways that it starts
		ends = append(ends, syscall.SIGHUP)
	}
	for name, lose := range map[string]func(reader *os.File){
		"ended":   func(reader *os.File) { reader.Close() },
		"stalled": func(*os.File) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, end := range ends {
				loseReader(t, name, lose, end)
			}
		})
	}
}

func loseReader(t *testing.T, name string, lose func(*os.File), end os.Signal) {
	t.Helper()
	data := filepath.Join(t.TempDir(), "data")
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	gateway := world.Program(t, "tcode-gateway")
	for _, args := range [][]string{{"init"}, {"tenant", "create", "--name", "Acme", "--reference", "ACME01"}} {
		if out, err := exec.Command(gateway, append([]string{"--data", data}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	watch := world.FreeAddress(t)
	cmd := exec.Command(gateway, "--data", data, "--json", "serve", "--addr", "127.0.0.1:0", "--lookups-per-minute", "0", "--metrics-addr", watch)
	cmd.Stderr = writer
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	writer.Close()
	ended := make(chan error, 1)
	line, err := bufio.NewReader(out).ReadBytes('\n')
	go func() { ended <- cmd.Wait() }()
	defer cmd.Process.Kill()
	var ready struct{ URL string }
	if err != nil || json.Unmarshal(line, &ready) != nil {
		t.Fatalf("gateway says %q: %v", line, err)
	}
	lose(reader)
	client := http.Client{Timeout: 20 * time.Second}
	for i := range 1500 { // each logs a line of more than 200 bytes: a pipe holds 64 KiB
		a, err := client.Get(ready.URL + "/v1/tcode/verify/reference/TCR-0123456789ABCDEF")
		if err != nil {
			t.Fatalf("look-up %d: %v", i, err)
		}
		io.Copy(io.Discard, a.Body)
		a.Body.Close()
	}
	if n := droppedLines(t, &client, watch); name == "ended" && n < 1000 {
		t.Errorf("%d dropped lines are counted, want those of 1500 requests", n)
	}
	if err := cmd.Process.Signal(end); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("%v: the gateway ended with %v", end, err)
		}
	case <-time.After(time.Minute):
		t.Errorf("%v: the gateway has not ended", end)
	}
}

var droppedMetric = regexp.MustCompile(`(?m)^tcode_log_lines_dropped_total (\d+)`)

// droppedLines returns the number in the metrics at addr.
func droppedLines(t *testing.T, client *http.Client, addr string) int {
	t.Helper()
	a, err := client.Get("http://" + addr + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	m := droppedMetric.FindSubmatch(text)
	if m == nil {
		t.Fatalf("no count of dropped lines in %d bytes of metrics", len(text))
	}
	n, err := strconv.Atoi(string(m[1]))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
