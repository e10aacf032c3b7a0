package stampdesk_test

import (
	"testing"

	"tcode/server/console/stampdesk"
)

// TestWords: no language lacks a word.
func TestWords(t *testing.T) {
	t.Parallel()
	if missing := stampdesk.Missing(); len(missing) > 0 {
		t.Errorf("missing %v", missing)
	}
}
