package symbol_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strconv"
	"testing"

	"tcode/scanner/gray"
	"tcode/scanner/simulate"
	"tcode/scanner/symbol"
	"tcode/testdata/corpus"
)

// BenchmarkReadImage reads an A4 page at 200 dpi with our own stamp, and one
// without any symbol.
func BenchmarkReadImage(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	empty := simulate.Clutter(1654, 2339, 28, 1)
	stamped := empty.Clone()
	s, text := random(b, r, 40, 40)
	simulate.Draw(stamped, s, simulate.Place{X: 1457, Y: 2142, ModulePx: 2.95, Quiet: 2}, 0, 255)
	for _, c := range []struct {
		name string
		page *gray.Image
		want int
	}{{"stamped", stamped, 1}, {"empty", empty, 0}, {"photo", simulate.Photo(stamped, 1), 1}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				got := symbol.ReadImage(context.Background(), c.page, symbol.Options{Budget: patient})
				if len(got.Symbols) != c.want || c.want > 0 && got.Symbols[0].Text != text {
					b.Fatalf("%d symbols, want %d", len(got.Symbols), c.want)
				}
			}
		})
	}
}

// BenchmarkRealPages stamps pages of real documents, drawn by mutool at 200 dpi,
// and reads them. It reports the percentage of symbols read, the number of wrong
// texts, and the time.
func BenchmarkRealPages(b *testing.B) {
	mutool, err := exec.LookPath("mutool")
	if err != nil {
		b.Skip("mutool is not installed")
	}
	const dpi, most = 200, 40
	names, _ := corpus.PDFs(b)
	slices.Sort(names)
	var plain []*gray.Image
	for _, name := range names {
		if m, err := drawn(mutool, name, dpi); err == nil && len(plain) < most {
			plain = append(plain, m)
		}
	}
	if len(plain) == 0 {
		b.Fatal("no page of the corpus could be drawn")
	}
	var stamped []*gray.Image
	var texts []string
	for i, m := range plain {
		r := rand.New(rand.NewPCG(uint64(i), 9))
		s, text := random(b, r, 40, 40)
		px := 15.0 / 25.4 * dpi / 40
		x, y := cornerOf(i, float64(m.Width), float64(m.Height), 40*px, 10/25.4*dpi)
		c := m.Clone()
		simulate.Draw(c, s, simulate.Place{X: x, Y: y, ModulePx: px, Turns: i / 4, Quiet: 2}, 0, 255)
		stamped, texts = append(stamped, simulate.Scan(c, uint64(i))), append(texts, text)
	}
	run := func(name string, pages []*gray.Image, texts []string) {
		b.Run(name, func(b *testing.B) {
			read, wrong, seen := 0, 0, 0
			for b.Loop() {
				for i, m := range pages {
					seen++
					for _, s := range symbol.ReadImage(context.Background(), m, symbol.Options{Budget: patient, DPI: dpi}).Symbols {
						if texts != nil && s.Text == texts[i] {
							read++
						} else {
							wrong++
						}
					}
				}
			}
			b.ReportMetric(100*float64(read)/float64(seen), "%read")
			b.ReportMetric(float64(wrong)/float64(b.N), "wrong")
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(seen), "ms/page")
		})
	}
	run("stamped", stamped, texts)
	run("plain", plain, nil)
}

// drawn returns the first page of a PDF.
func drawn(mutool, name string, dpi int) (*gray.Image, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5e9)
	defer cancel()
	out, err := exec.CommandContext(ctx, mutool, "draw", "-q", "-r", strconv.Itoa(dpi), "-c", "gray", "-F", "pgm", "-o", "-", name, "1").Output()
	if err != nil {
		return nil, err
	}
	var magic string
	var w, h, top int
	if _, err := fmt.Fscan(bytes.NewReader(out), &magic, &w, &h, &top); err != nil || magic != "P5" {
		return nil, fmt.Errorf("%s: no PGM: %w", name, err)
	}
	if w < 800 || h < 800 || w*h > 20e6 || len(out) < w*h {
		return nil, fmt.Errorf("%s: a page of %d x %d px", name, w, h)
	}
	return &gray.Image{Width: w, Height: h, Stride: w, Pix: out[len(out)-w*h:]}, nil
}
