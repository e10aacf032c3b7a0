// Package statuslist holds the status of stamps after they were issued, two
// bits a stamp in shards of 65,536, and the survivor lists of compromised keys.
// Start with [Inflate] and [Shard.Get].
//
//	gateway: Set ─▶ Hash ─▶ pack ─▶ status document     Deflate ─▶ GET /{sha256}
//	device:  Inflate (bounded) ─▶ Hash == the pack's? ─▶ Get(entry) ─▶ Value
//
// The bits are packed as in the IETF Token Status List (draft-ietf-oauth-
// status-list, section 4.1): entry 0 is in the two lowest bits of byte 0.
// In transit a shard is a deflated list of the set entries (compact.go). A
// shard is not signed: its pack names its hash, and the signed status names the
// pack's hash (package trust).
package statuslist

import (
	"crypto/sha256"
	"strconv"

	"tcode/offline/digest"
)

const (
	// Entries is the number of stamps of one shard.
	Entries = 65536
	// Size is the length of an inflated shard in bytes: two bits an entry.
	Size = Entries / 4
)

// A Value is the status of one stamp, as the IETF Token Status List numbers
// it.
type Value uint8

const (
	// None says that the gateway reported nothing. It does not say that the
	// entry was issued.
	None Value = 0
	// Revoked is final.
	Revoked Value = 1
	// Suspended may become None again.
	Suspended Value = 2
	// Replaced is final: another stamp replaces this one.
	Replaced Value = 3
)

// String returns "none", "revoked", "suspended" or "replaced".
func (v Value) String() string {
	switch v {
	case None:
		return "none"
	case Revoked:
		return "revoked"
	case Suspended:
		return "suspended"
	case Replaced:
		return "replaced"
	}
	return "Value(" + strconv.Itoa(int(v)) + ")"
}

// Final reports whether v is permanent: Revoked and Replaced.
func (v Value) Final() bool { return v == Revoked || v == Replaced }

// A Shard has 65,536 entries of two bits. All entries of the zero Shard are
// None. Methods that only read are safe for concurrent use.
type Shard [Size]byte

// Get returns the value of one entry.
func (s *Shard) Get(entry uint16) Value {
	return Value(s[entry/4]>>(entry%4*2)) & 3
}

// Set changes one entry. Only the two lowest bits of v count.
func (s *Shard) Set(entry uint16, v Value) {
	shift := entry % 4 * 2
	s[entry/4] = s[entry/4]&^(3<<shift) | byte(v&3)<<shift
}

// Hash returns the SHA-256 of the 16,384 bytes: the shard's name in its pack
// and in the gateway's address of it.
func (s *Shard) Hash() digest.SHA256 { return sha256.Sum256(s[:]) }
