package payload

import (
	"encoding/binary"
	"time"
	"unicode/utf8"
)

// Append appends the whole payload, core and signature, to b, in a form that
// [Parse] accepts. If a payload has no encoding, the error is a [*SyntaxError]
// whose Offset is the place of the field, and b is returned unchanged. Append
// does not check the signature.
func (p Payload) Append(b []byte) ([]byte, error) {
	out, err := p.AppendCore(b)
	if err != nil {
		return b, err
	}
	return append(out, p.Signature[:]...), nil
}

// AppendCore appends the signed bytes: all but the signature. Its errors are
// those of [Payload.Append].
func (p Payload) AppendCore(b []byte) ([]byte, error) {
	w := writer{b: b, base: len(b)}
	w.header(&p)
	w.b = append(w.b, p.Reference[:]...)
	w.metadata(&p)
	w.b = append(w.b, p.Fingerprint[:]...)
	if w.err != nil {
		return b, w.err
	}
	return w.b, nil
}

// A writer is the inverse of reader. The first error stops all later writes.
type writer struct {
	b    []byte
	base int // where the payload starts in b
	err  *SyntaxError
}

func (w *writer) fail(field string, reason error) {
	if w.err == nil {
		w.err = &SyntaxError{len(w.b) - w.base, field, reason}
	}
}

func (w *writer) header(p *Payload) {
	w.b = append(w.b, Magic)
	if p.Algorithm != Ed25519 && p.Algorithm != ES256 {
		w.fail("algorithm", ErrAlgorithm)
	}
	w.b = append(w.b, Version<<4|byte(p.Algorithm))
	var flags byte
	if len(p.Fields) > 0 {
		flags |= flagFields
	}
	if !p.ExpiresAt.IsZero() {
		flags |= flagExpiry
	}
	if p.Plain {
		flags |= flagPlain
	}
	if p.Test {
		flags |= flagTest
	}
	w.b = append(w.b, flags)
	w.b = binary.BigEndian.AppendUint32(w.b, w.base36(p.Issuer, issuerLen, "issuer", ErrIssuer))
	w.b = append(w.b, p.KeySeq)
}

func (w *writer) metadata(p *Payload) {
	dk := w.base36(p.DocumentType, documentTypeLen, "document type", ErrDocumentType)
	w.b = binary.BigEndian.AppendUint16(w.b, uint16(dk))
	issued := w.time(p.IssuedAt, "issued at")
	w.b = binary.BigEndian.AppendUint32(w.b, issued)
	w.b = binary.BigEndian.AppendUint32(w.b, uint32(p.Status))
	if !p.ExpiresAt.IsZero() {
		expiry := w.time(p.ExpiresAt, "expiry")
		if expiry <= issued {
			w.fail("expiry", ErrExpiry)
		}
		w.b = binary.BigEndian.AppendUint32(w.b, expiry)
	}
	if len(p.Fields) > 0 {
		w.fields(p.Fields)
	}
}

func (w *writer) fields(fields []Field) {
	if len(fields) > MaxFields {
		w.fail("field count", ErrFieldCount)
		return
	}
	w.b = append(w.b, byte(len(fields)))
	for i, f := range fields {
		if !validKey(f.Key) {
			w.fail("field key", ErrFieldKey)
			return
		}
		if i > 0 && f.Key <= fields[i-1].Key {
			w.fail("field key", ErrFieldOrder)
			return
		}
		w.b = append(append(w.b, byte(len(f.Key))), f.Key...)
		if len(f.Value) > MaxFieldValue || !utf8.ValidString(f.Value) {
			w.fail("field value", ErrFieldValue)
			return
		}
		w.b = append(append(w.b, byte(len(f.Value))), f.Value...)
	}
}

func (w *writer) time(t time.Time, field string) uint32 {
	s, err := seconds(t)
	if err != nil {
		w.fail(field, err)
	}
	return s
}

// base36 reads that many digits as a number.
func (w *writer) base36(s string, digits int, field string, reason error) uint32 {
	if len(s) != digits {
		w.fail(field, reason)
		return 0
	}
	var v uint32
	for i := range digits {
		d, ok := value36(s[i])
		if !ok {
			w.fail(field, reason)
			return 0
		}
		v = v*36 + uint32(d)
	}
	return v
}

// value36 returns the value of a base-36 digit; lower case is none.
func value36(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'A' <= c && c <= 'Z':
		return c - 'A' + 10, true
	}
	return 0, false
}
