package caveat_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tcode/scanner/caveat"
)

// ownBody has two pages: the words RESOURCES and ANNOTS belong to the first one, and the
// second one has an embedded font.
const ownBody = `%PDF-1.7
1 0 obj<</Type/Catalog/Pages 2 0 R FORM>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2/Resources<</Font<</F 5 0 R>>>>>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/Annots[ANNOTS]RESOURCES>>endobj
4 0 obj<</Type/Page/Parent 2 0 R>>endobj
5 0 obj<</Type/Font/Subtype/TrueType/FontDescriptor<</FontFile2 6 0 R>>>>endobj
6 0 obj<</Length 0>>stream

endstream endobj
7 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
8 0 obj<</Type/XObject/Subtype/Form/Resources<</Font<</F 5 0 R>>/XObject<</Self 8 0 R>>>>/Length 0>>stream

endstream endobj
9 0 obj<</Type/XObject/Subtype/Form/Resources<</XObject<</X 10 0 R>>>>/Length 0>>stream

endstream endobj
10 0 obj<</Type/XObject/Subtype/Form/Resources<</Font<</F 7 0 R>>>>/Length 0>>stream

endstream endobj
`

func TestOwnFonts(t *testing.T) {
	t.Parallel()
	resources := func(s string) string { return "/Resources<<" + s + ">>" }
	for name, c := range map[string]struct {
		resources, annots, form string
		own                     bool // of the first page
	}{
		"inherited":                      {own: true},
		"no font":                        {resources: resources("")},
		"embedded":                       {resources: resources("/Font<</A 5 0 R>>"), own: true},
		"standard 14":                    {resources: resources("/Font<</A 5 0 R/B 7 0 R>>")},
		"a font that is not there":       {resources: resources("/Font<</A 99 0 R>>")},
		"Type 1 with outlines":           {resources: resources("/Font<</A<</Subtype/Type1/FontDescriptor<</FontFile3 6 0 R>>>>>>"), own: true},
		"Type 1 with TrueType outlines":  {resources: resources("/Font<</A<</Subtype/Type1/FontDescriptor<</FontFile2 6 0 R>>>>>>")},
		"outlines that are no stream":    {resources: resources("/Font<</A<</Subtype/TrueType/FontDescriptor<</FontFile2 2 0 R>>>>>>")},
		"Type 0":                         {resources: resources("/Font<</A<</Subtype/Type0/DescendantFonts[5 0 R]>>>>"), own: true},
		"Type 0 that is not embedded":    {resources: resources("/Font<</A<</Subtype/Type0/DescendantFonts[7 0 R]>>>>")},
		"Type 3":                         {resources: resources("/Font<</A<</Subtype/Type3/CharProcs<</a 6 0 R>>>>>>"), own: true},
		"Type 3 that draws another font": {resources: resources("/Font<</A<</Subtype/Type3/CharProcs<</a 6 0 R>>/Resources<</Font<</B 7 0 R>>>>>>>>")},
		"a form":                         {resources: resources("/XObject<</X 8 0 R>>"), own: true},
		"a form in a form":               {resources: resources("/Font<</A 5 0 R>>/XObject<</X 9 0 R>>")},
		"a pattern":                      {resources: resources("/Font<</A 5 0 R>>/Pattern<</X 10 0 R>>")},
		"a font in a graphics state":     {resources: resources("/Font<</A 5 0 R>>/ExtGState<</G<</Font[7 0 R 9]>>>>")},
		"a mask":                         {resources: resources("/Font<</A 5 0 R>>/ExtGState<</G<</SMask<</G 10 0 R>>>>>>")},
		"a link":                         {annots: "<</Subtype/Link>>", own: true},
		"a widget with a picture":        {annots: "<</Subtype/Widget/AP<</N 8 0 R>>>>", own: true},
		"a widget that is drawn again":   {annots: "<</Subtype/Widget/AP<</N 8 0 R>>>>", form: "/AcroForm<</NeedAppearances true>>"},
		"a widget without a picture":     {annots: "<</Subtype/Widget>>"},
		"a picture with another font":    {annots: "<</Subtype/Stamp/AP<</N 9 0 R>>>>"},
		"pictures for states":            {annots: "<</Subtype/Widget/AP<</N<</On 8 0 R/Off 10 0 R>>>>>>"},
		"free text":                      {annots: "<</Subtype/FreeText/Contents(a)>>"},
	} {
		body := strings.NewReplacer("RESOURCES", c.resources, "ANNOTS", c.annots, "FORM", c.form).Replace(ownBody)
		want := []int{2}
		if c.own {
			want = []int{1, 2}
		}
		if got := caveat.OwnFonts([]byte(filed(body))); !slices.Equal(got, want) {
			t.Errorf("%s: pages %v, want %v", name, got, want)
		}
	}
	if got := caveat.OwnFonts([]byte(ownBody)); got != nil {
		t.Errorf("without a cross-reference: pages %v", got)
	}
}

// TestOwnFontsEnds examines trees and forms without an end.
func TestOwnFontsEnds(t *testing.T) {
	t.Parallel()
	var kids strings.Builder
	for range 200 {
		fmt.Fprint(&kids, "2 0 R ")
	}
	body := "%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[" + kids.String() + "]>>endobj\n"
	if got := caveat.OwnFonts([]byte(filed(body))); got != nil {
		t.Errorf("a tree without an end: pages %v", got)
	}
}
