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

// MaxSurvivors bounds a survivor list: 1,048,576 stamps under one key, 16 MiB.
const MaxSurvivors = 1 << 20

// ErrSurvivors says that bytes are no survivor list: not a multiple of 16
// long, too long, or not strictly ascending.
var ErrSurvivors = errors.New("malformed survivor list")

// A Mark stands for one stamp in a survivor list: the first 16 bytes of the
// SHA-256 of its payload's core (all of the payload but the signature).
type Mark = [MarkSize]byte

// MarkOf returns the mark of a payload's core.
func MarkOf(core []byte) Mark {
	sum := sha256.Sum256(core)
	return Mark(sum[:MarkSize])
}

// Survivors lists the stamps of a compromised key that its issuer vouches for:
// those the gateway's own rows hold. Strictly ascending.
type Survivors []Mark

// NewSurvivors returns a sorted list without duplicates. It keeps marks as it
// is.
func NewSurvivors(marks []Mark) Survivors {
	s := slices.Clone(marks)
	slices.SortFunc(s, compareMarks)
	return slices.Compact(s)
}

// ParseSurvivors reads the transit form: the marks one after the other. There
// is one form only: what parses gives the same bytes again. The error wraps
// ErrSurvivors.
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

// Hash returns the SHA-256 of the transit form, under which the key's record
// names the list.
func (s Survivors) Hash() digest.SHA256 { return sha256.Sum256(s.Bytes()) }

// Contains reports whether the list vouches for m.
func (s Survivors) Contains(m Mark) bool {
	_, ok := slices.BinarySearchFunc(s, m, compareMarks)
	return ok
}

func compareMarks(a, b Mark) int { return bytes.Compare(a[:], b[:]) }
