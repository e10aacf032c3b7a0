package caveat_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/offline/binding"
	"tcode/offline/payload"
	"tcode/scanner/caveat"
)

func codes(file []byte) string {
	var all []string
	for _, c := range caveat.Of(file) {
		all = append(all, c.Code)
	}
	return strings.Join(all, " ")
}

// plain is body as a file.
var plain = filed(body)

var headings = regexp.MustCompile(`(\d+) 0 obj`)

// filed returns body, which are objects, with a cross-reference table behind them.
func filed(body string) string {
	table := ""
	for _, m := range headings.FindAllStringSubmatchIndex(body, -1) {
		table += fmt.Sprintf("%s 1\n%010d 00000 n \n", body[m[2]:m[3]], m[0])
	}
	return fmt.Sprintf("%sxref\n0 1\n0000000000 65535 f \n%strailer<</Root 1 0 R/Size 100>>\nstartxref\n%d\n%%%%EOF\n", body, table, len(body))
}

// body is a document without caveats, although it has a link that a person may click, a
// form, layers that all show, and an action that opens it at a page.
const body = `%PDF-1.7
1 0 obj<</Type/Catalog/Pages 2 0 R/OpenAction 9 0 R/AcroForm<</Fields[6 0 R]>>/OCProperties<</OCGs[8 0 R]/D<</ON[8 0 R]/OFF[]
  /AS[<</Event/View/Category[/View]/OCGs[8 0 R]>>]>>>>>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/Annots[5 0 R 6 0 R]/Contents 4 0 R>>endobj
4 0 obj<</Length 0>>stream

endstream endobj
5 0 obj<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/F 4/A<</S/URI/URI(https://example.org)>>>>endobj
6 0 obj<</Subtype/Widget/FT/Tx/T(a)/V()/Rect[0 0 9 9]/F 4>>endobj
8 0 obj<</Type/OCG/Name(Header)/Usage<</Print<</PrintState/ON>>/View<</ViewState/ON>>>>>>endobj
9 0 obj<</S/GoTo/D[3 0 R/Fit]>>endobj
`

