package tiffpage_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"tcode/scanner/picturefile"
	"tcode/scanner/tiffpage"
)

// FuzzDecode: no bytes are a fault, and pixels have the size of the page.
func FuzzDecode(f *testing.F) {
	for _, name := range []string{"black-g4", "white-g31d-lsb", "zip-tiles", "palette-big-endian", "zip-planes", "black-none-lsb"} {
		file, err := os.ReadFile(filepath.Join("..", "raster", "testdata", "tiff", name+".tif"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		order := picturefile.TIFFOrder(file)
		if order == nil {
			return
		}
		p, _, ok := tiffpage.At(file, order, order.Uint32(file[4:]))
		if !ok || p.Width > 1<<10 || p.Height > 1<<10 {
			return // such pictures take long
		}
		img, err := p.Decode(bytes.Clone(file))
		if err != nil {
			return
		}
		if size := img.Bounds().Size(); size.X != p.Width || size.Y != p.Height {
			t.Fatalf("%v, want %d x %d", size, p.Width, p.Height)
		}
	})
}
