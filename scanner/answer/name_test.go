package answer_test

import (
	"testing"

	"tcode/scanner/answer"
	"tcode/scanner/caveat"
	"tcode/scanner/filekind"
)

// TestMisnamed: a name of another kind gives a caution; a name that claims no
// kind gives none.
func TestMisnamed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		kind filekind.Kind
		want bool
	}{
		{"contract.pdf", filekind.PDF, false},
		{"CONTRACT.PDF", filekind.PDF, false},
		{"folder.html/contract.Pdf", filekind.PDF, false},
		{`C:\folder.html\contract.pdf`, filekind.PDF, false},
		{"contract.docx", filekind.PDF, true},
		{"contract.html", filekind.PDF, true},
		{"contract.HTML", filekind.PDF, true},
		{"contract.pdf.html", filekind.PDF, true},
		{"contract.html.pdf", filekind.PDF, false}, // opened by its last ending
		{"contract.pdf.html.", filekind.PDF, true},
		{"contract.html . ", filekind.PDF, true},
		{"contract.pdf. .", filekind.PDF, false},
		{"contract\u202efdp.exe", filekind.PDF, true},
		{"contract.\uff50df", filekind.PDF, true}, // a full-width p
		{"contract.hta", filekind.PDF, true},
		{"contract.7z", filekind.PDF, true},
		{"contract.unheardof", filekind.PDF, true},
		{"contract.pdf~", filekind.PDF, true},
		{"contract.png", filekind.PDF, true},
		{"scan.pdf", filekind.PNG, true},
		{"scan.png", filekind.PNG, false},
		{"scan.jpg", filekind.PNG, true},
		{"scan.JPG", filekind.JPEG, false},
		{"scan.jpeg", filekind.JPEG, false},
		{"scan.tif", filekind.TIFF, false},
		{"scan.tiff", filekind.TIFF, false},
		{"scan.bmp", filekind.BMP, false},
		{"scan.gif", filekind.GIF, false},
		{"scan.webp", filekind.WebP, false},
		{"IMG_0001.HEIC", filekind.HEIC, false},
		{"IMG_0001.jpg", filekind.HEIC, true},
		{"photo.heif", filekind.AVIF, false},
		{"photo.avif", filekind.AVIF, false},
		{"scan.j2k", filekind.JP2, false},
		{"scan.ppm", filekind.PNM, false},
		{"standard input", filekind.PDF, false},
		{"-", filekind.PDF, false},
		{"", filekind.PDF, false},
		{"contract", filekind.PDF, false},
		{"report.2026", filekind.PDF, false},
		{"report 1.2", filekind.PDF, false},
		{"Contract with St. Gallen", filekind.PDF, false},
		{".pdf", filekind.PDF, false},
		{".html", filekind.PDF, true},
		{"contract.docx", filekind.Unknown, false}, // not a document, so nothing is judged
	} {
		got := answer.Misnamed(tt.name, tt.kind)
		if (len(got) == 1 && got[0].Code == caveat.FileName) != tt.want || len(got) > 1 {
			t.Errorf("%q, a %s: %v, want a caveat %v", tt.name, tt.kind, got, tt.want)
		}
	}
}
