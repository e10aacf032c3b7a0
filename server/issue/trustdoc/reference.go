package trustdoc

import (
	"io"
	"strings"

	"tcode/offline/payload"
)

// Reference names a document in public: 80 random bits, shown as TRF- and 16
// characters of Crockford's base 32. It is written and read as that of a stamp,
// which begins with TCR- instead.
type Reference [10]byte

const (
	prefix      = "TRF"
	stampPrefix = "TCR"
)

// NewReference draws a reference from rand, which must be cryptographically
// random. The error is rand's own.
func NewReference(rand io.Reader) (Reference, error) {
	r, err := payload.NewReference(rand)
	return Reference(r), err
}

// String returns the reference in its one spelling.
func (r Reference) String() string {
	return prefix + payload.Reference(r).String()[len(stampPrefix):]
}

// ParseReference reads a reference as people write it, as
// [payload.ParseReference] does. Anything else is [payload.ErrReference].
func ParseReference(s string) (Reference, error) {
	rest := strings.TrimLeft(s, " -")
	var r payload.Reference
	err := payload.ErrReference
	if head, tail, ok := cutLetters(rest, len(prefix)); ok && strings.EqualFold(head, prefix) {
		r, err = payload.ParseReference(stampPrefix + tail)
	}
	return Reference(r), err
}

// cutLetters cuts the first n characters off that are no separators.
func cutLetters(s string, n int) (head, tail string, ok bool) {
	for i := range len(s) {
		if len(head) == n {
			return head, s[i:], true
		}
		if s[i] != ' ' && s[i] != '-' {
			head += s[i : i+1]
		}
	}
	return head, "", false
}
