package uplink_test

import (
	"os"
	"testing"
	"time"

	"tcode/sync/transport/fetch"
)

// TestCutFetch is TestCut in a browser.
func TestCutFetch(t *testing.T) {
	if server := os.Getenv("SERVER"); server != "" {
		refusesCuts(t, fetch.New(time.Minute), server)
	}
}
