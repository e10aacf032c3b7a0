//go:build !js

package webkey_test

import (
	"strings"
	"testing"

	"tcode/offline/host/browsertest"
)

// TestBrowser runs the tests in Chromium.
func TestBrowser(t *testing.T) {
	t.Parallel()
	browsertest.Build(t, ".").Test(t)
}

// TestRestart: the keys are the same after Chromium was killed, and after it ended.
func TestRestart(t *testing.T) {
	t.Parallel()
	p := browsertest.Build(t, ".")
	p.Env = map[string]string{"KEPT": "1"}
	shown := func(kill bool) string {
		t.Helper()
		p.OnLine = func(line string) bool { return kill && line == "shown" }
		r := p.Run(t, "-test.run=^TestKept$")
		_, key, found := strings.Cut(r.Output, "key ")
		if key, _, _ = strings.Cut(key, ".\n"); !found || r.Killed != kill || !strings.HasSuffix(key, "false true") {
			t.Fatalf("kill %t: %+v", kill, r)
		}
		return key
	}
	first := shown(true)
	for _, kill := range []bool{false, true, false} {
		if again := shown(kill); again != first {
			t.Errorf("the keys are %s, and were %s", again, first)
		}
	}
}
