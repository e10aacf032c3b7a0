//go:build !race && !js

package trustjournal_test

import (
	"testing"

	"tcode/offline/host/browsertest"
)

// TestBrowserBuild builds the conformance test for the browser and runs it in Node.
func TestBrowserBuild(t *testing.T) {
	t.Parallel()
	browsertest.Node(t, ".", "TestConformance", "TestFacts")
}
