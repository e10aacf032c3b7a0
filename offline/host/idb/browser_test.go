//go:build !js

package idb_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"tcode/offline/host/browsertest"
)

// TestBrowser runs the tests in Chromium. Edits of single records are the same on any journal: package trustjournal makes them.
func TestBrowser(t *testing.T) {
	t.Parallel()
	browsertest.Build(t, ".").Test(t, "-test.skip=^TestTrust$/^Edits$")
}

// rounds is the number of kills of each kind: TCODE_KILLS, or a few.
func rounds(t *testing.T) int {
	text := os.Getenv("TCODE_KILLS")
	if text == "" {
		return 3
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestKills kills Chromium between a commit and its reply, and during the commit. After each kill the next round
// sees every acknowledged round, and each other one whole or not at all.
func TestKills(t *testing.T) {
	t.Parallel()
	p := browsertest.Build(t, ".")
	for _, mode := range []string{"after", "during"} {
		absent := 0
		last := ""
		n := rounds(t)
		for round := 1; round <= n+1; round++ {
			p.Env = map[string]string{"MODE": mode, "ROUND": strconv.Itoa(round)}
			p.OnLine = func(line string) bool {
				if line != fmt.Sprint("round ", round) {
					return false
				}
				if mode == "during" {
					time.Sleep(rand.N(20 * time.Millisecond)) // the browser's own processes go on
				}
				return true
			}
			r := p.Run(t, "-test.run=^TestRound$")
			if !r.Killed {
				t.Fatalf("%s, round %d: %+v", mode, round, r)
			}
			kept := between(r.Output, "kept", ".\n")
			if previous := fmt.Sprintf(" %d ", round-1); round > 1 && !strings.Contains(kept, previous) {
				absent++
				if mode == "after" {
					t.Errorf("round %d was acknowledged and is lost", round-1)
				}
			}
			for _, one := range strings.Fields(last) {
				if !strings.Contains(kept, " "+one+" ") {
					t.Errorf("%s: round %s was there, and is lost after round %d", mode, one, round-1)
				}
			}
			last = kept
			if strings.Contains(r.Output, "_test.go:") {
				t.Errorf("%s, round %d:\n%s", mode, round, r.Output)
			}
		}
		t.Logf("%s the commit: %d kills, %d rounds absent", mode, n, absent)
	}
}

func between(text, from, to string) string {
	_, text, _ = strings.Cut(text, from)
	text, _, _ = strings.Cut(text, to)
	return text
}
