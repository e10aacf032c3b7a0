package pdfstamp_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/pdfstamp"
)

// TestContentsLost: a file whose bytes were taken for text, or of whose contents nothing can be decoded, is refused, and the refusal
// names the page. A page that is empty on purpose is stamped.
func TestContentsLost(t *testing.T) {
	t.Parallel()
	read := func(name string) []byte {
		b, err := os.ReadFile("../../testdata/documents/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	asUTF8 := func(b []byte) []byte { return bytes.ToValidUTF8(b, []byte("\uFFFD")) }
	drawn := deflate(ground + strings.Repeat(" 1 2 m 3 4 l S", 9))
	coded := []byte("\xff\xd8\xff\xe0")
	for i := range 512 {
		coded = append(coded, byte(i*i>>3))
	}
	contents := func(object string) []byte {
		h := newHard()
		h.set(5, object)
		return h.build()
	}
	second := newHard() // the contents of its second page alone were changed
	second.set(7, strings.Replace(second.objects[4], "5 0 R", "8 0 R", 1))
	second.set(8, streamOf("/Filter/FlateDecode", string(asUTF8([]byte(drawn)))))
	second.swap(2, "[4 0 R]/Count 1", "[4 0 R 7 0 R 4 0 R]/Count 3")
	image := newHard() // an image of its page
	image.set(7, streamOf("/Subtype/Image/Width 9/Height 9/Filter/DCTDecode", string(asUTF8(coded))))
	image.swap(4, "/Resources<<", "/Resources<</XObject<</I 7 0 R>>")
	const asText, lost = "changed as text on its way", "cannot be decoded, so that it shows nothing of them"
	for name, c := range map[string]struct {
		pdf  []byte
		want string // of the refusal; empty: it is stamped
		page string
	}{
		"UTF-8":                  {asUTF8(read("letter.pdf")), asText, "page 1: "},
		"line ends":              {bytes.ReplaceAll(read("letter.pdf"), []byte("\n"), []byte("\r\n")), asText, "page 1: "},
		"line ends, packed":      {bytes.ReplaceAll(read("contract.pdf"), []byte("\n"), []byte("\r\n")), asText, ""}, // its objects
		"the second of 3 pages":  {second.build(), asText, "page 2: "},
		"an image of the page":   {image.build(), asText, "page 1: "},
		"contents without begin": {contents(streamOf("/Filter/FlateDecode", "xxxx"+drawn)), lost, "page 1: "},
		"as it was":              {read("letter.pdf"), "", ""},
		"no contents":            {contents("null"), "", ""},
		"empty contents":         {contents(streamOf("", "")), "", ""},
		"deflated nothing":       {contents(streamOf("/Filter/FlateDecode", deflate(""))), "", ""},
		"nothing to inflate":     {contents(streamOf("/Filter/FlateDecode", "")), "", ""},
		"white space":            {contents(streamOf("", " \n")), "", ""},
		"a blank page":           {contents(streamOf("/Filter/FlateDecode", deflate("1 g 0 0 595 842 re f BT /F1 9 Tf ( ) Tj ET"))), "", ""},
		"a part can be decoded":  {contents(streamOf("/Filter/FlateDecode", drawn[:len(drawn)-9])), "", ""},
	} {
		_, _, err := pdfstamp.PrepareForTest(c.pdf, pdfstamp.Placement{}, payload.Reference{1}, side)
		if err == nil && c.want == "" {
			continue
		}
		f := fault.As(pdfstamp.RefusalForTest(err))
		if c.want == "" || f.Kind != fault.Rejected || !strings.Contains(f.Message, c.want) || !strings.HasPrefix(err.Error(), c.page) {
			t.Errorf("%s: %v, want %q, %q", name, f, c.page, c.want)
		}
	}
}
