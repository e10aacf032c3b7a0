//go:build !js

package fetch_test

import (
	"testing"

	"tcode/offline/host/browsertest"
	"tcode/sync/transport/transporttest"
)

// TestBrowser runs the tests in Chromium, against servers in this process.
func TestBrowser(t *testing.T) {
	t.Parallel()
	p := browsertest.Build(t, ".")
	p.Handler = transporttest.Handler()
	others := transporttest.Serve(t)
	p.Env = map[string]string{"SERVER": p.URL(), "REFUSED": others.Refused, "UNTRUSTED": others.Untrusted}
	p.Test(t)
}
