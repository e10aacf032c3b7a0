//go:build !js

package offline_test

import (
	"testing"

	"tcode/offline/host/browsertest"
)

// TestBrowserBuild builds these tests for the browser and runs the vectors of verdicts, clocks and status objects in Node.
func TestBrowserBuild(t *testing.T) {
	t.Parallel()
	browsertest.Node(t, ".", "TestVectors", "TestClockVectors", "TestClockRules", "TestStatusVectors")
}
