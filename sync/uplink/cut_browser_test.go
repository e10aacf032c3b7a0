//go:build !race && !js

package uplink_test

import (
	"testing"

	"tcode/offline/host/browsertest"
	"tcode/sync/transport/transporttest"
)

// TestCutBrowser runs TestCutFetch in Chromium, against the gateway in this process.
func TestCutBrowser(t *testing.T) {
	t.Parallel()
	g := newGateway(t)
	p := browsertest.Build(t, ".")
	p.Handler = transporttest.Cut(g)
	p.Env = map[string]string{"SERVER": p.URL()}
	p.Test(t, "-test.run=^TestCutFetch$")
	judgeCuts(t, g)
}
