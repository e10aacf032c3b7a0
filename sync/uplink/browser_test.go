//go:build !race && !js

package uplink_test

import (
	"strconv"
	"strings"
	"testing"

	"tcode/offline/host/browsertest"
)

// perRun is the number of scripts of one run of Chromium, which takes less than a minute.
const perRun = 500

// TestBrowser plays the model in Chromium, on the two copies of a journal that the product keeps there.
func TestBrowser(t *testing.T) {
	t.Parallel()
	p := browsertest.Build(t, ".")
	p.InMemory(t)
	all := scripts(t, 200)
	for first := 0; first < all; first += perRun {
		p.Env = map[string]string{firstEnv: strconv.Itoa(first), scriptsEnv: strconv.Itoa(min(perRun, all-first))}
		r := p.Test(t, "-test.run=^TestExactlyOnce$/^browser$")
		if t.Failed() {
			t.FailNow()
		}
		for line := range strings.Lines(r.Output) {
			if strings.Contains(line, "PASS: TestExactlyOnce/browser/") {
				t.Logf("scripts from %d: %s", first, strings.TrimSpace(line))
			}
		}
	}
	r := p.Test(t, "-test.run=^TestModelNotices$/^browser_")
	if n := strings.Count(r.Output, "--- PASS: TestModelNotices/browser_"); n != len(bugs) {
		t.Errorf("%d of %d wrong gateways were noticed:\n%s", n, len(bugs), r.Output)
	}
}
