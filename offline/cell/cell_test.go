package cell_test

import (
	"strconv"
	"strings"
	"testing"

	"tcode/offline/cell"
)

func TestInert(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "", "Ada": "Ada", "=1+1": "'=1+1", "+49 30": "'+49 30", "-5": "-5", "-0.5": "-0.5", "-5-1": "'-5-1", "-": "'-", "-.5": "'-.5", "@SUM(A1)": "'@SUM(A1)",
		" \u00a0=1": "' \u00a0=1", "\tx": "'\tx", "\rx": "'\rx", "＝1": "'＝1", "'=1": "''=1", "'tis": "'tis", "a=1": "a=1",
	} {
		if got := cell.Inert(in); got != want {
			t.Errorf("Inert(%q) = %q, want %q", in, got, want)
		}
	}
}

// FuzzInert: the text written into a cell is read back, and no spreadsheet computes
// it.
func FuzzInert(f *testing.F) {
	for _, s := range []string{"", "=1", "'=1", "''", "\t", "'\n-", " +", "x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		written := cell.Inert(s)
		if back := cell.Plain(written); back != s {
			t.Errorf("%q became %q and then %q", s, written, back)
		}
		if _, err := strconv.ParseFloat(s, 64); written != "" && err != nil && strings.ContainsRune("=+-@\t\r\n", rune(written[0])) {
			t.Errorf("%q stays %q", s, written)
		}
	})
}
