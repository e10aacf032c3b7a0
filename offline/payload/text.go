package payload

import "math/bits"

const (
	blockBytes = 9  // bytes of a whole block
	blockChars = 14 // characters of a whole block: 256^9 < 36^14

	// MaxTextLen is the length in characters of the longest text form, that of
	// [MaxLen] bytes.
	MaxTextLen = MaxLen/blockBytes*blockChars + 13

	// pow7 splits a block into two halves of 7 digits: 36^7.
	pow7 = 36 * 36 * 36 * 36 * 36 * 36 * 36
)

// charsOf is the number of characters for 0 to 9 bytes: the fewest digits of
// base 36 that can hold them.
const charsOf = "\x00\x02\x04\x05\x07\x08\x0a\x0b\x0d\x0e"

// EncodeText returns the text form of b, which a symbol holds: each 9 bytes as
// a big-endian number of 14 base-36 digits, a last block of 1 to 8 bytes as 2,
// 4, 5, 7, 8, 10, 11 or 13 digits. b may be any bytes.
func EncodeText(b []byte) string {
	out := make([]byte, len(b)/blockBytes*blockChars+int(charsOf[len(b)%blockBytes]))
	for at := 0; len(b) > 0; {
		n := min(blockBytes, len(b))
		var hi, lo uint64 // the block's number, 72 bits
		for _, c := range b[:n] {
			hi, lo = hi<<8|lo>>56, lo<<8|uint64(c)
		}
		chars := int(charsOf[n])
		upper, lower := bits.Div64(hi, lo, pow7)
		for i := chars - 1; i >= 0; i-- {
			if i == chars-1-7 {
				lower = upper
			}
			out[at+i] = digit36[lower%36]
			lower /= 36
		}
		at += chars
		b = b[n:]
	}
	return string(out)
}

// DecodeText is the inverse of [EncodeText], for at most [MaxTextLen]
// characters. It refuses lower case, spaces and any other character, impossible
// lengths and blocks too great for their bytes with a [*SyntaxError] that has
// the character's offset, so that each byte string has one text.
func DecodeText(s string) ([]byte, error) {
	if len(s) > MaxTextLen {
		return nil, &SyntaxError{MaxTextLen, "text", ErrTooLong}
	}
	rest := 0 // bytes in the short last block
	for int(charsOf[rest]) != len(s)%blockChars {
		if rest++; rest == blockBytes {
			return nil, &SyntaxError{len(s) - len(s)%blockChars, "text", ErrTextLength}
		}
	}
	out := make([]byte, 0, len(s)/blockChars*blockBytes+rest)
	for at := 0; at < len(s); at += blockChars {
		n, chars := blockBytes, blockChars
		if len(s)-at < blockChars {
			n, chars = rest, int(charsOf[rest])
		}
		var upper, lower uint64
		for i := range chars {
			d, ok := value36(s[at+i])
			if !ok {
				return nil, &SyntaxError{at + i, "text", ErrTextChar}
			}
			if i < chars-7 {
				upper = upper*36 + uint64(d)
			} else {
				lower = lower*36 + uint64(d)
			}
		}
		hi, lo := bits.Mul64(upper, pow7)
		lo, carry := bits.Add64(lo, lower, 0)
		hi += carry
		if tooGreat(hi, lo, n) {
			return nil, &SyntaxError{at, "text", ErrTextValue}
		}
		for i := n - 1; i >= 0; i-- {
			shift := uint(8 * i) // 64 for the first of 9 bytes
			if shift == 64 {
				out = append(out, byte(hi))
			} else {
				out = append(out, byte(lo>>shift))
			}
		}
	}
	return out, nil
}

// tooGreat reports whether the number hi·2^64 + lo needs more than n bytes, n
// from 1 to 9.
func tooGreat(hi, lo uint64, n int) bool {
	switch {
	case n > 8:
		return hi > 0xFF
	case n == 8:
		return hi != 0
	default:
		return hi != 0 || lo>>(8*n) != 0
	}
}
