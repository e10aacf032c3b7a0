package opstest

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tcode/server/internal/harness"
	"tcode/server/issue/trustdoc"
	"tcode/server/platform/spool"
	"tcode/server/privacy"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// erasedPeople is the number of documents that are erased while gateways are killed.
const erasedPeople = 16

// TestEraseKilled: gateways that are killed while they erase leave nothing, once one of
// them lives long enough.
func TestEraseKilled(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		w := newMailWorld(t, e)
		var ids []string
		for i := range erasedPeople {
			d := w.issue(fmt.Sprintf("Xylographia %d", i), func(r *trustdoc.Issuance) {
				r.PDF = spool.Bytes(harness.PDF(fmt.Sprintf("Oorkonde-%d", i)))
			})
			ids = append(ids, d.ID)
		}
		hourAgo := time.Now().Add(-time.Hour)
		must(t, filepath.WalkDir(filepath.Join(w.Dir, "files"), func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				err = os.Chtimes(path, hourAgo, hourAgo)
			}
			return err
		}))
		ctx := t.Context()
		for _, id := range ids {
			_, err := w.Admin.Privacy.Erase(ctx, "ACME01", tenant.By{Actor: tenant.ActorOperator}, privacy.Order{Of: privacy.Document, ID: id})
			must(t, err)
		}
		done := func() (n int) {
			for _, id := range ids {
				e, err := w.Admin.Privacy.Erasure(ctx, "ACME01", id)
				must(t, err)
				if e.Step == privacy.StepDone {
					n++
				}
			}
			return n
		}
		begun := func() bool {
			e, err := w.Admin.Privacy.Erasure(ctx, "ACME01", ids[len(ids)-1])
			must(t, err)
			return e.Step != privacy.First
		}
		gateway := w.Process()
		for range 2 {
			w.until("work", func() bool { return begun() || done() > 0 })
			must(t, gateway.Process.Kill())
			gateway.Wait() //nolint:errcheck // it was killed
			gateway = w.Process()
		}
		w.until("the end", func() bool { return done() == len(ids) })
		must(t, filepath.WalkDir(w.Dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return nil //nolint:nilerr // it is gone
			}
			raw, err := os.ReadFile(path)
			for _, word := range []string{"Xylographia", "xylographia", "Oorkonde-", "ada@example.org"} {
				if err == nil && bytes.Contains(raw, []byte(word)) {
					t.Errorf("%s has %s", strings.TrimPrefix(path, w.Dir), word)
				}
			}
			return nil
		}))
	})
}
