//go:build !race

package compare_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"tcode/scanner/compare"
)

// measured are the rules and resolutions of the table in README.md.
var measured = []struct {
	name string
	dpi  float64
	turn int // of the text, degrees
	own  bool
}{
	{"tolerant", 96, 0, false},
	{"tolerant", 96, 0, true},
	{"tolerant", 120, 0, true},
	{"tolerant", 144, 0, true},
	{"strict", compare.StrictDPI, 0, true},
	{"strict", compare.StrictDPI, 90, true},
	{"strict", compare.StrictDPI, 180, true},
	{"strict", compare.StrictDPI, 270, true},
}

// BenchmarkTable prints the table of README.md: the changes that each rule finds at each resolution, and its differences
// on ordinary files of the corpus. It takes minutes, once:
//
//	go test ./scanner/compare -run '^$' -bench Table -benchtime 1x
func BenchmarkTable(b *testing.B) {
	mupdf, pdfium := engines(b)
	for b.Loop() {
		fmt.Println("changes of one digit that are found, of one sign that are found, and unchanged lines that are reported, in percent")
		for _, m := range measured {
			tableOfChanges(b, mupdf, pdfium, m.own, m.name, m.dpi, m.turn)
		}
	}
}

func tableOfChanges(b *testing.B, mupdf, pdfium compare.Engine, own bool, name string, dpi float64, turn int) {
	b.Helper()
	sizes := []float64{8, 9, 10, 12, 18, 36}
	fonts := []string{"Helvetica", "Helvetica-Bold", "Times-Roman", "Courier"}
	if own {
		fonts = slices.Sorted(maps.Keys(embedded))
	}
	found, all := make([][3]int, len(sizes)), [3]int{2 * digits * len(fonts), 2 * (len(changes) - digits) * len(fonts), len(phrases) * len(fonts)}
	for _, f := range fonts {
		data := withFont(b, f, sizes, turn)
		var rule func(i, j int) bool
		if name == "strict" {
			rule = twice(b, mupdf, pdfium, data)
		} else {
			one, two := pagesAt(b, mupdf, data, dpi, 1000), pagesAt(b, pdfium, data, dpi, 1000)
			rule = func(i, j int) bool { return len(compare.Images(one[i], two[j], dpi)) > 0 }
		}
		for s := range sizes {
			differ := func(kind, x, y int) {
				if rule(s*len(phrases)+x, s*len(phrases)+y) {
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
	fmt.Printf("%s, turned by %d, %s, %g dpi: %g pt %d %d %d, %g pt %d %d %d, %g pt %d %d %d, %g pt %d %d %d, %g pt %d %d %d, %g pt %d %d %d\n",
		append([]any{line, turn, name, dpi}, cells...)...)
}
