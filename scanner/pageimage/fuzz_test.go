package pageimage_test

import (
	"bytes"
	"errors"
	"testing"

	"tcode/scanner/gray"
	"tcode/scanner/pageimage"
	"tcode/scanner/simulate"
	"tcode/scanner/simulate/scanned"
)

// FuzzShow: whatever the file, a page is either shown within the bounds, the same each time, and in white or the tones of its pictures, or
// has one of the errors.
func FuzzShow(f *testing.F) {
	for _, coding := range scanned.Codings {
		file, err := scanned.PDF([]*gray.Image{simulate.Clutter(120, 90, 9, 1)}, scanned.Options{DPI: 100, Coding: coding, Strips: 2})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file)
	}
	for _, s := range []sheet{
		{contents: whole, page: "/Rotate 90 /CropBox [5 5 50 30]"},
		{contents: whole + " q 30 0 0 20 10 10 cm /Two Do Q", xobjects: "/Two 6 0 R", more: []string{stream("/Type /XObject /Subtype /Image /Width 3 /Height 1 /ColorSpace /DeviceRGB /BitsPerComponent 8", "\xff\x00\x00\x00\xff\x00\x00\x00\xff")}},
		{contents: "/Fm Do", xobjects: "/Fm 6 0 R", more: []string{stream("/Type /XObject /Subtype /Form /BBox [0 0 60 15] /Resources << /XObject << /Im 5 0 R >> >>", "30 0 0 20 0 0 cm /Im Do")}},
		{contents: whole, picture: "/ImageMask true /Decode [1 0]", data: []byte("\xa8\x54\xa8\x54")},
		{contents: whole, picture: "/ColorSpace [/Indexed /DeviceRGB 3 <000000FF0000808080FFFFFF>] /BitsPerComponent 4", data: []byte("\x01\x23\x01\x32\x10\x00\x33\x33\x33\x22\x22\x22")},
	} {
		f.Add(s.pdf())
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		doc, again := pageimage.Open(file), pageimage.Open(file)
		for n := 1; n <= min(doc.Pages(), 4); n++ {
			got, err := doc.Show(t.Context(), n, decode)
			if err != nil {
				if errors.Is(err, pageimage.ErrContents) && got.Image != nil {
					t.Fatalf("page %d: %v, and a picture", n, err)
				}
				continue
			}
			if !got.Image.Valid() || got.Image.Width*got.Image.Height > 13_000_000 || !(got.DPI > 0 && got.DPI < pageimage.MaxDPI+1) {
				t.Fatalf("page %d: %d x %d px, %g dpi", n, got.Image.Width, got.Image.Height, got.DPI)
			}
			if placed, err := doc.Placed(n); err != nil || len(placed) == 0 && bytes.Count(got.Image.Pix, []byte{255}) < len(got.Image.Pix) {
				t.Fatalf("page %d without a picture is not white (%v)", n, err)
			}
			same, err := again.Show(t.Context(), n, decode)
			if err != nil || same.DPI != got.DPI || !bytes.Equal(same.Image.Pix, got.Image.Pix) {
				t.Fatalf("page %d is another one the second time (%v)", n, err)
			}
		}
	})
}
