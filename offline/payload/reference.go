package payload

import "io"

// A Reference is a stamp's 80-bit random record reference.
type Reference [10]byte

const (
	crockford       = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	referencePrefix = "TCR"

	// maxReferenceInput is the longest text that ParseReference reads. A reference
	// typed with a space or hyphen after every character has 37 characters.
	maxReferenceInput = 64
)

// NewReference reads a reference from rand, which must be cryptographically
// random: references are the only secret of the public look-up by reference.
// The error is rand's own.
func NewReference(rand io.Reader) (Reference, error) {
	var r Reference
	if _, err := io.ReadFull(rand, r[:]); err != nil {
		return Reference{}, err
	}
	return r, nil
}

// String returns "TCR-" and 16 characters of Crockford's base 32, upper case.
func (r Reference) String() string {
	out := make([]byte, 0, len(referencePrefix)+1+16)
	out = append(out, referencePrefix...)
	out = append(out, '-')
	for half := 0; half < 10; half += 5 { // 5 bytes are 8 characters
		v := uint64(r[half])<<32 | uint64(r[half+1])<<24 | uint64(r[half+2])<<16 | uint64(r[half+3])<<8 | uint64(r[half+4])
		for shift := 35; shift >= 0; shift -= 5 {
			out = append(out, crockford[v>>shift&31])
		}
	}
	return string(out)
}

// ParseReference reads a reference as people write it: upper or lower case,
// with or without hyphens and spaces, I and L for 1 and O for 0. "TCR" and 16
// characters must remain. The error is [ErrReference].
func ParseReference(s string) (Reference, error) {
	if len(s) > maxReferenceInput {
		return Reference{}, ErrReference
	}
	var r Reference
	n, bits, acc := 0, 0, uint32(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '-' || c == ' ' {
			continue
		}
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		if n < len(referencePrefix) {
			if c != referencePrefix[n] {
				return Reference{}, ErrReference
			}
			n++
			continue
		}
		v, ok := crockfordValue(c)
		if !ok || n == len(referencePrefix)+16 {
			return Reference{}, ErrReference
		}
		acc, bits = acc<<5|uint32(v), bits+5
		if bits >= 8 {
			bits -= 8
			r[(n-len(referencePrefix))*5/8] = byte(acc >> bits)
		}
		n++
	}
	if n != len(referencePrefix)+16 {
		return Reference{}, ErrReference
	}
	return r, nil
}

// crockfordValue returns the value of one upper-case character; U is not in the
// alphabet.
func crockfordValue(c byte) (byte, bool) {
	switch c {
	case 'I', 'L':
		return 1, true
	case 'O':
		return 0, true
	}
	for i := range len(crockford) {
		if crockford[i] == c {
			return byte(i), true
		}
	}
	return 0, false
}
