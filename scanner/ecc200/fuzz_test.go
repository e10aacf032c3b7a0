package ecc200_test

import (
	"errors"
	"slices"
	"testing"
	"unicode/utf8"

	"tcode/scanner/ecc200"
)

// FuzzText: any codewords give a valid text or ErrText, and never panic.
func FuzzText(f *testing.F) {
	for _, seed := range [][]byte{
		{66, 67, 129, 70},
		{230, 91, 11, 254, 66},
		{231, 44, 193},
		{238, 1, 2, 254},
		{239, 160, 197},
		{240, 1, 2, 3, 4},
		{241, 27, 235, 68},
		{236, 66},
		{232, 131},
		{235, 66},
		{233, 1, 2, 3, 66},
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		text, err := ecc200.Text(in)
		if err != nil {
			if !errors.Is(err, ecc200.ErrText) {
				t.Fatalf("err = %v, want ErrText", err)
			}
			return
		}
		if !utf8.ValidString(text) {
			t.Fatalf("Text(%v) = %q: not UTF-8", in, text)
		}
	})
}

// FuzzReedSolomon: a symbol of any data with at most as many wrong codewords as a block
// corrects is restored. A symbol with more never decodes to data that encode to something
// unlike the modules.
func FuzzReedSolomon(f *testing.F) {
	f.Add(uint8(11), []byte("SOME TEXT"), []byte{1, 2, 3, 200, 17})
	f.Add(uint8(0), []byte{66, 67, 68}, []byte{9, 40})
	f.Add(uint8(26), []byte{1}, []byte{9, 40, 77, 78, 79, 81})
	f.Fuzz(func(t *testing.T, which uint8, data, flips []byte) {
		sizes := allSizes()
		s := sizes[int(which)%len(sizes)]
		if s.Rows > 64 {
			return // the same code on more blocks, but slower
		}
		all := make([]byte, s.Data)
		copy(all, data)
		dark, err := ecc200.Encode(all, s)
		if err != nil {
			t.Fatal(err)
		}
		seen := slices.Clone(dark)
		changed := 0
		for i, b := range flips {
			at := (int(b)*251 + i*37) % len(seen)
			if s.Fixed(at/s.Cols, at%s.Cols) == ecc200.Data && seen[at] == dark[at] {
				seen[at] = !seen[at]
				changed++
			}
		}
		got, err := ecc200.Decode(ecc200.Grid{Rows: s.Rows, Cols: s.Cols, Dark: seen})
		if changed <= s.ECC/s.Blocks/2 && (err != nil || !slices.Equal(got.Codewords, all)) {
			t.Fatalf("%dx%d with %d modules changed: %v, %v", s.Rows, s.Cols, changed, got.Codewords, err)
		}
		if err != nil {
			return
		}
		again, err := ecc200.Encode(got.Codewords, s)
		if err != nil || !slices.Equal(again, got.Dark) {
			t.Fatalf("%dx%d: the answer encodes to another symbol", s.Rows, s.Cols)
		}
		if a := ecc200.Agreement(ecc200.Grid{Rows: s.Rows, Cols: s.Cols, Dark: seen}, again); a != got.Agreement {
			t.Fatalf("agreement %v, reported %v", a, got.Agreement)
		}
	})
}
