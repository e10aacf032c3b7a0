package payload

import (
	"io"
	"slices"
	"strings"
	"unicode"
)

// A Reference is a stamp's 80-bit random record reference. Those of Trust documents differ in
// their prefix only.
type Reference [10]byte

// The prefixes of references, of 3 letters.
const (
	StampPrefix    = "TCR"
	DocumentPrefix = "TRF"
)

const (
	crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	suffix    = 16 // of a reference, after its prefix

	// maxTyped is the longest text that [Spell] reads, in bytes: an address with parameters.
	maxTyped = 1024
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
func (r Reference) String() string { return r.Shown(StampPrefix) }

// Shown returns a prefix, a hyphen and 16 characters of Crockford's base 32, upper case.
func (r Reference) Shown(prefix string) string {
	out := make([]byte, 0, len(prefix)+1+suffix)
	out = append(out, prefix...)
	out = append(out, '-')
	for half := 0; half < 10; half += 5 { // 5 bytes are 8 characters
		v := uint64(r[half])<<32 | uint64(r[half+1])<<24 | uint64(r[half+2])<<16 | uint64(r[half+3])<<8 | uint64(r[half+4])
		for shift := 35; shift >= 0; shift -= 5 {
			out = append(out, crockford[v>>shift&31])
		}
	}
	return string(out)
}

// ParseReference reads the reference of a stamp as people type it; see [Spell]. The error is
// [ErrReference].
func ParseReference(s string) (Reference, error) {
	prefix, r, err := ReadReference(s)
	if err != nil || prefix != StampPrefix {
		return Reference{}, ErrReference
	}
	return r, nil
}

// ReadReference reads a reference as people type it; see [Spell]. prefix is [StampPrefix] or
// [DocumentPrefix]. The error is [ErrReference].
func ReadReference(s string) (prefix string, r Reference, err error) {
	s, err = Spell(s)
	if err != nil || len(s) != len(StampPrefix)+suffix {
		return "", Reference{}, ErrReference
	}
	prefix, s = s[:len(StampPrefix)], s[len(StampPrefix):]
	if prefix != StampPrefix && prefix != DocumentPrefix {
		return "", Reference{}, ErrReference
	}
	bits, acc := 0, uint32(0)
	for i := range len(s) {
		acc, bits = acc<<5|uint32(strings.IndexByte(crockford, s[i])), bits+5
		if bits >= 8 {
			bits -= 8
			r[i*5/8] = byte(acc >> bits)
		}
	}
	return prefix, r, nil
}

// Spell returns the characters of a reference, or of a part of one, as people type or paste it:
// upper case, of Crockford's alphabet, without hyphens. It drops dashes, white space and
// invisible characters, punctuation at both ends, and the address of a page around a reference.
// It reads small letters, I and L as 1 and O as 0, and characters that look like others
// (FORMAT.md, "Record reference"). The error is [ErrReference].
func Spell(s string) (string, error) {
	if len(s) > maxTyped {
		return "", ErrReference
	}
	s = strings.TrimFunc(withoutAddress(s), func(r rune) bool {
		return dropped(r) || unicode.IsPunct(r) || unicode.IsSymbol(r)
	})
	var out strings.Builder
	for _, r := range s {
		if dropped(r) {
			continue
		}
		c, ok := spelled(r)
		if !ok {
			return "", ErrReference
		}
		out.WriteByte(c)
	}
	return out.String(), nil
}

// withoutAddress returns the text after the last /d/ of an address, without its parameters, or s
// if it has no /d/.
func withoutAddress(s string) string {
	path := s
	if end := strings.IndexAny(s, "?#"); end >= 0 {
		path = s[:end]
	}
	if i := max(strings.LastIndex(path, "/d/"), strings.LastIndex(path, "/D/")); i >= 0 {
		return path[i+len("/d/"):]
	}
	return s
}

// dropped reports whether r is white space, invisible, or one of the dashes that programs and
// keyboards write for a hyphen.
func dropped(r rune) bool {
	return unicode.IsSpace(r) || unicode.In(r, unicode.Pd, unicode.Cf) || strings.ContainsRune("\u2043\u2212\u30FC", r)
}

// alike are letters of Cyrillic and Greek that look like the letter at the same place of latin.
var (
	alike = []rune("АВЕКМНОРСТУХЅІЈавекмнорстухѕіјΑΒΕΖΗΙΚΜΝΟΡΤΥΧαεικορτχ")
	latin = "ABEKMHOPCTYXSIJABEKMHOPCTYXSIJABEZHIKMNOPTYXAEIKOPTX"
)

// spelled returns the character of the alphabet that r stands for.
func spelled(r rune) (byte, bool) {
	switch {
	case r >= '\uFF01' && r <= '\uFF5E': // as wide as those of East Asia
		r -= '\uFF01' - '!'
	case r >= '\u0660' && r <= '\u0669': // Arabic
		r -= '\u0660' - '0'
	case r >= '\u06F0' && r <= '\u06F9': // of Persian and Urdu
		r -= '\u06F0' - '0'
	case r >= '\u0966' && r <= '\u096F': // of Hindi
		r -= '\u0966' - '0'
	default:
		if i := slices.Index(alike, r); i >= 0 {
			r = rune(latin[i])
		}
	}
	switch {
	case r > unicode.MaxASCII:
		return 0, false
	case r >= 'a' && r <= 'z':
		r -= 'a' - 'A'
	}
	switch r {
	case 'I', 'L':
		r = '1'
	case 'O':
		r = '0'
	}
	return byte(r), strings.IndexByte(crockford, byte(r)) >= 0
}
