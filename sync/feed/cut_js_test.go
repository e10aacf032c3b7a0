package feed_test

import (
	"os"
	"strconv"
	"testing"
	"time"

	"tcode/sync/transport/fetch"
)

// TestCutFetch is TestCut in a browser.
func TestCutFetch(t *testing.T) {
	documents, err := strconv.Atoi(os.Getenv("DOCUMENTS"))
	if err != nil {
		return // not that run
	}
	refusesCuts(t, fetch.New(time.Minute), os.Getenv("SERVER"), documents)
}
