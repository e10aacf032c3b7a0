package pdfobj_test

import (
	"bytes"
	"compress/lzw"
	"fmt"
	"strings"
	"testing"

	"tcode/scanner/pdfobj"
)

// TestLZW reads the example of the standard and the output of another encoder, which
// changes the length of codes late.
func TestLZW(t *testing.T) {
	t.Parallel()
	var long strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&long, "%d %d m ", i*i%977, i)
	}
	var packed bytes.Buffer
	w := lzw.NewWriter(&packed, lzw.MSB, 8)
	w.Write([]byte(long.String()))
	w.Close()
	for _, tt := range []struct{ entries, data, want string }{
		{"/Filter/LZWDecode", "\x80\x0B\x60\x50\x22\x0C\x0C\x85\x01", "-----A---B"},
		{"/Filter[/LZWDecode]/DecodeParms[<</EarlyChange 0>>]", packed.String(), long.String()},
		{"/Filter/LZWDecode", "\x80\x0B\x60", ""},
	} {
		f := pdfobj.Open([]byte(filed(fmt.Sprintf("1 0 obj<<%s/Length %d>>stream\n%s\nendstream endobj", tt.entries, len(tt.data), tt.data), "")))
		o, found := f.Object(1)
		got, ok := f.Data(o)
		if !found || ok != (tt.want != "") || string(got) != tt.want {
			t.Errorf("%s: %d bytes, %v; want %d", tt.entries, len(got), ok, len(tt.want))
		}
	}
}
