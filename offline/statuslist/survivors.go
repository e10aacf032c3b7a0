package statuslist

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"tcode/offline/digest"
)

// MarkSize is the length of one entry of a survivor list in bytes.
const MarkSize = 16

// MaxSurvivors is the longest survivor list: 1,048,576 stamps of one key, 16 MiB.
const MaxSurvivors = 1 << 20

// ErrSurvivors says that bytes are not a survivor list: their length is not a
// multiple of 16, or too long, or the marks are not strictly ascending.
var ErrSurvivors = errors.New("malformed survivor list")

// A Mark identifies one stamp in a survivor list: the first 16 bytes of the
// SHA-256 of its payload's core (all of the payload but the signature).
type Mark = [MarkSize]byte

// MarkOf returns the mark of a payload's core.
func MarkOf(core []byte) Mark {
	sum := sha256.Sum256(core)
	return Mark(sum[:MarkSize])
}

// A Survivors lists, strictly ascending, the stamps of a compromised key that
// its issuer vouches for: those in the gateway's own rows.
type Survivors []Mark

// NewSurvivors returns a sorted list without duplicates. It does not change
// marks.
func NewSurvivors(marks []Mark) Survivors {
	s := slices.Clone(marks)
	slices.SortFunc(s, compareMarks)
	return slices.Compact(s)
}

// ParseSurvivors reads the transit form: one mark after the other. A list has
// exactly one form. The error wraps ErrSurvivors.
func ParseSurvivors(raw []byte) (Survivors, error) {
	if len(raw)%MarkSize != 0 || len(raw) > MaxSurvivors*MarkSize {
		return nil, fmt.Errorf("%w: %d bytes", ErrSurvivors, len(raw))
	}
	s := make(Survivors, 0, len(raw)/MarkSize)
	for rest := raw; len(rest) > 0; rest = rest[MarkSize:] {
		m := Mark(rest)
		if n := len(s); n > 0 && compareMarks(s[n-1], m) >= 0 {
			return nil, fmt.Errorf("%w: entry %d is out of order", ErrSurvivors, n)
		}
		s = append(s, m)
	}
	return s, nil
}

// Bytes returns the transit form, 16 bytes a mark.
func (s Survivors) Bytes() []byte {
	b := make([]byte, 0, len(s)*MarkSize)
	for _, m := range s {
		b = append(b, m[:]...)
	}
	return b
}

// Hash returns the SHA-256 of the transit form: the list's name in the key's
// record.
func (s Survivors) Hash() digest.SHA256 { return sha256.Sum256(s.Bytes()) }

// Contains reports whether the list holds m.
func (s Survivors) Contains(m Mark) bool {
	_, ok := slices.BinarySearchFunc(s, m, compareMarks)
	return ok
}

func compareMarks(a, b Mark) int { return bytes.Compare(a[:], b[:]) }
