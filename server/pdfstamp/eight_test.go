package pdfstamp_test

import (
	"bytes"
	"sync"
	"testing"

	"tcode/offline/binding"
	"tcode/offline/host/sandbox"
	"tcode/offline/payload"
	"tcode/server/pdfstamp"
)

// TestEightAtOnce stamps the same bytes eight times concurrently, in children and in
// this process: the calls share no data that they write, and all results are equal.
//
//race:on eight files are stamped concurrently
func TestEightAtOnce(t *testing.T) {
	t.Parallel()
	const atOnce = 8
	pool := sandbox.NewPool(sandbox.Config{Role: "pdfstamp", Size: atOnce})
	t.Cleanup(pool.Close)
	s := stamper{pdfstamp.New(pool)}
	files := [][]byte{withStrings.build()}
	for _, c := range structureCases()[:20] {
		h := newHard()
		c.build(h)
		files = append(files, h.build())
	}
	type outcome struct{ stamped, laidOut []byte }
	all := make([][]outcome, atOnce)
	var wg sync.WaitGroup
	for i := range atOnce {
		all[i] = make([]outcome, len(files))
		wg.Go(func() {
			for j, pdf := range files {
				var k sealed
				st, err := s.Stamp(t.Context(), pdf, pdfstamp.Placement{}, payload.Reference{1}, side, k.seal(payload.Reference{1}))
				if err != nil {
					t.Errorf("file %d: %v", j, err)
					return
				}
				if got := k.check(st.PDF); got.State != binding.Match {
					t.Errorf("file %d: %+v", j, got)
				}
				laid, _, err := pdfstamp.PrepareForTest(pdf, pdfstamp.Placement{}, payload.Reference{1}, side)
				if err != nil {
					t.Errorf("file %d: %v", j, err)
				}
				all[i][j] = outcome{st.PDF, laid}
			}
		})
	}
	wg.Wait()
	for i, outs := range all {
		for j, o := range outs {
			if !bytes.Equal(o.stamped, all[0][j].stamped) || !bytes.Equal(o.laidOut, all[0][j].laidOut) {
				t.Errorf("file %d comes out otherwise in the turn of %d", j, i)
			}
		}
	}
}
