package caveat_test

import (
	"fmt"
	"strings"
	"testing"

	"tcode/scanner/caveat"
)

// page returns a document with one page and contents.
func page(contents string) string {
	return filed(fmt.Sprintf(`%%PDF-1.7
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/Contents 4 0 R>>endobj
4 0 obj<</Length %d>>stream
%s
endstream endobj
`, len(contents), contents))
}

// TestContents: Of reports contents that programs read differently.
func TestContents(t *testing.T) {
	t.Parallel()
	const fine, wrong = "", "ambiguous"
	for _, tt := range []struct{ contents, want string }{
		{"q 1 0 0 1 .5 -3. cm BT /F 9 Tf (a\\)\\101)' [(b)-3<41 4>]TJ ET Q", fine},
		{"/Span<</A[1(x)<</B/C>>]/D true>>BDC EMC /OC/M BDC EMC % )\nq", fine},
		{"0 0 m 9 9 l S 1 1 8 8 re f /DeviceRGB cs 0.1 0.2 0.3 scn 0 g 1 sc q 1 0 0 rg Q 0 sc", fine},
		{"/F 9 Tf (a\\(b\\061\\\r\n) Tj <4142> Tj /G 9 Tf (a) Tj", wrong},
		{"/DeviceCMYK CS 0 0 0 1 SC 1 G 0 SC", fine},

		{"0.1 0.2 0.3 scn", wrong},
		{"/DeviceRGB cs 1 1 sc", wrong},
		{"/DeviceRGB cs q 0 g Q 1 sc", wrong},
		{"/DeviceGray cs /P scn", wrong},
		{"/Pattern cs 1 scn", wrong},
		{"(a) Tj", wrong},
		{"/F 9 Tf (a\nb) Tj", wrong},
		{"/F 9 Tf (a\rb) Tj", wrong},
		{"/F 9 Tf (a\x00b) Tj", wrong},
		{"/F 9 Tf (a\\000b) Tj", wrong},
		{"/F 9 Tf (a\\nb) Tj", wrong},
		{"/F 9 Tf (a\\12) Tj", wrong},
		{"/F 9 Tf <410> Tj <0> Tj", wrong},
		{"/F 9 Tf [(a) 3 <1f>] TJ", wrong},
		{"/F 9 Tf (a\t)'", wrong},
		{"/F 9 Tf (a\x80)'", wrong},
		{"9 0 d0", wrong},
		{"BX 1 2 unknown EX", fine},
		{"BI /W 4/H 1/BPC 8/CS/G ID abcd EI", fine},
		{"BI /W 4/H 1/BPC 8/CS/G/F/AHx ID 41 42 43 44> EI", fine},
		{"BI /W 4/H 1/BPC 8/CS/G ID abcdEI", fine},
		{"BI /W 4/H 1/BPC 8/CS/G ID ab\nEI\ncdEI", wrong},
		{"", fine},
		{"/Pattern cs 0 g 1 sc", fine},
		{"q /Pattern cs Q 1 sc", fine},
		{"/Pattern CS 1 sc", fine},

		{"/Pattern cs 1 sc", wrong},
		{"/Pattern cs 1 scn", wrong},
		{"/Pattern CS 1 1 1 SCN", wrong},
		{"Q", wrong},
		{"/G 9 Tf", wrong},
		{"/X Do", wrong},
		{"/X gs", wrong},
		{"/X cs", wrong},
		{"/X sh", wrong},
		{"-1 w", wrong},
		{"9 J", wrong},
		{"8 Tr", wrong},
		{"Q 1 g Q q q", wrong},
		{"1 unknown", wrong},
		{"1 g0 0 0 rg", wrong},
		{"1 2 w", wrong},
		{"(a) (b) Tj", wrong},
		{"Tj", wrong},
		{"+-1 w", wrong},
		{"--1 w", wrong},
		{"1-1 w", wrong},
		{"1e3 w", wrong},
		{"1,5 w", wrong},
		{"123456789012345 w", wrong},
		{"BT ET ET", wrong},
		{"BT BT ET", wrong},
		{"9 9 l S", wrong},
		{"(a", wrong},
		{"(\\777) Tj", wrong},
		{"<4x> Tj", wrong},
		{"[(a) TJ", wrong},
		{"(a) Tj ]", wrong},
		{"/A#00 gs", wrong},
		{"/A#4 gs", wrong},
		{"<</A>> BDC", wrong},
		{"1 2", wrong},
		{strings.Repeat("[", 9) + strings.Repeat("]", 9) + " TJ", wrong},
		{"BI /W 4/H 1/BPC 8/CS/G ID ab EI", wrong},
		{"BI /W 4/H 1/BPC 8/CS/G ID ab EI cd EI", wrong},
		{"BI /W 4/H 1/BPC 8/CS/G IDabcd EI", wrong},
		{"BI /W 4/H 1/BPC 8/CS/G ID abcd", wrong},
		{"BI /W 4/H 1/BPC 8/CS/G/F/Fl ID abcd EI", wrong},
		{"BI /W 4/H 1/BPC 8/CS/G/F/AHx ID 41> EI 42> EI", wrong},
	} {
		const resources = "/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>"
		got := caveat.Of([]byte(edited(page(tt.contents), "/Contents 4 0 R", "/Contents 4 0 R"+resources)))
		var all []string
		for _, c := range got {
			all = append(all, c.Code)
		}
		if codes := strings.Join(all, " "); codes != tt.want {
			t.Errorf("%s: caveats %q, want %q: %v", tt.contents, codes, tt.want, got)
		} else if codes == wrong && !strings.Contains(got[0].Text, "page 1") {
			t.Errorf("%s: %q does not say the page", tt.contents, got[0].Text)
		}
	}
}

