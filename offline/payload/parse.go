package payload

import (
	"time"
	"unicode/utf8"
)

// Parse reads a payload: core and signature, with nothing before or after. It
// checks only the syntax, see the package comment. The result shares no memory
// with b. The error is always a [*SyntaxError].
func Parse(b []byte) (Payload, error) {
	if len(b) > MaxLen {
		return Payload{}, &SyntaxError{MaxLen, "payload", ErrTooLong}
	}
	r := reader{b: b}
	var p Payload
	flags := r.header(&p)
	r.bytes(p.Reference[:], "reference")
	r.metadata(&p, flags)
	r.bytes(p.Fingerprint[:], "fingerprint")
	r.bytes(p.Signature[:], "signature")
	if r.err == nil && r.next < len(b) {
		r.err = &SyntaxError{r.next, "payload", ErrTrailing}
	}
	if r.err != nil {
		return Payload{}, r.err
	}
	return p, nil
}

// Core returns the bytes that the signature of raw covers: all of raw before its
// last [SignatureLen] bytes. It shares memory with raw, and is empty if raw is
// shorter than a signature. It does not check that raw is a payload: see [Parse].
func Core(raw []byte) []byte { return raw[:max(0, len(raw)-SignatureLen)] }

// A reader reads a payload. After the first error, reads return zeros and later
// errors are dropped, so that callers check once.
type reader struct {
	b     []byte
	start int // offset of the last read
	next  int // offset of the next read
	err   *SyntaxError
}

func (r *reader) header(p *Payload) (flags byte) {
	if r.uint(1, "magic") != Magic {
		r.fail("magic", ErrMagic)
	}
	va := byte(r.uint(1, "version"))
	if va>>4 != Version {
		r.fail("version", ErrVersion)
	}
	p.Algorithm = Algorithm(va & 0x0F)
	if p.Algorithm != Ed25519 && p.Algorithm != ES256 {
		r.fail("algorithm", ErrAlgorithm)
	}
	flags = byte(r.uint(1, "flags"))
	if flags&^(flagFields|flagExpiry|flagPlain|flagTest) != 0 {
		r.fail("flags", ErrFlags)
	}
	p.Plain = flags&flagPlain != 0
	p.Test = flags&flagTest != 0
	p.Issuer = r.base36(4, issuerLen, "issuer", ErrIssuer)
	p.KeySeq = uint8(r.uint(1, "key sequence"))
	return flags
}

func (r *reader) metadata(p *Payload, flags byte) {
	p.DocumentType = r.base36(2, documentTypeLen, "document type", ErrDocumentType)
	issued := r.uint(4, "issued at")
	p.IssuedAt = instant(issued)
	p.Status = StatusIndex(r.uint(4, "status index"))
	if flags&flagExpiry != 0 {
		expiry := r.uint(4, "expiry")
		if expiry <= issued {
			r.fail("expiry", ErrExpiry)
		}
		p.ExpiresAt = instant(expiry)
	}
	if flags&flagFields != 0 {
		p.Fields = r.fields()
	}
}

func (r *reader) fields() []Field {
	count := int(r.uint(1, "field count"))
	if count < 1 || count > MaxFields {
		r.fail("field count", ErrFieldCount)
	}
	var fields []Field
	for i := 0; i < count && r.err == nil; i++ {
		var f Field
		n := int(r.uint(1, "field key"))
		if n < 1 || n > MaxFieldKey {
			r.fail("field key", ErrFieldKey)
		}
		f.Key = r.text(n, "field key")
		if !validKey(f.Key) {
			r.fail("field key", ErrFieldKey)
		}
		if i > 0 && f.Key <= fields[i-1].Key {
			r.fail("field key", ErrFieldOrder)
		}
		f.Value = r.text(int(r.uint(1, "field value")), "field value")
		if !utf8.ValidString(f.Value) {
			r.fail("field value", ErrFieldValue)
		}
		fields = append(fields, f)
	}
	return fields
}

// fail records an error about the last read, unless there is one already.
func (r *reader) fail(field string, reason error) {
	if r.err == nil {
		r.err = &SyntaxError{r.start, field, reason}
	}
}

// take returns the next n bytes, or nil after an error.
func (r *reader) take(n int, field string) []byte {
	if r.err != nil {
		return nil
	}
	r.start = r.next
	if len(r.b)-r.next < n {
		r.fail(field, ErrTruncated)
		return nil
	}
	r.next += n
	return r.b[r.start:r.next]
}

// uint reads a big-endian number of n bytes, 0 after an error.
func (r *reader) uint(n int, field string) uint32 {
	var v uint32
	for _, c := range r.take(n, field) {
		v = v<<8 | uint32(c)
	}
	return v
}

func (r *reader) bytes(dst []byte, field string) { copy(dst, r.take(len(dst), field)) }

func (r *reader) text(n int, field string) string { return string(r.take(n, field)) }

// base36 reads n bytes that are a number of that many base-36 digits.
func (r *reader) base36(n, digits int, field string, reason error) string {
	v := r.uint(n, field)
	var s [issuerLen]byte
	for i := digits - 1; i >= 0; i-- {
		s[i] = digit36[v%36]
		v /= 36
	}
	if v != 0 { // too many digits
		r.fail(field, reason)
	}
	return string(s[:digits])
}

const (
	digit36         = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	issuerLen       = 6
	documentTypeLen = 3
)

// validKey reports whether a key has a valid length and only valid characters.
func validKey(key string) bool {
	if len(key) < 1 || len(key) > MaxFieldKey {
		return false
	}
	for i := range len(key) {
		if c := key[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return true
}

// instant returns the time of a payload's 32-bit count of seconds.
func instant(seconds uint32) time.Time { return time.Unix(Epoch+int64(seconds), 0).UTC() }

// seconds is the inverse of instant.
func seconds(t time.Time) (uint32, error) {
	s := t.Unix() - Epoch
	if t.Nanosecond() != 0 || s < 0 || s > 1<<32-1 {
		return 0, ErrTime
	}
	return uint32(s), nil
}
