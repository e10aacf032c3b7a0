package payload

// Data Matrix codewords, ISO/IEC 16022:2006 section 5.2.
const (
	latchC40 = 230 // ASCII to C40 encodation
	unlatch  = 254 // C40 back to ASCII
	padding  = 129 // first padding codeword; later ones are randomised
)

// A symbol is one square ECC 200 symbol.
type symbol struct {
	side int // modules, finder pattern included, quiet zone excluded
	data int // data codewords
}

// squareSymbols returns the square symbols in ascending order, ISO/IEC 16022
// table 7. It leaves out 144x144: readers in use differ in its interleaving, so
// no 144x144 symbol works with every reader.
func squareSymbols() [23]symbol {
	return [...]symbol{
		{10, 3},
		{12, 5},
		{14, 8},
		{16, 12},
		{18, 18},
		{20, 22},
		{22, 30},
		{24, 36},
		{26, 44},
		{32, 62},
		{36, 86},
		{40, 114},
		{44, 144},
		{48, 174},
		{52, 204},
		{64, 280},
		{72, 368},
		{80, 456},
		{88, 576},
		{96, 696},
		{104, 816},
		{120, 1050},
		{132, 1304},
	}
}

// Codewords returns the data codewords of the smallest square ECC 200 symbol
// that holds text in C40 encodation, padded to fill it, and the symbol's side in
// modules, finder pattern included and quiet zone excluded. A text of 168
// characters, which every payload of [MinLen] bytes has, always gives 114
// codewords and 40 modules. Codewords does no error correction and no placement.
//
// text is one or more characters of 0-9 and A-Z ([ErrTextChar],
// [ErrTextLength]); more than 1,954 fit no symbol ([ErrTooLong]). The error is
// always a [*SyntaxError].
func Codewords(text string) (data []byte, side int, err error) {
	if text == "" {
		return nil, 0, &SyntaxError{0, "text", ErrTextLength}
	}
	sym, ok := smallest(len(text))
	if !ok {
		return nil, 0, &SyntaxError{0, "text", ErrTooLong}
	}
	data = make([]byte, 0, sym.data)
	data = append(data, latchC40)
	i := 0
	var value [3]byte
	for ; i+3 <= len(text); i += 3 {
		for j := range value {
			if value[j], err = c40(text, i+j); err != nil {
				return nil, 0, err
			}
		}
		data = appendTriplet(data, value)
	}
	rest := text[i:]
	for j := range rest {
		if value[j], err = c40(text, i+j); err != nil {
			return nil, 0, err
		}
	}
	return pad(appendEnd(data, rest, value, sym.data), sym.data), sym.side, nil
}

// smallest returns the smallest symbol for that many characters. In addition to
// latch and triplets, the last one or two characters need one codeword each:
// one character in ASCII as the symbol's very last codeword, two as a C40 pair.
// If the symbol has more room than that, the unlatch fits into it.
func smallest(chars int) (symbol, bool) {
	need := 1 + chars/3*2 + chars%3
	for _, sym := range squareSymbols() {
		if sym.data >= need {
			return sym, true
		}
	}
	return symbol{}, false
}

// appendEnd leaves C40 by the rules of ISO/IEC 16022 section 5.2.5.2. rest is
// the last 0 to 2 characters, value their C40 values, and room the data
// codewords of the symbol.
func appendEnd(data []byte, rest string, value [3]byte, room int) []byte {
	switch left := room - len(data); {
	case left == 0: // the end of the symbol ends C40
		return data
	case left == 1 && len(rest) == 1: // the last codeword of a symbol is ASCII without unlatch
		return append(data, rest[0]+1)
	case left == 2 && len(rest) == 2: // a pair of two, filled up with shift 1
		return appendTriplet(data, [3]byte{value[0], value[1], 0})
	}
	data = append(data, unlatch)
	for i := range len(rest) {
		data = append(data, rest[i]+1) // ASCII encodation
	}
	return data
}

// pad fills data up from its end with the 253-state algorithm, ISO/IEC 16022
// section B.1.
func pad(data []byte, room int) []byte {
	if len(data) < room {
		data = append(data, padding)
	}
	for len(data) < room {
		position := len(data) + 1 // counted from 1
		c := padding + 149*position%253 + 1
		if c > 254 {
			c -= 254
		}
		data = append(data, byte(c))
	}
	return data
}

// c40 returns the value of text[i] in C40's basic set.
func c40(text string, i int) (byte, error) {
	switch c := text[i]; {
	case '0' <= c && c <= '9':
		return c - '0' + 4, nil
	case 'A' <= c && c <= 'Z':
		return c - 'A' + 14, nil
	}
	return 0, &SyntaxError{i, "text", ErrTextChar}
}

// appendTriplet packs three values into two codewords.
func appendTriplet(data []byte, v [3]byte) []byte {
	n := 1600*int(v[0]) + 40*int(v[1]) + int(v[2]) + 1
	return append(data, byte(n>>8), byte(n))
}
