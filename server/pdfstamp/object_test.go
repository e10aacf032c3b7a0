package pdfstamp_test

import (
	"fmt"
	"strings"
	"testing"

	"tcode/server/pdfstamp"
)

// TestDictionary writes dictionaries again, of few keys and of many: in the
// order in which they were read, and of equal keys the last value counts.
func TestDictionary(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 4, 15, 16, 17, 300} {
		var in, want strings.Builder
		in.WriteString("<<")
		want.WriteString("<<")
		for i := range n {
			fmt.Fprintf(&in, "/K%d %d ", i, -1)
			fmt.Fprintf(&want, "/K%d %d\n", i, i)
		}
		for i := range n {
			fmt.Fprintf(&in, "/K%d %d ", i, i)
		}
		in.WriteString(">>")
		want.WriteString(">>")
		got, err := pdfstamp.RewriteForTest([]byte(in.String()))
		if err != nil || string(got) != want.String() {
			t.Errorf("%d keys: %q, %v; want %q", n, got, err, want.String())
		}
	}
}
