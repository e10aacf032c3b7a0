package prepared

import "strings"

// keys are dictionaries with an entry twice, once for the amount and once for
// the other one, and streams with wrong lengths.
func keys() []variant {
	type change struct {
		name   string
		number int
		from   string // of the body of that object
		to     string
	}
	more := func() objects {
		return objects{
			10: stream("", other),
			11: "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Differences[49/nine]>>>>",
			12: "<</Type/Pages/Kids[13 0 R]/Count 1>>",
			13: "<</Type/Page/Parent 12 0 R/MediaBox[0 0 595 842]/Contents 10 0 R/Resources<</Font<</F 5 0 R>>>>>>",
			14: "<</Subtype/Stamp/Rect[60 700 400 760]/F 4/AP<</N 15 0 R>>>>",
			15: form("", overlay),
			16: "<<>>",
			17: stream("", hexed(covered)+">"),
		}
	}
	var out []variant
	for _, c := range []change{
		{"contents", 3, "/Contents 4 0 R", "/Contents 4 0 R/Contents 10 0 R"},
		{"contents-first", 3, "/Contents 4 0 R", "/Contents 10 0 R/Contents 4 0 R"},
		{"contents-null", 3, "/Contents 4 0 R", "/Contents 10 0 R/Contents null"},
		{"contents-missing", 3, "/Contents 4 0 R", "/Contents 10 0 R/Contents 99 0 R"},
		{"resources", 3, "/Resources<<", "/Resources<</Font<</F 11 0 R>>>>/Resources<<"},
		{"resources-last", 3, "/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>", "/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>/Resources<</Font<</F 11 0 R>>>>"},
		{"fonts", 3, "/Font<<", "/Font<</F 11 0 R>>/Font<<"},
		{"fonts-last", 3, "/Font<</F 5 0 R>>", "/Font<</F 5 0 R>>/Font<</F 11 0 R>>"},
		{"font", 3, "/F 5 0 R", "/F 5 0 R/F 11 0 R"},
		{"font-first", 3, "/F 5 0 R", "/F 11 0 R/F 5 0 R"},
		{"box", 3, "/MediaBox[0 0 595 842]", "/MediaBox[0 0 595 842]/MediaBox[0 0 595 600]"},
		{"box-first", 3, "/MediaBox[0 0 595 842]", "/MediaBox[0 0 595 600]/MediaBox[0 0 595 842]"},
		{"rotate", 3, "/Type/Page", "/Type/Page/Rotate 180/Rotate 0"},
		{"rotate-last", 3, "/Type/Page", "/Type/Page/Rotate 0/Rotate 180"},
		{"annotations", 3, "/Type/Page", "/Type/Page/Annots[14 0 R]/Annots[]"},
		{"annotations-last", 3, "/Type/Page", "/Type/Page/Annots[]/Annots[14 0 R]"},
		{"type", 3, "/Type/Page", "/Type/Page/Type/Pages"},
		{"kids", 2, "/Kids[3 0 R]", "/Kids[3 0 R]/Kids[13 0 R]"},
		{"kids-first", 2, "/Kids[3 0 R]", "/Kids[13 0 R]/Kids[3 0 R]"},
		{"pages", 1, "/Pages 2 0 R", "/Pages 2 0 R/Pages 12 0 R"},
		{"pages-first", 1, "/Pages 2 0 R", "/Pages 12 0 R/Pages 2 0 R"},
		{"base-font", 5, "/BaseFont/Helvetica", "/BaseFont/Helvetica/BaseFont/Symbol"},
		{"base-font-first", 5, "/BaseFont/Helvetica", "/BaseFont/Symbol/BaseFont/Helvetica"},
		{"encoding", 5, "/BaseFont/Helvetica", "/BaseFont/Helvetica/Encoding<</Differences[49/nine]>>/Encoding/WinAnsiEncoding"},
		{"encoding-last", 5, "/BaseFont/Helvetica", "/BaseFont/Helvetica/Encoding/WinAnsiEncoding/Encoding<</Differences[49/nine]>>"},
		{"subtype", 5, "/Subtype/Type1", "/Subtype/Type1/Subtype/Type3"},
		{"length", 4, "/Length 41", "/Length 41/Length 3"},
		{"length-first", 4, "/Length 41", "/Length 3/Length 41"},
		{"filter", 4, "/Length 41", "/Filter/FlateDecode/Filter[]/Length 41"},
		{"filter-last", 4, "/Length 41", "/Filter[]/Filter/FlateDecode/Length 41"},
		{"stream-length-long", 4, "/Length 41", "/Length 4100"},
		{"stream-length-short", 4, "/Length 41", "/Length 9"},
		{"stream-length-zero", 4, "/Length 41", "/Length 0"},
		{"stream-length-negative", 4, "/Length 41", "/Length -41"},
		{"stream-length-string", 4, "/Length 41", "/Length(41)"},
		{"stream-length-none", 4, "/Length 41", ""},
		{"stream-length-reference", 4, "/Length 41", "/Length 99 0 R"},
		{"stream-length-real", 4, "/Length 41", "/Length 41.9"},
		{"stream-length-case", 4, "/Length 41", "/length 41"},
		{"stream-cr", 4, "stream\n", "stream\r"},
		{"stream-space", 4, "stream\n", "stream \n"},
		{"stream-none", 4, "stream\n", "stream"},
		{"stream-comment", 4, "stream\n", "stream%\n"},
		{"stream-lines", 4, "stream\n", "stream\n\n"},
		{"stream-end-none", 4, "\nendstream", ""},
		{"stream-end-early", 4, "\nendstream", "\nendstream\n" + covered + "\nendstream"},
		{"stream-longer", 4, "\nendstream", " " + covered + "\nendstream"},
		{"stream-longer-line", 4, "\nendstream", "\n" + covered + "\nendstream"},
		{"stream-end-glued", 4, "\nendstream", " " + covered + "endstream"},
		{"stream-end-inside", 4, "/Length 41>>stream\n" + honest, "/Length 175>>stream\n" + honest + "\nendstream\nendobj\n" + covered},
		{"stream-word-inside", 4, "/Length 41>>stream\n" + honest, "/Length 165>>stream\n" + honest + " (endstream) " + covered},
		{"stream-object-inside", 4, "/Length 41>>stream\n" + honest, "/Length 178>>stream\n" + honest + "\nendstream 4 0 obj " + covered},
		{"null-value", 3, "/Contents 4 0 R", "/Contents 4 0 R/Annots null"},
		{"annotation-list-twice", 3, "/Contents 4 0 R", "/Contents 4 0 R/Annots[14 0 R]/Annots null"},
		{"catalog-pages-null", 1, "/Pages 2 0 R", "/Pages 12 0 R/Pages null/Pages 2 0 R"},
	} {
		all := more()
		for n, body := range (doc{}).objects() {
			all[n] = body
		}
		all[c.number] = strings.Replace(all[c.number], c.from, c.to, 1)
		out = append(out, variant{c.name, doc{more: all}.pdf()})
	}
	for _, a := range []struct{ name, entries string }{{"appearance-twice", "/AP<</N 12 0 R>>/AP<</N 11 0 R>>"}, {"normal-twice", "/AP<</N 12 0 R/N 11 0 R>>"}, {"state-twice", "/AS/Off/AS/On/AP<</N<</Off 12 0 R/On 11 0 R>>>>"}, {"states-twice", "/AS/On/AP<</N<</On 12 0 R/On 11 0 R>>>>"}, {"flags-twice", "/F 2/F 4/AP<</N 11 0 R>>"}, {"flags-twice-hidden", "/F 4/F 2/AP<</N 11 0 R>>"}, {"rect-twice", "/Rect[0 0 9 9]/AP<</N 11 0 R>>"}} {
		out = append(out, variant{"annotation/" + a.name, annotated("/Subtype/Stamp" + a.entries)})
	}
	return out
}
