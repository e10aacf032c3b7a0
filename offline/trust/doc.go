// Package trust reads, writes and accepts the four signed documents by which
// keys and stamp status reach a device, and the signed note that tells the time (FORMAT.md here says
// it byte by byte).
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
// All of it is pure: no network, no file, no clock. What has expired is still
// accepted if it is newer, because package offline grades verdicts by age; what
// is older than what is held is refused, whichever key signed it.
package trust

import (
	"errors"
	"fmt"
)

// Bounds on what is read, in bytes of one document with its signatures, and
// on how far one run may walk.
const (
	MaxRootLen      = 64 << 10
	MaxTimestampLen = 4 << 10
	MaxTimeNoteLen  = 4 << 10
	MaxBundleLen    = 16 << 20
	MaxStatusLen    = 64 << 10

	// MaxRootRun is how many new roots one update may bring. A device that is
	// further behind takes several runs.
	MaxRootRun = 32
	// MaxRootKeys bounds the keys of one root.
	MaxRootKeys = 32
	// MaxTenants bounds the tenants of one bundle.
	MaxTenants = 65536
	// MaxTexts bounds the languages of one document type or field label.
	MaxTexts = 100
	// MaxLabels bounds the labelled fields of one document type.
	MaxLabels = 64
	// MaxTextLen bounds one name or label, in bytes of UTF-8 before escaping.
	MaxTextLen = 1000
	// MaxVersion is the highest version number: what SQL's bigint and
	// JavaScript's number both hold exactly.
	MaxVersion = 1<<53 - 1
)

// Why a document or an update is refused. Every error of this package wraps
// exactly one of them.
var (
	// ErrSyntax: the text is not the one canonical text of its type.
	ErrSyntax = errors.New("not canonical trust text")
	// ErrTypeLine: the first line is of another document type or version.
	ErrTypeLine = errors.New("wrong type line")
	// ErrForeignRoot: the first line names another trust root.
	ErrForeignRoot = errors.New("belongs to another trust root")
	// ErrForeignKey: no key that counts here has signed.
	ErrForeignKey = errors.New("not signed by the trusted key")
	// ErrSignature: a signature in the name of a key that counts is wrong.
	ErrSignature = errors.New("signature does not verify")
	// ErrThreshold: too few of the root keys have signed.
	ErrThreshold = errors.New("not signed by enough root keys")
	// ErrTooLarge: longer than the bound of its type.
	ErrTooLarge = errors.New("document too large")
	// ErrHash: the bytes are not those that the signed hash names.
	ErrHash = errors.New("hash differs from the signed one")
	// ErrVersion: a document's own version is not the one it is named by.
	ErrVersion = errors.New("version differs from the named one")
	// ErrRollback: older than what is held.
	ErrRollback = errors.New("older than what is held")
	// ErrConflict: the version that is held, with other content.
	ErrConflict = errors.New("same version with other content")
	// ErrIncomplete: a part of the set is missing, or a part that no other names
	// is there.
	ErrIncomplete = errors.New("not one complete set")
	// ErrRootChain: a root is missing in the chain, or is not the one held.
	ErrRootChain = errors.New("root does not follow from the one held")
	// ErrTooManyRoots: more than MaxRootRun new roots in one update.
	ErrTooManyRoots = errors.New("too many new roots in one run")
	// ErrFingerprint: the first root is not the pinned one.
	ErrFingerprint = errors.New("not the pinned root fingerprint")
	// ErrNoRoot: nothing is pinned yet.
	ErrNoRoot = errors.New("no root pinned")
	// ErrNonce: a time note that answers another nonce, so an old one.
	ErrNonce = errors.New("answers another nonce")
	// ErrKey: not a usable key or key name.
	ErrKey = errors.New("unusable key")
)

// Document types as the type line spells them.
const (
	TypeRoot      = "root"
	TypeBundle    = "bundle"
	TypeStatus    = "status"
	TypeTimestamp = "timestamp"
	TypeTime      = "time" // no document of the set: an answer to one nonce
)

// Objects as a DocumentError names them.
const (
	typeDelta = "delta"
	typePack  = "pack"
	typeShard = "shard"
)

// A DocumentError says which document was refused.
type DocumentError struct {
	Type string // root, bundle, status, timestamp, delta, pack or shard
	// Version is the document's version, for a delta its status's, or the number of
	// the pack or shard; 0 if it is not known.
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

// A SyntaxError says where a text stops being canonical. It wraps ErrSyntax.
type SyntaxError struct {
	Line   int // from 1, the type line; 0 if the place is not known
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
