package attack_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"tcode/cmd/internal/world"
	"tcode/offline/binding"
)

const otherText = "BT /F 24 Tf 72 720 Td (Pay 900 EUR) Tj ET"

// save returns a function that appends objects to the stamped file.
func save(all world.Objects) func(*testing.T, victim) []byte {
	return func(_ *testing.T, v victim) []byte { return update(v.PDF, all) }
}

// savePage appends a changed stamped page, with from replaced by to, and more objects.
func savePage(from, to string, more world.Objects) func(*testing.T, victim) []byte {
	return func(t *testing.T, v victim) []byte {
		page := newest(t, v.PDF, 3)
		if !strings.Contains(page, from) {
			t.Fatalf("no %q in %s", from, page)
		}
		all := world.Objects{3: strings.Replace(page, from, to, 1)}
		for n, body := range more {
			all[n] = body
		}
		return update(v.PDF, all)
	}
}

// follow appends bytes to the stamped file.
func follow(text string) func(*testing.T, victim) []byte {
	return func(_ *testing.T, v victim) []byte { return append(bytes.Clone(v.PDF), text...) }
}

// appendedAttacks leave the stamped bytes whole and add to them: the result may
// show another document.
var appendedAttacks = []attack{
	{name: "page contents replaced", make: savePage(" 4 0 R", " 60 0 R", world.Objects{60: world.Stream("", otherText)}), want: "appended", says: "1 new version of a page"},
	{name: "contents object replaced", make: save(world.Objects{4: world.Stream("", otherText)}), want: "appended", says: "1 drawing"},
	{name: "font replaced", make: save(world.Objects{5: "<</Type/Font/Subtype/Type1/BaseFont/Symbol>>"}), want: "appended", says: "objects that are not on a page"},
	{name: "page cropped", make: savePage("/MediaBox", "/CropBox[250 0 595 842]/MediaBox", nil), want: "appended", says: "1 new version of a page"},
	{name: "page before it", make: func(t *testing.T, v victim) []byte {
		return update(v.PDF, world.Objects{2: "<</Type/Pages/Kids[60 0 R 3 0 R]/Count 2>>", 60: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 61 0 R/Resources<</Font<</F 5 0 R>>>>>>", 61: world.Stream("", otherText)})
	}, want: "appended", says: "structure"},
	{name: "note over the text", make: savePage("/MediaBox", "/Annots[60 0 R]/MediaBox", world.Objects{
		60: "<</Type/Annot/Subtype/Stamp/Rect[60 700 400 760]/F 4/AP<</N 61 0 R>>>>",
		61: world.Stream("/Subtype/Form/BBox[0 0 340 60]", "1 g 0 0 340 60 re f"),
	}), want: "appended", says: "1 annotation"},
	{name: "form field over the text", make: savePage("/MediaBox", "/Annots[60 0 R]/MediaBox", world.Objects{
		1:  "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[60 0 R]>>>>",
		60: "<</Subtype/Widget/FT/Tx/T(a)/V(Pay 900 EUR)/Rect[60 700 400 760]/F 4>>",
	}), want: "appended", says: "1 form field", caveats: "fields"},
	{name: "script added", make: save(world.Objects{1: "<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>>>"}), want: "appended", caveats: "script"},
	{name: "decoy in place of the symbol", make: func(t *testing.T, v victim) []byte {
		image := newest(t, v.PDF, 200) // the same picture without its mark, and the genuine one removed
		at := strings.Index(image, "/TCode<<")
		image = image[:at] + image[at+binding.MarkLen:]
		return update(v.PDF, world.Objects{200: image})
	}, want: "appended", says: "1 drawing"},
	{name: "decoy with the mark", make: func(t *testing.T, v victim) []byte { return update(v.PDF, world.Objects{200: newest(t, v.PDF, 200)}) }, want: "appended", says: "another TCode stamp"},
	{name: "symbol of another paper drawn", make: func(t *testing.T, v victim) []byte {
		m := binding.Marks(v.other.PDF)[0]
		image := newest(t, v.PDF, 200)
		head := image[:strings.Index(image, "/TCode<<")]
		return update(v.PDF, world.Objects{200: head + ">>\nstream\n" + string(v.other.PDF[m.Start:m.Start+m.Length]) + "\nendstream"})
	}, want: "appended", says: "1 drawing"}, // covered, but judged too
	{name: "mark of another place", make: func(_ *testing.T, v victim) []byte {
		m := binding.Marks(v.PDF)[0]
		m.End -= 10
		return update(v.PDF, world.Objects{60: "<<" + string(m.Append(nil)) + ">>"})
	}, want: "appended", says: "another TCode stamp"},
	{name: "nine marks", make: func(_ *testing.T, v victim) []byte {
		all := world.Objects{}
		for i := range 9 {
			m := binding.Marks(v.PDF)[0]
			m.Start += int64(i) + 1
			all[60+i] = "<<" + string(m.Append(nil)) + ">>"
		}
		return update(v.PDF, all)
	}, want: "mismatch", says: "more than 8 marks"},
	{name: "comment behind", make: follow("% nothing\n"), want: "appended", says: "no part of a PDF"},
	{name: "line ends behind", make: follow("\r\n\r\n"), want: "appended", says: "white space"},
	{name: "another end", make: follow("%%EOF\n"), want: "appended", says: "no part of a PDF"},
	{name: "archive behind", make: follow("PK\x03\x04\x14\x00PK\x05\x06" + strings.Repeat("\x00", 18)), want: "appended", says: "no part of a PDF"},
	{name: "page of the web behind", make: follow("<html><script>document.write('Pay 900')</script></html>"), want: "appended", says: "no part of a PDF"},
	{name: "another whole PDF behind", make: func(_ *testing.T, v victim) []byte {
		return append(bytes.Clone(v.PDF), world.Sheet{More: world.Objects{4: world.Stream("", otherText)}}.PDF()...)
	}, want: noSymbol},
	{name: "back to the original", make: func(_ *testing.T, v victim) []byte {
		return append(bytes.Clone(v.PDF), "startxref\n"+startxref(v.Original)+"\n%%EOF\n"...)
	}, want: noSymbol},
	{name: "signed afterwards", make: signLater(true, nil), want: "appended", says: "a signature in the name of “Mallory Jones” (its certificate was not checked)"},
	{name: "signed, and changed then", make: signLater(true, func(file []byte) []byte {
		return bytes.Replace(file, []byte("/Reason(I agree)"), []byte("/Reason(I argue)"), 1)
	}), want: "appended", says: "which is broken"},
	{name: "signed, and added to then", make: signLater(true, func(file []byte) []byte {
		return update(file, world.Objects{4: world.Stream("", otherText)})
	}), want: "appended", says: "does not cover all of the file"},
	{name: "signature of nonsense", make: signLater(false, nil), want: "appended", says: "a signature that could not be checked"},
	{name: "name with control characters", make: func(t *testing.T, v victim) []byte {
		return signed(t, v.PDF, "Ministry\x1b[2J\u202e")
	}, want: "appended", says: "Ministry"},
}

// signLater signs the stamped file, correctly or with nonsense, and then changes it.
func signLater(well bool, then func([]byte) []byte) func(*testing.T, victim) []byte {
	return func(t *testing.T, v victim) []byte {
		file := signed(t, v.PDF, "Mallory Jones")
		if !well {
			at := bytes.LastIndex(file, []byte("/Contents<")) + len("/Contents<")
			copy(file[at:], "00000000000000000000")
		}
		if then != nil {
			file = then(file)
		}
		return file
	}
}

// prepared has the parts for the shadow attacks: a second text, font, page and
// catalog are in the document before it is stamped.
var prepared = world.Sheet{
	Catalog: "/OCProperties<</OCGs[20 0 R]/D<</ON[20 0 R]>>>>",
	Page:    "/Annots[21 0 R]",
	More: world.Objects{
		20: "<</Type/OCG/Name(cover)>>",
		21: "<</Type/Annot/Subtype/Text/Rect[1 1 2 2]/F 4>>",
		22: world.Stream("", otherText),
		23: "<</Type/Page/Parent 24 0 R/MediaBox[0 0 595 842]/Contents 22 0 R/Resources<</Font<</F 5 0 R>>>>>>",
		24: "<</Type/Pages/Kids[23 0 R]/Count 1>>",
		25: "<</Type/Catalog/Pages 24 0 R>>",
		26: "<</Type/Font/Subtype/Type1/BaseFont/ZapfDingbats>>",
	},
}

// repointed appends a cross-reference section and nothing else: object n is now
// the prepared object to.
func repointed(n, to, root int) func(*testing.T, victim) []byte {
	return func(_ *testing.T, v victim) []byte {
		at := bytes.Index(v.PDF, fmt.Appendf(nil, "\n%d 0 obj", to)) + 1
		out := append(bytes.Clone(v.PDF), "\n"...)
		x := len(out)
		return fmt.Appendf(out, "xref\n%d 1\n%010d 00000 n \ntrailer<</Size 300/Root %d 0 R/Prev %s>>\nstartxref\n%d\n%%%%EOF\n", n, at, root, startxref(v.PDF), x)
	}
}

// switchedAttacks are the shadow attacks (Mladenov, Mainka, Rohlmann 2021): a
// small change that looks harmless switches on the prepared content.
var switchedAttacks = []attack{
	{name: "hide: layer switched off", original: prepared, make: save(world.Objects{1: "<</Type/Catalog/Pages 2 0 R/OCProperties<</OCGs[20 0 R]/D<</OFF[20 0 R]>>>>>>"}), want: "appended", says: "structure", caveats: "layers"},
	{name: "hide: note removed", original: prepared, make: savePage("21 0 R", "", nil), want: "appended", says: "1 new version of a page"},
	{name: "hide: object freed", original: prepared, make: func(_ *testing.T, v victim) []byte {
		out := append(bytes.Clone(v.PDF), "\n"...)
		return fmt.Appendf(out, "xref\n21 1\n0000000000 00001 f \ntrailer<</Size 300/Root 1 0 R/Prev %s>>\nstartxref\n%d\n%%%%EOF\n", startxref(v.PDF), len(out))
	}, want: "appended", caveats: "ambiguous"},
	{name: "replace: contents by cross-reference alone", original: prepared, make: repointed(4, 22, 1), want: "appended", caveats: "ambiguous"},
	{name: "replace: font by cross-reference alone", original: prepared, make: repointed(5, 26, 1), want: "appended", caveats: "ambiguous"},
	{name: "replace: prepared contents", original: prepared, make: savePage(" 4 0 R", " 22 0 R", nil), want: "appended", says: "1 new version of a page"},
	{name: "hide and replace: another catalog", original: prepared, make: func(_ *testing.T, v victim) []byte { return updateRoot(v.PDF, 25, world.Objects{60: "null"}) }, want: noSymbol},
	{name: "hide and replace: page tree by cross-reference alone", original: prepared, make: repointed(2, 24, 1), want: "appended", caveats: "ambiguous"},
}
