package payload_test

import (
	"errors"
	"fmt"
)

// readCodewords is a reader of ASCII and C40 encodation, written from ISO/IEC
// 16022 section 5.2 for the tests alone. It is stricter than other readers: it
// also refuses wrong padding and a shift without its character, except at the
// symbol's end.
func readCodewords(data []byte) (string, error) {
	if len(data) == 0 || data[0] != 230 {
		return "", errors.New("does not begin with the C40 latch")
	}
	var text []byte
	i := 1
	for {
		if len(data)-i < 2 { // one or none left: C40 ends by itself
			if i < len(data) && data[i] == 254 {
				i++
			}
			return readASCII(text, data, i)
		}
		if data[i] == 254 {
			return readASCII(text, data, i+1)
		}
		v := int(data[i])*256 + int(data[i+1]) - 1
		i += 2
		for j, c := range []int{v / 1600, v / 40 % 40, v % 40} {
			switch {
			case c >= 4 && c < 14:
				text = append(text, '0'+byte(c-4))
			case c >= 14 && c < 40:
				text = append(text, 'A'+byte(c-14))
			case c == 0 && j == 2 && i == len(data): // fills the last pair of the symbol
			default:
				return "", fmt.Errorf("C40 value %d before codeword %d", c, i)
			}
		}
	}
}

// readASCII reads single characters, then padding up to the end.
func readASCII(text, data []byte, i int) (string, error) {
	for ; i < len(data) && data[i] != 129; i++ {
		c := data[i] - 1
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') {
			return "", fmt.Errorf("ASCII codeword %d at %d", data[i], i)
		}
		text = append(text, c)
	}
	for i++; i < len(data); i++ {
		random := (149*(i+1))%253 + 1 // annex B: positions count from 1
		plain := int(data[i]) - random
		if plain < 1 {
			plain += 254
		}
		if plain != 129 || data[i] < 1 || data[i] > 254 {
			return "", fmt.Errorf("padding %d at %d", data[i], i)
		}
	}
	return string(text), nil
}
