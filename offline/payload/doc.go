// Package payload is the TCode payload, version 1: the signed bytes in a stamp's Data
// Matrix symbol. Start with [Parse] and [PublicKey.Verify]; [Payload.Seal] signs.
// FORMAT.md in this folder describes the format for implementations without this code.
//
//	Payload ─▶ AppendCore ─▶ core ─▶ Sign ─▶ core ‖ signature ─▶ EncodeText ─▶ text ─▶ Codewords ─▶ symbol
//	                          │                    │                           │
//	                          ▼                    ▼                           ▼
//	PublicKey.Verify ◀─ Sig_structure            Parse ◀──────────────── DecodeText ◀── any reader
//
// Parse checks only the syntax: its [Payload] proves nothing until
// [PublicKey.Verify] is true for a key of its issuer. It may still be revoked
// then. Package offline makes all these checks.
//
// Each payload has exactly one encoding. [Payload.Append] turns the result of
// Parse back into the same bytes; [EncodeText] turns the result of [DecodeText]
// back into the same text.
//
// The package opens no file, starts no goroutine, reads no clock and keeps no
// state; every function is safe for concurrent use. It builds for js/wasm and
// uses no reflection for verifying.
package payload

//go:generate go test ../../cmd/mkvectors -run TestCommitted -update

// Sizes in bytes (FORMAT.md, Limits).
const (
	// Magic is the first byte of every payload. It differs from the first byte
	// of an ICAO/BSI visible digital seal (0xDC) and of a 2D-Doc ('D').
	Magic = 0xD7

	// Version is the payload version that this package reads and writes.
	Version = 1

	// MinLen is the length of a payload with nothing optional.
	MinLen = headLen + FingerprintLen + SignatureLen

	// MaxLen is the length of the longest payload that the format can express:
	// with expiry and 16 fields of 16-byte keys and 255-byte values. Payloads
	// longer than [MaxSymbolLen] are well formed but fit no symbol.
	MaxLen = MinLen + 4 + 1 + MaxFields*(1+MaxFieldKey+1+MaxFieldValue)

	// MaxSymbolLen is the length of the longest payload whose text form fits
	// the largest symbol, 132x132 modules.
	MaxSymbolLen = 1256

	// MaxFields is the greatest number of signed fields.
	MaxFields = 16

	// MaxFieldKey is the greatest length of a field's key.
	MaxFieldKey = 16

	// MaxFieldValue is the greatest length of a field's value.
	MaxFieldValue = 255

	// FingerprintLen is the length of the stamped file's fingerprint.
	FingerprintLen = 16

	// SignatureLen is the length of a signature, the same in both algorithms.
	SignatureLen = 64

	// headLen is the length of the parts before the optional ones: header,
	// record reference, document type, issued at and status index.
	headLen = 28
)

// Epoch is second 0 of the payload's times, 2020-01-01T00:00:00Z, in Unix
// seconds. Times are 32-bit counts of seconds from there and end in 2156.
const Epoch = 1577836800

// Flags of the third byte. All other bits are zero (FORMAT.md, Header).
const (
	flagFields = 0x01
	flagExpiry = 0x02
	flagPlain  = 0x04
	flagTest   = 0x80
)
