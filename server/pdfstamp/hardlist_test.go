package pdfstamp_test

import (
	"encoding/ascii85"
	"encoding/hex"
	"fmt"
	"strings"
)

// A hardCase is one feature or fault.
type hardCase struct {
	name  string
	build func(h *hardFile)
	want  string // words of the refusal; "" is stamped
}

// hardCases are files that real ones are not known to leave out.
func hardCases() []hardCase {
	all := slicesOf(structureCases(), treeCases(), boxCases(), contentCases(), catalogCases())
	for _, v := range []string{"1.0", "1.1", "1.2", "1.3", "1.4", "1.5", "1.6", "2.0", "9.9", "1.7x"} {
		all = append(all, hardCase{"version " + v, func(h *hardFile) { h.version = v }, ""})
	}
	return all
}

func slicesOf(lists ...[]hardCase) (all []hardCase) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// edit is a case that changes object n.
func edit(name string, n int, from, to string) hardCase {
	return hardCase{name, func(h *hardFile) { h.swap(n, from, to) }, ""}
}

// structureCases are about how objects are found.
func structureCases() []hardCase {
	pack := func(kind string, packed ...int) func(*hardFile) {
		return func(h *hardFile) { h.kind, h.packed = kind, packed }
	}
	tail := func(s string) func(*hardFile) {
		return func(h *hardFile) {
			h.tail = func(at int) string { return strings.ReplaceAll(s, "AT", fmt.Sprint(at)) }
		}
	}
	trailer := func(s string) func(*hardFile) { return func(h *hardFile) { h.trailer = s } }
	size := func(s string) func(*hardFile) { return func(h *hardFile) { h.size = s } }
	table := func(from, to string) func(*hardFile) {
		return func(h *hardFile) {
			h.table = func(t string) string { return strings.Replace(t, from, to, 1) }
		}
	}
	return []hardCase{
		{"plain", func(*hardFile) {}, ""},
		{"lines end in CR", func(h *hardFile) { h.eol = "\r"; h.entry = "%010d %05d %c \n" }, ""},
		{"lines end in CR LF", func(h *hardFile) { h.eol = "\r\n"; h.entry = "%010d %05d %c\n" }, ""},
		{"cross-reference stream", pack("stream"), ""},
		{"all in an object stream", pack("stream", 1, 2, 3, 4, 6), ""},
		{"page in an object stream", pack("stream", 4), ""},
		{"hybrid, font hidden", pack("hybrid", 3), ""},
		{"hybrid, page hidden", pack("hybrid", 4), ""},
		{"hybrid, all hidden but the root", pack("hybrid", 2, 3, 4), ""},
		{"entries of 19 bytes", func(h *hardFile) { h.entry = "%010d %05d %c\n" }, ""},
		{"entries of 21 bytes", func(h *hardFile) { h.entry = "%010d %05d %c  \n" }, ""},
		{"first subsection begins with 1", func(h *hardFile) { h.first = 1 }, ""},
		{"count of entries too high", table("0 7\n", "0 9\n"), ""},
		{"count of entries too low", table("0 7\n", "0 5\n"), ""},
		{"table of two subsections", func(h *hardFile) {
			h.table = func(t string) string {
				l := strings.SplitAfter(t, "\n")
				return "xref\n0 4\n" + strings.Join(l[2:6], "") + "4 3\n" + strings.Join(l[6:], "")
			}
		}, ""},
		{"blank lines in the table", table("xref\n", "xref\n\n  \n"), ""},
		{"entry of the font wrong", func(h *hardFile) {
			h.table = func(t string) string {
				l := strings.SplitAfter(t, "\n")
				l[5] = "0000000003 00000 n \n"
				return strings.Join(l, "")
			}
		}, ""},
		{"entry of the contents wrong", func(h *hardFile) {
			h.table = func(t string) string {
				l := strings.SplitAfter(t, "\n")
				l[7] = "0000000003 00000 n \n"
				return strings.Join(l, "")
			}
		}, ""},
		{"entries of page and contents swapped", func(h *hardFile) {
			h.table = func(t string) string {
				l := strings.SplitAfter(t, "\n")
				l[6], l[7] = l[7], l[6]
				return strings.Join(l, "")
			}
		}, ""},
		{"no startxref", tail("%%EOF\n"), ""},
		{"startxref 0", tail("startxref\n0\n%%EOF\n"), ""},
		{"startxref far out", tail("startxref\n99999999\n%%EOF\n"), ""},
		{"startxref not a number", tail("startxref\nxyz\n%%EOF\n"), ""},
		{"startxref too large for any integer", tail("startxref\n166666666666666666666666666\n%%EOF\n"), ""},
		{"startxref on one line", tail("startxref AT %%EOF"), ""},
		{"no end-of-file marker", tail("startxref\nAT\n"), ""},
		{"no end of line at the end", tail("startxref\nAT\n%%EOF"), ""},
		{"zeros after the end", tail("startxref\nAT\n%%EOF\n" + strings.Repeat("\x00", 5000)), ""},
		{"a page of HTML after the end", tail("startxref\nAT\n%%EOF\n<html>" + strings.Repeat("<p>thank you</p>", 500)), ""},
		{"two ends of file", tail("startxref\nAT\n%%EOF\nstartxref\nAT\n%%EOF\n"), ""},
		{"bytes before the header, offsets from the header", func(h *hardFile) { h.before = "HTTP/1.1 200 OK\n\n"; h.base = len(h.before) }, ""},
		{"bytes before the header, offsets from the start", func(h *hardFile) { h.before = "HTTP/1.1 200 OK\n\n" }, ""},
		{"900 bytes before the header", func(h *hardFile) { h.before = strings.Repeat("x", 899) + "\n"; h.base = 900 }, ""},
		{"byte order mark", func(h *hardFile) { h.before = "\xEF\xBB\xBF" }, ""},
		{"Prev of itself", func(h *hardFile) {
			h.more = append(h.more, func(b []byte, at int) []byte { return revise(nil, "")(b, len(b)) })
		}, ""},
		{"Prev 0", trailer("/Prev 0"), ""},
		{"Prev below zero", trailer("/Prev -5"), ""},
		{"Prev far out", trailer("/Prev 99999999"), ""},
		{"Prev leads to no section", trailer("/Prev 20"), ""},
		{"XRefStm leads to no section", trailer("/XRefStm 20"), ""},
		{"Size too small", size("/Size 3"), ""},
		{"Size too large", size("/Size 5000000"), ""},
		{"Size beyond every number", size("/Size 99999999999"), ""},
		{"no Size", size(" "), ""},
		{"identifier", trailer("/ID[<0123><4567>]"), ""},
		{"identifier of one", trailer("/ID[<0123>]"), ""},
		{"identifier of strings", trailer("/ID[(a\\)b)(c)]"), ""},
		{"identifier is empty", trailer("/ID[]"), ""},
		{"Info is direct", trailer("/Info<</Producer(x)>>"), ""},
		{"Info is absent", trailer("/Info 99 0 R"), ""},
		{"Encrypt is null", trailer("/Encrypt null"), ""},
		{"Encrypt is absent", trailer("/Encrypt 99 0 R"), ""},
		{"second revision replaces the page", func(h *hardFile) {
			h.more = append(h.more, revise(map[int]string{4: strings.Replace(h.objects[4], "842", "600", 1)}, ""))
		}, ""},
		{"second revision frees an object", func(h *hardFile) { h.more = append(h.more, revise(map[int]string{6: ""}, "")) }, ""},
		{"length in a later revision", func(h *hardFile) {
			h.set(5, strings.Replace(streamOf("", ground), fmt.Sprintf("/Length %d", len(ground)), "/Length 30 0 R", 1))
			h.more = append(h.more, revise(map[int]string{30: fmt.Sprint(len(ground))}, ""))
		}, ""},
		{"five revisions", func(h *hardFile) {
			for i := range 5 {
				h.more = append(h.more, revise(map[int]string{30 + i: "(x)"}, ""))
			}
		}, ""},
		{"generation 3", func(h *hardFile) { h.gens[4] = 3; h.swap(2, "4 0 R", "4 3 R") }, ""},
		{"generation 65535", func(h *hardFile) { h.gens[4] = 65535; h.swap(2, "4 0 R", "4 65535 R") }, ""},
		{"reference of another generation", func(h *hardFile) { h.swap(2, "4 0 R", "4 7 R") }, ""},
		{"object number 100000", func(h *hardFile) { h.set(100000, h.objects[4]); delete(h.objects, 4); h.swap(2, "4 0 R", "100000 0 R") }, ""},
		{"an object twice", func(h *hardFile) { h.set(3, "<</Type/Font>>\nendobj\n3 0 obj\n"+h.objects[3]) }, ""},
		{"endobj is missing", func(h *hardFile) { h.set(3, h.objects[3]+"\n%") }, ""},
		{"cut off", func(h *hardFile) { h.tail = func(int) string { return "7 0 obj\n<</A 1>>\nendobj\n8 0 obj\n<<" } }, "cut off"},
	}
}

