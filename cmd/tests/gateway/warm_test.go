package gateway_test

import (
	"slices"
	"testing"
	"time"

	"tcode/cmd/internal/device"
	"tcode/cmd/internal/world"
	"tcode/offline/host/sandbox"
	"tcode/scanner"
	"tcode/scanner/raster"
)

// BenchmarkPDFToVerdict compares the whole of `tcode-scan verify` on stamped text pages, in this process and with warm
// children, with the cost of only rendering the same page. It measures all three in turn, so that a busy machine slows
// all of them, and prints medians.
//
//	go test -run xxx -bench PDFToVerdict ./cmd/tests/gateway
func BenchmarkPDFToVerdict(b *testing.B) {
	w := world.New(b, 1)
	dev := w.Scanner("warm")
	renderer := raster.New(sandbox.Config{Size: 1}, raster.Limits{})
	b.Cleanup(renderer.Close)
	reader := scanner.New(scanner.Config{})
	b.Cleanup(func() { reader.Close() })
	for _, name := range []string{"letter.pdf", "invoice.pdf", "diploma.pdf", "arabic.pdf"} {
		stamped := w.Stamp(w.Issuers[0], name, world.Document(b, name)).PDF
		if _, err := dev.Refresh(b.Context(), ""); err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) { pdfToVerdict(b, renderer, reader, dev, stamped) })
	}
}

func pdfToVerdict(b *testing.B, renderer *raster.Rasterizer, reader *scanner.Scanner, dev *device.Device, pdf []byte) {
	var render, read, verify []time.Duration
	since := func(list *[]time.Duration, start time.Time) { *list = append(*list, time.Since(start)) }
	buffer := make([]byte, 4<<20)
	for b.Loop() {
		start := time.Now()
		err := renderer.Open(b.Context(), pdf, func(d *raster.Document) error {
			_, err := d.Look(raster.Request{Page: d.Pages, DPI: scanner.DefaultFirst, Buffer: buffer})
			return err
		})
		since(&render, start)
		if err != nil {
			b.Fatal(err)
		}

		start = time.Now()
		err = reader.Read(b.Context(), "a.pdf", pdf, scanner.DocumentOptions{StampOnly: true}, func(scanner.Page) error { return nil })
		since(&read, start)
		if err != nil {
			b.Fatal(err)
		}

		start = time.Now()
		findings, err := dev.Verify(b.Context(), "a.pdf", pdf, device.VerifyOptions{})
		since(&verify, start)
		if err != nil || len(findings) != 1 || findings[0].Result.Verdict != "valid" {
			b.Fatalf("verify: %+v, %v; want one valid stamp", findings, err)
		}
	}
	median := func(list []time.Duration) float64 {
		slices.Sort(list)
		return float64(list[len(list)/2].Microseconds()) / 1000
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(render), "render-ms")
	b.ReportMetric(median(read), "read-ms")
	b.ReportMetric(median(verify), "verify-ms")
	b.ReportMetric(median(verify)/median(render), "verify/render")
}
