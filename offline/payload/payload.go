package payload

import "time"

// An Algorithm is a signature algorithm. Its number is the low half of a
// payload's second byte.
type Algorithm uint8

// The algorithms of version 1. Both make signatures of [SignatureLen] bytes.
const (
	Ed25519 Algorithm = 1 // RFC 8032, pure Ed25519; COSE algorithm EdDSA (-8)
	ES256   Algorithm = 2 // ECDSA on P-256 with SHA-256, r ‖ s with s <= n/2; COSE algorithm ES256 (-7)
)

// String returns "Ed25519" or "ES256", and "unknown" for anything else.
func (a Algorithm) String() string {
	switch a {
	case Ed25519:
		return "Ed25519"
	case ES256:
		return "ES256"
	}
	return "unknown"
}

// ParseAlgorithm is the inverse of [Algorithm.String] for the known algorithms.
// The error for other names, also in another case, is [ErrAlgorithm].
func ParseAlgorithm(name string) (Algorithm, error) {
	switch name {
	case "Ed25519":
		return Ed25519, nil
	case "ES256":
		return ES256, nil
	}
	return 0, ErrAlgorithm
}

// A StatusIndex is a stamp's place in the status shards: the shard's number in
// the high 16 bits, the entry within the shard in the low 16 bits.
type StatusIndex uint32

// NewStatusIndex returns the index of entry in shard.
func NewStatusIndex(shard, entry uint16) StatusIndex {
	return StatusIndex(shard)<<16 | StatusIndex(entry)
}

// Shard returns the number of the shard.
func (i StatusIndex) Shard() uint16 { return uint16(i >> 16) }

// Entry returns the entry within the shard.
func (i StatusIndex) Entry() uint16 { return uint16(i) }

// A Field is one signed fact in the symbol itself.
type Field struct {
	Key   string // 1 to 16 characters of a-z, 0-9 and _
	Value string // UTF-8, 0 to 255 bytes; programs that display it must escape control characters
}

// A Payload is a TCode payload in parts (FORMAT.md, Layout). The zero value is
// not a valid payload.
type Payload struct {
	Algorithm    Algorithm            // must equal the algorithm of the issuer's key record
	Test         bool                 // a test document: valid only if the policy accepts tests
	Plain        bool                 // two engines show the whole file alike (FORMAT.md, The flag plain)
	Issuer       string               // 6 characters of 0-9 and A-Z
	KeySeq       uint8                // number of the issuer's signing key
	Reference    Reference            // the stamp's record
	DocumentType string               // 3 characters of 0-9 and A-Z
	IssuedAt     time.Time            // whole seconds, 2020 to 2156; UTC when parsed
	Status       StatusIndex          // place in the status shards
	ExpiresAt    time.Time            // like IssuedAt, and later than it; zero: none
	Fields       []Field              // nil or 1 to 16, keys strictly ascending
	Fingerprint  [FingerprintLen]byte // of the stamped file (FORMAT.md, Fingerprint)
	Signature    [SignatureLen]byte   // over [ToSign] of the core
}