// treeCases are about the pages.
func treeCases() []hardCase {
	deep := func(h *hardFile) {
		for n := range 60 {
			h.set(30+n, fmt.Sprintf("<</Type/Pages/Kids[%d 0 R]/Count 1>>", 31+n))
		}
		h.set(90, h.objects[4])
		h.swap(2, "4 0 R", "30 0 R")
	}
	return []hardCase{
		edit("Count 0", 2, "/Count 1", "/Count 0"),
		edit("Count -1", 2, "/Count 1", "/Count -1"),
		edit("Count too high", 2, "/Count 1", "/Count 1000000000"),
		edit("no Count", 2, "/Count 1", ""),
		edit("a kid is null", 2, "[4 0 R]", "[null 4 0 R]"),
		edit("a kid is absent", 2, "[4 0 R]", "[99 0 R 4 0 R]"),
		edit("a kid is a number", 2, "[4 0 R]", "[7 4 0 R]"),
		edit("a kid is a font", 2, "[4 0 R]", "[3 0 R 4 0 R]"),
		edit("a kid is its parent", 2, "[4 0 R]", "[4 0 R 2 0 R]"),
		edit("a page twice", 2, "[4 0 R]/Count 1", "[4 0 R 4 0 R]/Count 2"),
		edit("no type of the page", 4, "/Type/Page", ""),
		edit("no type of the tree", 2, "/Type/Pages", ""),
		edit("type of the tree wrong", 2, "/Type/Pages", "/Type/Page"),
		edit("no parent", 4, "/Parent 2 0 R", ""),
		edit("wrong parent", 4, "/Parent 2 0 R", "/Parent 3 0 R"),
		edit("kids of a page", 4, "/Type/Page", "/Type/Page/Kids null"),
		{"kids are an object", func(h *hardFile) { h.set(7, "[4 0 R]"); h.swap(2, "[4 0 R]", " 7 0 R") }, ""},
		{"no kids", func(h *hardFile) { h.swap(2, "[4 0 R]", "[]") }, "no pages"},
		{"tree in a loop", func(h *hardFile) { h.swap(2, "[4 0 R]", "[2 0 R]") }, "no pages"},
		{"tree is sixty deep", deep, ""},
		{"tree is absent", func(h *hardFile) { h.swap(1, "2 0 R", "99 0 R") }, "no pages"},
		{"everything inherited", func(h *hardFile) {
			h.set(4, "<</Type/Page/Parent 2 0 R/Contents 5 0 R>>")
			h.swap(2, "/Count 1", "/Count 1/MediaBox[0 0 595 842]/CropBox[20 20 575 822]/Rotate 90/Resources<</Font<</F1 3 0 R>>>>")
		}, ""},
		{"pages share all", func(h *hardFile) {
			h.set(7, h.objects[4])
			h.swap(2, "[4 0 R]/Count 1", "[4 0 R 7 0 R]/Count 2")
		}, ""},
	}
}

