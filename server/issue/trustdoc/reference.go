package trustdoc

import (
	"io"

	"tcode/offline/payload"
)

// Reference names a document in public: 80 random bits, shown as TRF- and 16
// characters of Crockford's base 32. It is written and read as that of a stamp,
// which begins with TCR- instead.
type Reference [10]byte

// NewReference draws a reference from rand, which must be cryptographically
// random. The error is rand's own.
func NewReference(rand io.Reader) (Reference, error) {
	r, err := payload.NewReference(rand)
	return Reference(r), err
}

// String returns the reference in its one spelling.
func (r Reference) String() string { return payload.Reference(r).Shown(payload.DocumentPrefix) }

// ParseReference reads a reference as people write it, as
// [payload.ReadReference] does. Anything else is [payload.ErrReference].
func ParseReference(s string) (Reference, error) {
	prefix, r, err := payload.ReadReference(s)
	if err != nil || prefix != payload.DocumentPrefix {
		return Reference{}, payload.ErrReference
	}
	return Reference(r), nil
}
