package proof_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"tcode/offline/geometry"
	"tcode/offline/host/sandbox"
	"tcode/scanner/proof"
	"tcode/scanner/raster"
	"tcode/scanner/readback"
	"tcode/testdata"
)

// A file that cannot be drawn is told from a gateway that cannot draw.
func TestWhoIsToBlame(t *testing.T) {
	t.Parallel()
	letter, err := testdata.Documents.ReadFile("documents/letter.pdf")
	if err != nil {
		t.Fatal(err)
	}
	p := proof.NewReader(sandbox.Config{Size: 1, Wall: 5 * time.Minute}, "")
	t.Cleanup(p.Close)
	closed := proof.NewReader(sandbox.Config{Size: 1}, "")
	closed.Close()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	huge := fmt.Appendf(nil, "%%PDF-1.4\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages/Count 1/Kids[3 0 R]>> endobj\n"+
		"3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 1000000000 1000000000]>> endobj\ntrailer <</Root 1 0 R>>\n")
	tests := []struct {
		name   string
		ctx    context.Context
		reader *proof.Reader
		pdf    []byte
		reason string // for which the file is to blame; empty: it is not
		want   error
	}{
		{"good", t.Context(), p, letter, "", nil},
		{"no PDF", t.Context(), p, []byte("text"), "is of a kind that cannot be drawn", raster.ErrUnsupported},
		{"damaged", t.Context(), p, []byte("%PDF-1.7\n"), "is damaged", raster.ErrDamaged},
		{"a page of kilometres", t.Context(), p, huge, "is too large", raster.ErrTooLarge},
		{"the request has ended", ended, p, letter, "", context.Canceled},
		{"closed", t.Context(), closed, letter, "", sandbox.ErrClosed},
	}
	for _, tt := range tests {
		areas := []geometry.Area{{Page: 1, Rect: geometry.Rect{X: 10, Y: 10, Width: 20, Height: 20}}}
		pdf := section(tt.pdf)
		_, ink := tt.reader.Ground(tt.ctx, pdf, areas)
		_, read := tt.reader.Read(tt.ctx, pdf, readback.Request{Text: "x", DPI: 150, Targets: []readback.Target{{Page: 1, Symbol: areas[0].Rect}}})
		_, picture := tt.reader.Picture(tt.ctx, pdf, 1)
		for what, err := range map[string]error{"ink": ink, "read": read, "picture": picture} {
			reason := ""
			if file, ok := errors.AsType[*readback.NotDrawnError](err); ok {
				reason = file.Reason
			}
			if !errors.Is(err, tt.want) || reason != tt.reason {
				t.Errorf("%s, %s: %v, it %q; want %v, %q", tt.name, what, err, reason, tt.want, tt.reason)
			}
		}
	}
}

// A page that the file has and does not count is the file's fault: the stamper
// found it, the renderer did not.
func TestUncounted(t *testing.T) {
	t.Parallel()
	pdf := []byte("%PDF-1.4\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages/Count 1/Kids[3 0 R 4 0 R]>> endobj\n" +
		"3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>> endobj\n4 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>> endobj\ntrailer <</Root 1 0 R>>\n")
	p := proof.NewReader(sandbox.Config{Size: 1, Wall: 5 * time.Minute}, "")
	t.Cleanup(p.Close)
	_, err := p.Picture(t.Context(), section(pdf), 2)
	if file, ok := errors.AsType[*readback.NotDrawnError](err); !ok || !errors.Is(err, proof.ErrPages) {
		t.Errorf("%v, the file %v to blame; want it to be for %v", err, file, proof.ErrPages)
	}
}