// boxCases are about the visible part of a page.
func boxCases() []hardCase {
	const media = "/MediaBox[0 0 595 842]"
	var all []hardCase
	for _, b := range []string{
		"/MediaBox[595 842 0 0]", "/MediaBox[-100 -200 495 642]", "/MediaBox[0.5 0.25 595.28 841.89]", "/MediaBox[+0 -0 595. 842.000]",
		"/MediaBox[0 0 595 842]/CropBox[50 60 500 700]", "/MediaBox[0 0 595 842]/CropBox[500 700 50 60]", "/MediaBox[0 0 595 842]/CropBox[-50 -50 900 900]",
		"/MediaBox[0 0 595 842]/CropBox[700 900 800 1000]", "/MediaBox[0 0 595 842]/CropBox[0 0 0 0]", "/MediaBox[0 0 595 842]/CropBox null",
		"/MediaBox[0 0 595 842]/TrimBox[10 10 500 800]/BleedBox[5 5 550 820]/ArtBox[100 100 200 200]", "", "/MediaBox null", "/MediaBox[0 0 0 0]", "/MediaBox[0 0 595]",
		"/MediaBox[0 0 6 0 R 842]", "/MediaBox[0 0 595 842]/Rotate 90", "/MediaBox[0 0 595 842]/Rotate -90", "/MediaBox[0 0 595 842]/Rotate 450", "/MediaBox[0 0 595 842]/Rotate 180.0",
		"/MediaBox[0 0 595 842]/Rotate null", "/MediaBox[0 0 595 842]/Rotate(90)", "/MediaBox[0 0 595 842]/CropBox[50 60 500 700]/Rotate 270",
		"/MediaBox[0 0 595 842]/UserUnit 2", "/MediaBox[0 0 595 842]/UserUnit 0", "/MediaBox[0 0 3000 3000]",
	} {
		all = append(all, edit("page "+b, 4, media, b))
	}
	return append(all, hardCase{"page of 30 units", func(h *hardFile) { h.swap(4, media, "/MediaBox[0 0 30 30]") }, "too small"})
}

