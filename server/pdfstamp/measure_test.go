//go:build !race

package pdfstamp_test

import (
	"math/rand/v2"
	"os"
	"sync"
	"testing"

	"tcode/offline/binding"
	"tcode/offline/payload"
	"tcode/server/pdfstamp"
	"tcode/testdata/corpus"
)

// TestDefaultSize: 500 default stamps, with TCODE_LONG=all 10,000, are 40x40
// and add at most 8 KB.
func TestDefaultSize(t *testing.T) {
	t.Parallel()
	s := newStamper(t)
	pdf := pdfSpec{page: a4, contents: []string{text("one")}}.build()
	r := rand.New(rand.NewPCG(3, 4))
	var most int
	rounds := 500
	if corpus.Long() {
		rounds = 10_000
	}
	for range rounds {
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

// TestCorpus stamps real files and checks them with other programs. With
// TCODE_LONG=all it takes every file of the corpus (TCODE_CORPUS), else an even
// sample. TCODE_PDFS names a folder to take instead, with its subfolders: any user
// can check other files against the bars.
//
//	TCODE_PDFS=/folder go test ./server/pdfstamp -run TestCorpus -v -timeout 60m
func TestCorpus(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"qpdf", "pdftoppm", "pdfsig", "mutool"} {
		need(t, tool)
	}
	files := realFiles(t)
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

// realFiles are the files that TestCorpus stamps.
func realFiles(t *testing.T) []string {
	t.Helper()
	if dir := os.Getenv("TCODE_PDFS"); dir != "" {
		files := pdfsIn(t, dir)
		if len(files) == 0 {
			t.Fatalf("no PDF in %s", dir)
		}
		return files
	}
	files, _ := corpus.PDFs(t)
	step := len(files) / 20
	if corpus.Long() || step < 2 {
		return files
	}
	var some []string
	for i := 0; i < len(files); i += step {
		some = append(some, files[i])
	}
	return some
}
