package caveat_test

import "testing"

// TestShapes: annotations and pages whose entries programs interpret differently have a caveat.
func TestShapes(t *testing.T) {
	t.Parallel()
	const picture = "/F 4/AP<</N 6 0 R>>"
	for _, tt := range []struct{ page, note, want string }{
		{"", "/Subtype/Stamp/Rect[0 0 9 9]" + picture, ""},
		{"", "/Subtype/Stamp/Rect[0 0 9]" + picture, "ambiguous"},
		{"", "/Subtype/Stamp/Rect[0 0 9 9 9]" + picture, "ambiguous"},
		{"", "/Subtype/Stamp/Rect[0 0 9 9]/F 5/AP<</N 6 0 R>>", "ambiguous"},
		{"", "/Subtype/Stamp/Rect[0 0 9 9]/F 4/AP<</N 7 0 R>>", "ambiguous"},
		{"", "/Subtype/Square/Rect[0 0 9 9]/F 4", "ambiguous"},
		{"", "/Subtype/Highlight/C[0 0 0]/Rect[0 0 9 9]" + picture, "ambiguous"},
		{"/Rotate 90/CropBox[0 0 9 9]", "", ""},
		{"", "/Subtype/Ink/Rect[0 0 9 9]/InkList[[1 1 8 8]]/F 4", "ambiguous"},
		{"", "/Subtype/Ink/Rect[0 0 9 9]/InkList[[1 1 8 8]]/F 4/AP<</D 6 0 R>>", "ambiguous"},
		{"/UserUnit 1.0", "", ""},
		{"/UserUnit 3", "", ""},
		{"/UserUnit 1.1", "", "ambiguous"},
		{"", "/Subtype/Link/Rect[0 0 9 9]/Border[0 0 1]", ""},
		{"", "/Subtype/Link/Rect[0 0 9 9]/Border[0 0 50]", "ambiguous"},
		{"/UserUnit 0.5", "", "ambiguous"},
		{"/UserUnit(3)", "", "ambiguous"},
		{"/MediaBox[0 0 99 99]/CropBox[9 9 90 90]", "", ""},
		{"/MediaBox[9 9 90 90]/CropBox[0 0 99 99]", "", ""},
		{"/MediaBox[0 0 99 99]/CropBox[50 50 200 200]", "", "ambiguous"},
		{"/MediaBox[0 0 99 99]/CropBox[0 0 99 50]", "", ""},
		{"/MediaBox[0 0 99 99]/CropBox[-9 0 50 99]", "", "ambiguous"},
		{"/Rotate 90.0", "", "ambiguous"},
		{"/Rotate 45", "", "ambiguous"},
		{"/CropBox[0 0 9]", "", "ambiguous"},
		{"/Annots 5 0 R", "", "ambiguous"},
	} {
		entries := tt.page
		if tt.note != "" {
			entries = "/Annots[5 0 R]"
		}
		file := edited(page("q Q"), "/Contents 4 0 R", "/Contents 4 0 R"+entries)
		file = edited(file, "4 0 obj", "5 0 obj<<"+tt.note+">>endobj\n6 0 obj<</BBox[0 0 9 9]/Length 12>>stream\n0 0 9 9 re f\nendstream endobj\n7 0 obj<</BBox[0 0 0 0]/Length 12>>stream\n0 0 9 9 re f\nendstream endobj\n4 0 obj")
		if got := codes([]byte(file)); got != tt.want {
			t.Errorf("%s %s: caveats %q, want %q", tt.page, tt.note, got, tt.want)
		}
	}
}
