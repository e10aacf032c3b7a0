package trustdoc

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tcode/offline/payload"
	"tcode/server/tenant"
)

// A Statement holds the claims of a document's canonical text. A string is "" where
// the text has no such member.
type Statement struct {
	DocumentTitle string
	DocumentType  string    // 3-character code
	ExpiresAt     time.Time // whole seconds; zero: never
	Fields        []payload.Field
	IssuedAt      time.Time // whole seconds
	Issuer        string    // tenant reference
	KeyID         string    // of the key that signs
	PDFSHA256     string    // hex, of the PDF as it was sent
	RecipientName string
	Reference     Reference
	Replaces      string // reference of a document
	Stamp         string // reference of the stamp on the PDF
	Test          bool
}

// Why a text or its signature is refused.
var (
	ErrText      = errors.New("not the canonical text of a document")
	ErrSignature = errors.New("not signed by this key")
)

// Statement returns the statement of d.
func (d Document) Statement() Statement {
	s := Statement{
		DocumentTitle: d.Title, DocumentType: d.DocumentType, ExpiresAt: d.SignedExpiry, Fields: d.Values, IssuedAt: d.IssuedAt,
		Issuer: d.Tenant, KeyID: tenant.KeyID(d.Tenant, d.KeySeq), PDFSHA256: d.OriginalSHA256, RecipientName: d.RecipientName,
		Reference: d.Reference, Replaces: d.Replaces, Test: d.Test,
	}
	if d.Stamp != nil {
		s.Stamp = d.Stamp.Reference.String()
	}
	return s
}

// Text returns the canonical text: RFC 8785 JSON of a fixed structure, in which
// there are strings and one boolean alone (FORMAT.md).
func (s Statement) Text() string {
	var b strings.Builder
	members := []struct{ name, value string }{ // in the order of RFC 8785
		{"documentTitle", quote(s.DocumentTitle)},
		{"documentType", quote(s.DocumentType)},
		{"expiresAt", quote(timeText(s.ExpiresAt))},
		{"fields", fieldsObject(s.Fields)},
		{"format", quote(Format)},
		{"issuedAt", quote(timeText(s.IssuedAt))},
		{"issuer", quote(s.Issuer)},
		{"keyId", quote(s.KeyID)},
		{"pdfSha256", quote(s.PDFSHA256)},
		{"recipientName", quote(s.RecipientName)},
		{"reference", quote(s.Reference.String())},
		{"replaces", quote(s.Replaces)},
		{"stamp", quote(s.Stamp)},
		{"test", strconv.FormatBool(s.Test)},
	}
	for i, m := range members {
		b.WriteByte("{,"[min(i, 1)])
		b.WriteString(quote(m.name) + ":" + m.value)
	}
	b.WriteByte('}')
	return b.String()
}

// ParseText reads a canonical text. A text that parses is the only text of its
// statement; any other input is [ErrText].
func ParseText(text string) (Statement, error) {
	var m struct {
		DocumentTitle, DocumentType, ExpiresAt, Format, IssuedAt, Issuer, KeyID, PdfSha256, RecipientName, Reference, Replaces, Stamp string
		Fields                                                                                                                        map[string]string
		Test                                                                                                                          bool
	}
	if json.Unmarshal([]byte(text), &m) != nil || m.Format != Format {
		return Statement{}, ErrText
	}
	s := Statement{
		DocumentTitle: m.DocumentTitle, DocumentType: m.DocumentType, Issuer: m.Issuer, KeyID: m.KeyID, PDFSHA256: m.PdfSha256,
		RecipientName: m.RecipientName, Replaces: m.Replaces, Stamp: m.Stamp, Test: m.Test,
	}
	for key, value := range m.Fields {
		s.Fields = append(s.Fields, payload.Field{Key: key, Value: value})
	}
	slices.SortFunc(s.Fields, func(a, b payload.Field) int { return compareKeys(a.Key, b.Key) })
	var errs [3]error
	s.Reference, errs[0] = ParseReference(m.Reference)
	s.IssuedAt, errs[1] = parseTime(m.IssuedAt)
	if m.ExpiresAt != "" {
		s.ExpiresAt, errs[2] = parseTime(m.ExpiresAt)
	}
	// Written again it must be the same: one order, one spelling, no more and
	// no fewer members.
	if errors.Join(errs[:]...) != nil || !s.sound() || s.Text() != text {
		return Statement{}, ErrText
	}
	return s, nil
}

// sound reports whether the members of s are valid by FORMAT.md's table.
func (s Statement) sound() bool {
	seq, ok := strings.CutPrefix(s.KeyID, s.Issuer+"-")
	n, err := strconv.ParseUint(seq, 10, 8)
	return ok && err == nil && seq == strconv.FormatUint(n, 10) &&
		of(s.Issuer, alphanumeric, 6) && of(s.DocumentType, alphanumeric, 3) && s.RecipientName != "" &&
		(s.PDFSHA256 == "" || of(s.PDFSHA256, "0123456789abcdef", 64)) &&
		(s.Replaces == "" || spelt(ParseReference, s.Replaces)) && (s.Stamp == "" || spelt(payload.ParseReference, s.Stamp)) &&
		(s.ExpiresAt.IsZero() || s.ExpiresAt.After(s.IssuedAt))
}

const alphanumeric = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// of reports whether s is n characters of an alphabet.
func of(s, alphabet string, n int) bool { return len(s) == n && strings.Trim(s, alphabet) == "" }

// spelt reports whether s is a reference in its one spelling.
func spelt[R fmt.Stringer](parse func(string) (R, error), s string) bool {
	r, err := parse(s)
	return err == nil && r.String() == s
}

func parseTime(s string) (time.Time, error) { return time.Parse(timeForm, s) }

// VerifyText checks a canonical text and the signature under it, and returns its
// statement. The error is [ErrText] or [ErrSignature], the latter also where key is of
// another algorithm than the document's signature.
func VerifyText(text string, alg payload.Algorithm, key payload.PublicKey, signature [payload.SignatureLen]byte) (Statement, error) {
	s, err := ParseText(text)
	if err != nil {
		return s, err
	}
	if alg != key.Algorithm() || !key.VerifyMessage(toSign(text), signature) {
		return Statement{}, ErrSignature
	}
	return s, nil
}
