package attack_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tcode/cmd/internal/world"
	"tcode/offline/geometry"
	"tcode/offline/host/sandbox"
	"tcode/offline/payload"
	"tcode/scanner/restamp"
	"tcode/server/pdfstamp"
)

// TestRestampCorpus stamps real files twice, on the same page: the second
// revision is recognised in nearly all of them.
func TestRestampCorpus(t *testing.T) {
	pool := sandbox.NewPool(sandbox.Config{Role: pdfstamp.Role().Name})
	t.Cleanup(pool.Close)
	stamper := pdfstamp.New(pool)
	text := payload.EncodeText(make([]byte, 108))
	seal := func([16]byte) (string, error) { return text, nil }
	again := func(pdf []byte, anchor geometry.Anchor, n byte) ([]byte, bool) {
		pl := pdfstamp.Placement{Anchor: anchor}
		st, err := stamper.Append(t.Context(), world.InMemory(pdf), pl, payload.Reference{n}, 40,
			seal)
		return slices.Concat(pdf, st.Revision), err == nil
	}
	twice, proven := 0, 0
	for _, file := range world.RealFiles(t, os.Getenv(world.DeliveredEnv) == "all") {
		pdf, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		first, ok := again(pdf, geometry.BottomLeft, 1)
		if !ok {
			continue
		}
		second, ok := again(first, geometry.TopRight, 2)
		if !ok {
			continue
		}
		twice++
		if _, err := restamp.Prove(second, int64(len(first)), int64(len(second))); err != nil {
			t.Logf("%s: %v", filepath.Base(file), err)
			continue
		}
		proven++
		if _, err := restamp.Prove(second, int64(len(pdf)), int64(len(second))); err == nil {
			t.Errorf("%s: two revisions are one stamp", filepath.Base(file))
		}
	}
	t.Logf("%d files stamped twice, %d proven", twice, proven)
	if proven < twice*8/10 {
		t.Errorf("proven %d of %d, want eight of ten", proven, twice)
	}
}
