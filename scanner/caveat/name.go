package caveat

import (
	"bytes"
	"encoding/asn1"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/crypto/cryptobyte"
	tags "golang.org/x/crypto/cryptobyte/asn1"
)

// A name is an X.509 Name: its attributes in their order.
type name []attribute

// An attribute has its type as an object identifier, and its text.
type attribute struct{ kind, text string }

const (
	oidCommonName   = "2.5.4.3"
	oidSerialNumber = "2.5.4.5"
)

// attributeNames are those that may have several values, in the order in which a name is written.
var attributeNames = [...]struct{ kind, short string }{
	{"2.5.4.11", "OU"},
	{"2.5.4.10", "O"},
	{"2.5.4.17", "POSTALCODE"},
	{"2.5.4.9", "STREET"},
	{"2.5.4.7", "L"},
	{"2.5.4.8", "ST"},
	{"2.5.4.6", "C"},
}

// String returns the common name. If there is none, it is the whole name as crypto/x509/pkix
// writes it, roughly that of RFC 2253.
func (n name) String() string {
	if common := n.last(oidCommonName); common != "" {
		return common
	}
	var parts []string
	known := map[string]bool{oidCommonName: true, oidSerialNumber: true}
	if serial := n.last(oidSerialNumber); serial != "" {
		parts = append(parts, "SERIALNUMBER="+escaped(serial))
	}
	for _, a := range attributeNames {
		known[a.kind] = true
		var texts []string
		for _, have := range n {
			if have.kind == a.kind {
				texts = append(texts, a.short+"="+escaped(have.text))
			}
		}
		if len(texts) > 0 {
			parts = append(parts, strings.Join(texts, "+"))
		}
	}
	for _, a := range slices.Backward(n) {
		if !known[a.kind] {
			parts = append(parts, a.kind+"=#"+hex.EncodeToString(encodedText(a.text)))
		}
	}
	return strings.Join(parts, ",")
}

// last returns the text of the last attribute of a kind, "" if there is none.
func (n name) last(kind string) (text string) {
	for _, a := range n {
		if a.kind == kind {
			text = a.text
		}
	}
	return text
}

// escaped escapes the characters that separate attributes (RFC 2253, 2.4).
func escaped(text string) string {
	var out strings.Builder
	for i, r := range text {
		edge := r == ' ' && (i == 0 || i == len(text)-1) || r == '#' && i == 0
		if edge || strings.ContainsRune(`,+"\<>;`, r) {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}

const (
	letters   = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	printable = letters + "'()+,-./ :=?"
)

// encodedText returns text as the DER of a PrintableString, or a UTF8String if it has other characters.
func encodedText(text string) []byte {
	tag := tags.UTF8String
	if only(text, printable) {
		tag = tags.PrintableString
	}
	var b cryptobyte.Builder
	b.AddASN1(tag, func(b *cryptobyte.Builder) { b.AddBytes([]byte(text)) })
	der, err := b.Bytes()
	if err != nil {
		return nil // no text is that long
	}
	return der
}

// only reports whether text has digits and characters of others alone.
func only(text, others string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !('0' <= r && r <= '9') && !strings.ContainsRune(others, r) })
}

// readName reads the DER of a Name.
func readName(s cryptobyte.String) (all name, ok bool) {
	if !s.ReadASN1(&s, tags.SEQUENCE) {
		return nil, false
	}
	for !s.Empty() {
		var set cryptobyte.String
		if !s.ReadASN1(&set, tags.SET) {
			return nil, false
		}
		for !set.Empty() {
			var pair, value cryptobyte.String
			var tag tags.Tag
			var kind asn1.ObjectIdentifier
			if !set.ReadASN1(&pair, tags.SEQUENCE) || !pair.ReadASN1ObjectIdentifier(&kind) || !pair.ReadAnyASN1(&value, &tag) {
				return nil, false
			}
			text, ok := readText(tag, value)
			if !ok {
				return nil, false
			}
			all = append(all, attribute{kind.String(), text})
		}
	}
	return all, true
}

// readText reads the strings of names.
func readText(tag tags.Tag, value []byte) (string, bool) {
	text := string(value)
	switch tag {
	case tags.UTF8String:
		return text, utf8.ValidString(text)
	case tags.PrintableString: // with * and &, which some issuers write
		return text, only(text, printable+"*&")
	case asn1.TagNumericString:
		return text, only(text, " ")
	case tags.IA5String:
		return text, !strings.ContainsFunc(text, func(r rune) bool { return r > 0x7F })
	case tags.T61String: // nearly ISO 8859-1
		var runes []rune
		for _, b := range value {
			runes = append(runes, rune(b))
		}
		return string(runes), true
	case asn1.TagBMPString:
		return readBMP(value)
	}
	return "", false
}

// readBMP reads UTF-16 without surrogates and noncharacters. It may end in a zero.
func readBMP(value []byte) (string, bool) {
	if len(value)%2 != 0 {
		return "", false
	}
	value = bytes.TrimSuffix(value, []byte{0, 0})
	var text []uint16
	for ; len(value) > 0; value = value[2:] {
		p := uint16(value[0])<<8 | uint16(value[1])
		if 0xD800 <= p && p <= 0xDFFF || 0xFDD0 <= p && p <= 0xFDEF || p >= 0xFFFE {
			return "", false
		}
		text = append(text, p)
	}
	return string(utf16.Decode(text)), true
}
