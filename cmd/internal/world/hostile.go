package world

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"hash/adler32"
	"maps"
	"math"
	"strings"
)

// HostilePDFs are files of at most about a MB that cost naive programs minutes
// or gigabytes.
func HostilePDFs() map[string][]byte {
	all := hostileContents()
	maps.Copy(all, hostileTrees())
	maps.Copy(all, hostileFiles())
	return all
}

// sheetWith returns the file of a sheet with these objects.
func sheetWith(more Objects) []byte { return Sheet{More: more}.PDF() }

// contentsOf returns a file whose page has these contents.
func contentsOf(entries, data string) []byte {
	return sheetWith(Objects{4: Stream(entries, data)})
}

// zeros are 1 GiB, deflated.
func zeros() string { return deflateMany("\x00", 1<<20, 1<<10) }

// hostileContents are files whose contents of a page cost much.
func hostileContents() map[string][]byte {
	const deflated = "/Filter/FlateDecode"
	const image = "<</Subtype/Image/Width 60000/Height 60000/BitsPerComponent 8" +
		"/ColorSpace/DeviceGray/Filter/FlateDecode/Length 10>>stream\n0123456789\nendstream"
	const pattern = "/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 1 1]" +
		"/XStep .01/YStep .01/Resources<<>>"
	const largePage = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 14400 14400]/Contents 4 0 R" +
		"/Resources<</Pattern<</P 10 0 R>>>>>>"
	forms := Objects{}
	for i := range 40 {
		entries := "/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X %d 0 R>>>>"
		forms[10+i] = Stream(fmt.Sprintf(entries, 11+i), "/X Do /X Do")
	}
	forms[50] = Stream("/Subtype/Form/BBox[0 0 9 9]", "0 0 1 1 re f")
	forms[3] = pageEntries + "/Resources<</XObject<</X 10 0 R>>>>>>"
	forms[4] = Stream("", "/X Do")
	twice := deflate([]byte(deflateMany("q\n", 1<<19, 1<<9)))
	words := deflate(bytes.Repeat([]byte("0 0 595 842 re f\n"), 1<<20))
	filters := "/Filter[" + strings.Repeat("/FlateDecode", 1000) + "]"
	inline := "BI /W 100000 /H 100000 /BPC 8 /CS /G ID " + strings.Repeat("x", 1<<20)
	return map[string][]byte{
		"1 GiB of contents":     contentsOf(deflated, zeros()),
		"deflated twice":        contentsOf("/Filter[/FlateDecode/FlateDecode]", twice),
		"a thousand filters":    contentsOf(filters, "x"),
		"open states":           contentsOf("", strings.Repeat("q ", 1<<19)),
		"open marks":            contentsOf("", strings.Repeat("/A BMC ", 1<<17)),
		"an image in the text":  contentsOf("", inline),
		"a million words on it": contentsOf(deflated, words),
		"forms that draw forms": sheetWith(forms),
		"a picture of 60,000 px": sheetWith(Objects{
			3:  pageEntries + "/Resources<</XObject<</X 10 0 R>>>>>>",
			4:  Stream("", "q 595 0 0 842 0 0 cm /X Do Q"),
			10: image,
		}),
		"a pattern of one point": sheetWith(Objects{
			3:  largePage,
			4:  Stream("", "/Pattern cs /P scn 0 0 14400 14400 re f"),
			10: Stream(pattern, "0 0 1 1 re f"),
		}),
	}
}

// hostileTrees are files whose objects have each other, or are deep.
func hostileTrees() map[string][]byte {
	const page = "<</Type/Page/Parent 2 0 R/MediaBox"
	tree := func(kids string, more Objects) []byte {
		more[2] = "<</Type/Pages/Count 1000000000/Kids[" + kids + "]>>"
		return sheetWith(more)
	}
	chain := Objects{}
	for i := range 5000 {
		chain[10+i] = fmt.Sprintf("<</Type/Pages/Count 1/Kids[%d 0 R]>>", 11+i)
	}
	boxes := " " + strings.Repeat("[", 1<<18) + ">>"
	wide := "[0 0 1000000000000000000000000000000 1]/Contents 4 0 R>>"
	return map[string][]byte{
		"1e9 pages, one kid":     tree("3 0 R", Objects{}),
		"one page 100,000 times": tree(strings.Repeat("3 0 R ", 100_000), Objects{}),
		"a tree of itself":       tree("2 0 R 3 0 R", Objects{}),
		"a tree 5,000 deep":      tree("10 0 R", chain),
		"contents of themselves": sheetWith(Objects{
			10: "[10 0 R 4 0 R]", 3: page + "[0 0 9 9]/Contents 10 0 R>>",
		}),
		"length of itself":      sheetWith(Objects{4: "<</Length 4 0 R>>stream\nq\nendstream"}),
		"a deep array":          sheetWith(Objects{10: strings.Repeat("[", 1<<19)}),
		"deep boxes":            sheetWith(Objects{3: page + boxes}),
		"deep dictionaries":     sheetWith(Objects{3: strings.Repeat("<</A", 1<<18)}),
		"a page of 1e30 points": sheetWith(Objects{3: page + wide}),
		"fields of themselves": Sheet{
			Catalog: "/AcroForm<</Fields[10 0 R]>>",
			More:    Objects{10: "<</Kids[10 0 R 10 0 R]>>"},
		}.PDF(),
	}
}

// hostileFiles are files whose sections, streams or names cost much.
func hostileFiles() map[string][]byte {
	plain := sheetWith(nil)
	with := func(from, to string) []byte { // plain with one change
		return bytes.Replace(plain, []byte(from), []byte(to), 1)
	}
	again := fmt.Sprintf("/Root 1 0 R/Prev %d", bytes.Index(plain, []byte("xref")))
	head := func(text string, times int, more string) []byte {
		return []byte("%PDF-1.4\n" + more + strings.Repeat(text, times))
	}
	objects := "/Type/ObjStm/N 100000000/First 1000000000/Filter/FlateDecode"
	opens := strings.Repeat("(", 1<<20) + strings.Repeat(")", 1<<20)
	endless := strings.Repeat("9 0 obj<</Length 1>>stream\n", 40_000)
	return map[string][]byte{
		"sections of themselves":  with("/Root 1 0 R", again),
		"2e9 objects":             with("/Size 200", fmt.Sprintf("/Size %d", math.MaxInt32)),
		"a long section":          with("xref\n0 1", "xref\n0 2000000000"),
		"a section of 1 GiB":      sectionBomb(zeros()),
		"streams that never end":  append(bytes.Clone(plain), endless...),
		"objects in a heap":       head("1 0 obj<</Type/Catalog/Pages 1 0 R>>endobj\n", 24_000, ""),
		"brackets":                head("(", 1<<20, "1 0 obj"),
		"nothing but a header":    head("trailer<<", 1<<17, ""),
		"an object stream, bomb":  sheetWith(Objects{10: Stream(objects, zeros())}),
		"names that never end":    sheetWith(Objects{10: "/" + strings.Repeat("A", 1<<20)}),
		"a string with 1e6 opens": sheetWith(Objects{10: opens}),
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
	b.WriteString("%PDF-1.5\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n" +
		"2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n")
	at := b.Len()
	const entries = "/Type/XRef/W[1 4 2]/Size 150000000/Root 1 0 R/Filter/FlateDecode"
	fmt.Fprintf(&b, "3 0 obj<<%s/Length %d>>stream\n%s\n", entries, len(data), data)
	fmt.Fprintf(&b, "endstream endobj\nstartxref\n%d\n%%%%EOF\n", at)
	return b.Bytes()
}
