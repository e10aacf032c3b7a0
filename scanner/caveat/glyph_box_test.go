package caveat_test

import (
	"fmt"
	"strings"
	"testing"

	"tcode/scanner/caveat"
)

// TestGlyphBox draws a Type 3 character inside of its box and beyond it.
func TestGlyphBox(t *testing.T) {
	t.Parallel()
	const image = " cm BI /W 8/H 8/IM true/BPC 1/D[1 0] ID \xff\xff\xff\xff\xff\xff\xff\xff EI"
	const padded = " cm BI /W 8/H 2/IM true/BPC 1/D[1 0] ID \xf0\xf0 EI"
	for glyph, beyond := range map[string]bool{
		"600 0 0 0 600 700 d1 50 0 500 700 re f":                       false,
		"600 0 0 0 600 700 d1 50 -5 500 710 re f":                      false, // rounded
		"600 0 0 0 600 700 d1 0 0 m 600 0 l 600 700 l f":               false,
		"600 0 0 0 600 700 d1 40 w 0 0 m 600 0 l S":                    false,
		"600 0 0 0 600 700 d1 0 900 m n":                               false,
		"600 0 0 0 0 0 d1 50 0 500 700 re f":                           false, // no box
		"600 0 d0 50 0 500 7000 re f":                                  false,
		"600 0 0 0 600 700 d1 600 0 0 700 0 0" + image:                 false,
		"600 0 0 0 600 700 d1 50 0 500 800 re f":                       true,
		"600 0 0 0 600 700 d1 550 100 -600 100 re f":                   true,
		"600 0 0 0 600 700 d1 0 0 m 0 900 600 900 600 0 c f":           true,
		"600 0 0 0 600 700 d1 300 w 0 0 m 600 0 l S":                   true,
		"600 0 0 0 600 700 d1 1 0 0 2 0 0 cm 50 0 500 700 re f":        true,
		"600 0 0 0 600 700 d1 q 1 0 0 2 0 0 cm Q 50 0 500 700 re f":    false,
		"600 0 600 700 0 0 d1 50 0 500 700 re f":                       true,
		"600 0 0 0 600 700 d1 600 0 0 900 0 0" + image:                 true,
		"600 0 0 0 600 700 d1 1000 0 0 700 0 0" + padded:               false, // half of each row is padding
		"600 0 0 0 400 700 d1 1000 0 0 700 0 0" + padded:               true,
		"600 0 0 0 600 700 d1 9 0 0 9 0 0" + image + " 0 0 99 99 re f": true,
	} {
		body := strings.Replace(body, "/Contents 4 0 R", "/Contents 4 0 R/Resources<</Font<</T 20 0 R>>>>", 1) +
			"20 0 obj<</Type/Font/Subtype/Type3/FontBBox[0 0 600 700]/FontMatrix[.001 0 0 .001 0 0]/FirstChar 49/LastChar 49/Widths[600]" +
			"/CharProcs<</one 21 0 R>>/Encoding<</Differences[49/one]>>>>endobj\n" +
			fmt.Sprintf("21 0 obj<</Length %d>>stream\n%s\nendstream endobj\n", len(glyph), glyph)
		var told string
		for _, c := range caveat.Of([]byte(filed(body))) {
			told += c.Text + "; "
		}
		if got := strings.Contains(told, "reaches beyond its box"); got != beyond || !beyond && told != "" {
			t.Errorf("%q: told %q, want beyond its box: %v", glyph, told, beyond)
		}
	}
}
