// Package digest has the type of all SHA-256 values that identify a document, an
// object, a scan or a payload. [Of] computes one and [Parse] reads one.
package digest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// A SHA256 is a SHA-256 value. The zero SHA256 means none. Its verb in package
// fmt is %s: %x would encode the digits once more.
type SHA256 [sha256.Size]byte

// Of returns the SHA-256 of data.
func Of(data []byte) SHA256 { return sha256.Sum256(data) }

// Parse reads 64 lower-case hexadecimal digits, the text that [SHA256.String]
// returns.
func Parse(s string) (SHA256, error) {
	raw, err := hex.DecodeString(s)
	if err != nil || len(raw) != sha256.Size || hex.EncodeToString(raw) != s {
		return SHA256{}, fmt.Errorf("%.80q is no lower-case SHA-256", s)
	}
	return SHA256(raw), nil
}

// String returns 64 lower-case hexadecimal digits.
func (d SHA256) String() string { return hex.EncodeToString(d[:]) }

// IsZero reports whether d is zero, which means none.
func (d SHA256) IsZero() bool { return d == SHA256{} }
