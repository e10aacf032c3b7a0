//go:build !js

package opfs_test

import (
	"testing"

	"tcode/offline/host/browsertest"
)

// TestBrowser runs the tests in Chromium.
func TestBrowser(t *testing.T) {
	t.Parallel()
	browsertest.Build(t, ".").Test(t)
}
