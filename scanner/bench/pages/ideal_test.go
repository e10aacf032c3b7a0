package pages_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"tcode/scanner/bench/pages"
	"tcode/scanner/ecc200"
	"tcode/scanner/simulate"
)

// TestCorrectableAgrees changes random modules of every square size and compares the ideal
// grid's own placement with the result of package ecc200 without doubts. The package may
// decode less, because it also rejects decodings by chance, but a symbol that it decodes
// must be correctable.
func TestCorrectableAgrees(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 5))
	for _, size := range ecc200.Sizes() {
		if !size.Square() || size.Rows > 132 {
			continue
		}
		data := make([]byte, size.Data)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		dark, err := ecc200.Encode(data, size)
		if err != nil {
			t.Fatal(err)
		}
		truth := simulate.Symbol{Rows: size.Rows, Cols: size.Cols, Dark: dark}
		if ok, wrong := pages.Correctable(truth, dark); !ok || wrong != 0 {
			t.Errorf("%d modules: clean symbol: %v, %d wrong", size.Rows, ok, wrong)
		}
		decoded := 0
		for spoil := 1; spoil < size.ECC; spoil += 1 + size.ECC/16 {
			seen := slices.Clone(dark)
			for range spoil {
				k := r.IntN(len(seen))
				seen[k] = !seen[k]
			}
			ok, _ := pages.Correctable(truth, seen)
			got, err := ecc200.Decode(ecc200.Grid{Rows: size.Rows, Cols: size.Cols, Dark: seen})
			if err == nil && got.Erasures == 0 && slices.Equal(got.Codewords, data) {
				decoded++
				if !ok {
					t.Errorf("%d modules, %d changed: decodes but is called uncorrectable", size.Rows, spoil)
				}
			}
		}
		if decoded == 0 && size.ECC >= 10 {
			t.Errorf("%d modules: nothing decoded, the comparison is empty", size.Rows)
		}
	}
}

// TestAnnexF places the 8x8 matrix of ISO/IEC 16022 figure F.9: eight codewords of eight
// modules each.
func TestAnnexF(t *testing.T) {
	t.Parallel()
	for _, n := range []int{8, 10, 12, 22, 44, 64} {
		count := map[int]int{}
		for _, c := range pages.AnnexF(n) {
			count[c]++
		}
		for c, k := range count {
			if want := map[bool]int{true: 8, false: 4}[c >= 0]; k != want {
				t.Errorf("side %d: codeword %d has %d modules, want %d", n, c, k, want)
			}
		}
		if len(count) < n*n/8 {
			t.Errorf("side %d: %d codewords, want %d", n, len(count), n*n/8)
		}
	}
}
