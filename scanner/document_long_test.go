package scanner_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"tcode/scanner"
)

// textPages are n pages of 45 lines of Helvetica, without a symbol.
func textPages(n int) []pdfPage {
	pages := make([]pdfPage, n)
	for i := range pages {
		var b strings.Builder
		b.WriteString("BT /F1 11 Tf 14 TL 72 720 Td\n")
		for line := range 45 {
			fmt.Fprintf(&b, "(%d.%d. The undersigned certifies that the holder has passed all examinations of the year.) Tj T*\n", i, line)
		}
		pages[i] = pdfPage{letter + " /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>", b.String() + "ET"}
	}
	return pages
}

// childrenPeakKB sums VmHWM of this process's children.
func childrenPeakKB(tb testing.TB) (kb int) {
	tb.Helper()
	all, _ := filepath.Glob("/proc/[0-9]*/status")
	for _, name := range all {
		status, err := os.ReadFile(name)
		if err == nil && statusKB(tb, status, "PPid") == os.Getpid() {
			kb += statusKB(tb, status, "VmHWM")
		}
	}
	return kb
}

// BenchmarkLong reads 500 pages of text: without a symbol, so that all are searched twice while there is time, and
// with one on the last page, looking for that.
//
//	go test -run xxx -bench Long -benchtime 1x ./scanner
//	taskset -c 0 go test -run xxx -bench Long -benchtime 1x ./scanner
func BenchmarkLong(b *testing.B) {
	pages := textPages(500)
	stamped := append([]pdfPage{}, pages...)
	stamp, text := randomSymbol(b, 41)
	stamped[499].content += " " + drawnAsImage(stamp, 40, 500, 60, 42.52)
	for _, bb := range []struct {
		name   string
		file   []byte
		config scanner.Config
		opt    scanner.DocumentOptions
		pages  int
		want   []string
	}{
		{"once", pdf(pages...), scanner.Config{ThoroughDPI: scanner.DefaultFirst}, scanner.DocumentOptions{}, 500, nil},
		{"twice", pdf(pages...), scanner.Config{}, scanner.DocumentOptions{}, 500, nil},
		{"all", pdf(stamped...), scanner.Config{}, scanner.DocumentOptions{}, 500, []string{text}},
		{"stamp", pdf(stamped...), scanner.Config{}, scanner.DocumentOptions{StampOnly: true}, 1, []string{text}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			s := scanner.New(bb.config)
			defer s.Close()
			if _, err := s.Protections(b.Context()); err != nil {
				b.Fatal(err)
			}
			runtime.GC()
			resetPeak()
			before := residentKB(b, "VmRSS")
			start := time.Now()
			for b.Loop() {
				got, err := readAll(b.Context(), s, bb.file, bb.opt)
				if err != nil || len(got) < bb.pages || len(texts(got)[500]) != len(bb.want) {
					b.Fatalf("%d pages, %v, %v", len(got), texts(got), err)
				}
			}
			b.ReportMetric(time.Since(start).Seconds()/float64(b.N), "s/op")
			b.ReportMetric(float64(residentKB(b, "VmHWM"))/1024, "parent-MB")
			b.ReportMetric(float64(residentKB(b, "VmHWM")-before)/1024, "parent-more-MB")
			b.ReportMetric(float64(childrenPeakKB(b))/1024, "children-MB")
			b.ReportMetric(0, "ns/op")
		})
	}
}
