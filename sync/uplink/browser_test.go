//go:build !js

package uplink_test

import (
	"os"
	"testing"

	"tcode/offline/host/browsertest"
)

// TestBrowser plays the model in Chromium: on journals in memory, and on the two copies that the product keeps there.
func TestBrowser(t *testing.T) {
	t.Parallel()
	p := browsertest.Build(t, ".")
	n := os.Getenv(scriptsEnv)
	if n == "" {
		n = "40"
	}
	p.Env = map[string]string{scriptsEnv: n}
	t.Log(p.Test(t, "-test.run=^(TestExactlyOnce|TestModelNotices)$").Output)
}
