package mkvectors_test

import (
	"crypto/ed25519"
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"tcode/offline/payload"
)

// flaw is one fault in an otherwise good payload.
type flaw struct {
	name    string
	class   string
	offset  int // where the fault is
	comment string
	base    []byte                    // the good core
	edit    func(core []byte) []byte  // nil: as it is
	tail    func(whole []byte) []byte // after signing; nil: as it is
}

// badPayloads are refused by the parser. Each is signed after the fault was
// made, so that the fault is the only one.
func badPayloads(made files, keys signers) error {
	plain, err := core(func(*payload.Payload) {})
	if err != nil {
		return err
	}
	expiring, err := core(func(p *payload.Payload) { p.ExpiresAt = p.IssuedAt.Add(24 * time.Hour) })
	if err != nil {
		return err
	}
	k, err := keyHeader(keys.ed)
	if err != nil {
		return err
	}
	flaws := append(headerFlaws(plain), lengthFlaws(plain, expiring)...)
	flaws = append(flaws, expiryFlaws(expiring)...)
	flaws = append(flaws, fieldFlaws(plain)...)
	for _, f := range flaws {
		c := append([]byte(nil), f.base...)
		if f.edit != nil {
			c = f.edit(c)
		}
		whole := append(c, ed25519.Sign(keys.ed, payload.ToSign(payload.Ed25519, c))...)
		if f.tail != nil {
			whole = f.tail(whole)
		}
		headers := []header{k, {"offset", fmt.Sprint(f.offset)}}
		if err := made.add("bad-"+f.name, vector(f.class, f.comment, headers, hexBody(whole))); err != nil {
			return err
		}
	}
	return nil
}

// core returns the core of a variation of the sample.
func core(edit func(p *payload.Payload)) ([]byte, error) {
	p := sample()
	p.Algorithm = payload.Ed25519
	edit(&p)
	return p.AppendCore(nil)
}

// set overwrites bytes at an offset.
func set(at int, values ...byte) func([]byte) []byte {
	return func(b []byte) []byte {
		copy(b[at:], values)
		return b
	}
}

// cut shortens to n bytes.
func cut(n int) func([]byte) []byte { return func(b []byte) []byte { return b[:n] } }

// grow appends n zero bytes.
func grow(n int) func([]byte) []byte {
	return func(b []byte) []byte { return append(b, make([]byte, n)...) }
}

func headerFlaws(plain []byte) []flaw {
	flaws := []flaw{
		{"magic-zero", "magic", 0, "first byte 0x00", plain, set(0, 0x00), nil},
		{"magic-vds", "magic", 0, "first byte of an ICAO or BSI visible digital seal", plain, set(0, 0xDC), nil},
		{"magic-2ddoc", "magic", 0, "first two bytes of a 2D-Doc", plain, set(0, 'D', 'C'), nil},
		{"version-0", "version", 1, "version 0", plain, set(1, 0x01), nil},
		{"version-2", "version", 1, "version 2", plain, set(1, 0x21), nil},
		{"version-15", "version", 1, "version 15", plain, set(1, 0xF1), nil},
		{"algorithm-0", "algorithm", 1, "algorithm 0", plain, set(1, 0x10), nil},
		{"algorithm-3", "algorithm", 1, "algorithm 3", plain, set(1, 0x13), nil},
		{"algorithm-15", "algorithm", 1, "algorithm 15", plain, set(1, 0x1F), nil},
		{"issuer-too-great", "issuer", 3, "issuer 36^6", plain, set(3, 0x81, 0xBF, 0x10, 0x00), nil},
		{"issuer-all-ones", "issuer", 3, "issuer 0xFFFFFFFF", plain, set(3, 0xFF, 0xFF, 0xFF, 0xFF), nil},
		{"type-too-great", "document-type", 18, "document type 36^3", plain, set(18, 0xB6, 0x40), nil},
		{"type-all-ones", "document-type", 18, "document type 0xFFFF", plain, set(18, 0xFF, 0xFF), nil},
	}
	for bit := 3; bit < 7; bit++ {
		flag := byte(1) << bit
		flaws = append(flaws, flaw{
			fmt.Sprintf("flag-%02x", flag), "flags", 2, fmt.Sprintf("flag 0x%02x, which must be zero", flag),
			plain, set(2, flag), nil,
		})
	}
	return flaws
}

func lengthFlaws(plain, expiring []byte) []flaw {
	flaws := []flaw{
		{"trailing-byte", "trailing", 108, "one byte after the signature", plain, nil, grow(1)},
		{"trailing-signature", "trailing", 108, "64 bytes after the signature", plain, nil, grow(64)},
		{"trailing-expiry", "trailing", 108, "an expiry whose flag is clear", expiring, set(2, 0), nil},
		{
			"flag-without-expiry", "truncated", 48, "expiry flagged, and not there: all after it is read 4 bytes too late", plain,
			// The fingerprint's first bytes are where the expiry should be, so
			// they must not look like an early one.
			func(b []byte) []byte { b[2] = 0x02; copy(b[28:], "\xff\xff\xff\xff"); return b }, nil,
		},
		{"too-long", "too-long", payload.MaxLen, "4482 bytes", plain, nil, grow(payload.MaxLen + 1 - payload.MinLen)},
	}
	for _, c := range []struct {
		field    string
		at, left int // where the field starts, and the number of bytes there
	}{
		{"everything", 0, 0},
		{"version", 1, 1},
		{"flags", 2, 2},
		{"issuer", 3, 6},
		{"key-sequence", 7, 7},
		{"reference", 8, 17},
		{"type", 18, 19},
		{"issued-at", 20, 23},
		{"status-index", 24, 27},
		{"fingerprint", 28, 43},
		{"signature", 44, 107},
	} {
		flaws = append(flaws, flaw{
			"truncated-" + c.field, "truncated", c.at, fmt.Sprintf("ends after %d bytes", c.left),
			plain, nil, cut(c.left),
		})
	}
	return append(flaws, flaw{"truncated-expiry", "truncated", 28, "ends within the expiry", expiring, nil, cut(31)})
}

