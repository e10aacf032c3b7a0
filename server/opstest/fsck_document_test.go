package opstest

import (
	"slices"
	"testing"

	"tcode/server"
	"tcode/server/internal/harness"
	"tcode/server/store/storetest"
)

// TestFsckFindsInDocuments: fsck finds and names a change of a Trust document that
// was made without the gateway, and reports no other problem.
//
//engine:sqlite its gateway runs on SQLite
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
			r := harness.StartOn(t, storetest.SQLite)
			w := &harness.World{Rig: r, Key: r.Tenant("ACME01")}
			w.Trust = w.FreshTrustTemplate()
			b := w.IssuanceBody()
			b["issuancePath"] = "both"
			w.Issued(b)
			if report, kinds := fsck(t, r.Admin, server.FsckOptions{}); len(kinds) != 0 || report.Orphans != 0 {
				t.Fatalf("before: %+v, %v", report, kinds)
			}
			change(t, storetest.Raw(t, r.Dir), damage)
			if report, kinds := fsck(t, r.Admin, server.FsckOptions{}); !slices.Equal(kinds, []string{kind}) || report.Problems != 1 {
				t.Errorf("%+v, %v, want %s", report, kinds, kind)
			}
		})
	}
}