// contentCases are about the drawn contents.
func contentCases() []hardCase {
	const one = "/Contents 5 0 R"
	all := []hardCase{
		edit("no contents", 4, one, ""),
		edit("contents are null", 4, one, "/Contents null"),
		edit("contents are empty", 4, one, "/Contents[]"),
		edit("contents are absent", 4, one, "/Contents 99 0 R"),
		edit("contents with gaps", 4, one, "/Contents[null 99 0 R 5 0 R 3 0 R]"),
		edit("contents repeated", 4, one, "/Contents[5 0 R 5 0 R]"),
		edit("contents listed twice over", 4, one, one+one),
		edit("resources are null", 4, "<</Font<</F1 3 0 R>>>>", " null"),
		edit("no resources", 4, "/Resources<</Font<</F1 3 0 R>>>>", ""),
		edit("resources are absent", 4, "<</Font<</F1 3 0 R>>>>", " 99 0 R"),
		edit("a value without a key", 4, "/Type/Page", "/Type/Page 5 (x)[1]"),
		edit("the names are taken", 4, "<</Font", "<</XObject<</TCode 3 0 R/TCode1 3 0 R>>/Font"),
		edit("transparency", 4, one, one+"/Group<</S/Transparency/CS/DeviceRGB>>"),
		edit("structure", 4, one, one+"/StructParents 0/Tabs/S"),
		edit("names with escapes", 4, "/MediaBox", "/A#20B#2F(x)/#4dediaBox[0 0 300 300]/MediaBox"),
		edit("strings of all kinds", 4, one, one+"/X[(a(b)c\\)\\n\\101)<4a4>()<>]"),
		edit("comments", 4, one, "% a comment >>\n"+one),
		{"contents are an object", func(h *hardFile) { h.set(7, "[5 0 R]"); h.swap(4, one, "/Contents 7 0 R") }, ""},
		{"contents list in an object stream", func(h *hardFile) {
			h.set(7, "[5 0 R]")
			h.swap(4, one, "/Contents 7 0 R")
			h.kind, h.packed = "stream", []int{2, 4, 7}
		}, ""},
		{"resources in pieces", func(h *hardFile) {
			h.set(7, "<</Font 8 0 R/XObject 9 0 R>>")
			h.set(8, "<</F1 3 0 R>>")
			h.set(9, "<<>>")
			h.swap(4, "<</Font<</F1 3 0 R>>>>", " 7 0 R")
		}, ""},
		{"token over two streams", func(h *hardFile) {
			h.set(7, streamOf("", "q 0 0 1 RG 40 40 m "))
			h.set(8, streamOf("", "300 300 l S Q "))
			h.swap(4, one, "/Contents[5 0 R 7 0 R 8 0 R]")
		}, ""},
	}
	size := fmt.Sprintf("/Length %d", len(ground))
	for name, l := range map[string]string{"an object": "/Length 6 0 R", "absent": "/Length 99 0 R", "missing": "", "too small": "/Length 10", "too large": "/Length 99999", "below zero": "/Length -1", "itself": "/Length 5 0 R"} {
		all = append(all, edit("length is "+name, 5, size, l))
	}
	all = append(all,
		edit("endstream is missing", 5, "\nendstream", ""),
		hardCase{"endstream is missing and length wrong", func(h *hardFile) { h.swap(5, "\nendstream", ""); h.swap(5, size, "/Length 5") }, ""},
	)
	for name, s := range map[string]string{"CR": "stream\r", "CR LF": "stream\r\n", "a space": "stream \n"} {
		all = append(all, edit("stream and "+name, 5, "stream\n", s))
	}
	for name, s := range map[string]string{
		"open q": "q 2 0 0 2 0 0 cm", "stray Q": "Q Q", "stray Q after a change": "1 0 0 1 30 30 cm Q 0 0 1 rg 50 50 99 99 re f", "open text": "BT /F1 9 Tf", "open path": "10 10 m 200 200 l",
		"open clip": "0 0 50 50 re W", "open marked content": "/A BMC", "open artifact": "/Artifact<</Type/Pagination>>BDC q", "stray EMC": "EMC", "comment": "% the end",
		"open string": "(abc", "open hex string": "<abc", "open array": "[1 2", "open dictionary": "<</A", "open image": "BI /W 8 /H 8 /IM true ID 12345678", "image without data": "BI /W 8",
		"scaled": "3 0 0 3 0 0 cm", "white on white": "1 g 1 G", "clipped away": "0 0 1 1 re W n", "dashes": "[3 5] 0 d 40 w", "text mode 3": "BT 3 Tr ET", "operators without spaces": "0.5 0 0 0.5 0 0cm 1q",
	} {
		all = append(all, hardCase{"contents end in " + name, func(h *hardFile) { h.set(5, streamOf("", ground+"\n"+s)) }, ""})
	}
	var a85 strings.Builder
	w := ascii85.NewEncoder(&a85)
	_, _ = w.Write([]byte(deflate(ground)))
	_ = w.Close()
	flate := deflate(ground)
	for name, s := range map[string][2]string{
		"Flate": {"/Filter/FlateDecode", flate}, "Flate, cut": {"/Filter/FlateDecode", flate[:len(flate)-5]}, "Flate, no checksum": {"/Filter/FlateDecode", flate[:len(flate)-4]},
		"two": {"/Filter[/ASCII85Decode/FlateDecode]", a85.String() + "~>"}, "hex": {"/Filter/AHx", hex.EncodeToString([]byte(ground)) + ">"}, "none": {"/Filter[]", ground}, "null": {"/Filter null", ground},
		"parameters null": {"/Filter[/FlateDecode]/DecodeParms[null]", flate}, "unknown": {"/Filter/Rot13Decode", ground}, "damaged": {"/Filter/FlateDecode", "xxxx" + flate},
	} {
		want := ""
		if name == "damaged" {
			want = "the contents of the page cannot be decoded"
		}
		all = append(all, hardCase{"filter " + name, func(h *hardFile) { h.set(5, streamOf(s[0], s[1])) }, want})
	}
	return all
}