func expiryFlaws(expiring []byte) []flaw {
	issued := binary.BigEndian.Uint32(expiring[20:])
	at := func(s uint32) func([]byte) []byte { return set(28, binary.BigEndian.AppendUint32(nil, s)...) }
	return []flaw{
		{"expiry-equal", "expiry", 28, "expires in the second it was issued in", expiring, at(issued), nil},
		{"expiry-earlier", "expiry", 28, "expires one second before it was issued", expiring, at(issued - 1), nil},
		{"expiry-zero", "expiry", 28, "expires in second 0", expiring, at(0), nil},
	}
}

// fieldFlaws are faults in the fields, which begin with the count at 28.
func fieldFlaws(plain []byte) []flaw {
	// with puts count and entries in front of the fingerprint.
	with := func(count int, entries ...string) func([]byte) []byte {
		return func(b []byte) []byte {
			b[2] |= 0x01
			fields := string([]byte{byte(count)}) + strings.Join(entries, "")
			return append(append(append([]byte(nil), b[:28]...), fields...), b[28:]...)
		}
	}
	many := make([]string, 17)
	for i := range many {
		many[i] = entry(string(rune('a'+i)), "")
	}
	return []flaw{
		{"field-count-0", "field-count", 28, "fields flagged, count 0", plain, with(0), nil},
		{"field-count-17", "field-count", 28, "17 fields", plain, with(17, many...), nil},
		{"field-count-255", "field-count", 28, "count 255", plain, with(255), nil},
		{
			"field-missing", "truncated", 36, "count 2, one field: the evidence is read as another", plain,
			func(b []byte) []byte { return with(2, entry("a", "1"))(set(28, 1, 'z', 111)(b)) }, nil,
		},
		{"field-extra", "trailing", 113, "count 1, two fields", plain, with(1, entry("a", "1"), entry("b", "2")), nil},
		{"field-key-empty", "field-key", 29, "empty key", plain, with(1, entry("", "1")), nil},
		{"field-key-long", "field-key", 29, "key of 17 bytes", plain, with(1, entry("abcdefghijklmnopq", "1")), nil},
		{"field-key-upper", "field-key", 30, "upper case in a key", plain, with(1, entry("Name", "1")), nil},
		{"field-key-hyphen", "field-key", 30, "hyphen in a key", plain, with(1, entry("a-b", "1")), nil},
		{"field-key-space", "field-key", 30, "space in a key", plain, with(1, entry("a ", "1")), nil},
		{"field-key-nul", "field-key", 30, "NUL in a key", plain, with(1, entry("a\x00", "1")), nil},
		{"field-key-utf8", "field-key", 30, "letter outside ASCII in a key", plain, with(1, entry("é", "1")), nil},
		{"field-key-twice", "field-order", 34, "the same key twice", plain, with(2, entry("a", "1"), entry("a", "2")), nil},
		{"field-key-descending", "field-order", 34, "keys in descending order", plain, with(2, entry("b", "1"), entry("a", "2")), nil},
		{"field-key-longer-first", "field-order", 35, "a longer key before its own start", plain, with(2, entry("ab", "1"), entry("a", "2")), nil},
		{"field-value-continuation", "field-value", 32, "continuation byte alone", plain, with(1, entry("a", "\x80")), nil},
		{"field-value-overlong", "field-value", 32, "overlong form of a slash", plain, with(1, entry("a", "\xc0\xaf")), nil},
		{"field-value-surrogate", "field-value", 32, "a surrogate", plain, with(1, entry("a", "\xed\xa0\x80")), nil},
		{"field-value-cut", "field-value", 32, "a character that ends too soon", plain, with(1, entry("a", "\xe8\xa8")), nil},
		{"field-value-beyond", "field-value", 32, "a code point beyond 10FFFF", plain, with(1, entry("a", "\xf4\x90\x80\x80")), nil},
		{"field-value-latin1", "field-value", 32, "Latin-1 instead of UTF-8", plain, with(1, entry("a", "Andr\xe9")), nil},
		{"truncated-field-count", "truncated", 28, "ends before the field count", plain, with(1, entry("a", "1")), cut(28)},
		{"truncated-field-key", "truncated", 30, "ends within a key", plain, with(1, entry("abc", "1")), cut(32)},
		{"truncated-field-length", "truncated", 33, "ends before a value's length", plain, with(1, entry("abc", "1")), cut(33)},
		{"truncated-field-value", "truncated", 34, "ends within a value", plain, with(1, entry("abc", "123")), cut(36)},
	}
}

// entry is one field as it is in a payload.
func entry(key, value string) string {
	return string([]byte{byte(len(key))}) + key + string([]byte{byte(len(value))}) + value
}