func TestOf(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, object, want string }{
		{"nothing", "", ""},
		{"script", "20 0 obj<</S/JavaScript/JS(app.alert)>>", "script"},
		{"script in a name tree", "20 0 obj<</Names[(a)<</JS 4 0 R>>]>>", "script"},
		{"script, name escaped", "20 0 obj<</S/Java#53cript>>", "script"},
		{"rendition with script", "20 0 obj<</S/Rendition/JS(x)>>", "script media"},
		{"xfa", "20 0 obj<</XFA[(a)4 0 R]>>", "xfa"},
		{"external stream", "20 0 obj<</F(other.bin)>>stream", "external"},
		{"external page", "20 0 obj<</Subtype/Form/Ref<</F(other.pdf)>>>>stream", "external"},
		{"OPI proxy", "20 0 obj<</Subtype/Image/OPI<<>>>>stream", "external"},
		{"hidden layer", "20 0 obj<</D<</OFF[8 0 R]>>>>", "layers"},
		{"hidden layers elsewhere", "20 0 obj<</OFF 21 0 R>>", "layers"},
		{"base state", "20 0 obj<</BaseState/OFF>>", "layers"},
		{"print layer", "20 0 obj<</Usage<</Print<</PrintState/OFF>>>>>>", "layers"},
		{"zoom layer", "20 0 obj<</Usage<</Zoom<</min 2>>>>>>", "layers"},
		{"hide action", "20 0 obj<</S/Hide/T(a)>>", "switch"},
		{"layer action", "20 0 obj<</S/SetOCGState/State[/OFF 8 0 R]>>", "switch"},
		{"import", "20 0 obj<</S/ImportData/F(a.fdf)>>", "switch"},
		{"appearances", "20 0 obj<</NeedAppearances true>>endobj 21 0 obj<</FT/Btn/Ff 65536/Subtype/Widget/Rect[0 0 9 9]/F 4/T(b)/MK<</CA(c)>>>>", "fields"},
		{"appearances of nothing", "20 0 obj<</NeedAppearances true>>", ""},
		{"no appearances", "20 0 obj<</NeedAppearances false>>", ""},
		{"print only", "20 0 obj<</Subtype/Stamp/Rect[0 0 9 9]/F 36>>", "print_only"},
		{"alternate image", "20 0 obj<</Subtype/Image/Alternates[<<>>]>>stream", "print_only"},
		{"PostScript", "20 0 obj<</Subtype/PS>>stream", "print_only"},
		{"film", "20 0 obj<</Subtype/Movie/Rect[0 0 9 9]>>", "media"},
		{"3D", "20 0 obj<</Subtype/3D/Rect[0 0 9 9]>>", "media"},
		{"launch", "20 0 obj<</S/Launch/F(a.exe)>>", "opens"},
		{"opens a site", "20 0 obj<</OpenAction<</S/URI/URI(http://a)>>>>", "opens"},
		{"opens by reference", "20 0 obj<</OpenAction 21 0 R>> endobj 21 0 obj<</S/GoToR/F(a.pdf)>>", "opens"},
		{"opens in the second place", "20 0 obj<</AA<</O<</S/GoTo/Next 21 0 R>>>>>> endobj 21 0 obj<</S/URI>>", "opens"},
		{"opens with a page", "20 0 obj<</AA 21 0 R>> endobj 21 0 obj<</O 22 0 R>> endobj 22 0 obj<</S/URI>>", "opens"},
		{"attachment", "20 0 obj<</EF<</F 4 0 R>>>>", "attachments"},
		{"portfolio", "20 0 obj<</Collection<<>>>>", "attachments"},
		{"key twice", "20 0 obj<</Contents 4 0 R/Contents 5 0 R>>", "ambiguous"},
		{"packed", "20 0 obj<</Type/ObjStm/N 1/First 4/Filter/LZWDecode>>stream", "not_examined"},
		{"too deep", "20 0 obj" + strings.Repeat("[", 100) + strings.Repeat("]", 100), "not_examined"},
		{"in an object stream", "20 0 obj<</Type/ObjStm/N 1/First 5/Length 22>>stream\n21 0 <</S/JavaScript>>\nendstream", "script"},
		{"script after an unknown word", "20 0 obj<</A 1 xendobj/S/JavaScript>>", "ambiguous"},
		{"type of action elsewhere", "20 0 obj<</S 21 0 R/T(a)>> endobj 21 0 obj/Hide", "not_examined"},
		{"kind of annotation elsewhere", "20 0 obj<</Subtype 21 0 R/Rect[0 0 9 9]>> endobj 21 0 obj/Movie", "not_examined"},
		{"flags elsewhere", "20 0 obj<</Subtype/Stamp/Rect[0 0 9 9]/F 21 0 R>> endobj 21 0 obj 36", "not_examined"},
		{"appearances elsewhere", "20 0 obj<</NeedAppearances 21 0 R>> endobj 21 0 obj true", "not_examined"},
		{"layer that shows while others hide", "20 0 obj<</Type/OCMD/OCGs[8 0 R]/P/AllOff>>", "layers"},
		{"layer by expression", "20 0 obj<</Type/OCMD/VE[/Not 8 0 R]>>", "layers"},
		{"screen only", "20 0 obj<</Subtype/Stamp/Rect[0 0 9 9]/AP<</N 4 0 R>>>>", "screen_only"},
		{"link with a picture", "20 0 obj<</Subtype/Link/Rect[0 0 9 9]/AP<</N 4 0 R>>>>", "ambiguous"},
		{"on screen and in print", "20 0 obj<</Subtype/Stamp/Rect[0 0 9 9]/F 4/AP<</N 4 0 R>>>>", ""},
		{"filled in", "20 0 obj<</FT/Tx/V(b)/T(a)>>", "fields"},
		{"filled in, drawn too", "20 0 obj<</Subtype/Widget/Rect[0 0 9 9]/F 4/Parent 21 0 R/V<62>/AP<</N 4 0 R>>>>", "fields"},
		{"choice", "20 0 obj<</FT/Ch/V[(b)]/T(a)>>", "fields"},
		{"box ticked", "20 0 obj<</FT/Btn/V/Yes/T(a)>>", ""},
		{"opens in the third place", "20 0 obj<</OpenAction 21 0 R>> endobj 21 0 obj<</S/GoTo/Next 22 0 R>> endobj 22 0 obj<</S/URI>>", "opens"},
		{"opens by a name for it", "20 0 obj<</OpenAction 21 0 R>> endobj 21 0 obj 22 0 R endobj 22 0 obj<</S/URI>>", "opens"},
		{"page without number", "20 0 obj<</Type/Pages/Kids[<</Type/Page>>]/Count 1>>", "ambiguous"},
		{"page that is not counted", "20 0 obj<</Type/Pages/Kids[3 0 R 3 0 R]/Count 1>>", "ambiguous"},
		{"page that is not there", "20 0 obj<</Type/Pages/Kids[3 0 R 99 0 R]/Count 2>>", "ambiguous"},
		{"page twice", "20 0 obj<</Type/Pages/Kids[3 0 R 3 0 R]/Count 2>>", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			object := tt.object
			if head, isStream := strings.CutSuffix(object, ">>stream"); isStream {
				object = head + "/Length 1>>stream\nx\nendstream"
			}
			if got := codes([]byte(filed(body + object + " endobj\n"))); got != tt.want {
				t.Errorf("caveats %q, want %q", got, tt.want)
			}
		})
	}
	for junk, want := range map[string]string{"\n \r\n": "ambiguous", "\xef\xbb\xbf": "ambiguous", "<html>": "ambiguous", "PK\x03\x04": "ambiguous"} {
		if got := codes([]byte(junk + plain)); got != want {
			t.Errorf("behind %q: caveats %q, want %q", junk, got, want)
		}
	}
}

