package web_test

import (
	"fmt"
	"testing"

	"tcode/scanner/gray"
	"tcode/scanner/simulate"
	"tcode/scanner/simulate/scanned"
)

// TestScannedPDFs: in Chromium the engine reads PDFs of scanned pages in each coding, JPEG by the browser's decoder.
func TestScannedPDFs(t *testing.T) {
	page := simulate.Clutter(1240, 1754, 30, 5)
	simulate.Draw(page, simulate.Stranger(), simulate.Place{X: 800, Y: 1300, ModulePx: 5, Quiet: 2}, 0, 255)
	page = simulate.Scan(page, 3)
	files := map[string][]byte{}
	for _, coding := range scanned.Codings {
		file, err := scanned.PDF([]*gray.Image{page, simulate.Clutter(1240, 1754, 30, 6)}, scanned.Options{DPI: 150, Coding: coding, Strips: 3})
		if err != nil {
			t.Fatal(err)
		}
		files[string(coding)] = file
	}
	p := openEngine(t, files)
	for _, coding := range scanned.Codings {
		script := fmt.Sprintf(`load(%q).then((bytes) => ask({op: 'file', name: 'scan.pdf', bytes})).then((r) => !r.ok ? r.error.message :
			[r.result.answer.findings.length, r.result.answer.findings[0].verdict, r.result.answer.findings[0].page, r.result.answer.undrawn ?? 'all', r.result.ms > 0].join(' '))`, string(coding))
		if got := eval[string](p, script); got != "1 unverified 1 all true" {
			t.Errorf("%s: %s", coding, got)
		}
	}
	p.clean()
}
