// Package trust reads, writes and accepts the four signed documents that bring
// keys and stamp status to a device, and the signed note with the time
// (FORMAT.md here has every byte). Start with [Pin] and [State.Apply].
//
//	pinned fingerprint
//	   │
//	 root 1 ─▶ root 2 ─▶ ... ─▶ root N        threshold of N-1 and of N
//	                              │ names the online key
//	                              ▼
//	                          timestamp ──hash──▶ bundle   tenants, keys, types
//	                              │
//	                              └─────hash──▶ status ──hash──▶ packs ──hash──▶ shards
//	                                              └────hash──▶ delta, a way to some of both
//
//	State ──Apply(Update)──▶ State'   one complete set, or an error and nothing
//
// The package uses no network, no file and no clock. It accepts an expired
// document that is newer, because package offline grades verdicts by age; it
// refuses a document that is older than the held one, whichever key signed it.
package trust

import (
	"errors"
	"fmt"
)

// Limits of the input, in bytes of one document with its signatures, and of the
// number of roots in one update.
const (
	MaxRootLen      = 64 << 10
	MaxTimestampLen = 4 << 10
	MaxTimeNoteLen  = 4 << 10
	MaxBundleLen    = 16 << 20
	MaxStatusLen    = 64 << 10

	// MaxRootRun is the largest number of new roots in one update. A device
	// that is further behind needs several updates.
	MaxRootRun = 32
	// MaxRootKeys is the largest number of keys of one root.
	MaxRootKeys = 32
	// MaxTenants is the largest number of tenants of one bundle.
	MaxTenants = 65536
	// MaxTexts is the largest number of languages of one document type or field label.
	MaxTexts = 100
	// MaxLabels is the largest number of labelled fields of one document type.
	MaxLabels = 64
	// MaxTextLen is the longest name or label, in bytes of UTF-8 before escaping.
	MaxTextLen = 1000
	// MaxVersion is the highest version number that SQL's bigint and
	// JavaScript's number both hold exactly.
	MaxVersion = 1<<53 - 1
)

// Reasons to refuse a document or an update. Every error of this package wraps
// exactly one of them.
var (
	// ErrSyntax means that the text is not the one canonical text of its type.
	ErrSyntax = errors.New("not canonical trust text")
	// ErrTypeLine means that the first line is of another document type or version.
	ErrTypeLine = errors.New("wrong type line")
	// ErrForeignRoot means that the first line names another trust root.
	ErrForeignRoot = errors.New("belongs to another trust root")
	// ErrForeignKey means that no trusted key has signed.
	ErrForeignKey = errors.New("not signed by the trusted key")
	// ErrSignature means that a signature in the name of a trusted key is wrong.
	ErrSignature = errors.New("signature does not verify")
	// ErrThreshold means that too few of the root keys have signed.
	ErrThreshold = errors.New("not signed by enough root keys")
	// ErrTooLarge means that the document is longer than the limit of its type.
	ErrTooLarge = errors.New("document too large")
	// ErrHash means that the bytes do not have the signed hash.
	ErrHash = errors.New("hash differs from the signed one")
	// ErrVersion means that a document's own version is not the one that names it.
	ErrVersion = errors.New("version differs from the named one")
	// ErrRollback means that the document is older than the held one.
	ErrRollback = errors.New("older than the held one")
	// ErrConflict means that the held document has the same version and other content.
	ErrConflict = errors.New("same version with other content")
	// ErrIncomplete means that a part of the set is missing, or that a part is
	// present that no other part names.
	ErrIncomplete = errors.New("not one complete set")
	// ErrUndone means that more than MaxUndone final facts are missing in the update.
	ErrUndone = errors.New("too many revocations are missing that this device has seen")
	// ErrRootChain means that a root is missing in the chain, or is not the held one.
	ErrRootChain = errors.New("root does not follow from the one held")
	// ErrTooManyRoots means more than MaxRootRun new roots in one update.
	ErrTooManyRoots = errors.New("too many new roots in one run")
	// ErrFingerprint means that the first root is not the pinned one.
	ErrFingerprint = errors.New("not the pinned root fingerprint")
	// ErrNoRoot means that no root is pinned yet.
	ErrNoRoot = errors.New("no root pinned")
	// ErrNonce means that a time note answers another nonce, so it is an old one.
	ErrNonce = errors.New("answers another nonce")
	// ErrKey means that a key or key name is not usable.
	ErrKey = errors.New("unusable key")
)

// Document types as in the type line.
const (
	TypeRoot      = "root"
	TypeBundle    = "bundle"
	TypeStatus    = "status"
	TypeTimestamp = "timestamp"
	TypeTime      = "time" // not a document of the set: an answer to one nonce
)

// Objects that a DocumentError names.
const (
	typeDelta = "delta"
	typePack  = "pack"
	typeShard = "shard"
)

// A DocumentError says which document was refused.
type DocumentError struct {
	Type string // root, bundle, status, timestamp, delta, pack or shard
	// Version is the version of the document, or for a delta that of its
	// status, or the number of the pack or shard; 0 if it is not known.
	Version uint64
	Err     error
}

// Error prints the document and the reason.
func (e *DocumentError) Error() string {
	if e.Version == 0 && e.Type != typePack && e.Type != typeShard {
		return fmt.Sprintf("%s: %v", e.Type, e.Err)
	}
	return fmt.Sprintf("%s %d: %v", e.Type, e.Version, e.Err)
}

// Unwrap returns the reason.
func (e *DocumentError) Unwrap() error { return e.Err }

// A SyntaxError says where a text is not canonical. It wraps ErrSyntax.
type SyntaxError struct {
	Line   int // from 1, the type line; 0 if the line is not known
	Reason string
}

// Error prints place and reason.
func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%v: %s", ErrSyntax, e.Reason)
	}
	return fmt.Sprintf("%v: line %d: %s", ErrSyntax, e.Line, e.Reason)
}

// Unwrap returns ErrSyntax.
func (e *SyntaxError) Unwrap() error { return ErrSyntax }
