package raster_test

import (
	"math"
	"testing"

	"tcode/scanner/gray"
	"tcode/scanner/raster"
)

// FuzzMeta reads the bytes before the pixels. Our own parsers read them, the libraries' decoders read the
// rest.
func FuzzMeta(f *testing.F) {
	f.Add("jpeg", withExif([]byte{0xFF, 0xD8, 0xFF, 0xDA}, exif(6, 300)))
	f.Add("png", pngChunk(pngHeader(1, 1), "eXIf", exif(3, 200)))
	f.Add("webp", append([]byte("RIFF....WEBPEXIF\x32\x00\x00\x00"), exif(8, 400)...))
	f.Add("tiff", tiffPages(2, 2, 1, 2))
	f.Add("tiff", []byte("II*\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, kind string, file []byte) {
		orientation, dpi := raster.Meta(raster.Kind(kind), file)
		if orientation < 0 || orientation > 8 || math.IsNaN(dpi) || dpi < 0 {
			t.Errorf("orientation %d, %g dpi", orientation, dpi)
		}
		if n, err := raster.TIFFPages(file, 10); err == nil && (n < 0 || n > 11) {
			t.Errorf("%d pages", n)
		}
	})
}

// TestOrientKeepsPixels: each orientation is a permutation, and its inverse restores the image.
func TestOrientKeepsPixels(t *testing.T) {
	t.Parallel()
	m := gray.New(7, 5)
	for i := range m.Pix {
		m.Pix[i] = byte(i)
	}
	back := []int{1, 1, 2, 3, 4, 5, 8, 7, 6}
	for o := 1; o <= 8; o++ {
		turned := raster.Orient(m, o)
		seen := map[byte]bool{}
		for _, v := range turned.Pix {
			seen[v] = true
		}
		if len(seen) != 35 {
			t.Errorf("orientation %d shows %d of 35 pixels", o, len(seen))
		}
		if got := raster.Orient(turned, back[o]); string(got.Pix) != string(m.Pix) {
			t.Errorf("orientation %d and back is not the same image", o)
		}
	}
}
