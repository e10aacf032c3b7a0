package raster_test

import (
	"bytes"
	"os"
	"testing"

	"tcode/scanner/raster"
)

// FuzzStill reads the boxes of HEIC and AVIF files. What passes is within the limits before a decoder sees it: the sizes, the
// work for all tiles, and the place of the number that the second run changes.
func FuzzStill(f *testing.F) {
	for _, k := range []raster.Kind{raster.HEIC, raster.AVIF} {
		f.Add(turned(f, k, irot(1), clap(40, 96, -12, 0)))
	}
	for _, h := range hostileHEIF(f) {
		if len(h.file) < 4096 {
			f.Add(h.file)
		}
	}
	for _, name := range []string{"veil.heic", "oddthumb.heic", "grid.avif", "sequence.avif"} {
		file, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		before := bytes.Clone(file)
		s, err := raster.ReadStill(file, 1_000_000)
		if !bytes.Equal(file, before) {
			t.Fatal("the file was changed")
		}
		if err != nil {
			return
		}
		if s.Width < 1 || s.Height < 1 || s.Width > 1_000_000/s.Height {
			t.Errorf("%d x %d px of 1000000", s.Width, s.Height)
		}
		if s.Work > 4*1_000_000+16<<20 {
			t.Errorf("tiles of %d px for an image of %d x %d", s.Work, s.Width, s.Height)
		}
		if n := s.NumberEnd - s.Number; s.Number < 0 || s.NumberEnd > len(file) || n != 2 && n != 4 {
			t.Errorf("the number of the main item lies at %d to %d of %d", s.Number, s.NumberEnd, len(file))
		}
		if w, h, ok := s.Shown(); ok && (w < 1 || h < 1 || w*h > s.Width*s.Height) {
			t.Errorf("%d x %d px become %d x %d", s.Width, s.Height, w, h)
		}
	})
}

// FuzzPNM decodes Netpbm images. An image has the pixels that its header claims, and as much memory.
func FuzzPNM(f *testing.F) {
	f.Add([]byte("P1\n# a comment\n3 2\n10 1\n0 1 0"))
	f.Add([]byte("P3 3 2 255 255 0 0 0 255 0 0 0 255 0 0 0 255 255 255 9 9 9"))
	f.Add([]byte("P5 1 1 255 \x07P4 9 1\n\xff\x80P6 1 1 65535 \x09\x09\x09\x09\x09\x09"))
	f.Add([]byte("P7\nWIDTH 3\nHEIGHT 2\nDEPTH 2\nMAXVAL 255\nENDHDR\n\x00\xff\x00\x00\x00\x80\x09\xff\x80\xff\xff\x00"))
	f.Fuzz(func(t *testing.T, file []byte) {
		images, err := raster.PNMImages(file, 1_000_000, 5)
		if err != nil {
			return
		}
		if len(images) > 6 {
			t.Errorf("%d images of 5 and one", len(images))
		}
		for _, m := range images {
			if !m.Valid() || m.Width < 1 || m.Height < 1 || m.Width*m.Height > 1_000_000 {
				t.Errorf("image of %d x %d px with %d bytes", m.Width, m.Height, len(m.Pix))
			}
		}
	})
}

// FuzzJP2 reads the headers of JPEG 2000 files. The PDF for the engine holds the file as it is, and the size of its code stream.
func FuzzJP2(f *testing.F) {
	f.Add([]byte(jpx(20, 20, 20, 3)))
	f.Add(jp2File(20, 20, 1, jpx(20, 20, 20, 1), box("res ", box("resc", u16(11811, 1, 11811, 1), []byte{0, 0})), box("cdef", u16(1, 0, 1, 0))))
	f.Fuzz(func(t *testing.T, file []byte) {
		w, h, components, dpi, pdf, err := raster.ReadJP2(file)
		if err != nil {
			return
		}
		if components < 1 || components > 4 || !(dpi >= 0 && dpi < 1e6) {
			t.Errorf("%d components, %g dpi", components, dpi)
		}
		if !bytes.Contains(pdf, file) || len(pdf) > len(file)+2048 {
			t.Errorf("a PDF of %d bytes for %d x %d px in %d", len(pdf), w, h, len(file))
		}
	})
}
