//go:build !js

package browserstore_test

//race:off its tests run in a browser

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"tcode/offline/host/browsertest"
)

// TestBrowser runs the tests in Chromium. Edits of single records are the same on any journal: package trustjournal makes them.
func TestBrowser(t *testing.T) {
	t.Parallel()
	browsertest.Build(t, ".").Test(t, "-test.skip=^TestTrust$/^Edits$")
}

// TestFull changes the quota of the site while the program commits.
func TestFull(t *testing.T) {
	t.Parallel()
	p := browsertest.Build(t, ".")
	p.Env = map[string]string{"QUOTA": "1"}
	p.OnLine = func(line string) bool {
		quota, ok := map[string]float64{"quota small": 3e6, "quota large": 1e9}[line]
		if ok {
			if err := p.SetQuota(quota); err != nil {
				t.Error(err)
			}
		}
		return false
	}
	if r := p.Test(t, "-test.run=^TestQuota$"); !strings.Contains(r.Output, "full: ") {
		t.Errorf("the quota had no effect:\n%s", r.Output)
	}
}

// number returns an environment variable as a number, or n.
func number(t *testing.T, name string, n int) int {
	text := os.Getenv(name)
	if text == "" {
		return n
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// killer kills Chromium at a moment of a round, and counts.
type killer struct {
	t      *testing.T
	p      *browsertest.Program
	mode   string
	copies int

	mu      sync.Mutex
	acked   int // highest commit that was acknowledged
	round   int // acked at the begin of the round
	more    int // commits until the kill
	falling bool
	kills   int
	losses  int
	reports map[string]int
}

func newKiller(t *testing.T, mode string, copies int) *killer {
	k := &killer{t: t, p: browsertest.Build(t, "."), mode: mode, copies: copies, reports: map[string]int{}}
	k.p.Env = map[string]string{"MODE": mode, "COPIES": strconv.Itoa(copies)}
	k.p.OnLine = k.line
	k.p.Handler = http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		if n, err := strconv.Atoi(q.FormValue("n")); err == nil && k.done(n) {
			time.Sleep(rand.N(20 * time.Millisecond))
			k.p.Kill()
		}
	})
	return k
}

// done notes an acknowledged commit, and reports whether it is the one behind which Chromium dies.
func (k *killer) done(n int) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.acked = max(k.acked, n)
	if k.falling || k.acked < k.round+k.more {
		return false
	}
	k.falling = true
	return true
}

func (k *killer) line(line string) bool {
	var n int
	switch {
	case strings.HasPrefix(line, "report "):
		report, _, _ := strings.Cut(strings.TrimPrefix(line, "report "), "), ")
		k.mu.Lock()
		k.reports[report]++
		k.mu.Unlock()
	case scanned(line, "found %d", &n):
		k.found(n)
	case scanned(line, "done %d", &n):
		return k.done(n)
	}
	return false
}

func scanned(line, format string, n *int) bool {
	_, err := fmt.Sscanf(line, format, n)
	return err == nil
}

func (k *killer) found(n int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if n < k.acked {
		k.losses++
		k.t.Logf("kill %d: %d commits are there, %d were acknowledged", k.kills, n, k.acked)
		if k.copies == 2 {
			k.t.Error("acknowledged commits are lost")
		}
	}
	k.acked, k.round, k.more, k.falling = n, n, 1+rand.N(20), false
}

func (k *killer) run() {
	r := k.p.Run(k.t, "-test.run=^TestRound$")
	if k.kills++; !r.Killed || strings.Contains(r.Output, "_test.go:") {
		k.t.Fatalf("kill %d: %+v", k.kills, r)
	}
}

// look checks what the last kill left.
func (k *killer) look() {
	k.p.Env["MODE"] = "look"
	if r := k.p.Run(k.t, "-test.run=^TestRound$"); r.Code != 0 {
		k.t.Errorf("after %d kills: %+v", k.kills, r)
	}
	k.p.Env["MODE"] = k.mode
}

// TestKills kills Chromium behind an acknowledged commit, and while commits follow one another without a pause. After each kill every
// acknowledged commit is there, and each other one as a whole or not at all. TCODE_KILLS is the number of kills of each
// kind. With TCODE_COPIES_IN_BROWSER=1 the journal is in IndexedDB alone, and losses are counted, not failures.
func TestKills(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"after", "during"} {
		k := newKiller(t, mode, number(t, "TCODE_COPIES_IN_BROWSER", 2))
		for range number(t, "TCODE_KILLS", 2) {
			k.run()
		}
		k.look()
		t.Logf("%s a commit, %d copies: %d kills, %d commits, %d losses", mode, k.copies, k.kills, k.acked, k.losses)
		for report, n := range k.reports {
			t.Logf("%d times: %s", n, report)
		}
	}
}

// TestMeasure prints times in Chromium; TCODE_RECORDS is the number of records.
func TestMeasure(t *testing.T) {
	p := browsertest.Build(t, ".")
	p.Env = map[string]string{"RECORDS": strconv.Itoa(number(t, "TCODE_RECORDS", 300))}
	for line := range strings.Lines(p.Test(t, "-test.run=^TestMeasure$").Output) {
		if strings.Contains(line, " ms a commit") {
			t.Log(strings.TrimSpace(line))
		}
	}
}
