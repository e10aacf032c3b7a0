package raster_test

import (
	"fmt"
	"testing"

	"tcode/scanner/raster"
)

// textPage is a letter-size page of 45 lines of Helvetica.
const textPage = letter + " /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"

func textPDF() []byte {
	content := "BT /F1 11 Tf 14 TL 72 720 Td\n"
	for i := range 45 {
		content += fmt.Sprintf("(%d. The undersigned certifies that the holder has passed all examinations of the year.) Tj T*\n", i)
	}
	return pdfOf(content+"ET", textPage)
}

// BenchmarkWarmChild is a whole document through a child that runs already: open, page count, one page.
func BenchmarkWarmChild(b *testing.B) {
	r := newRasterizer(b, raster.Limits{})
	file := textPDF()
	for _, dpi := range []float64{150, 300} {
		b.Run(fmt.Sprintf("%gdpi", dpi), func(b *testing.B) {
			for b.Loop() {
				if _, err := pages(b, r, file, dpi); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkInProcess is the same without a child.
func BenchmarkInProcess(b *testing.B) {
	file := textPDF()
	for _, dpi := range []float64{150, 300} {
		b.Run(fmt.Sprintf("%gdpi", dpi), func(b *testing.B) {
			for b.Loop() {
				render, end, err := raster.RenderHere(file)
				if err != nil {
					b.Fatal(err)
				}
				if _, _, err := render(0, dpi); err != nil {
					b.Fatal(err)
				}
				end()
			}
		})
	}
}

// BenchmarkColdChild starts a child for each document.
func BenchmarkColdChild(b *testing.B) {
	file := textPDF()
	for b.Loop() {
		r := newRasterizer(b, raster.Limits{})
		if _, err := pages(b, r, file, 150); err != nil {
			b.Fatal(err)
		}
		r.Close()
	}
}