func TestAdded(t *testing.T) {
	t.Parallel()
	ref, err := payload.ParseReference("TCR-0123456789ABCDEF")
	if err != nil {
		t.Fatal(err)
	}
	mark := string(binding.Mark{Reference: ref}.Append(nil))
	for added, want := range map[string]string{
		" \r\n":                  "3 bytes of white space were added",
		"\x00 PK":                "4 bytes were added: no part of a PDF",
		"20 0 obj<</A 1>>endobj": "22 bytes were added: objects that are not on a page by themselves",
		"3 0 obj<</Type/Page>>":  "21 bytes were added: 1 new version of a page",
		"2 0 obj<</Type/Pages>>": "22 bytes were added: 1 new version of the document's structure",
		"4 0 obj<<>>stream\nx":   "19 bytes were added: 1 drawing or data stream",
		"4 0 obj<</FT/Tx/V(x)>>": "22 bytes were added: 1 form field",
		"4 0 obj<</Rect[]/Subtype/A>> 5 0 obj<</Rect[]/Subtype/A>>": "57 bytes were added: 2 annotations",
		"4 0 obj<</ByteRange[0 1 2 3]/Contents<00>>>":               "43 bytes were added: a signature that could not be checked",
		"4 0 obj<<" + mark + ">>":                                   "87 bytes were added: another TCode stamp, TCR-0123456789ABCDEF",
		"4 0 obj<</Type/ObjStm/N 1/First 9/Filter/LZW>>stream\n":    "53 bytes were added: parts that could not be looked at",
		strings.Repeat("3 0 obj<</Type/Page>>endobj\n", 1000):       "28,000 bytes were added: 1,000 new versions of a page",
	} {
		if diff := cmp.Diff(want, caveat.Added([]byte(plain+added), int64(len(plain)))); diff != "" {
			t.Errorf("Added(%.60q) (-want +got):\n%s", added, diff)
		}
	}
}

// FuzzOf: for any file, Of reports a script in it, or reports that parts could not be
// examined; OwnFonts returns existing pages, each once.
func FuzzOf(f *testing.F) {
	f.Add([]byte(plain))
	f.Add([]byte("%PDF-1.4\n1 0 obj<</Type/ObjStm/N 1/First 4>>stream\n7 0 <<>>endstream"))
	f.Fuzz(func(t *testing.T, file []byte) {
		file = append(bytes.Clone(file), "\n1 0 obj<</S/JavaScript/JS(x)>>endobj"...)
		if got := codes(file); !strings.Contains(got, caveat.Script) && !strings.Contains(got, caveat.Unseen) {
			t.Fatalf("caveats %q of a file with a script", got)
		}
		caveat.Added(file, int64(len(file)/2))
		last := 0
		for _, page := range caveat.OwnFonts(file) {
			if page <= last {
				t.Fatalf("page %d after page %d", page, last)
			}
			last = page
		}
	})
}

// TestLayerWithoutEvent: some programs hide a layer whose own state says off although no
// event of the configuration asks for it.
func TestLayerWithoutEvent(t *testing.T) {
	bare := strings.Replace(plain, "/AS[<</Event/View/Category[/View]/OCGs[8 0 R]>>]", strings.Repeat(" ", 49), 1)
	if bare == plain || codes([]byte(bare)) != "" {
		t.Fatalf("without events: %q, want no caveat", codes([]byte(bare)))
	}
	for _, usage := range []string{"/View<</ViewState/ON", "/PrintState/ON"} {
		file := strings.Replace(bare, usage, strings.TrimSuffix(usage, "ON")+"OFF", 1)
		file = strings.Replace(file, "/Name(Header)", "/Name(Head)\n", 1) // as long as before
		if got := codes([]byte(file)); !strings.Contains(got, "layers") {
			t.Errorf("%s off: %q, want layers", usage, got)
		}
	}
}
