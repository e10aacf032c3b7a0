package gateway_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"tcode/cmd/internal/world"
)

// TestProcessLimits: a gateway that may open too few files, or that has too
// little address space, does not start, and prints advice.
func TestProcessLimits(t *testing.T) {
	t.Parallel()
	gateway := world.Program(t, "tcode-gateway")
	for limit, want := range map[string]string{
		"ulimit -n 64":      `"ulimit -n 4096"`,
		"ulimit -v 2000000": `"ulimit -v unlimited"`,
	} {
		data := filepath.Join(t.TempDir(), "data")
		line := limit + ` && exec "$0" --data "$1" serve --addr 127.0.0.1:0`
		out, err := exec.Command("timeout", "20", "sh", "-c", line, gateway, data).CombinedOutput()
		if code := world.ExitCode(t, err); code != 1 || !strings.Contains(string(out), want) {
			t.Errorf("%s: exit code %d, want 1 and %s:\n%s", limit, code, want, out)
		}
	}
}

// TestShortOfFiles: a gateway whose connections use up all files answers 503,
// not 500, and stamps again when they are closed.
func TestShortOfFiles(t *testing.T) {
	t.Parallel()
	w := world.New(t, 1)
	w.Down()
	cmd := exec.Command("sh", "-c", `ulimit -n 256 && exec "$0" --data "$1" --json serve --addr 127.0.0.1:0`, world.Program(t, "tcode-gateway"), w.Data)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	var ready struct{ URL string }
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil || json.Unmarshal(line, &ready) != nil {
		t.Fatalf("gateway says %q: %v", line, err)
	}
	at, err := url.Parse(ready.URL)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 4}}
	stamp := func() int { return stampStatus(w, client, ready.URL) }
	if got := stamp(); got != http.StatusCreated {
		t.Fatalf("a stamp is answered %d", got)
	}
	var idle []net.Conn
	for range 400 {
		c, err := net.Dial("tcp", at.Host)
		if err != nil {
			break
		}
		idle = append(idle, c)
	}
	counts := map[int]int{}
	for range 3 {
		answers := make([]int, 4)
		var group errgroup.Group
		for i := range answers {
			group.Go(func() error { answers[i] = stamp(); return nil })
		}
		group.Wait()
		for _, a := range answers {
			counts[a]++
		}
	}
	t.Logf("answers with %d connections open: %v (0: none)", len(idle), counts)
	if counts[http.StatusInternalServerError] > 0 {
		t.Errorf("answers with %d connections open: %v", len(idle), counts)
	}
	for _, c := range idle {
		c.Close()
	}
	for range 40 {
		if stamp() == http.StatusCreated {
			return
		}
		time.Sleep(250 * time.Millisecond)
	}
	t.Error("no stamp once the connections were gone")
}

// stampStatus requests a stamp and returns the status of the answer, 0 if there
// is none.
func stampStatus(w *world.World, client *http.Client, gateway string) int {
	body, err := json.Marshal(map[string]string{
		"name": "few", "documentTypeCode": "DIP",
		"pdf": world.Base64(world.SmallPDF(1)),
	})
	if err != nil {
		return 0
	}
	r, err := http.NewRequest("POST", gateway+"/v1/tcode/stamps", bytes.NewReader(body))
	if err != nil {
		return 0
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("x-api-key", w.Issuers[0].APIKey)
	a, err := client.Do(r)
	if err != nil {
		return 0
	}
	defer a.Body.Close()
	_, _ = io.Copy(io.Discard, a.Body)
	return a.StatusCode
}
