package mkvectors_test

import (
	"fmt"
	"strings"
	"time"

	"tcode/offline/payload"
)

// variant is one change to the sample payload.
type variant struct {
	name    string
	comment string
	both    bool // made for both algorithms
	edit    func(p *payload.Payload)
}

// lastSecond is the last time that a payload can say.
func lastSecond() time.Time { return time.Unix(payload.Epoch+1<<32-1, 0).UTC() }

// basicPayloads are payloads as issuers make them.
func basicPayloads() []variant {
	expiry := time.Date(2031, time.March, 14, 0, 0, 0, 0, time.UTC)
	fields := []payload.Field{{Key: "degree", Value: "BSc"}, {Key: "holder", Value: "Ada Lovelace"}}
	return []variant{
		{"minimal", "nothing optional: 108 bytes, 168 characters, 40x40", true, func(*payload.Payload) {}},
		{"expiry", "with an expiry", true, func(p *payload.Payload) { p.ExpiresAt = expiry }},
		{"fields", "with two fields", true, func(p *payload.Payload) { p.Fields = fields }},
		{"test", "a test document", true, func(p *payload.Payload) { p.Test = true }},
		{"plain", "a plain document: no longer than any other", true, func(p *payload.Payload) { p.Plain = true }},
		{"everything", "plain test document with expiry and fields", true, func(p *payload.Payload) {
			p.Test, p.Plain, p.ExpiresAt, p.Fields = true, true, expiry, fields
		}},
		{"scripts", "field values in several scripts", false, func(p *payload.Payload) {
			p.Fields = []payload.Field{{Key: "ar", Value: "جامعة"}, {Key: "de", Value: "Übergröße"}, {Key: "ja", Value: "証明書"}, {Key: "sym", Value: "🎓"}}
		}},
	}
}

// boundPayloads sit on the bounds of the fields, on the allowed side.
func boundPayloads() []variant {
	return []variant{
		{"issuer-least", "issuer 000000", false, func(p *payload.Payload) { p.Issuer = "000000" }},
		{"issuer-greatest", "issuer ZZZZZZ, 36^6 - 1", false, func(p *payload.Payload) { p.Issuer = "ZZZZZZ" }},
		{"type-least", "document type 000", false, func(p *payload.Payload) { p.DocumentType = "000" }},
		{"type-greatest", "document type ZZZ, 36^3 - 1", false, func(p *payload.Payload) { p.DocumentType = "ZZZ" }},
		{"key-sequence-least", "key sequence 0", false, func(p *payload.Payload) { p.KeySeq = 0 }},
		{"key-sequence-greatest", "key sequence 255", false, func(p *payload.Payload) { p.KeySeq = 255 }},
		{"reference-zero", "reference of zeros", false, func(p *payload.Payload) { p.Reference = payload.Reference{} }},
		{"reference-ones", "reference of ones", false, func(p *payload.Payload) {
			for i := range p.Reference {
				p.Reference[i] = 0xFF
			}
		}},
		{"issued-first", "issued in second 0", false, func(p *payload.Payload) { p.IssuedAt = time.Unix(payload.Epoch, 0).UTC() }},
		{"issued-last", "issued in the last second", false, func(p *payload.Payload) { p.IssuedAt = lastSecond() }},
		{"expiry-next-second", "expires one second after it was issued", false, func(p *payload.Payload) { p.ExpiresAt = p.IssuedAt.Add(time.Second) }},
		{"expiry-last", "expires in the last second", false, func(p *payload.Payload) { p.ExpiresAt = lastSecond() }},
		{"status-least", "status shard 0, entry 0", false, func(p *payload.Payload) { p.Status = 0 }},
		{"status-greatest", "status shard 65535, entry 65535", false, func(p *payload.Payload) { p.Status = 1<<32 - 1 }},
		{"field-empty-value", "a field with an empty value", false, func(p *payload.Payload) { p.Fields = []payload.Field{{Key: "a"}} }},
		{"field-key-alphabet", "keys of digits and underscores; 0 < 9 < _ < a < z", false, func(p *payload.Payload) {
			p.Fields = []payload.Field{{Key: "0", Value: "1"}, {Key: "9", Value: "2"}, {Key: "_", Value: "3"}, {Key: "a", Value: "4"}, {Key: "z", Value: "5"}}
		}},
		{"field-key-prefix", "a key that is the start of the next one comes first", false, func(p *payload.Payload) {
			p.Fields = []payload.Field{{Key: "a", Value: "1"}, {Key: "a0", Value: "2"}, {Key: "aa", Value: "3"}}
		}},
		{"field-control", "control characters are UTF-8: who shows them escapes them", false, func(p *payload.Payload) {
			p.Fields = []payload.Field{{Key: "a", Value: "\x00\n\x1b[2J\u0085"}}
		}},
		{"field-utf8-bounds", "least and greatest of each UTF-8 length", false, func(p *payload.Payload) {
			p.Fields = []payload.Field{{Key: "a", Value: "~\u00a0\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff"}}
		}},
		{"field-bom", "a value that begins with U+FEFF, which belongs to it", false, func(p *payload.Payload) {
			p.Fields = []payload.Field{{Key: "a", Value: "\ufeffb"}}
		}},
		{"core-255", "a core of 255 bytes: the longest whose length is signed in one byte", true, fillTo(255 + payload.SignatureLen)},
		{"core-256", "a core of 256 bytes: the shortest whose length is signed in two", true, fillTo(256 + payload.SignatureLen)},
		{"symbol-largest", "1256 bytes: the longest payload with a symbol, 132x132", false, fillTo(payload.MaxSymbolLen)},
		{"symbol-none", "1257 bytes: well formed, but fits no symbol", false, fillTo(payload.MaxSymbolLen + 1)},
		{"maximal", "16 fields of 16-byte keys and 255-byte values, with expiry: 4481 bytes", true, maximal},
	}
}

// maximal makes the longest payload of the format.
func maximal(p *payload.Payload) {
	p.Test, p.Plain, p.ExpiresAt, p.Fields = true, true, lastSecond(), nil
	for i := range payload.MaxFields {
		key := fmt.Sprintf("key_%012d", i)
		p.Fields = append(p.Fields, payload.Field{Key: key, Value: strings.Repeat("v", payload.MaxFieldValue)})
	}
}

// fillTo adds fields until the payload has length bytes.
func fillTo(length int) func(p *payload.Payload) {
	return func(p *payload.Payload) {
		rest := length - payload.MinLen - 1 // the count
		for i := 0; rest > 0; i++ {
			n := min(rest-3, payload.MaxFieldValue) // one-character keys: 3 bytes in addition to the value
			if left := rest - 3 - n; left > 0 && left < 3 {
				n -= 3 // leave room for another field
			}
			p.Fields = append(p.Fields, payload.Field{Key: string(rune('a' + i)), Value: strings.Repeat("x", n)})
			rest -= 3 + n
		}
	}
}
