package payload

import (
	"errors"
	"strconv"
)

// Reasons to refuse a payload, a text form, a key or a reference. Functions
// that read a payload or a text wrap them in a [*SyntaxError].
var (
	ErrTruncated    = errors.New("truncated")                                          // the bytes end inside the field
	ErrTrailing     = errors.New("bytes after the signature")                          // more bytes than the flags and counts give
	ErrTooLong      = errors.New("too long")                                           // over MaxLen, or too long for a symbol
	ErrMagic        = errors.New("not a tcode payload")                                // first byte is not 0xD7
	ErrVersion      = errors.New("unknown version")                                    // version is not 1
	ErrAlgorithm    = errors.New("unknown or wrong algorithm")                         // neither Ed25519 nor ES256, or not the key's
	ErrFlags        = errors.New("unknown flag")                                       // a flag that must be zero is set
	ErrIssuer       = errors.New("issuer is not 6 characters of 0-9 and A-Z")          // or a number of 36^6 and more
	ErrDocumentType = errors.New("document type is not 3 characters of 0-9 and A-Z")   // or a number of 36^3 and more
	ErrTime         = errors.New("time is not a whole second from 2020 to 2156")       // only when appending: all 32-bit times parse
	ErrExpiry       = errors.New("expiry is not later than issued at")                 // an equal time is not later
	ErrFieldCount   = errors.New("field count is not 1 to 16")                         // no fields: the flag is clear
	ErrFieldKey     = errors.New("field key is not 1 to 16 characters of a-z, 0-9, _") // length or alphabet
	ErrFieldOrder   = errors.New("field keys are not strictly ascending")              // unsorted or duplicate
	ErrFieldValue   = errors.New("field value is not UTF-8 of at most 255 bytes")      // also surrogates and overlong forms
	ErrTextLength   = errors.New("not a length of the text form")                      // last block of 1, 3, 6, 9 or 12 characters; empty symbol
	ErrTextChar     = errors.New("character is not 0-9 or A-Z")                        // lower case is refused
	ErrTextValue    = errors.New("block is greater than its bytes can be")             // value >= 256^n
	ErrPublicKey    = errors.New("not an acceptable public key")                       // length, encoding, small order, not on the curve
	ErrSigner       = errors.New("signer does not give an acceptable signature")       // not Ed25519 or P-256, or its result does not verify
	ErrReference    = errors.New("not a reference of TCR- and 16 base-32 characters")  // after normalising
)

// A SyntaxError says where a payload or its text form is wrong.
type SyntaxError struct {
	Offset int    // byte offset in the payload; in a text form, character offset
	Field  string // the field's name in FORMAT.md, or "text"
	Err    error  // one of the sentinels of this package
}

// Error names the field, its offset and the reason.
func (e *SyntaxError) Error() string {
	return e.Field + " at " + strconv.Itoa(e.Offset) + ": " + e.Err.Error()
}

// Unwrap returns the reason.
func (e *SyntaxError) Unwrap() error { return e.Err }
