package attack_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tcode/cmd/internal/world"
)

// served is the gateway as its own process, over the world's data.
type served struct {
	*world.World
	url  string
	pid  int
	stop func() // it waits for the end; more calls do nothing
}

// serveProgram starts it with flags; it ends with the test.
func serveProgram(w *world.World, flags ...string) *served {
	w.T.Helper()
	w.Down()
	args := append([]string{"--data", w.Data, "serve", "--addr", "127.0.0.1:0"}, flags...)
	cmd := exec.Command(world.Program(w.T, "tcode-gateway"), args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.T.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.T.Fatal(err)
	}
	stop := sync.OnceFunc(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	w.T.Cleanup(stop)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		w.T.Fatalf("the gateway did not start: %v", err)
	}
	url, _, _ := strings.Cut(line, " ")
	return &served{w, strings.TrimSpace(url), cmd.Process.Pid, stop}
}

// highWater returns the largest resident set of the gateway so far, in MiB.
func (s *served) highWater() int64 {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.pid))
	if err != nil {
		s.T.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(raw), "VmHWM:")
	var kb int64
	if _, err := fmt.Sscan(rest, &kb); err != nil {
		s.T.Fatal(err)
	}
	return kb >> 10
}

// upload requests a stamp and returns status and code of the answer.
func (s *served) upload(ctx context.Context, name string, pdf []byte) (status int, code string, err error) {
	body, err := json.Marshal(map[string]any{"name": name, "documentTypeCode": "DIP", "pdf": base64.StdEncoding.EncodeToString(pdf)})
	if err != nil {
		return 0, "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/v1/tcode/stamps", bytes.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("x-api-key", s.Issuers[0].APIKey)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	var answer struct{ Code, Message string }
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, "", err
	}
	_ = json.Unmarshal(raw, &answer)
	return res.StatusCode, answer.Code + " " + answer.Message, nil
}

// probe looks something up every 10 ms until ctx ends, and returns the times of
// the look-ups, ascending.
func (s *served) probe(ctx context.Context) []time.Duration {
	var took []time.Duration
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			slices.Sort(took)
			return took
		case <-tick.C:
		}
		start := time.Now()
		res, err := http.Get(s.url + "/v1/reference-data/document-types")
		if err != nil {
			s.T.Errorf("another request: %v", err)
			continue
		}
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
		if res.StatusCode != http.StatusOK {
			s.T.Errorf("another request: %s", res.Status)
		}
		took = append(took, time.Since(start))
	}
}

// TestHostileUploads sends files that are made to cost much to a gateway
// program, one by one and four at a time, while other clients look things up.
// The gateway refuses each by name, or stamps it if it only looked dangerous;
// it stays small and answers the others. Times are printed, not judged.
func TestHostileUploads(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("resident sets are read from /proc")
	}
	s := serveProgram(world.New(t, 1), "--lookups-per-minute", "0", "--key-lookups-per-minute", "0",
		"--requests-per-minute", "0", "--page-time", "2s")
	for i := range 3 {
		if status, code, err := s.upload(t.Context(), fmt.Sprint("warm ", i),
			append(world.SmallPDF(i), make([]byte, 1<<20)...)); err != nil ||
			status != http.StatusCreated {
			t.Fatalf("an ordinary file: %d %s %v", status, code, err)
		}
	}
	files := world.HostilePDFs()
	before := s.highWater()
	calm := s.during(t, func() { time.Sleep(2 * time.Second) })
	var slowest time.Duration
	quick := map[string][]byte{} // the others wait for the end of --page-time, four as long as one
	busy := s.during(t, func() {
		for _, name := range slices.Sorted(maps.Keys(files)) {
			start := time.Now()
			s.refused(t, name, files[name])
			took := time.Since(start)
			if slowest = max(slowest, took); took < 2*time.Second {
				quick[name] = files[name]
			}
			t.Logf("%-24s %7d bytes  %6.2f s", name, len(files[name]), took.Seconds())
		}
	})
	crowd := s.during(t, func() {
		var wg sync.WaitGroup
		slots := make(chan struct{}, 4)
		for name, pdf := range quick {
			wg.Go(func() {
				slots <- struct{}{}
				defer func() { <-slots }()
				s.refused(t, name, pdf)
			})
		}
		wg.Wait()
	})
	growth := s.highWater() - before
	t.Logf("slowest answer %.2f s; gateway's resident set grew by %d MiB from %d", slowest.Seconds(), growth, before)
	for _, d := range []struct {
		name string
		took []time.Duration
	}{{"without uploads", calm}, {"one at a time", busy}, {"four at a time", crowd}} {
		n := len(d.took)
		if n == 0 {
			t.Fatalf("no other client was answered (%s)", d.name)
		}
		t.Logf("other requests, %s: %d, median %v, 99 %% within %v", d.name, n, d.took[n/2], d.took[n*99/100])
	}
	if growth >= 64 {
		t.Errorf("the gateway grew by %d MiB, want less than 64", growth)
	}
	if status, code, err := s.upload(t.Context(), "after all", world.SmallPDF(77)); err != nil ||
		status != http.StatusCreated {
		t.Errorf("an ordinary file afterwards: %d %s %v", status, code, err)
	}
}

// during probes while work runs.
func (s *served) during(t *testing.T, work func()) []time.Duration {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan []time.Duration)
	go func() { done <- s.probe(ctx) }()
	work()
	cancel()
	return <-done
}

// refused uploads a file that must get an answer with a reason, or a stamp.
func (s *served) refused(t *testing.T, name string, pdf []byte) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	status, code, err := s.upload(ctx, name, pdf)
	switch {
	case err != nil:
		t.Errorf("%s: %v", name, err)
	case status == http.StatusCreated, status == http.StatusBadRequest, status == http.StatusUnprocessableEntity, status == http.StatusRequestEntityTooLarge:
		t.Logf("%-24s %d %.120s", name, status, code)
	default:
		t.Errorf("%s: %d %s", name, status, code)
	}
}
