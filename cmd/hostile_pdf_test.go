package cmd_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"hash/adler32"
	"math"
	"strings"
)

// hostilePDFs are files of at most about a MB that cost naive programs minutes
// or gigabytes.
func hostilePDFs() map[string][]byte {
	page := func(more objects) []byte { return sheet{more: more}.pdf() }
	tree := func(kids string, more objects) []byte {
		more[2] = "<</Type/Pages/Count 1000000000/Kids[" + kids + "]>>"
		return page(more)
	}
	forms, chain := objects{}, objects{}
	for i := range 40 {
		forms[10+i] = stream(fmt.Sprintf("/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X %d 0 R>>>>", 11+i), "/X Do /X Do")
	}
	forms[50] = stream("/Subtype/Form/BBox[0 0 9 9]", "0 0 1 1 re f")
	forms[3] = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</XObject<</X 10 0 R>>>>>>"
	forms[4] = stream("", "/X Do")
	for i := range 5000 {
		chain[10+i] = fmt.Sprintf("<</Type/Pages/Count 1/Kids[%d 0 R]>>", 11+i)
	}
	contents := func(entries, data string) []byte { return page(objects{4: stream(entries, data)}) }
	twice := deflate([]byte(deflateMany("q\n", 1<<19, 1<<9)))
	zeros := deflateMany("\x00", 1<<20, 1<<10)
	return map[string][]byte{
		"1 GiB of contents":       contents("/Filter/FlateDecode", zeros),
		"deflated twice":          contents("/Filter[/FlateDecode/FlateDecode]", twice),
		"a thousand filters":      contents("/Filter["+strings.Repeat("/FlateDecode", 1000)+"]", "x"),
		"open states":             contents("", strings.Repeat("q ", 1<<19)),
		"open marks":              contents("", strings.Repeat("/A BMC ", 1<<17)),
		"an image in the text":    contents("", "BI /W 100000 /H 100000 /BPC 8 /CS /G ID "+strings.Repeat("x", 1<<20)),
		"1e9 pages, one kid":      tree("3 0 R", objects{}),
		"one page 100,000 times":  tree(strings.Repeat("3 0 R ", 100_000), objects{}),
		"a tree of itself":        tree("2 0 R 3 0 R", objects{}),
		"a tree 5,000 deep":       tree("10 0 R", chain),
		"contents of themselves":  page(objects{10: "[10 0 R 4 0 R]", 3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 10 0 R>>"}),
		"length of itself":        page(objects{4: "<</Length 4 0 R>>stream\nq\nendstream"}),
		"a deep array":            page(objects{10: strings.Repeat("[", 1<<19)}),
		"deep boxes":              page(objects{3: "<</Type/Page/Parent 2 0 R/MediaBox " + strings.Repeat("[", 1<<18) + ">>"}),
		"deep dictionaries":       page(objects{3: strings.Repeat("<</A", 1<<18)}),
		"a page of 1e30 points":   page(objects{3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 1000000000000000000000000000000 1]/Contents 4 0 R>>"}),
		"forms that draw forms":   page(forms),
		"fields of themselves":    sheet{catalog: "/AcroForm<</Fields[10 0 R]>>", more: objects{10: "<</Kids[10 0 R 10 0 R]>>"}}.pdf(),
		"sections of themselves":  bytes.Replace(page(nil), []byte("/Root 1 0 R"), fmt.Appendf(nil, "/Root 1 0 R/Prev %d", bytes.Index(page(nil), []byte("xref"))), 1),
		"2e9 objects":             bytes.Replace(page(nil), []byte("/Size 200"), fmt.Appendf(nil, "/Size %d", math.MaxInt32), 1),
		"a long section":          bytes.Replace(page(nil), []byte("xref\n0 1"), []byte("xref\n0 2000000000"), 1),
		"a section of 1 GiB":      sectionBomb(zeros),
		"streams that never end":  append(page(nil), strings.Repeat("9 0 obj<</Length 1>>stream\n", 40_000)...),
		"objects in a heap":       append([]byte("%PDF-1.4\n"), strings.Repeat("1 0 obj<</Type/Catalog/Pages 1 0 R>>endobj\n", 24_000)...),
		"brackets":                append([]byte("%PDF-1.4\n1 0 obj"), strings.Repeat("(", 1<<20)...),
		"nothing but a header":    append([]byte("%PDF-1.4\n"), strings.Repeat("trailer<<", 1<<17)...),
		"a picture of 60,000 px":  page(objects{10: "<</Subtype/Image/Width 60000/Height 60000/BitsPerComponent 8/ColorSpace/DeviceGray/Filter/FlateDecode/Length 10>>stream\n0123456789\nendstream", 3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</XObject<</X 10 0 R>>>>>>", 4: stream("", "q 595 0 0 842 0 0 cm /X Do Q")}),
		"a pattern of one point":  page(objects{3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 14400 14400]/Contents 4 0 R/Resources<</Pattern<</P 10 0 R>>>>>>", 4: stream("", "/Pattern cs /P scn 0 0 14400 14400 re f"), 10: stream("/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 1 1]/XStep .01/YStep .01/Resources<<>>", "0 0 1 1 re f")}),
		"a million words on it":   contents("/Filter/FlateDecode", deflate(bytes.Repeat([]byte("0 0 595 842 re f\n"), 1<<20))),
		"an object stream, bomb":  page(objects{10: stream("/Type/ObjStm/N 100000000/First 1000000000/Filter/FlateDecode", zeros)}),
		"names that never end":    page(objects{10: "/" + strings.Repeat("A", 1<<20)}),
		"a string with 1e6 opens": page(objects{10: strings.Repeat("(", 1<<20) + strings.Repeat(")", 1<<20)}),
	}
}

// deflate compresses with the highest level.
func deflate(b []byte) string {
	var out bytes.Buffer
	z, _ := zlib.NewWriterLevel(&out, zlib.BestCompression)
	z.Write(b)
	z.Close()
	return out.String()
}

// deflateMany compresses a text times times, in that many blocks. All blocks
// but the first are equal, so it compresses only two.
func deflateMany(text string, times, blocks int) string {
	block := bytes.Repeat([]byte(text), times)
	var out bytes.Buffer
	z, _ := zlib.NewWriterLevel(&out, zlib.BestCompression)
	z.Write(block)
	z.Flush()
	first := out.Len()
	z.Write(block)
	z.Flush()
	packed, sum := out.Bytes(), adler32.New()
	for range blocks {
		sum.Write(block)
	}
	whole := append(bytes.Clone(packed[:first]), bytes.Repeat(packed[first:], blocks-1)...)
	whole = append(whole, 1, 0, 0, 0xff, 0xff) // the last block, empty
	return string(sum.Sum(whole))
}

// sectionBomb returns a file whose cross-reference stream inflates to a GiB.
func sectionBomb(data string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.5\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n")
	at := b.Len()
	fmt.Fprintf(&b, "3 0 obj<</Type/XRef/W[1 4 2]/Size 150000000/Root 1 0 R/Filter/FlateDecode/Length %d>>stream\n%s\nendstream endobj\nstartxref\n%d\n%%%%EOF\n", len(data), data, at)
	return b.Bytes()
}
