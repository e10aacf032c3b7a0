//go:build !race && !js

package feed_test

import (
	"os"
	"strconv"
	"testing"

	"tcode/offline/host/browsertest"
	"tcode/sync/transport/transporttest"
)

// TestCutBrowser runs TestCutFetch in Chromium, against servers in this process.
func TestCutBrowser(t *testing.T) {
	t.Parallel()
	s, documents := cutWorld(t)
	p := browsertest.Build(t, ".")
	p.Handler = transporttest.Cut(s)
	p.Env = map[string]string{"SERVER": p.URL(), "DOCUMENTS": strconv.Itoa(documents), "TCODE_CUTS": os.Getenv("TCODE_CUTS")}
	p.Test(t, "-test.run=^TestCutFetch$")
}
