package arch_test

import (
	"strings"
	"testing"
)

// TestRules checks that the table detects violations: a line without true breaks one rule. Each
// folder of the table is there.
func TestRules(t *testing.T) {
	tests := []struct {
		dir, imp string
		want     bool // allowed
	}{
		{"offline", "tcode/offline/payload", true},
		{"offline/payload", "tcode/offline/trust", false},
		{"offline", "tcode/server/issue/stamp", false},
		{"offline/trust", "tcode/offline/host/journal", false},
		{"offline/trustbook", "os", false},
		{"offline/digest", "net/http", false},
		{"offline/binding", "tcode/scanner/gray", false},
		{"offline/host/idb", "tcode/offline/host/litedb", false},
		{"offline/host/journal", "os", false},
		{"offline/host/cache", "tcode/offline/host/litedb", true},
		{"offline/host/sandbox", "net/http", false},
		{"scanner", "tcode/sync/wire", false},
		{"scanner", "net/http", false},
		{"scanner/raster", "database/sql", false},
		{"scanner/gray", "tcode/scanner/raster", false},
		{"scanner/symbol", "tcode/offline/host/sandbox", false},
		{"scanner/caveat", "os", false},
		{"scanner/answer", "tcode/sync/uplink", false},
		{"scanner/web/engine/door", "tcode/scanner/raster", false},
		{"scanner/web/engine/link", "net/http", false},
		{"sync/outbox", "tcode/scanner/pdfobj", false},
		{"sync/outbox", "tcode/server/tenant", false},
		{"sync/feed", "tcode/sync/transport/nethttp", false},
		{"sync/uplink", "net/http", false},
		{"sync/wire/strictjson", "os", false},
		{"server/issue/stamp", "tcode/server/store", false},
		{"server/issue/stamp", "tcode/server/platform/jobs", false},
		{"server/issue/stamp", "tcode/scanner/proof", false},
		{"server/issue/bulk", "tcode/server/verify", false},
		{"server/tenant", "net/http", false},
		{"server/account", "database/sql", false},
		{"server/account/openid", "net/http", true},
		{"server/outbound/webhook", "net/http", false},
		{"server/outbound/webhook/post", "tcode/server/store", false},
		{"server/privacy", "tcode/server/httpapi", false},
		{"server/publish", "database/sql", false},
		{"server/refdata", "tcode/server/console/frame", false},
		{"server/verify", "tcode/server/store/pgdb", false},
		{"server/httpapi", "tcode/sync/wire", true},
		{"server/httpapi", "tcode/server/store", false},
		{"server/httpapi", "database/sql", false},
		{"server/httpapi/gate", "tcode/server/httpapi", false},
		{"server/httpapi/gate", "tcode/server/issue/stamp", false},
		{"server/store", "net/http", false},
		{"server/store", "tcode/server/httpapi/gate", false},
		{"server/console/team", "tcode/server/store", false},
		{"server/console/team", "database/sql", false},
		{"server/console/frame", "tcode/server/issue/stamp", false},
		{"server/platform/round", "tcode/server/tenant", false},
		{"server/platform/jobs", "tcode/server/issue/bulk", false},
		{"server/platform/spool", "net/http", false},
		{"server/client", "tcode/server/httpapi", false},
		{"server/client", "tcode/server/fault", false},
		{"server/client", "tcode/scanner/proof", false},
		{"server", "tcode/sync/outbox", false},
		{"server", "tcode/scanner", false},
		{"server", "tcode/scanner/proof", true},
		{"cmd/tcode-demo", "tcode/scanner", true},
		{"cmd/tcode-demo", "tcode/testdata/corpus", false},
	}
	for _, tt := range tests {
		r, ok := ruleFor(tt.dir)
		if got := ok && r.allows(tt.imp); got != tt.want {
			t.Errorf("%s importing %s: allowed = %v, want %v", tt.dir, tt.imp, got, tt.want)
		}
	}
	all := load(t)
	for _, r := range rules {
		for folder := range strings.FieldsSeq(r.folders) {
			found := false
			for dir := range all {
				found = found || dir == folder || strings.HasPrefix(dir, folder+"/")
			}
			if !found {
				t.Errorf("no package is in %s", folder)
			}
		}
	}
}
