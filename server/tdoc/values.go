package tdoc

import (
	"cmp"
	"fmt"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"tcode/offline/payload"
	"tcode/server/fault"
)

// Values checks the fields of a document against the template and returns those
// that are signed into the symbol, in the order a payload has them in. The
// values are kept as they came. The fault is FIELD_SCHEMA_MISMATCH and names
// all that is wrong by the field paths of the API, such as fields[2].value.
//
// An empty value counts as one that is not given. The rules of the types:
//
//	text    any characters
//	date    a day as in RFC 3339: 2026-01-31
//	number  as in JSON (RFC 8259): -12.50, 1e3
//	email   an address as in RFC 5322, without a name: ada@example.org
//	url     absolute, http or https, with a host
func (s Spec) Values(fields []payload.Field) (signed []payload.Field, err error) {
	var p fault.Fields
	schema := map[string]Field{}
	for _, f := range s.Fields() {
		schema[f.Key] = f
	}
	given := map[string]bool{}
	for i, v := range fields {
		path := fmt.Sprintf("fields[%d]", i)
		f, known := schema[v.Key]
		switch {
		case !known:
			p.Add(path+".key", "is not a field of the TDoc template")
			continue
		case given[v.Key]:
			p.Add(path+".key", "is given more than once")
			continue
		}
		given[v.Key] = true
		f.checkValue(&p, path+".value", v.Value)
		if f.InPayload && v.Value != "" {
			signed = append(signed, v)
		}
	}
	for _, f := range s.CustomFields {
		if f.Required && !given[f.Key] {
			p.Add("fields", "must have a value for %q", f.Key)
		}
	}
	slices.SortFunc(signed, func(a, b payload.Field) int { return cmp.Compare(a.Key, b.Key) })
	if err := p.Err(); err != nil {
		f := fault.As(err)
		mismatch := fault.New(fault.Rejected, fault.CodeFieldSchemaMismatch, "the fields do not fit the TDoc template")
		mismatch.Fields = f.Fields
		return nil, mismatch
	}
	return signed, nil
}

// checkValue adds what is wrong with a value of f.
func (f Field) checkValue(p *fault.Fields, path, v string) {
	if v == "" {
		if f.Required {
			p.Add(path, "must not be empty")
		}
		return
	}
	if !utf8.ValidString(v) {
		p.Add(path, "must be valid UTF-8")
		return
	}
	p.Text(path, v, f.Required, cmp.Or(f.MaxLength, MaxValue))
	if f.InPayload && len(v) > payload.MaxFieldValue {
		p.Add(path, "must be at most %d bytes to be in the payload", payload.MaxFieldValue)
	}
	if rule := rules[f.Type]; rule.ok != nil && !rule.ok(v) {
		p.Add(path, "must be %s", rule.want)
	}
}

// rules are the types' own; text has none.
var rules = map[FieldType]struct {
	want string
	ok   func(string) bool
}{
	Date:   {"a date such as 2026-01-31", isDate},
	Number: {"a number such as -12.50", isNumber},
	Email:  {"an e-mail address such as name@example.org", isEmail},
	URL:    {"an address such as https://example.org/", isURL},
}

func isDate(v string) bool {
	_, err := time.Parse(time.DateOnly, v)
	return err == nil
}

var numberForm = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

func isNumber(v string) bool {
	if !numberForm.MatchString(v) {
		return false
	}
	_, err := strconv.ParseFloat(v, 64) // out of range is an error
	return err == nil
}

// maxEmail is the longest address that can be delivered to (RFC 5321, 4.5.3.1).
const maxEmail = 254

func isEmail(v string) bool {
	a, err := mail.ParseAddress(v)
	return err == nil && len(v) <= maxEmail && a.Name == "" && a.Address == v
}

func isURL(v string) bool {
	u, err := url.Parse(v)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.Opaque == ""
}