// TestContentsInParts: a word must not continue in the next stream, and an entry that is
// no stream does not count.
func TestContentsInParts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ list, first, second, want string }{
		{"[4 0 R 5 0 R]", "q 1 0 0", "rg Q", ""},
		{"[4 0 R 5 0 R]", "q (a", ") Tj Q", "ambiguous"},
		{"[4 0 R 5 0 R]", "q 1 0 0 r", "g Q", "ambiguous"},
		{"[4 0 R null 5 0 R]", "q", "Q", "ambiguous"},
		{"[4 0 R 3 0 R]", "q", "Q", "ambiguous"},
		{"[[4 0 R]]", "q", "Q", "ambiguous"},
		{"3 0 R", "q", "Q", "ambiguous"},
	} {
		file := edited(page(tt.first), "/Contents 4 0 R", "/Contents "+tt.list)
		file = edited(file, "4 0 obj", fmt.Sprintf("5 0 obj<</Length %d>>stream\n%s\nendstream endobj\n4 0 obj", len(tt.second), tt.second))
		if got := codes([]byte(file)); got != tt.want {
			t.Errorf("%s of %q and %q: caveats %q, want %q", tt.list, tt.first, tt.second, got, tt.want)
		}
	}
}

// FuzzContents: contents are read to an end, and contents before them do not
// matter.
func FuzzContents(f *testing.F) {
	f.Add("BI /W 4/H 1 ID abcd EI [(a)]TJ")
	f.Add("/A<</B[1 <41> (x)]>>BDC")
	f.Fuzz(func(t *testing.T, contents string) {
		one, two := codes([]byte(page(contents))), codes([]byte(page(contents)))
		if one != two {
			t.Fatalf("%q, then %q", one, two)
		}
		if more := codes([]byte(page("0 w " + contents + "\nunknown"))); !strings.Contains(contents, "BX") && more == "" {
			t.Fatal("an unknown operator behind them was not found")
		}
	})
}

// TestDrawnParts: characters of fonts, patterns and forms are contents as well.
func TestDrawnParts(t *testing.T) {
	t.Parallel()
	for resources, entries := range map[string]string{
		"/Font<</T<</Subtype/Type3/FontMatrix[1 0 0 1 0 0]/Encoding<</Differences[65/a]>>/CharProcs<</a 5 0 R>>>>>>": "",
		"/Pattern<</P 5 0 R>>": "/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9",
		"/XObject<</X 5 0 R>>": "/Subtype/Form/BBox[0 0 9 9]",
	} {
		width := ""
		if strings.Contains(resources, "Type3") {
			width = "9 0 d0 "
		}
		for contents, want := range map[string]string{width + "q Q": "", width + "Q q": "ambiguous"} {
			file := edited(page("n"), "/Contents 4 0 R", "/Contents 4 0 R/Resources<<"+resources+">>")
			file = edited(file, "4 0 obj", fmt.Sprintf("5 0 obj<<%s/Length %d>>stream\n%s\nendstream endobj\n4 0 obj", entries, len(contents), contents))
			if got := codes([]byte(file)); got != want {
				t.Errorf("%q in %s: caveats %q, want %q", contents, resources, got, want)
			}
		}
	}
}

// TestDrawnCharacter: the width of a drawn character must come first. Otherwise some
// programs take it for a character with colours of its own.
func TestDrawnCharacter(t *testing.T) {
	t.Parallel()
	for contents, want := range map[string]string{
		"9 0 d0 1 g": "", "9 0 0 0 9 9 d1 0 0 9 9 re f": "",
		"1 g 9 0 d0": "ambiguous", "1 g 9 0 0 0 9 9 d1 0 0 9 9 re f": "ambiguous", "0 0 9 9 re f": "ambiguous",
	} {
		const font = "/Font<</T<</Subtype/Type3/FontMatrix[1 0 0 1 0 0]/Encoding<</Differences[65/a]>>/CharProcs<</a 5 0 R>>>>>>"
		file := edited(page("n"), "/Contents 4 0 R", "/Contents 4 0 R/Resources<<"+font+">>")
		file = edited(file, "4 0 obj", fmt.Sprintf("5 0 obj<</Length %d>>stream\n%s\nendstream endobj\n4 0 obj", len(contents), contents))
		if got := codes([]byte(file)); got != want {
			t.Errorf("%q: caveats %q, want %q", contents, got, want)
		}
	}
}
