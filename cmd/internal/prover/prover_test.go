package prover_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"tcode/cmd/internal/prover"
	"tcode/offline/sandbox"
	"tcode/scanner/raster"
	"tcode/server/stamp"
	"tcode/testdata"
)

func TestMain(m *testing.M) {
	sandbox.Main(raster.Role())
	os.Exit(m.Run())
}

// A file that cannot be drawn is told from a gateway that cannot draw.
func TestWhoIsToBlame(t *testing.T) {
	t.Parallel()
	letter, err := testdata.Documents.ReadFile("documents/letter.pdf")
	if err != nil {
		t.Fatal(err)
	}
	p := prover.New(sandbox.Config{Size: 1, Wall: 5 * time.Minute})
	t.Cleanup(p.Close)
	closed := prover.New(sandbox.Config{Size: 1})
	closed.Close()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	huge := fmt.Appendf(nil, "%%PDF-1.4\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages/Count 1/Kids[3 0 R]>> endobj\n"+
		"3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 1000000000 1000000000]>> endobj\ntrailer <</Root 1 0 R>>\n")
	tests := []struct {
		name   string
		ctx    context.Context
		prover *prover.Prover
		pdf    []byte
		file   bool // it is to blame
		want   error
	}{
		{"good", t.Context(), p, letter, false, nil},
		{"no PDF", t.Context(), p, []byte("text"), true, stamp.ErrNotDrawn},
		{"damaged", t.Context(), p, []byte("%PDF-1.7\n"), true, raster.ErrDamaged},
		{"a page of kilometres", t.Context(), p, huge, true, raster.ErrTooLarge},
		{"the request has ended", ended, p, letter, false, context.Canceled},
		{"closed", t.Context(), closed, letter, false, sandbox.ErrClosed},
	}
	for _, tt := range tests {
		areas := []stamp.Area{{Page: 1, Rect: stamp.Rect{X: 10, Y: 10, Width: 20, Height: 20}}}
		_, ink := tt.prover.Ink(tt.ctx, tt.pdf, areas)
		_, read := tt.prover.Read(tt.ctx, tt.pdf, stamp.Question{Text: "x", DPI: 150, Places: []stamp.Sight{{Page: 1, Symbol: areas[0].Rect}}})
		_, picture := tt.prover.Picture(tt.ctx, tt.pdf, 1)
		for what, err := range map[string]error{"ink": ink, "read": read, "picture": picture} {
			if !errors.Is(err, tt.want) || errors.Is(err, stamp.ErrNotDrawn) != tt.file {
				t.Errorf("%s, %s: %v, want %v", tt.name, what, err, tt.want)
			}
		}
	}
}
