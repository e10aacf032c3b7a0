package raster_test

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"tcode/offline/host/sandbox"
	"tcode/scanner/raster"
)

// TestPictureChild: an image is decoded without an engine for PDFs, and that role draws none.
func TestPictureChild(t *testing.T) {
	t.Parallel()
	cache := filepath.Join(t.TempDir(), "cache")
	r := raster.New(sandbox.Config{Size: 1}, raster.Limits{}, raster.WithEngine(raster.PDFium), raster.WithCache(cache))
	defer r.Close()
	picture := encode(t, func(b *bytes.Buffer) error { return png.Encode(b, corner(40, 60)) })
	for range 2 {
		if err := r.Ready(t.Context(), raster.PNG); err != nil {
			t.Fatal(err)
		}
		ps, err := pages(t, r, picture, 150)
		if err != nil {
			t.Fatal(err)
		}
		sameCorner(t, ps[0].Image, 40, 60, 5, 5)
	}
	if err := r.Ready(t.Context(), raster.Unknown); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(cache); !os.IsNotExist(err) {
		t.Errorf("the folder for the code of PDFium exists (%v): its child was started", err)
	}
}
