//go:build !race

package compare_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tcode/scanner/caveat"
	"tcode/scanner/compare"
	"tcode/scanner/gray"
)

// measured are the rules and resolutions of the table in README.md.
var measured = []struct {
	name string
	rule func(a, b *gray.Image, dpi float64) []compare.Box
	dpi  float64
}{
	{"tolerant", compare.Images, 96},
	{"tolerant", compare.Images, 120},
	{"tolerant", compare.Images, 144},
	{"strict", compare.Strict, 96},
	{"strict", compare.Strict, 120},
	{"strict", compare.Strict, 144},
	{"strict", compare.Strict, 168},
}

// BenchmarkTable prints the table of README.md: what each rule finds at each resolution of changes, and of ordinary files
// of the corpus. It takes minutes, once:
//
//	go test ./scanner/compare -run '^$' -bench Table -benchtime 1x
func BenchmarkTable(b *testing.B) {
	mupdf, pdfium := engines(b)
	for b.Loop() {
		fmt.Println("changes of one digit that are found, of one sign that are found, and unchanged lines that are reported, in percent")
		for _, own := range []bool{true, false} {
			for _, m := range measured {
				tableOfChanges(b, mupdf, pdfium, own, m.name, m.rule, m.dpi)
			}
		}
		tableOfCorpus(b, mupdf, pdfium)
	}
}

func tableOfChanges(b *testing.B, mupdf, pdfium compare.Engine, own bool, name string, rule func(a, b *gray.Image, dpi float64) []compare.Box, dpi float64) {
	b.Helper()
	sizes := []float64{8, 9, 10, 12, 18, 36}
	fonts := []string{"Helvetica", "Helvetica-Bold", "Times-Roman", "Courier"}
	if own {
		fonts = slices.Sorted(maps.Keys(embedded))
	}
	found, all := make([][3]int, len(sizes)), [3]int{2 * digits * len(fonts), 2 * (len(changes) - digits) * len(fonts), len(phrases) * len(fonts)}
	for _, f := range fonts {
		data := withFont(b, f, sizes)
		one, two := pagesAt(b, mupdf, data, dpi, 1000), pagesAt(b, pdfium, data, dpi, 1000)
		for s := range sizes {
			differ := func(kind, x, y int) {
				if len(rule(one[s*len(phrases)+x], two[s*len(phrases)+y], dpi)) > 0 {
					found[s][kind]++
				}
			}
			for i := range phrases {
				differ(2, i, i)
			}
			for i, p := range changes {
				kind := min(i/digits, 1)
				differ(kind, p[0], p[1])
				differ(kind, p[1], p[0])
			}
		}
	}
	line := "fonts that are not embedded"
	if own {
		line = "embedded fonts"
	}
	percent := func(n, of int) int { return (100*n + of/2) / of }
	var cells []any
	for s, size := range sizes {
		cells = append(cells, size, percent(found[s][0], all[0]), percent(found[s][1], all[1]), percent(found[s][2], all[2]))
	}
	fmt.Printf("%s, %s, %g dpi: %g pt %d %d %d, %g pt %d %d %d, %g pt %d %d %d, %g pt %d %d %d, %g pt %d %d %d, %g pt %d %d %d\n",
		append([]any{line, name, dpi}, cells...)...)
}

// tableOfCorpus counts the ordinary files that each rule reports, in their first three pages: all, and those that have such
// a page with its own fonts alone.
func tableOfCorpus(b *testing.B, mupdf, pdfium compare.Engine) {
	b.Helper()
	names, err := filepath.Glob(filepath.Join(sharedDir(b, "pdf"), "*.pdf"))
	if err != nil {
		b.Fatal(err)
	}
	var files, filesOwn int
	all, own := make([]int, len(measured)), make([]int, len(measured))
	for _, name := range names {
		data, err := os.ReadFile(name)
		if _, different := unlike[filepath.Base(name)]; err != nil || different {
			continue
		}
		pages := caveat.OwnFonts(data)
		if len(pagesAt(b, mupdf, data, compare.DefaultDPI, 3)) == 0 || len(pagesAt(b, pdfium, data, compare.DefaultDPI, 3)) == 0 {
			continue
		}
		files++
		if len(pages) > 0 && pages[0] <= 3 {
			filesOwn++
		}
		for i, m := range measured {
			one, two := pagesAt(b, mupdf, data, m.dpi, 3), pagesAt(b, pdfium, data, m.dpi, 3)
			some, mine := 0, 0
			for p := range min(len(one), len(two)) {
				if one[p] == nil || two[p] == nil || len(m.rule(one[p], two[p], m.dpi)) == 0 {
					continue
				}
				some = 1
				if slices.Contains(pages, p+1) {
					mine = 1
				}
			}
			all[i], own[i] = all[i]+some, own[i]+mine
		}
	}
	for i, m := range measured {
		fmt.Printf("%s, %g dpi: %d of %d ordinary files are reported; of pages with fonts of their own alone %d of %d files\n",
			m.name, m.dpi, all[i], files, own[i], filesOwn)
	}
}
