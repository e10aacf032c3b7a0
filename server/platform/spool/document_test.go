package spool_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tcode/server/platform/spool"
)

// TestOtherPictures: a picture of a kind that does not become a document has a name, and a way to make one of it.
func TestOtherPictures(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"color.heic":       "it is a HEIC image; export it as PNG or JPEG",
		"color.avif":       "it is an AVIF image; export it",
		"rgb24.bmp":        "it is a BMP image; export it",
		"transparent.gif":  "it is a GIF image; export it",
		"lossy.webp":       "it is a WebP image; export it",
		"color.jp2":        "it is a JPEG 2000 image; export it",
		"gray.j2k":         "it is a JPEG 2000 image; export it",
		"one.pbm":          "it is a Netpbm image; export it",
		"tiff/bigtiff.tif": "it is a BigTIFF image; save it as PDF",
		"group4.tif":       "",
	} {
		file, err := os.ReadFile(filepath.Join("..", "..", "..", "scanner", "raster", "testdata", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		_, problem := spool.Bytes(file).Document()
		if (problem == "") != (want == "") || !strings.Contains(problem, want) {
			t.Errorf("%s: %q, want %q", name, problem, want)
		}
	}
}
