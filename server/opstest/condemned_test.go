package opstest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"tcode/server"
	"tcode/server/internal/harness"
	"tcode/server/issue/bulk"
	"tcode/server/store/storetest"
)

// TestCondemnedUploads: the files of a bulk job were removed by a sweep before: they are put
// again as other copies, and a late removal of the first ones does no harm. A job that is
// ordered after a dry run has its files.
func TestCondemnedUploads(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		r := harness.StartOn(t, e)
		r.Tenant("ACME01")
		csv := []byte("fileName,name,documentTypeCode,externalId\na.pdf,Row,DIP,R-1\n")
		zip, err := io.ReadAll(harness.ZIP(t, map[string][]byte{"a.pdf": harness.PDF("a")}))
		must(t, err)
		db := storetest.Raw(t, r.Dir)
		var names []string
		for _, data := range [][]byte{csv, zip} {
			sum := sha256.Sum256(data)
			name := hex.EncodeToString(sum[:])
			names = append(names, name)
			_, err := db.Exec(fmt.Sprintf(`INSERT INTO condemned_files (sha256, copy, at, removed) VALUES ('%s', 0, 0, 1)`, name))
			must(t, err)
		}
		j, err := r.Admin.Bulk.Create(t.Context(), r.Identity("ACME01"), bulk.Request{
			Order: bulk.Order{Product: bulk.TCode, DryRun: true}, CSV: bytes.NewReader(csv), ZIP: bytes.NewReader(zip),
		})
		must(t, err)
		for _, name := range names {
			path := filepath.Join(r.Dir, "files", name[:2], name)
			must(t, os.Remove(path))
			if _, err := os.Stat(path + ".1"); err != nil {
				t.Error(err)
			}
		}
		w := &bulkWorld{Rig: r, job: j.ID, rows: 1}
		if j := w.until("over", func(j bulk.Job) bool { return j.Status.Over() }); j.Status != bulk.Completed {
			t.Fatalf("the dry run: %+v", j)
		}
		made, err := r.Admin.Bulk.Proceed(t.Context(), r.Identity("ACME01"), j.ID)
		must(t, err)
		w.job = made.ID
		if j := w.until("over", func(j bulk.Job) bool { return j.Status.Over() }); j.Status != bulk.Completed || j.Counts.Succeeded != 1 {
			t.Errorf("%+v", j)
		}
		if report, kinds := fsck(t, r.Admin, server.FsckOptions{}); len(kinds) > 0 || report.Files != 4 {
			t.Errorf("fsck: %+v, %v", report, kinds)
		}
	})
}
