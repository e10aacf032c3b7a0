package pdfstamp_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/filter"

	"tcode/server/pdfstamp"
)

// TestFilters: data that pdfcpu encodes is decoded to the same bytes.
func TestFilters(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	noise := make([]byte, 20_000)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	inputs := map[string][]byte{
		"text":  bytes.Repeat([]byte("BT /F1 12 Tf (abc) Tj ET q Q\n"), 400),
		"runs":  bytes.Repeat([]byte{7}, 9000),
		"noise": noise,
		"short": []byte("q"),
	}
	for _, f := range []string{filter.Flate, filter.LZW, filter.ASCII85, filter.ASCIIHex, filter.RunLength} {
		for name, want := range inputs {
			enc, err := filter.NewFilter(f, nil)
			if err != nil {
				t.Fatal(err)
			}
			rd, err := enc.Encode(bytes.NewReader(want))
			if err != nil {
				t.Fatal(err)
			}
			data, err := io.ReadAll(rd)
			if err != nil {
				t.Fatal(err)
			}
			got, err := pdfstamp.DecodeForTest(fmt.Appendf(nil, "<</Filter[/%s]/Length %d>>\nstream\n%s\nendstream", f, len(data), data))
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s of %s: %d bytes (%v), want %d", f, name, len(got), err, len(want))
			}
		}
	}
	if _, err := pdfstamp.DecodeForTest([]byte("<</Filter/DCTDecode/Length 1>>\nstream\nx\nendstream")); err == nil {
		t.Error("a JPEG was decoded")
	}
}

// TestPredictors: rows by each PNG filter (RFC 2083, section 6), worked out by
// hand over the row 10 20 30 above.
func TestPredictors(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		row  [4]byte
		want [3]byte
	}{
		"none":    {[4]byte{0, 1, 2, 3}, [3]byte{1, 2, 3}},
		"sub":     {[4]byte{1, 1, 2, 3}, [3]byte{1, 3, 6}},
		"up":      {[4]byte{2, 1, 2, 3}, [3]byte{11, 22, 33}},
		"average": {[4]byte{3, 1, 2, 3}, [3]byte{6, 15, 25}},
		"paeth":   {[4]byte{4, 1, 2, 3}, [3]byte{11, 22, 33}},
	} {
		enc, err := filter.NewFilter(filter.Flate, nil)
		if err != nil {
			t.Fatal(err)
		}
		rd, err := enc.Encode(bytes.NewReader(append([]byte{0, 10, 20, 30}, tt.row[:]...)))
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(rd)
		if err != nil {
			t.Fatal(err)
		}
		got, err := pdfstamp.DecodeForTest(fmt.Appendf(nil, "<</Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 3>>/Length %d>>\nstream\n%s\nendstream", len(data), data))
		if want := append([]byte{10, 20, 30}, tt.want[:]...); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d (%v), want %d", name, got, err, want)
		}
	}
}
