package arch_test

import (
	"strings"
	"testing"
)

// TestRules checks that the table detects violations: each line breaks one rule.
func TestRules(t *testing.T) {
	tests := []struct {
		dir, imp string
		want     bool // allowed
	}{
		{"offline", "tcode/offline/payload", true},
		{"offline/payload", "tcode/offline/trust", false},
		{"offline", "tcode/server/issue/stamp", false},
		{"scanner", "tcode/sync/wire", false},
		{"server/issue/stamp", "tcode/server/store", false},
		{"server/httpapi", "tcode/sync/wire", true},
		{"server/httpapi/gate", "tcode/server/httpapi", false},
		{"server/httpapi/gate", "tcode/server/issue/stamp", false},
		{"server/client", "tcode/server/httpapi", false},
		{"server", "tcode/sync/outbox", false},
		{"server", "tcode/scanner", false},
		{"server", "tcode/scanner/proof", true},
		{"server/issue/stamp", "tcode/scanner/proof", false},
		{"server/client", "tcode/scanner/proof", false},
		{"cmd/tcode-demo", "tcode/scanner", true},
	}
	for _, tt := range tests {
		r, ok := ruleFor(tt.dir)
		if got := ok && covers(r.ours, strings.TrimPrefix(tt.imp, modulePath+"/")); got != tt.want {
			t.Errorf("%s importing %s: allowed = %v, want %v", tt.dir, tt.imp, got, tt.want)
		}
	}
}
