package server_test

import (
	"slices"
	"testing"

	"tcode/server"
	"tcode/server/store/storetest"
)

// What was changed of a Trust document behind the gateway's back is found and
// named, and only that.
func TestFsckFindsInDocuments(t *testing.T) {
	t.Parallel()
	for kind, damage := range map[string]string{
		"document":           `UPDATE documents SET recipient_name = 'Eve'`,
		"document_signature": `UPDATE documents SET algorithm = 'ES256'`,
		"document_stamp":     `UPDATE stamps SET document = ''`,
		"document_history":   `UPDATE document_events SET to_status = 'Suspended'`,
		"document_files":     `DELETE FROM document_files WHERE kind = 'stamped'`,
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			r := startOn(t, storetest.SQLite)
			w := &world{rig: r, key: r.tenant("ACME01")}
			w.trust = w.freshTrustTemplate()
			b := w.issuanceBody()
			b["issuancePath"] = "both"
			w.issued(b)
			if report, kinds := fsck(t, r.admin, server.FsckOptions{}); len(kinds) != 0 || report.Orphans != 0 {
				t.Fatalf("before: %+v, %v", report, kinds)
			}
			change(t, storetest.Raw(t, r.dir), damage)
			if report, kinds := fsck(t, r.admin, server.FsckOptions{}); !slices.Equal(kinds, []string{kind}) || report.Problems != 1 {
				t.Errorf("%+v, %v, want %s", report, kinds, kind)
			}
		})
	}
}
