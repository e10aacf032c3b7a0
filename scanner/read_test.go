package scanner_test

import (
	"math/rand/v2"
	"testing"

	"tcode/scanner/ecc200"
	"tcode/scanner/simulate"
)

// symbol returns a random symbol of the given size and its text.
func symbol(tb testing.TB, r *rand.Rand, rows, cols int) (simulate.Symbol, string) {
	tb.Helper()
	size, ok := ecc200.SizeOf(rows, cols)
	if !ok {
		tb.Fatalf("no size %dx%d", rows, cols)
	}
	data := make([]byte, size.Data)
	text := make([]byte, size.Data)
	for i := range data {
		text[i] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[r.IntN(36)]
		data[i] = text[i] + 1
	}
	dark, err := ecc200.Encode(data, size)
	if err != nil {
		tb.Fatal(err)
	}
	return simulate.Symbol{Rows: rows, Cols: cols, Dark: dark}, string(text)
}
