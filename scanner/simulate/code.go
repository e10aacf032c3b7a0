package simulate

import (
	"fmt"
	"math/rand/v2"

	"tcode/offline/payload"
	"tcode/scanner/ecc200"
)

// letters are the characters of random texts, those of a TCode's text that C40 holds in one
// value each.
const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// StrangerText is the text of a TCode that no device knows the issuer of.
const StrangerText = "N99HU6PYFLT8FKAFA69D0M6T9Q3N7EG2K8XK2CGEDP079Q9UKV676EZ2BZOD84ITJG9IOF6ZFCHMFT8WDPSJQQ8PPRY7R4ZBE3NH0WLX6CI92QLBG0EMUIEXZYH1H7ASL22MK9B036JHAQWU0ZU19I4PIS4O4POGDZ61H150"

// Stamp returns the symbol that the gateway prints for text, in the smallest size that holds it. The error says that text
// has a character or a length that no symbol holds.
func Stamp(text string) (Symbol, error) {
	data, side, err := payload.Codewords(text)
	if err != nil {
		return Symbol{}, fmt.Errorf("encode text: %w", err)
	}
	size, ok := ecc200.SizeOf(side, side)
	if !ok {
		return Symbol{}, fmt.Errorf("symbol of %d modules: %w", side, ecc200.ErrLength)
	}
	dark, err := ecc200.Encode(data, size)
	if err != nil {
		return Symbol{}, fmt.Errorf("draw symbol: %w", err)
	}
	return Symbol{Rows: side, Cols: side, Dark: dark}, nil
}

// Stranger returns the symbol of [StrangerText].
func Stranger() Symbol {
	s, err := Stamp(StrangerText)
	if err != nil {
		panic(err) // the text is a constant
	}
	return s
}

// RandomText returns a square symbol of side modules, filled with a random text in the
// encoding that the gateway uses, and the text. side is one of ISO/IEC 16022 from 16 to 64;
// for another side the error says so.
func RandomText(r *rand.Rand, side int) (Symbol, string, error) {
	size, ok := ecc200.SizeOf(side, side)
	if !ok || side < 16 || side > 64 {
		return Symbol{}, "", fmt.Errorf("symbol of %d modules: %w", side, ecc200.ErrLength)
	}
	text := make([]byte, (size.Data-2)/2*3) // a latch, triplets of characters in two codewords each, an unlatch
	for i := range text {
		text[i] = letters[r.IntN(len(letters))]
	}
	data, _, err := payload.Codewords(string(text))
	if err != nil {
		return Symbol{}, "", fmt.Errorf("encode text: %w", err)
	}
	dark, err := ecc200.Encode(data, size)
	if err != nil {
		return Symbol{}, "", fmt.Errorf("draw symbol: %w", err)
	}
	return Symbol{Rows: side, Cols: side, Dark: dark}, string(text), nil
}
