//go:build !race

package pdfstamp_test

import (
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"

	"tcode/offline/binding"
	"tcode/offline/payload"
	"tcode/server/pdfstamp"
)

// TestDefaultSize: 10,000 default stamps are 40x40 and add at most 8 KB.
func TestDefaultSize(t *testing.T) {
	t.Parallel()
	s := newStamper(t)
	pdf := pdfSpec{page: a4, contents: []string{text("one")}}.build()
	r := rand.New(rand.NewPCG(3, 4))
	var most int
	for range 10_000 {
		var ref payload.Reference
		for i := range ref {
			ref[i] = byte(r.Uint32())
		}
		st, k := stamped(t, s, pdf, pdfstamp.Placement{}, ref)
		if st.Modules != 40 || k.check(st.PDF).State != binding.Match {
			t.Fatalf("reference %s: %d modules", ref, st.Modules)
		}
		most = max(most, len(st.PDF)-len(pdf))
	}
	if most > 8<<10 {
		t.Errorf("%d bytes added, want at most 8 KB", most)
	}
	t.Logf("at most %d bytes added", most)
}

// TestCorpus stamps every real file and looks at what others make of it.
func TestCorpus(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(corpus(t), "*.pdf"))
	if err != nil || len(files) != corpusFiles {
		t.Fatalf("found %d files, want %d (%v)", len(files), corpusFiles, err)
	}
	need(t, "qpdf")
	need(t, "pdftoppm")
	s := newStamper(t)
	verdicts := make([]verdict, len(files))
	var wg sync.WaitGroup
	slot := make(chan struct{}, 2)
	for i, f := range files {
		wg.Go(func() {
			slot <- struct{}{}
			defer func() { <-slot }()
			verdicts[i] = judge(t, s, f)
		})
	}
	wg.Wait()
	report(t, verdicts)
}
