package prepared

import "strings"

const (
	pageHead = "/Type/Page/MediaBox[0 0 595 842]/Resources<</Font<</F 5 0 R>>>>"
	// pageOne shows the amount, pageTwo, object 33, the other one.
	pageOne = "<<" + pageHead + "/Parent 2 0 R/Contents 4 0 R>>"
	pageTwo = "<<" + pageHead + "/Parent 2 0 R/Contents 34 0 R>>"
)

// trees are unusual trees of pages; programs differ on which page is the first.
func trees() []variant {
	of := func(name, pages string, more objects) variant {
		all := objects{2: pages, 3: pageOne, 33: pageTwo, 34: stream("", other)}
		for n, body := range more {
			all[n] = body
		}
		return variant{name, doc{more: all}.pdf()}
	}
	catalog := func(name, catalog string, more objects) variant {
		all := objects{1: catalog, 20: "<</Type/Pages/Kids[33 0 R]/Count 1>>"}
		for n, body := range more {
			all[n] = body
		}
		return of(name, "<</Type/Pages/Kids[3 0 R]/Count 1>>", all)
	}
	sub := func(name, entries, count string) variant {
		return of(name, "<</Type/Pages/Kids[20 0 R 3 0 R]/Count "+count+">>", objects{20: "<<" + entries + ">>"})
	}
	return append(madeOf("trees", makers{"catalog": catalog, "of": of, "sub": sub}), []variant{
		of("count/reference", "<</Type/Pages/Kids[3 0 R]/Count 20 0 R>>", objects{20: "1"}),
		of("kids/direct", "<</Type/Pages/Kids["+pageTwo+" 3 0 R]/Count 2>>", nil),
		of("kids/reference", "<</Type/Pages/Kids 20 0 R/Count 1>>", objects{20: "[3 0 R]"}),
		of("kids/template", "<</Type/Pages/Kids[20 0 R 3 0 R]/Count 2>>", objects{20: strings.Replace(pageTwo, "/Type/Page", "/Type/Template", 1)}),
		of("kids/no-type", "<</Type/Pages/Kids[20 0 R 3 0 R]/Count 2>>", objects{20: strings.Replace(pageTwo, "/Type/Page", "", 1)}),
		of("kids/type-pages", "<</Type/Pages/Kids[20 0 R 3 0 R]/Count 2>>", objects{20: strings.Replace(pageTwo, "/Type/Page", "/Type/Pages", 1)}),
		of("kids/type-string", "<</Type/Pages/Kids[20 0 R 3 0 R]/Count 2>>", objects{20: strings.Replace(pageTwo, "/Type/Page", "/Type(Page)", 1)}),
		of("kids/stream", "<</Type/Pages/Kids[20 0 R 3 0 R]/Count 2>>", objects{20: stream(pageHead+"/Parent 2 0 R/Contents 34 0 R", "")}),
		of("kids/contents-of-kids", "<</Type/Pages/Kids[20 0 R]/Count 1>>", objects{20: "<<" + pageHead + "/Parent 2 0 R/Contents 34 0 R/Kids[3 0 R]/Count 1>>"}),
		catalog("catalog/two", "<</Type/Catalog/Pages 2 0 R>>", objects{21: "<</Type/Catalog/Pages 20 0 R>>"}),
		of("inherit/contents", "<</Type/Pages/Kids[3 0 R]/Count 1/Contents 34 0 R>>", objects{3: "<<" + pageHead + "/Parent 2 0 R>>"}),
		of("inherit/annotations", "<</Type/Pages/Kids[3 0 R]/Count 1/Annots[20 0 R]>>", objects{20: "<</Subtype/Stamp/Rect[60 700 400 760]/F 4/AP<</N 21 0 R>>>>", 21: form("", overlay)}),
		of("inherit/resources-of-parent", "<</Type/Pages/Kids[3 0 R]/Count 1/Resources<</Font<</F 5 0 R>>>>>>", objects{3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R>>"}),
		of("inherit/resources-empty", "<</Type/Pages/Kids[3 0 R]/Count 1/Resources<</Font<</F 5 0 R>>>>>>", objects{3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<<>>>>"}),
		of("inherit/resources-null", "<</Type/Pages/Kids[3 0 R]/Count 1/Resources<</Font<</F 5 0 R>>>>>>", objects{3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources null>>"}),
		of("inherit/no-parent", "<</Type/Pages/Kids[3 0 R]/Count 1/Resources<</Font<</F 5 0 R>>>>>>", objects{3: "<</Type/Page/MediaBox[0 0 595 842]/Contents 4 0 R>>"}),
		of("inherit/other-parent", "<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 595 842]/Resources<</Font<</F 5 0 R>>>>>>", objects{3: "<</Type/Page/Parent 20 0 R/Contents 4 0 R>>", 20: "<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 595 842]/Resources<</Font<</F 21 0 R>>>>>>", 21: "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Differences[49/nine]>>>>"}),
		of("inherit/parent-loop", "<</Type/Pages/Kids[3 0 R]/Count 1/Parent 2 0 R>>", objects{3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R>>"}),
	}...)
}

// a4 is the box of a page.
const a4 = "/MediaBox[0 0 595 842]"

// boxes are pages with unusual boxes, which say how much of the page shows; the
// other amount is outside of A4.
func boxes() []variant {
	of := func(name, entries, pages string) variant {
		text := honest + " BT /F 24 Tf 72 1500 Td (Pay 900 EUR) Tj ET BT /F 24 Tf 700 720 Td (Pay 900 EUR) Tj ET"
		return variant{name, doc{contents: text, more: objects{
			2:  "<</Type/Pages/Kids[3 0 R]/Count 1" + pages + ">>",
			3:  "<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>" + entries + ">>",
			10: "[0 0 595 842]", 11: "595",
		}}.pdf()}
	}
	return madeOf("boxes", makers{"of": of})
}
