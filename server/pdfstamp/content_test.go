package pdfstamp_test

import (
	"runtime"
	"strings"
	"testing"

	"tcode/offline/payload"
	"tcode/server/pdfstamp"
)

func TestClosing(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, contents string
		opening        int
		closing        string
		beneath        bool
	}{
		{"empty", "", 1, "Q \n", false},
		{"balanced", "q 1 0 0 1 0 0 cm Q", 1, "Q \n", false},
		{"open q", "q q Q", 1, "Q Q \n", false},
		{"stray Q", "Q", 2, "Q \n", false},
		{"stray Q, then q", "Q Q q", 3, "Q Q \n", false},
		{"stray Q, q, stray Q", "Q q Q Q", 3, "Q \n", false},
		{"open text", "BT (x) Tj", 1, "ET Q \n", false},
		{"closed text", "BT (x) Tj ET", 1, "Q \n", false},
		{"open path", "0 0 m 1 1 l", 1, "n Q \n", false},
		{"open clipping path", "0 0 1 1 re W", 1, "n Q \n", false},
		{"painted path", "0 0 m 1 1 l S", 1, "Q \n", false},
		{"open marked content", "/A BMC /B <</MCID 0>> BDC EMC", 1, "EMC Q \n", false},
		{"stray EMC", "EMC EMC /A BMC EMC", 1, "Q \n", false},
		{"everything", "q BT /A BMC 0 0 1 1 re", 1, "n ET EMC Q Q \n", false},
		{"operators in strings, names, comments", "(q \\) q) Tj <7171> Tj /q gs % q q\n[(q) 3 (q)] TJ", 1, "Q \n", false},
		{"comment at the end", "q Q % q", 1, "Q \n", false},
		{"nested string", "((q) q) Tj q", 1, "Q Q \n", false},
		{"operators that follow numbers", "1 0 0 1 0 0cm 1q -.5 0Q 0q", 1, "Q Q \n", false},
		{"inline image whose end is not known", "BI /W 2 ID q EIq EI Q", 2, "Q \n", true},
		{"inline image to the end", "BI /W 2 ID qqqq\nEI", 1, "Q \n", false},
		{"inline image without end", "BI /W 2 ID qqqq", 1, "Q \n", true},
		{"inline image without data", "BI /W 2 q", 1, "Q \n", true},
		{"inline image of a size", "BI /W 8 /H 2 /IM true ID Q EI Q", 2, "Q \n", false},
		{"inline image with EI in its data", "BI /W 4/H 2/BPC 8/CS/G ID q EI q Q EI Q", 2, "Q \n", false},
		{"inline image without space before EI", "BI /W 4 /H 1 /BPC 8 /CS /G ID abcdEI (\tEI\tQ) Tj", 1, "Q \n", false},
		{"inline image that is short", "BI /W 400 /H 100 /IM true ID abcd EI Q", 1, "Q \n", true},
		{"inline image that is long", "BI /W 8 /H 1 /IM true ID abcd\nEI Q", 2, "Q \n", false},
		{"inline image in hex", "BI /W 8/H 1/IM true/F/AHx ID 45 EI > EI Q", 2, "Q \n", false},
		{"inline image of runs", "BI /W 8/H 3/IM true/F/RL ID \x02 EI\x80 EI Q", 2, "Q \n", false},
		{"inline image of a named colour space", "BI /W 8/H 1/CS/X/BPC 8 ID abcdefgh EI Q", 2, "Q \n", false},
		{"state set by an operator that shows text", "1 2 (x) \" Q f", 2, "Q \n", true},
		{"stray Q in a text object", "BT 1 0 0 1 5 5 Tm Q (x) Tj ET", 2, "Q \n", true},
		{"stray Q after a change", "1 0 0 1 5 5 cm Q f", 2, "Q \n", true},
		{"stray Q after a change, at the end", "1 0 0 1 5 5 cm f Q", 2, "Q \n", false},
		{"ID that begins no image", "ID q EI", 1, "Q Q \n", false},
		{"string without end", "q (abc", 1, ")\nQ Q \n", false},
		{"nested string without end", "q ((abc)(", 1, "))\nQ Q \n", false},
		{"string that ends in a backslash", "(abc\\", 1, ")\nQ \n", false},
		{"hex string without end", "q <abc", 1, ">\nQ Q \n", false},
		{"array without end", "q [(a) [1", 1, "]]\nQ Q \n", false},
		{"dictionary without end", "/A <</B [1", 1, "]null>>\nQ \n", false},
		{"string in an array without end", "[(a", 1, ")]\nQ \n", false},
		{"array that an operator ends", "[(a) TJ q", 1, "Q Q \n", false},
		{"stray delimiters", ") > ] } { q", 1, "Q Q \n", false},
		{"a thousand open", strings.Repeat("q ", 1000), 1, strings.Repeat("Q ", 1001) + "\n", false},
		{"too many open", strings.Repeat("q ", 1001), 1, strings.Repeat("Q ", 1001) + "\n", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			opening, closing, beneath := pdfstamp.ClosingForTest(tt.contents)
			if opening != tt.opening || closing != "\n"+tt.closing || beneath != tt.beneath {
				t.Errorf("%d q, %q, beneath %v; want %d, %q, %v", opening, closing, beneath, tt.opening, "\n"+tt.closing, tt.beneath)
			}
		})
	}
}

// TestBombCost: the limit on a file's inflated data applies during the inflation, not
// after it. The test runs alone, to measure its own memory.
func TestBombCost(t *testing.T) {
	for name, pdf := range map[string][]byte{
		"one stream":       pdfSpec{page: a4 + "/Contents 10 0 R", extra: []string{bomb(1024)}}.build(),
		"one stream often": pdfSpec{page: a4 + "/Contents[" + strings.Repeat("10 0 R ", 100) + "]", extra: []string{bomb(40)}}.build(),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := pdfstamp.PrepareForTest(pdf, pdfstamp.Placement{}, payload.Reference{1}, side)
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%s: stamped", name)
		}
		if got := (after.TotalAlloc - before.TotalAlloc) >> 20; got > 800 {
			t.Errorf("%s: %d MiB allocated", name, got)
		}
	}
}