// catalogCases are about the document around the pages.
func catalogCases() []hardCase {
	add := func(name, entries string) hardCase { return edit(name, 1, "/Pages", entries+"/Pages") }
	signature := func(field, reference string) func(*hardFile) {
		return func(h *hardFile) {
			h.swap(1, "/Pages", "/AcroForm<</SigFlags 3/Fields[7 0 R]>>/Pages")
			h.set(7, "<</FT/Sig/T(s)/V 8 0 R"+field+">>")
			h.set(8, "<</Type/Sig/Filter/Adobe.PPKLite/Contents<00>/ByteRange[0 1 2 3]"+reference+">>")
		}
	}
	return []hardCase{
		add("first layer off", "/OCProperties<</OCGs[7 0 R]/D<</OFF[7 0 R]/Order[]>>>>"),
		add("version in the catalog", "/Version/2.0"),
		add("dynamic form", "/NeedsRendering true/AcroForm<</XFA[]/Fields[]>>"),
		add("portfolio", "/Collection<</View/T>>"),
		add("usage rights", "/Perms<</UR3<</Type/Sig>>>>"),
		add("form in a loop", "/AcroForm<</Fields[1 0 R]>>/Kids[1 0 R]"),
		add("tagged", "/MarkInfo<</Marked true>>/StructTreeRoot<</Type/StructTreeRoot>>"),
		{"signed", signature("", ""), ""},
		{"signed, fields locked", signature("/Lock<</Action/All>>", "/Reference[<</TransformMethod/FieldMDP/TransformParams<</Action/All>>>>]"), ""},
		{"signed, document locked", signature("/Lock<</Action/All/P 1>>", ""), "locks the document"},
		{"signed, forms only", signature("", "/Reference[<</TransformMethod/FieldMDP/TransformParams<</Action/All/P 2>>>>]"), "locks the document"},
		{"signed, annotations", signature("/Lock<</Action/All/P 3>>", ""), ""},
	}
}
