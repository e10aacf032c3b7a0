package device_test

import (
	"testing"

	"tcode/cmd/internal/device"
	"tcode/scanner/caveat"
	"tcode/scanner/raster"
)

// TestMisnamed: a name of another kind gives a caution; a name that claims no
// kind gives none.
func TestMisnamed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		kind raster.Kind
		want bool
	}{
		{"contract.pdf", raster.PDF, false},
		{"CONTRACT.PDF", raster.PDF, false},
		{"folder.html/contract.Pdf", raster.PDF, false},
		{`C:\folder.html\contract.pdf`, raster.PDF, false},
		{"contract.docx", raster.PDF, true},
		{"contract.html", raster.PDF, true},
		{"contract.HTML", raster.PDF, true},
		{"contract.pdf.html", raster.PDF, true},
		{"contract.html.pdf", raster.PDF, false}, // opened by its last ending
		{"contract.pdf.html.", raster.PDF, true},
		{"contract.html . ", raster.PDF, true},
		{"contract.pdf. .", raster.PDF, false},
		{"contract\u202efdp.exe", raster.PDF, true},
		{"contract.\uff50df", raster.PDF, true}, // a full-width p
		{"contract.hta", raster.PDF, true},
		{"contract.7z", raster.PDF, true},
		{"contract.unheardof", raster.PDF, true},
		{"contract.pdf~", raster.PDF, true},
		{"contract.png", raster.PDF, true},
		{"scan.pdf", raster.PNG, true},
		{"scan.png", raster.PNG, false},
		{"scan.jpg", raster.PNG, true},
		{"scan.JPG", raster.JPEG, false},
		{"scan.jpeg", raster.JPEG, false},
		{"scan.tif", raster.TIFF, false},
		{"scan.tiff", raster.TIFF, false},
		{"scan.bmp", raster.BMP, false},
		{"scan.gif", raster.GIF, false},
		{"scan.webp", raster.WebP, false},
		{"IMG_0001.HEIC", raster.HEIC, false},
		{"IMG_0001.jpg", raster.HEIC, true},
		{"photo.heif", raster.AVIF, false},
		{"photo.avif", raster.AVIF, false},
		{"scan.j2k", raster.JP2, false},
		{"scan.ppm", raster.PNM, false},
		{"standard input", raster.PDF, false},
		{"-", raster.PDF, false},
		{"", raster.PDF, false},
		{"contract", raster.PDF, false},
		{"report.2026", raster.PDF, false},
		{"report 1.2", raster.PDF, false},
		{"Contract with St. Gallen", raster.PDF, false},
		{".pdf", raster.PDF, false},
		{".html", raster.PDF, true},
		{"contract.docx", raster.Unknown, false}, // not a document, so nothing is judged
	} {
		got := device.Misnamed(tt.name, tt.kind)
		if (len(got) == 1 && got[0].Code == caveat.FileName) != tt.want || len(got) > 1 {
			t.Errorf("%q, a %s: %v, want a caveat %v", tt.name, tt.kind, got, tt.want)
		}
	}
}
