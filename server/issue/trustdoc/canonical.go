package trustdoc

import (
	"crypto"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"tcode/offline/digest"
	"tcode/offline/payload"
)

// Format is a member of every canonical text, and the signed message begins with it
// (FORMAT.md).
const Format = "TCode-Trust/1"

// fieldsObject writes values as an object, ordered by key as RFC 8785 3.2.3
// says.
func fieldsObject(values []payload.Field) string {
	sorted := slices.Clone(values)
	slices.SortFunc(sorted, func(a, b payload.Field) int { return compareKeys(a.Key, b.Key) })
	parts := make([]string, len(sorted))
	for i, f := range sorted {
		parts[i] = quote(f.Key) + ":" + quote(f.Value)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// compareKeys orders names by their UTF-16 code units.
func compareKeys(a, b string) int {
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
}

// quote writes a JSON string as RFC 8785 3.2.2.2 does. s is valid UTF-8.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case strings.ContainsRune("\b\t\n\f\r", r):
			b.WriteString(map[rune]string{'\b': `\b`, '\t': `\t`, '\n': `\n`, '\f': `\f`, '\r': `\r`}[r])
		case r < 0x20:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// timeForm is a time in whole seconds of UTC.
const timeForm = "2006-01-02T15:04:05Z"

// timeText writes a time, "" for none.
func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(timeForm)
}

// toSign returns the message to sign: with the format's name and a line end the text
// cannot be any other message that the key signs.
func toSign(text string) []byte { return []byte(Format + "\n" + text) }

// SignText signs a canonical text.
func SignText(text string, s crypto.Signer) ([payload.SignatureLen]byte, error) {
	return payload.SignMessage(toSign(text), s)
}

// Verify reports whether key signed the document's text, and the text agrees with the
// document's own members.
func (d Document) Verify(key payload.PublicKey) bool { return d.SignedBy(key) && d.SaysText() }

// SignedBy reports whether key signed the document's text.
func (d Document) SignedBy(key payload.PublicKey) bool {
	return d.Algorithm == key.Algorithm() && key.VerifyMessage(toSign(d.Canonical), d.Signature)
}

// SaysText reports whether the document's members agree with its text.
func (d Document) SaysText() bool { return d.Statement().Text() == d.Canonical }

// hexSum is a SHA-256 in hexadecimal.
func hexSum(b []byte) string {
	return digest.Of(b).String()
}
